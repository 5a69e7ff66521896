/// The end offsets of a column's byte strings, of which none has more than 31 bytes, in ten bits
/// each.
///
/// Eight rows are a *block* of ten bytes: where its first string begins in the heap (16 bits), and
/// for each row, in a byte, where its string ends after that. So a string is found with two loads
/// and no arithmetic but an addition, and eight ends are one word.
///
/// Like a node, this is a view of memory that it does not own. Accessors do not check bounds. What
/// lies behind the last row is undefined.
@frozen @usableFromInline
struct PackedEnds {
    /// The width in bits of the end of a row.
    @inlinable static var width: Int { 8 }
    /// The width of an end offset in columns whose ends are not packed.
    @inlinable static var offsetWidth: Int { 16 }
    /// The length of the longest string: those of a block have 248 bytes at most.
    static var longest: Int { 31 }
    /// The bits of a row, with its part of the beginning of its block.
    static var bitsPerRow: Int { 10 }

    private static let ones: UInt64 = 0x0101_0101_0101_0101

    @usableFromInline let blocks: UnsafeMutableRawPointer

    @inlinable @inline(__always)
    init(_ e: ColumnEntry, in node: UnsafeRawPointer) {
        blocks = UnsafeMutableRawPointer(mutating: node) + e.dataOffset
    }

    /// The width of the ends of strings of which the longest has `longest` bytes.
    static func width(longest: Int) -> Int { longest <= Self.longest ? width : offsetWidth }

    /// Returns the bytes of the blocks of `rows` rows, in whole words.
    static func bytes(rows: Int) -> Int { ((rows + 7) >> 3 * 10 + 7) & ~7 }

    /// The distance of a row's byte from the first block.
    @inlinable @inline(__always)
    static func offset(_ row: Int) -> Int { row &+ (row &>> 3) &* 2 &+ 2 }

    // MARK: Reading

    @inlinable @inline(__always)
    func start(ofBlock block: Int) -> Int {
        Int(
            UnsafeRawPointer(blocks).loadUnaligned(
                fromByteOffset: block &* 10, as: UInt16.self))
    }

    @inlinable @inline(__always)
    func end(_ row: Int) -> Int {
        start(ofBlock: row &>> 3)
            &+ Int(
                UnsafeRawPointer(blocks).load(
                    fromByteOffset: PackedEnds.offset(row), as: UInt8.self))
    }

    /// Where the string of an existing row begins and ends. The byte before that of a block's first
    /// row is none of an end, but reading it spares a branch.
    @inlinable @inline(__always)
    func span(_ row: Int) -> (start: Int, end: Int) {
        let place = UnsafeRawPointer(blocks) + PackedEnds.offset(row)
        let start = start(ofBlock: row &>> 3)
        let before = Int(place.load(fromByteOffset: -1, as: UInt8.self))
        let end = Int(place.load(as: UInt8.self))
        return (start &+ (row & 7 == 0 ? 0 : before), start &+ end)
    }

    /// The ends of the eight rows of a block.
    @inline(__always)
    private func word(_ block: Int) -> UInt64 {
        UnsafeRawPointer(blocks).loadUnaligned(
            fromByteOffset: block &* 10 &+ 2, as: UInt64.self)
    }

    /// Returns the lengths of the shortest and of the longest string of some rows, at least one.
    /// Eight rows at a time: each length is a byte of a word, and none has the highest bit.
    func lengths(_ rows: Range<Int>) -> (shortest: Int, longest: Int) {
        let high = PackedEnds.ones &* 0x80
        var longest: UInt64 = 0
        // What 127 has more than the shortest ones, so that both are a greatest value.
        var shortness: UInt64 = 0
        for block in rows.lowerBound &>> 3...(rows.upperBound &- 1) &>> 3 {
            let word = word(block)
            let lengths = word &- word &<< 8
            let first = max(0, rows.lowerBound &- block &* 8)
            let end = min(8, rows.upperBound &- block &* 8)
            // Swift's smart shift yields zero for a distance of 64.
            let all = UInt64.max
            let mask = ~(all << UInt64(end &* 8)) & all << UInt64(first &* 8)
            longest = PackedEnds.greater(longest, lengths & mask & ~high)
            shortness = PackedEnds.greater(
                shortness, (PackedEnds.ones &* 0x7F &- lengths & ~high) & mask)
        }
        var (most, least) = (0, 0)
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            most = max(most, Int(longest &>> shift & 0xFF))
            least = max(least, Int(shortness &>> shift & 0xFF))
        }
        return (0x7F - least, most)
    }

    /// Returns the greater ones of the bytes of two words, none of which has the highest bit.
    @inline(__always)
    private static func greater(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let high = ones &* 0x80
        let isA = (((a | high) &- b) & high) &>> 7 &* 0xFF
        return a & isA | b & ~isA
    }

    // MARK: Changing

    @inline(__always)
    private func setStart(_ block: Int, _ start: Int) {
        blocks.storeBytes(
            of: UInt16(truncatingIfNeeded: start), toByteOffset: block &* 10, as: UInt16.self)
    }

    @inline(__always)
    private func setWord(_ block: Int, _ word: UInt64) {
        blocks.storeBytes(of: word, toByteOffset: block &* 10 &+ 2, as: UInt64.self)
    }

    /// Sets the end of a row that begins at `start`. The rows before it in its block are set.
    @inline(__always)
    func place(_ row: Int, from start: Int, to end: Int) {
        if row & 7 == 0 { setStart(row &>> 3, start) }
        blocks.storeBytes(
            of: UInt8(truncatingIfNeeded: end &- self.start(ofBlock: row &>> 3)),
            toByteOffset: PackedEnds.offset(row), as: UInt8.self)
    }

    /// Adds `distance` to the ends of the rows from `row` on. There are `count` rows.
    @inline(__always)
    func move(from row: Int, count: Int, by distance: Int) {
        var block = row &>> 3
        // No byte of a row carries, because the new ends fit, or borrows, because the string of
        // `row` loses no more than it has.
        let added = PackedEnds.ones &* UInt64(distance.magnitude) &<< (UInt64(row & 7) &* 8)
        setWord(block, distance < 0 ? word(block) &- added : word(block) &+ added)
        let end = (count &+ 7) &>> 3
        block &+= 1
        while block < end {
            setStart(block, start(ofBlock: block) &+ distance)
            block &+= 1
        }
    }

    /// Inserts the end of a string of `length` bytes. There are `count` rows before.
    func insert(_ length: Int = 0, at row: Int, count: Int) {
        let first = row &>> 3
        var block = count &>> 3
        // The last row of each block becomes the first one of the next.
        while block > first {
            let before = word(block &- 1)
            let sixth = before &>> 48 & 0xFF
            let last = before &>> 56 &- sixth
            setWord(block, word(block) &<< 8 &+ last &* PackedEnds.ones)
            let start = start(ofBlock: block &- 1) &+ Int(truncatingIfNeeded: sixth)
            setStart(block, start &+ length)
            block &-= 1
        }
        let bits = UInt64(row & 7) &* 8
        let word = word(first)
        let below = word & ((1 &<< bits) &- 1)
        var end: UInt64 = 0
        if bits > 0 {
            end = word &>> (bits &- 8) & 0xFF
        } else if row == count {
            setStart(first, row == 0 ? 0 : self.end(row &- 1))
        }
        let added = PackedEnds.ones &* UInt64(truncatingIfNeeded: length) &<< bits
        setWord(first, (below | end &<< bits | (word &- below) &<< 8) &+ added)
    }

    /// Removes the end of a row whose string is empty. There are `count` rows before.
    func remove(at row: Int, count: Int) {
        let first = row &>> 3
        let last = (count &- 1) &>> 3
        let bits = UInt64(row & 7) &* 8
        var block = first
        while block <= last {
            let word = word(block)
            // The first row of each block becomes the last one of the block before.
            let next = block < last ? (word &>> 56 &+ self.word(block &+ 1)) & 0xFF : 0
            if block == first {
                let below = word & ((1 &<< bits) &- 1)
                let above = word &>> 8 & ~((1 &<< bits) &- 1)
                setWord(block, below | above | next &<< 56)
            } else {
                let length = word & 0xFF
                let moved = word &>> 8 &- length &* PackedEnds.ones
                setWord(block, moved & ~(0xFF &<< 56) | (next &- length) &<< 56)
                setStart(block, start(ofBlock: block) &+ Int(truncatingIfNeeded: length))
            }
            block &+= 1
        }
    }

    /// Replaces the ends of the rows from `row` on.
    func replace(from row: Int, by ends: UnsafeBufferPointer<UInt16>) {
        var start = row == 0 ? 0 : end(row &- 1)
        for i in 0..<ends.count {
            let end = Int(ends[i])
            place(row &+ i, from: start, to: end)
            start = end
        }
    }

    /// Whether the ends of `rows` rows are those of strings of at most 31 bytes each that follow
    /// each other from the beginning of the heap to `used`.
    func areSound(rows: Int, used: Int) -> Bool {
        var wrong = 0
        var previous = 0
        for row in 0..<rows {
            if row & 7 == 0 { wrong |= start(ofBlock: row &>> 3) ^ previous }
            let end = end(row)
            // A negative difference has the upper bits as well.
            wrong |= (end &- previous) & ~PackedEnds.longest
            previous = end
        }
        return wrong | (previous ^ used) == 0
    }
}
