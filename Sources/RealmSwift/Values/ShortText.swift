import StorageEngine

/// Makes strings of up to 15 ASCII characters from the bytes of a row without the validation and the
/// call of `String(decoding:as:)`, which is most of what reading a short text costs.
///
/// The standard library keeps such a string in its own two words: the characters from the lowest byte
/// on, and in the highest byte a mark (0xE0) and the length. Clients have that compiled in, so it is
/// the same in all of a process, but it is promised nowhere: where the compiler makes another
/// string of a literal, nothing is made here.
@usableFromInline
enum ShortText {
    /// Longer values, and those with other characters, are decoded.
    static let capacity = 15

    /// Whether strings are laid out as `words` makes them: a constant once compiled.
    @inline(__always)
    static var isLayoutKnown: Bool {
        let words = unsafeBitCast("abcdefghijk", to: (UInt64, UInt64).self)
        return words == (0x6867_6665_6463_6261, 0xEB00_0000_006B_6A69)
    }

    /// The text of a row; invalid UTF-8 is repaired as `String(decoding:as:)` does.
    ///
    /// `bytes` must lie in a node, whose header and directory come before every value: up to eight
    /// bytes in front of the value are read, and none behind it, where the file may end.
    ///
    /// A call, as decoding is: inlined into a property's accessor, it would have the compiler leave
    /// the accessor's key paths as they are, which costs an allocation and some 100 ns a read.
    @usableFromInline @inline(never)
    static func string(ofRow bytes: UnsafeRawBufferPointer) -> String {
        if isLayoutKnown, bytes.count <= capacity, var words = words(bytes) {
            // Safe because the layout was compared, and ASCII is valid UTF-8 in normal form. Moved,
            // because a copy would call the runtime to count a reference that is none.
            return withUnsafeMutableBytes(of: &words) {
                $0.baseAddress.unsafelyUnwrapped
                    .bindMemory(to: String.self, capacity: 1).move()
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The two words of a string of at most 15 ASCII characters; nil if a byte is no ASCII.
    @inline(__always)
    static func words(_ bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64)? {
        let count = bytes.count
        let end = bytes.baseAddress.unsafelyUnwrapped + count
        // The first eight bytes, or all of them, moved down over what lies before the value; a
        // shift by 64 gives zero.
        let leading = min(count, 8)
        let low =
            UInt64(littleEndian: (end - max(count, 8)).loadUnaligned(as: UInt64.self))
            >> UInt64(truncatingIfNeeded: 64 &- 8 &* leading)
        // Those behind the first eight; shifts by 64 and more give zero.
        let high =
            UInt64(littleEndian: (end - 8).loadUnaligned(as: UInt64.self))
            >> UInt64(truncatingIfNeeded: 128 &- 8 &* count)
        guard (low | high) & 0x8080_8080_8080_8080 == 0 else { return nil }
        let mark = UInt64(truncatingIfNeeded: 0xE0 | count) &<< 56
        return (low, high | mark)
    }
}
