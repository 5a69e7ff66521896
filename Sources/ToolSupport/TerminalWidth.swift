/// The room that a text takes on a terminal.
package enum TerminalWidth {
    /// Returns the columns of a text without control characters: two for a wide character, such as
    /// a Chinese one, none for a mark that combines with the character before it.
    package static func columns(of text: String) -> Int {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text.utf8.count }
        return text.reduce(0) { $0 + columns(of: $1) }
    }

    package static func columns(of character: Character) -> Int {
        var widest = 0
        for scalar in character.unicodeScalars {
            // The variant with a picture of a character that is narrow otherwise.
            if scalar.value == 0xFE0F { return 2 }
            widest = max(widest, columns(of: scalar))
        }
        return widest
    }

    private static func columns(of scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return scalar.value < 0x20 || scalar.value == 0x7F ? 0 : 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        if wide.contains(where: { $0.contains(scalar.value) }) { return 2 }
        return scalar.properties.isEmojiPresentation ? 2 : 1
    }

    /// The wide and fullwidth characters of UAX #11, without those that are shown as pictures.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
        0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
        0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F200...0x1F251, 0x20000...0x3FFFD,
    ]

    /// Returns the longest beginning of a text that fits into some columns.
    package static func prefix(of text: String, columns limit: Int) -> Substring {
        var rest = limit
        for index in text.indices {
            rest -= columns(of: text[index])
            if rest < 0 { return text[..<index] }
        }
        return text[...]
    }

    /// Returns the text, or its beginning and an ellipsis if it takes more than some columns.
    package static func shortened(_ text: String, to limit: Int) -> String {
        if columns(of: text) <= limit { return text }
        return prefix(of: text, columns: limit - 1) + "\u{2026}"
    }

    /// Returns the text followed, or preceded, by the spaces that fill `width` columns.
    package static func filled(_ text: String, to width: Int, isLeft: Bool) -> String {
        let spaces = String(repeating: " ", count: max(0, width - columns(of: text)))
        return isLeft ? text + spaces : spaces + text
    }
}
