/// Loops over consecutive rows of a packed column, one loop for each width, so that the compiler
/// vectorizes them.
extension PackedNumbers {
    /// Returns the least and the greatest delta of a nonempty range of rows. Deltas of 64 bits
    /// compare as signed numbers.
    static func bounds(
        _ data: UnsafeRawPointer, _ rows: Range<Int>, width: Int
    ) -> (low: Int64, high: Int64) {
        switch width {
        case 0: return (0, 0)
        case 8: return bounds(data, rows, of: UInt8.self)
        case 16: return bounds(data, rows, of: UInt16.self)
        case 32: return bounds(data, rows, of: UInt32.self)
        case 64: return bounds(data, rows, of: Int64.self)
        default:
            var (low, high) = (UInt64.max, UInt64.min)
            for row in rows {
                let delta = load(data, row, width: width)
                low = min(low, delta)
                high = max(high, delta)
            }
            return (Int64(bitPattern: low), Int64(bitPattern: high))
        }
    }

    @inline(__always)
    private static func bounds<T: FixedWidthInteger & BitwiseCopyable>(
        _ data: UnsafeRawPointer, _ rows: Range<Int>, of type: T.Type
    ) -> (low: Int64, high: Int64) {
        var (low, high) = (T.max, T.min)
        for row in rows {
            let delta = data.loadUnaligned(
                fromByteOffset: row &* MemoryLayout<T>.size, as: T.self)
            low = min(low, delta)
            high = max(high, delta)
        }
        return (Int64(truncatingIfNeeded: low), Int64(truncatingIfNeeded: high))
    }

    /// Whether each delta in a nonempty range of rows is one more than the previous one.
    static func ascendByOne(_ data: UnsafeRawPointer, _ rows: Range<Int>, width: Int) -> Bool {
        switch width {
        case 0: return rows.count == 1
        case 8: return ascendByOne(data, rows, of: UInt8.self)
        case 16: return ascendByOne(data, rows, of: UInt16.self)
        case 32: return ascendByOne(data, rows, of: UInt32.self)
        case 64: return ascendByOne(data, rows, of: Int64.self)
        default:
            let first = load(data, rows.lowerBound, width: width)
            for i in 0..<rows.count
            where load(data, rows.lowerBound + i, width: width) != first &+ UInt64(i) {
                return false
            }
            return true
        }
    }

    @inline(__always)
    private static func ascendByOne<T: FixedWidthInteger & BitwiseCopyable>(
        _ data: UnsafeRawPointer, _ rows: Range<Int>, of type: T.Type
    ) -> Bool {
        let start = data + rows.lowerBound &* MemoryLayout<T>.size
        let first = start.loadUnaligned(as: T.self)
        // If the last delta of a run would exceed the type, the sums below would wrap around and
        // match.
        guard let rise = T(exactly: rows.count &- 1), !first.addingReportingOverflow(rise).overflow
        else { return false }
        var differences: T = 0
        for i in 0..<rows.count {
            let delta = start.loadUnaligned(
                fromByteOffset: i &* MemoryLayout<T>.size, as: T.self)
            differences |= delta ^ (first &+ T(truncatingIfNeeded: i))
        }
        return differences == 0
    }

    /// Copies `rows` to another array from `row` on, adding `shift` to each delta. The results must
    /// fit the target's width.
    static func copy(
        _ source: UnsafeRawPointer, _ rows: Range<Int>, width: Int,
        to target: UnsafeMutableRawPointer, at row: Int, width targetWidth: Int,
        adding shift: UInt64
    ) {
        switch width {
        case 8:
            copy(
                source, rows, of: UInt8.self, to: target, at: row, width: targetWidth,
                adding: shift)
        case 16:
            copy(
                source, rows, of: UInt16.self, to: target, at: row, width: targetWidth,
                adding: shift)
        case 32:
            copy(
                source, rows, of: UInt32.self, to: target, at: row, width: targetWidth,
                adding: shift)
        case 64:
            copy(
                source, rows, of: UInt64.self, to: target, at: row, width: targetWidth,
                adding: shift)
        default:
            for i in 0..<rows.count {
                let delta = load(source, rows.lowerBound + i, width: width) &+ shift
                store(target, row + i, width: targetWidth, delta: delta)
            }
        }
    }

    @inline(__always)
    private static func copy<S: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ source: UnsafeRawPointer, _ rows: Range<Int>, of type: S.Type,
        to target: UnsafeMutableRawPointer, at row: Int, width targetWidth: Int,
        adding shift: UInt64
    ) {
        let from = source + rows.lowerBound * MemoryLayout<S>.size
        switch targetWidth {
        case 8:
            copy(from, of: type, count: rows.count, to: target + row, as: UInt8.self, adding: shift)
        case 16:
            copy(
                from, of: type, count: rows.count, to: target + row * 2, as: UInt16.self,
                adding: shift)
        case 32:
            copy(
                from, of: type, count: rows.count, to: target + row * 4, as: UInt32.self,
                adding: shift)
        case 64:
            copy(
                from, of: type, count: rows.count, to: target + row * 8, as: UInt64.self,
                adding: shift)
        default:
            for i in 0..<rows.count {
                let delta = from.loadUnaligned(
                    fromByteOffset: i &* MemoryLayout<S>.size, as: S.self)
                store(target, row + i, width: targetWidth, delta: UInt64(delta) &+ shift)
            }
        }
    }

    @inline(__always)
    private static func copy<
        S: FixedWidthInteger & UnsignedInteger & BitwiseCopyable,
        T: FixedWidthInteger & UnsignedInteger & BitwiseCopyable
    >(
        _ from: UnsafeRawPointer, of type: S.Type, count: Int,
        to: UnsafeMutableRawPointer, as targetType: T.Type, adding shift: UInt64
    ) {
        // The sums are only needed modulo the target's width.
        let shift = T(truncatingIfNeeded: shift)
        for i in 0..<count {
            let delta = from.loadUnaligned(fromByteOffset: i &* MemoryLayout<S>.size, as: S.self)
            to.storeBytes(
                of: T(truncatingIfNeeded: delta) &+ shift,
                toByteOffset: i &* MemoryLayout<T>.size, as: T.self)
        }
    }
}
