import CColumnKernels

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Node {
    /// The first row in `rows` whose value is at least `key`, or `rows.upperBound`.
    ///
    /// The column is an integer column that ascends within `rows`, without nulls.
    @inlinable
    public func lowerBound(_ c: Int, _ key: Int64, in rows: Range<Int>) -> Int {
        let e = entry(c)
        let width = e.width
        let data = base + e.dataOffset
        if width == 64 {
            return Node.lowerBound(data, key, rows.lowerBound, rows.upperBound)
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
                data, UInt8(truncatingIfNeeded: delta), rows.lowerBound, rows.upperBound)
        case 16:
            return Node.lowerBoundOfSpread(
                data, UInt16(truncatingIfNeeded: delta), rows.lowerBound, rows.upperBound)
        case 32:
            return Node.lowerBoundOfSpread(
                data, UInt32(truncatingIfNeeded: delta), rows.lowerBound, rows.upperBound)
        default:
            return Node.lowerBoundBits(data, width, delta, rows.lowerBound, rows.upperBound)
        }
    }

    /// Fewer rows are halved at once.
    @usableFromInline static var fewestSpreadRows: Int { 64 }
    /// How far from its place among evenly spread keys a key is looked for before all rows are
    /// halved. Of 500 keys that are random, six of seven lie no farther away.
    @usableFromInline static var spreadReach: Int { 16 }

    /// Looks first where the key would be if keys were spread evenly between the first and the last
    /// one. Then two or three cache lines of a leaf are touched, not five; and of keys without gaps,
    /// such as objects' among themselves, the first guess is right.
    ///
    /// Any contents are safe: rows are only chosen between the given ones.
    @inlinable @inline(__always)
    static func lowerBoundOfSpread<T: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ data: UnsafeRawPointer, _ key: T, _ low: Int, _ high: Int
    ) -> Int {
        @inline(__always) func value(_ row: Int) -> T {
            data.loadUnaligned(fromByteOffset: row &* MemoryLayout<T>.size, as: T.self)
        }
        guard high &- low >= fewestSpreadRows else { return lowerBound(data, key, low, high) }
        let (first, last) = (value(low), value(high &- 1))
        if key <= first { return low }
        if key > last { return high }
        // Neither factor has more than 32 bits, and the quotient is at most the second one.
        let steps =
            UInt64(truncatingIfNeeded: key &- first)
            &* UInt64(truncatingIfNeeded: high &- 1 &- low)
            / UInt64(truncatingIfNeeded: last &- first)
        let guess = low &+ Int(truncatingIfNeeded: steps)
        if value(guess) >= key {
            // Above the first row, because that is before the key.
            if value(guess &- 1) < key { return guess }
            let from = max(low, guess &- spreadReach)
            return value(from) < key
                ? lowerBound(data, key, from &+ 1, guess)
                : lowerBound(data, key, low, from)
        }
        let end = min(high &- 1, guess &+ spreadReach)
        return value(end) >= key
            ? lowerBound(data, key, guess &+ 1, end)
            : lowerBound(data, key, end &+ 1, high)
    }

    /// Halves without a branch on the data, which would be mispredicted every other time.
    @inlinable @inline(__always)
    static func lowerBound<T: FixedWidthInteger & BitwiseCopyable>(
        _ data: UnsafeRawPointer, _ key: T, _ low: Int, _ high: Int
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
    /// Arithmetic, because the compiler turns a comparison, or a shift by 63, back into a branch.
    /// With 64 bits the sign of the difference is corrected where it overflows; narrow values are
    /// unsigned.
    @inlinable @inline(__always)
    static func maskIfLess<T: FixedWidthInteger & BitwiseCopyable>(_ a: T, _ b: T) -> Int {
        let a = Int(truncatingIfNeeded: a)
        let b = Int(truncatingIfNeeded: b)
        let difference = a &- b
        if T.bitWidth <= 32 { return difference &>> 32 }
        return (difference ^ ((a ^ b) & (difference ^ a))) &>> 63
    }

    @usableFromInline
    static func lowerBoundBits(
        _ data: UnsafeRawPointer, _ width: Int, _ key: UInt64, _ low: Int, _ high: Int
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

    /// The first row in `rows` whose bytes are at least `key` in the order of `memcmp`, a prefix
    /// before what it begins, or `rows.upperBound`.
    ///
    /// The column ascends within `rows` and has neither nulls nor overflow values there. `wanted`: a
    /// column of numbers whose value in that row is read next, or -1.
    public func lowerBoundBytes(
        _ c: Int, _ key: UnsafeRawBufferPointer, in rows: Range<Int>, wanted: Int = -1
    ) -> Int {
        let e = entry(c)
        let heap = base + e.heapOffset
        // Up to here eight bytes can be loaded, whatever the length of the value.
        let lastWord = e.heapCapacity - 8
        let keyWord = Node.leadingWord(key)
        let keyTail = Node.secondWord(key)
        prefetchOffsets(e, rows)
        var first = rows.lowerBound
        var count = rows.count
        while count > 0 {
            let half = (count &+ 1) &>> 1
            let row = first &+ half &- 1
            let start = startOffset(e, row)
            let length = Int(endOffset(e, row) & 0x7FFF) &- start
            count &-= half
            if count >= Node.fewestPrefetchedRows {
                // Where the search goes on: before this row, or behind it.
                let next = (count &- 1) &>> 1
                realm_prefetch(heap + startOffset(e, first &+ next))
                realm_prefetch(heap + startOffset(e, first &+ half &+ next))
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
            if Node.compare(bytes, key) < 0 { first &+= half }
        }
        return first
    }

    /// Asks for what a row has in a column of numbers, and the few rows behind it.
    @inline(__always)
    private func prefetchValue(_ c: Int, _ row: Int) {
        let e = entry(c)
        realm_prefetch(base + e.dataOffset + (row &* e.width) &>> 3)
    }

    /// With fewer rows left, what comes next is near what was just looked at.
    private static let fewestPrefetchedRows = 8

    /// Asks for all end offsets of the rows at once, since each step of a search needs one and then
    /// waits for what it leads to.
    @inline(__always)
    private func prefetchOffsets(_ e: ColumnEntry, _ rows: Range<Int>) {
        var place = base + e.dataOffset + rows.lowerBound &* 2
        let end = base + e.dataOffset + rows.upperBound &* 2
        while place < end {
            realm_prefetch(place)
            place += 64
        }
    }

    /// The first bytes as a number that orders like them, zeros behind the last. Different numbers
    /// are in the order of the bytes; equal ones tell nothing.
    private static func leadingWord(_ key: UnsafeRawBufferPointer) -> UInt64 {
        if key.count >= 8 { return key.loadUnaligned(as: UInt64.self).bigEndian }
        var word: UInt64 = 0
        for (index, byte) in key.enumerated() { word |= UInt64(byte) << UInt64(56 - 8 * index) }
        return word
    }

    /// The same of the bytes from the ninth on.
    private static func secondWord(_ key: UnsafeRawBufferPointer) -> UInt64 {
        if key.count >= 16 {
            return key.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian
        }
        if key.count <= 8 { return 0 }
        // The last eight bytes, without those that belong to the first word.
        let word = key.loadUnaligned(fromByteOffset: key.count - 8, as: UInt64.self).bigEndian
        return word << UInt64(8 * (16 - key.count))
    }

    /// The same of bytes behind which eight can be read.
    @inline(__always)
    private static func leadingWord(_ start: UnsafeRawPointer, _ length: Int) -> UInt64 {
        let word = start.loadUnaligned(as: UInt64.self).bigEndian
        // Smart shift: 64 gives zero.
        return word & ~(UInt64.max >> UInt64(8 &* min(length, 8)))
    }

    /// All ones when `a < b`, else zero: the borrow of the subtraction. See the other one.
    @inline(__always)
    private static func maskIfLess(_ a: UInt64, _ b: UInt64) -> Int {
        let borrow = (~a & b) | (~(a ^ b) & (a &- b))
        return Int(truncatingIfNeeded: Int64(bitPattern: borrow) &>> 63)
    }

    /// Negative, zero or positive as `a` is before, equal to or behind `b` in `memcmp` order.
    public static func compare(
        _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer
    ) -> Int {
        let common = min(a.count, b.count)
        if common > 0, let p = a.baseAddress, let q = b.baseAddress {
            let order = memcmp(p, q, common)
            if order != 0 { return Int(order) }
        }
        return a.count - b.count
    }

    /// The first row from `from` on that holds `value` and is not null, or -1. Integer columns.
    public func indexOfInteger(_ c: Int, _ value: Int64, from: Int) -> Int {
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
            case 8: row = Node.scan(data, UInt8(truncatingIfNeeded: delta), row, count)
            case 16: row = Node.scan(data, UInt16(truncatingIfNeeded: delta), row, count)
            case 32: row = Node.scan(data, UInt32(truncatingIfNeeded: delta), row, count)
            case 64: row = Node.scan(data, delta, row, count)
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
        _ data: UnsafeRawPointer, _ value: T, _ from: Int, _ count: Int
    ) -> Int {
        var row = from
        while row < count,
            data.loadUnaligned(fromByteOffset: row &* MemoryLayout<T>.size, as: T.self) != value
        { row &+= 1 }
        return row
    }
}
