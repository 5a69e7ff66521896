/// A property to sort by, with a direction.
///
/// ```swift
/// dogs.sorted(by: [SortDescriptor(keyPath: "owner.name"), SortDescriptor(keyPath: \Dog.age)])
/// ```
public struct SortDescriptor: Equatable, Hashable, Sendable {
    /// The names of the properties along the key path, separated by dots.
    public let keyPath: String
    /// A Boolean value that indicates whether the order is ascending.
    public let ascending: Bool

    /// Creates a descriptor for a property of the objects, or of objects that to-one links refer
    /// to.
    public init(keyPath: String, ascending: Bool = true) {
        self.keyPath = keyPath
        self.ascending = ascending
    }

    /// Creates a descriptor for a property of the objects, or of objects that to-one links refer
    /// to.
    public init<Element: ObjectBase>(keyPath: PartialKeyPath<Element>, ascending: Bool = true) {
        self.init(keyPath: _name(for: keyPath), ascending: ascending)
    }

    /// Returns a descriptor for the same property with the opposite direction.
    public func reversed() -> SortDescriptor {
        SortDescriptor(keyPath: keyPath, ascending: !ascending)
    }
}

extension SortDescriptor: CustomStringConvertible {
    /// The key path and the direction.
    public var description: String {
        "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending"))"
    }
}

extension SortDescriptor: ExpressibleByStringLiteral {
    /// The type of the literal.
    public typealias UnicodeScalarLiteralType = StringLiteralType
    /// The type of the literal.
    public typealias ExtendedGraphemeClusterLiteralType = StringLiteralType

    /// Creates an ascending descriptor for a key path.
    public init(stringLiteral value: StringLiteralType) { self.init(keyPath: value) }
}
