import ToolSupport

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

/// One element: its position in a list, its text in the set or as a key of the map, and its value.
public struct ElementValues: Equatable, Sendable {
    public var position: Int
    /// The text, which is different for every position.
    public var text: String
    public var value: Int

    init(position: Int, seed: UInt64) {
        let word = mix64(seed &+ UInt64(position))
        self.position = position
        text = String(word, radix: 36)
        value = Int(word >> 40)
    }

    /// Returns the bytes of the stored values: 8 for a value or a link, and the length of a text.
    func logicalBytes(in kind: ElementKind) -> Int {
        switch kind {
        case .list: 8
        case .links: 16
        case .set: text.utf8.count
        case .map: text.utf8.count + 8
        }
    }

    /// Returns the contribution of the element to ``ElementStore/sum(of:in:)``.
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
