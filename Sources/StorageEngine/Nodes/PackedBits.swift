/// Shifts arrays of values narrower than a byte, one word at a time.
///
/// `count` is the width of one value, so it divides 64, and `bit` is a multiple of it. No value
/// straddles two words.
enum PackedBits {
    @inline(__always)
    private static func word(_ data: UnsafeMutableRawPointer, _ i: Int) -> UInt64 {
        UnsafeRawPointer(data).loadUnaligned(fromByteOffset: i &* 8, as: UInt64.self)
    }

    @inline(__always)
    private static func setWord(_ data: UnsafeMutableRawPointer, _ i: Int, to value: UInt64) {
        data.storeBytes(of: value, toByteOffset: i &* 8, as: UInt64.self)
    }

    /// Opens a gap of `count` zero bits at `bit` in an array of `total` bits.
    ///
    /// The region has room for `total + count` bits in whole words.
    static func insert(
        _ data: UnsafeMutableRawPointer, at bit: Int, count: Int, total: Int
    ) {
        let shift = UInt64(count)
        let first = bit / 64
        var i = (total + count - 1) / 64
        while i > first {
            setWord(data, i, to: word(data, i) &<< shift | word(data, i - 1) &>> (64 - shift))
            i -= 1
        }
        let low = (UInt64(1) &<< UInt64(bit % 64)) &- 1
        let old = word(data, first)
        setWord(data, first, to: (old & low) | (old & ~low) << shift)
    }

    /// Closes the gap of `count` bits at `bit` in an array of `total` bits.
    static func remove(
        _ data: UnsafeMutableRawPointer, at bit: Int, count: Int, total: Int
    ) {
        let shift = UInt64(count)
        let first = bit / 64
        let last = (total - 1) / 64
        let low = (UInt64(1) &<< UInt64(bit % 64)) &- 1
        for i in first...last {
            let next = i < last ? word(data, i + 1) : 0
            let moved = word(data, i) &>> shift | next &<< (64 - shift)
            setWord(data, i, to: i == first ? (word(data, i) & low) | (moved & ~low) : moved)
        }
    }
}
