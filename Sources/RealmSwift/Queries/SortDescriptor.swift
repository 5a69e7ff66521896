/// A property to sort by, and in which direction.
///
/// ```swift
/// dogs.sorted(by: [SortDescriptor(keyPath: "owner.name"), SortDescriptor(keyPath: \Dog.age)])
/// ```
public struct SortDescriptor: Equatable, Hashable, Sendable {
    /// The names of the properties on the way, separated by dots.
    public let keyPath: String
    /// Whether the least value comes first.
    public let ascending: Bool

    /// A property of the objects, or one of the objects that to-one links lead to.
    public init(keyPath: String, ascending: Bool = true) {
        self.keyPath = keyPath
        self.ascending = ascending
    }

    /// A property of the objects, or one of the objects that to-one links lead to.
    public init<Element: ObjectBase>(keyPath: PartialKeyPath<Element>, ascending: Bool = true) {
        self.init(keyPath: _name(for: keyPath), ascending: ascending)
    }

    /// The same property in the other direction.
    public func reversed() -> SortDescriptor {
        SortDescriptor(keyPath: keyPath, ascending: !ascending)
    }
}

extension SortDescriptor: CustomStringConvertible {
    public var description: String {
        "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending"))"
    }
}

extension SortDescriptor: ExpressibleByStringLiteral {
    public typealias UnicodeScalarLiteralType = StringLiteralType
    public typealias ExtendedGraphemeClusterLiteralType = StringLiteralType

    /// Ascending.
    public init(stringLiteral value: StringLiteralType) { self.init(keyPath: value) }
}
