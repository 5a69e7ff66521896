import CColumnKernels

extension Node {
    /// Returns the first row in `rows` whose value is at least `key`, or `rows.upperBound`.
    ///
    /// The column is an integer column without nulls that ascends within `rows`.
    func lowerBound(_ c: Int, _ key: Int64, in rows: Range<Int>) -> Int {
        let e = entry(c)
        let width = e.width
        let data = base + e.dataOffset
        if width == 64 {
            return Node.lowerBound(data, key, from: rows.lowerBound, upTo: rows.upperBound)
        }
        guard key > e.base else { return rows.lowerBound }
        let delta = UInt64(bitPattern: key &- e.base)
        guard PackedNumbers.fits(delta, width: width) else {
            guard e.isRamp, delta < UInt64(rows.upperBound) else { return rows.upperBound }
            return max(Int(delta), rows.lowerBound)
        }
        switch width {
        case 8:
            return Node.lowerBound(
                data, UInt8(truncatingIfNeeded: delta), from: rows.lowerBound,
                upTo: rows.upperBound)
        case 16:
            return Node.lowerBoundOfSpread(
                data, UInt16(truncatingIfNeeded: delta), from: rows.lowerBound,
                upTo: rows.upperBound)
        case 32:
            return Node.lowerBoundOfSpread(
                data, UInt32(truncatingIfNeeded: delta), from: rows.lowerBound,
                upTo: rows.upperBound)
        default:
            return Node.lowerBoundBits(
                data, width, of: delta, from: rows.lowerBound, upTo: rows.upperBound)
        }
    }

    /// The least number of rows worth interpolating; below it, the search bisects at once.
    static var fewestSpreadRows: Int { 64 }
    /// How far from its interpolated row a key is looked for before all rows are bisected. Of 500
    /// random keys, six of seven lie no farther away.
    static var spreadReach: Int { 16 }

    /// Interpolation search: looks first where the key would be if keys were spread evenly between
    /// the first and the last one. This touches two or three cache lines of a leaf instead of five.
    /// For keys without gaps, such as object keys, the first guess is right.
    ///
    /// Safe for any contents: only rows within the given bounds are ever read.
    @inline(__always)
    static func lowerBoundOfSpread<T: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ data: UnsafeRawPointer, _ key: T, from low: Int, upTo high: Int
    ) -> Int {
        @inline(__always) func value(_ row: Int) -> T {
            data.loadUnaligned(fromByteOffset: row &* MemoryLayout<T>.size, as: T.self)
        }
        guard high &- low >= fewestSpreadRows else {
            return lowerBound(data, key, from: low, upTo: high)
        }
        let (first, last) = (value(low), value(high &- 1))
        if key <= first { return low }
        if key > last { return high }
        // Neither factor exceeds 32 bits, so the product does not overflow. The quotient is at most
        // the second factor, so the guess stays within the rows.
        let steps =
            UInt64(truncatingIfNeeded: key &- first)
            &* UInt64(truncatingIfNeeded: high &- 1 &- low)
            / UInt64(truncatingIfNeeded: last &- first)
        let guess = low &+ Int(truncatingIfNeeded: steps)
        if value(guess) >= key {
            // The guess is above row `low`, because `key` is greater than the value there.
            if value(guess &- 1) < key { return guess }
            let from = max(low, guess &- spreadReach)
            return value(from) < key
                ? lowerBound(data, key, from: from &+ 1, upTo: guess)
                : lowerBound(data, key, from: low, upTo: from)
        }
        let end = min(high &- 1, guess &+ spreadReach)
        return value(end) >= key
            ? lowerBound(data, key, from: guess &+ 1, upTo: end)
            : lowerBound(data, key, from: end &+ 1, upTo: high)
    }

    /// Bisects without a branch on the data, which would be mispredicted half of the time.
    @inline(__always)
    static func lowerBound<T: FixedWidthInteger & BitwiseCopyable>(
        _ data: UnsafeRawPointer, _ key: T, from low: Int, upTo high: Int
    ) -> Int {
        let size = MemoryLayout<T>.size
        var first = low
        var count = high &- low
        while count > 0 {
            let half = (count &+ 1) &>> 1
            let value = data.loadUnaligned(
                fromByteOffset: (first &+ half &- 1) &* size, as: T.self)
            first &+= half & Node.maskIfLess(value, key)
            count &-= half
        }
        return first
    }

    /// All ones when `a < b`, else zero.
    ///
    /// Uses arithmetic, because the compiler turns a comparison, or a shift by 63, back into a
    /// branch. With 64 bits, the sign of the difference is corrected where it overflows. Narrower
    /// values are unsigned, so their difference does not overflow.
    @inline(__always)
    static func maskIfLess<T: FixedWidthInteger & BitwiseCopyable>(_ a: T, _ b: T) -> Int {
        let a = Int(truncatingIfNeeded: a)
        let b = Int(truncatingIfNeeded: b)
        let difference = a &- b
        if T.bitWidth <= 32 { return difference &>> 32 }
        return (difference ^ ((a ^ b) & (difference ^ a))) &>> 63
    }

    static func lowerBoundBits(
        _ data: UnsafeRawPointer, _ width: Int, of key: UInt64, from low: Int, upTo high: Int
    ) -> Int {
        var first = low
        var count = high - low
        while count > 0 {
            let half = count / 2
            if PackedNumbers.load(data, first + half, width: width) < key {
                first += half + 1
                count -= half + 1
            } else {
                count = half
            }
        }
        return first
    }

    /// Returns the first row in `rows` whose bytes are at least `key`, or `rows.upperBound`. The
    /// order is that of `memcmp`, and a prefix precedes what it begins.
    ///
    /// The column ascends within `rows` and has neither nulls nor overflow values there. `wanted`
    /// is a column of numbers whose value in the found row is read next, or -1; the search
    /// prefetches that value.
    func lowerBoundBytes(
        _ c: Int, _ key: UnsafeRawBufferPointer, in rows: Range<Int>, wanted: Int = -1
    ) -> Int {
        let e = entry(c)
        let heap = base + e.heapOffset
        // The last heap offset from which eight bytes can be loaded, whatever the value's length.
        let lastWord = e.heapCapacity - 8
        let keyWord = Node.leadingWord(key)
        let keyTail = Node.secondWord(key)
        prefetchOffsets(e, rows)
        var first = rows.lowerBound
        var count = rows.count
        while count > 0 {
            let half = (count &+ 1) &>> 1
            let row = first &+ half &- 1
            let (start, end) = span(e, row)
            let length = end &- start
            count &-= half
            if count >= Node.fewestPrefetchedRows {
                // Prefetches the two values that the next step may read: the one before this row
                // and the one behind.
                let next = (count &- 1) &>> 1
                realm_prefetch(heap + span(e, first &+ next).start)
                realm_prefetch(heap + span(e, first &+ half &+ next).start)
            } else if wanted >= 0, count >= Node.fewestPrefetchedRows / 2 {
                prefetchValue(wanted, first)
            }
            if start <= lastWord {
                let word = Node.leadingWord(heap + start, length)
                if word != keyWord {
                    first &+= half & Node.maskIfLess(word, keyWord)
                    continue
                }
                if length > 8, start &+ 8 <= lastWord {
                    let tail = Node.leadingWord(heap + start + 8, length &- 8)
                    if tail != keyTail {
                        first &+= half & Node.maskIfLess(tail, keyTail)
                        continue
                    }
                }
            }
            let bytes = UnsafeRawBufferPointer(start: heap + start, count: length)
            if compareBytes(bytes, key) < 0 { first &+= half }
        }
        return first
    }

    /// Prefetches the value of a row in a column of numbers, together with the few rows behind it.
    @inline(__always)
    private func prefetchValue(_ c: Int, _ row: Int) {
        let e = entry(c)
        realm_prefetch(base + e.dataOffset + (row &* e.width) &>> 3)
    }

    /// The least number of remaining rows for which prefetching pays. With fewer, the next row is
    /// close to the one just read.
    private static let fewestPrefetchedRows = 8

    /// Prefetches the end offsets of all rows at once. Each step of a search needs one offset and
    /// then waits for the value that it points to.
    @inline(__always)
    private func prefetchOffsets(_ e: ColumnEntry, _ rows: Range<Int>) {
        var place = base + e.dataOffset + (rows.lowerBound &* e.bitsPerRow) &>> 3
        let end = base + e.dataOffset + (rows.upperBound &* e.bitsPerRow) &>> 3
        while place < end {
            realm_prefetch(place)
            place += 64
        }
    }

    /// Returns the first eight bytes as a big-endian number, padded with zeros. Different numbers
    /// are in the order of the bytes; equal ones decide nothing.
    private static func leadingWord(_ key: UnsafeRawBufferPointer) -> UInt64 {
        if key.count >= 8 { return key.loadUnaligned(as: UInt64.self).bigEndian }
        var word: UInt64 = 0
        for (index, byte) in key.enumerated() { word |= UInt64(byte) << UInt64(56 - 8 * index) }
        return word
    }

    /// Returns bytes 8 to 15 in the same form as `leadingWord`.
    private static func secondWord(_ key: UnsafeRawBufferPointer) -> UInt64 {
        if key.count >= 16 {
            return key.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian
        }
        if key.count <= 8 { return 0 }
        // Loads the last eight bytes and shifts out those that belong to the first word.
        let word = key.loadUnaligned(fromByteOffset: key.count - 8, as: UInt64.self).bigEndian
        return word << UInt64(8 * (16 - key.count))
    }

    /// Returns the leading word of a value at whose start eight bytes can be read.
    @inline(__always)
    private static func leadingWord(_ start: UnsafeRawPointer, _ length: Int) -> UInt64 {
        let word = start.loadUnaligned(as: UInt64.self).bigEndian
        // Swift's smart shift yields zero for a distance of 64.
        return word & ~(UInt64.max >> UInt64(8 &* min(length, 8)))
    }

    /// All ones when `a < b`, else zero: the borrow of the subtraction. Arithmetic for the same
    /// reason as the generic overload.
    @inline(__always)
    private static func maskIfLess(_ a: UInt64, _ b: UInt64) -> Int {
        let borrow = (~a & b) | (~(a ^ b) & (a &- b))
        return Int(truncatingIfNeeded: Int64(bitPattern: borrow) &>> 63)
    }

    /// Returns the first row at or after `from` that holds `value` and is not null, or -1. The
    /// column is an integer column.
    func indexOfInteger(_ c: Int, _ value: Int64, from: Int) -> Int {
        let e = entry(c)
        let width = e.width
        let count = rowCount
        guard from < count else { return -1 }
        let delta = UInt64(bitPattern: value &- e.base)
        if e.isRamp {
            return value >= e.base && delta >= from && delta < count ? Int(delta) : -1
        }
        guard width == 64 || (value >= e.base && PackedNumbers.fits(delta, width: width)) else {
            return -1
        }
        let data = base + e.dataOffset
        var row = from
        while row < count {
            switch width {
            case 8: row = Node.scan(data, UInt8(truncatingIfNeeded: delta), from: row, count: count)
            case 16:
                row = Node.scan(data, UInt16(truncatingIfNeeded: delta), from: row, count: count)
            case 32:
                row = Node.scan(data, UInt32(truncatingIfNeeded: delta), from: row, count: count)
            case 64: row = Node.scan(data, delta, from: row, count: count)
            default:
                while row < count, PackedNumbers.load(data, row, width: width) != delta { row += 1 }
            }
            if row < count, !isNull(c, row) { return row }
            row += 1
        }
        return -1
    }

    @inline(__always)
    private static func scan<T: FixedWidthInteger & BitwiseCopyable>(
        _ data: UnsafeRawPointer, _ value: T, from: Int, count: Int
    ) -> Int {
        var row = from
        while row < count,
            data.loadUnaligned(fromByteOffset: row &* MemoryLayout<T>.size, as: T.self) != value
        { row &+= 1 }
        return row
    }
}
