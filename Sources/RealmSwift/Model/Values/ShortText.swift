import StorageEngine

/// Functions that make strings of up to 15 ASCII characters directly from the bytes of a row. They
/// avoid the validation and the call of `String(decoding:as:)`, which are most of the cost of
/// reading a short string.
///
/// The standard library stores such a string in its own two words. The characters start at the
/// lowest byte, and the highest byte holds a mark (0xE0) and the length. This layout is compiled
/// into clients, so it is the same within a process, but it is not documented. Therefore the layout
/// of a literal is compared first; if it differs, this path is not used.
@usableFromInline
enum ShortText {
    /// The maximum length for this path. Longer values, and values with other characters, are
    /// decoded.
    static let capacity = 15

    /// Whether strings have the layout that `words` makes. The optimizer reduces this to a
    /// constant.
    @inline(__always)
    static var isLayoutKnown: Bool {
        let words = unsafeBitCast("abcdefghijk", to: (UInt64, UInt64).self)
        return words == (0x6867_6665_6463_6261, 0xEB00_0000_006B_6A69)
    }

    /// Returns the string of a row. Invalid UTF-8 is repaired as in `String(decoding:as:)`.
    ///
    /// `bytes` must be located in a node, whose header and directory come before every value. This
    /// function reads up to eight bytes before the value, but none after it, where the file may
    /// end.
    ///
    /// Not inlined, like decoding. Inlined into a property's accessor, it would prevent the
    /// compiler from optimizing the accessor's key paths, which costs an allocation and about 100
    /// ns per read.
    @usableFromInline @inline(never)
    static func string(ofRow bytes: UnsafeRawBufferPointer) -> String {
        if isLayoutKnown, bytes.count <= capacity, var words = words(bytes) {
            // Safe because the layout was compared, and ASCII is valid UTF-8 in normal form. The
            // value is moved, because a copy would call the runtime to retain a reference that does
            // not exist.
            return withUnsafeMutableBytes(of: &words) {
                $0.baseAddress.unsafelyUnwrapped
                    .bindMemory(to: String.self, capacity: 1).move()
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the two words of a string of at most 15 ASCII characters; nil if a byte is not
    /// ASCII.
    @inline(__always)
    static func words(_ bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64)? {
        let count = bytes.count
        let end = bytes.baseAddress.unsafelyUnwrapped + count
        // The first eight bytes, or all of them. The shift removes the bytes before the value; a
        // shift by 64 gives zero.
        let leading = min(count, 8)
        let low =
            UInt64(littleEndian: (end - max(count, 8)).loadUnaligned(as: UInt64.self))
            >> UInt64(truncatingIfNeeded: 64 &- 8 &* leading)
        // The bytes after the first eight. Shifts by 64 or more give zero.
        let high =
            UInt64(littleEndian: (end - 8).loadUnaligned(as: UInt64.self))
            >> UInt64(truncatingIfNeeded: 128 &- 8 &* count)
        guard (low | high) & 0x8080_8080_8080_8080 == 0 else { return nil }
        let mark = UInt64(truncatingIfNeeded: 0xE0 | count) &<< 56
        return (low, high | mark)
    }
}
