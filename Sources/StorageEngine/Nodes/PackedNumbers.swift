/// Encoding of numbers in packed columns.
@usableFromInline
enum PackedNumbers {
    /// Returns the least width in bits, of those that columns use, that encodes all of
    /// `low...high`.
    static func width(low: Int64, high: Int64) -> Int {
        let span = UInt64(bitPattern: high &- low)
        if span == 0 { return 0 }
        let bits = 64 - span.leadingZeroBitCount
        if bits <= 2 { return bits }
        return 1 << (Int.bitWidth - (bits - 1).leadingZeroBitCount)
    }

    /// Whether a delta fits in `width` bits.
    @inline(__always)
    static func fits(_ delta: UInt64, width: Int) -> Bool {
        // Swift's smart shift yields zero for a distance of 64.
        delta >> UInt64(width) == 0
    }

    /// Reads element `row` of an array of packed values.
    @inlinable @inline(__always)
    static func load(_ data: UnsafeRawPointer, _ row: Int, width: Int) -> UInt64 {
        switch width {
        case 8: return UInt64(data.load(fromByteOffset: row, as: UInt8.self))
        case 16: return UInt64(data.loadUnaligned(fromByteOffset: row &* 2, as: UInt16.self))
        case 32: return UInt64(data.loadUnaligned(fromByteOffset: row &* 4, as: UInt32.self))
        case 64: return data.loadUnaligned(fromByteOffset: row &* 8, as: UInt64.self)
        case 0: return 0
        default:
            let bit = row &* width
            let byte = data.load(fromByteOffset: bit &>> 3, as: UInt8.self)
            let mask = (UInt8(1) &<< UInt8(truncatingIfNeeded: width)) &- 1
            return UInt64((byte &>> UInt8(truncatingIfNeeded: bit & 7)) & mask)
        }
    }

    @inline(__always)
    static func store(
        _ data: UnsafeMutableRawPointer, _ row: Int, width: Int, delta: UInt64
    ) {
        switch width {
        case 8:
            data.storeBytes(
                of: UInt8(truncatingIfNeeded: delta), toByteOffset: row, as: UInt8.self)
        case 16:
            data.storeBytes(
                of: UInt16(truncatingIfNeeded: delta), toByteOffset: row &* 2, as: UInt16.self)
        case 32:
            data.storeBytes(
                of: UInt32(truncatingIfNeeded: delta), toByteOffset: row &* 4, as: UInt32.self)
        case 64: data.storeBytes(of: delta, toByteOffset: row &* 8, as: UInt64.self)
        case 0: return
        default:
            let bit = row &* width
            let shift = UInt8(truncatingIfNeeded: bit & 7)
            let mask = ((UInt8(1) &<< UInt8(truncatingIfNeeded: width)) &- 1) &<< shift
            let byte = data.load(fromByteOffset: bit &>> 3, as: UInt8.self)
            let value = (byte & ~mask) | (UInt8(truncatingIfNeeded: delta) &<< shift) & mask
            data.storeBytes(of: value, toByteOffset: bit &>> 3, as: UInt8.self)
        }
    }

    // MARK: Floating point

    /// Returns the value as a whole number if an integer represents it exactly, with every bit.
    /// Returns `nil` for fractions, -0.0, NaN and magnitudes of 2^53 and more.
    @inline(__always)
    static func whole(_ value: Double) -> Int64? {
        // The comparison is false for NaN.
        guard value.magnitude < 9_007_199_254_740_992 else { return nil }
        let integer = Int64(value)
        guard Double(integer).bitPattern == value.bitPattern else { return nil }
        return integer
    }

    /// Returns an integer that orders like the number: positive values keep their bits, and
    /// negative ones invert all bits but the sign.
    @inline(__always)
    static func image(_ value: Double) -> Int64 {
        let bits = Int64(bitPattern: value.bitPattern)
        return bits >= 0 ? bits : bits ^ Int64.max
    }

    @inlinable @inline(__always)
    static func double(image: Int64) -> Double {
        Double(bitPattern: UInt64(bitPattern: image >= 0 ? image : image ^ Int64.max))
    }

    @inline(__always)
    static func image(_ value: Float) -> Int64 {
        let bits = Int32(bitPattern: value.bitPattern)
        return Int64(bits >= 0 ? bits : bits ^ Int32.max)
    }

    @inlinable @inline(__always)
    static func float(image: Int64) -> Float {
        let bits = Int32(truncatingIfNeeded: image)
        return Float(bitPattern: UInt32(bitPattern: bits >= 0 ? bits : bits ^ Int32.max))
    }

    /// Returns the image of a number that a *whole* column of this kind holds.
    static func image(whole: Int64, kind: ColumnKind) -> Int64 {
        kind == .float ? image(Float(whole)) : image(Double(whole))
    }
}
