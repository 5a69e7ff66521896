/// A way to match a string, or other bytes, with a pattern.
public enum TextPattern: Sendable {
    case whole, prefix, suffix, contained
    /// In the pattern, `?` matches any one character (Unicode scalar), and `*` any number of them.
    /// Bytes are UTF-8.
    case wildcards

    public func matches(_ text: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .whole: BytesTest.equal.matches(text, pattern)
        case .prefix: BytesTest.prefix.matches(text, pattern)
        case .suffix: BytesTest.suffix.matches(text, pattern)
        case .contained: BytesTest.contains.matches(text, pattern)
        case .wildcards: Self.matchesWildcards(text, pattern)
        }
    }

    /// Backtracks to the last `*` only, so the number of steps is at most the product of the
    /// lengths.
    private static func matchesWildcards(
        _ text: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer
    ) -> Bool {
        var (position, next) = (0, 0)
        var star: (position: Int, next: Int)?
        while position < text.count {
            if next < pattern.count, pattern[next] == UInt8(ascii: "*") {
                next += 1
                star = (position, next)
            } else if next < pattern.count, pattern[next] == UInt8(ascii: "?") {
                next += 1
                position = endOfCharacter(text, position)
            } else if next < pattern.count, pattern[next] == text[position] {
                next += 1
                position += 1
            } else if let last = star {
                position = endOfCharacter(text, last.position)
                next = last.next
                star = (position, next)
            } else {
                return false
            }
        }
        while next < pattern.count, pattern[next] == UInt8(ascii: "*") { next += 1 }
        return next == pattern.count
    }

    private static func endOfCharacter(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int {
        var end = start + 1
        while end < text.count, text[end] & 0xc0 == 0x80 { end += 1 }
        return end
    }
}
