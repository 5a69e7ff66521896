/// A collection of ``ElementStore``.
public enum ElementKind: String, Codable, CaseIterable, Sendable {
    /// A list of integers.
    case list
    /// A list of links to objects with one integer.
    case links
    /// A set of strings.
    case set
    /// A map of strings to integers.
    case map
}

/// One element: its position in a list, its text in a set or as the key of a map, its value.
public struct ElementValues: Equatable, Sendable {
    public var position: Int
    /// Different for every position.
    public var text: String
    public var value: Int

    init(position: Int, seed: UInt64) {
        let word = mix64(seed &+ UInt64(position))
        self.position = position
        text = String(word, radix: 36)
        value = Int(word >> 40)
    }

    /// Bytes of what is stored: 8 for a value or a link, the text.
    func logicalBytes(in kind: ElementKind) -> Int {
        switch kind {
        case .list: 8
        case .links: 16
        case .set: text.utf8.count
        case .map: text.utf8.count + 8
        }
    }

    /// What it adds to ``ElementStore/sum(of:in:)``.
    func term(in kind: ElementKind) -> Int { kind == .set ? 1 : value }

    func row(in kind: ElementKind) -> ResultDigest.Row {
        switch kind {
        case .list, .links: Self.row(position, "", value)
        case .set: Self.row(0, text, 0)
        case .map: Self.row(0, text, value)
        }
    }

    static func row(_ position: Int, _ text: String, _ value: Int) -> ResultDigest.Row {
        var row = ResultDigest.Row()
        row.combine(position)
        row.combine(text.utf8)
        row.combine(value)
        return row
    }
}
