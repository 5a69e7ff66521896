/// A type whose key paths lead to persisted properties: objects and projections.
///
/// Queries are generic over this protocol instead of `ObjectBase`. With a class, the compiler would
/// accept key paths of any type as key paths of that class in dynamic member lookup.
public protocol _KeyPathRoot {
    /// Returns the names of the properties along a key path, separated by dots; nil if the path
    /// does not consist of persisted properties.
    static func _tracedName(of keyPath: AnyKeyPath) -> String?
}

/// Returns the names of the properties along a key path, separated by dots.
///
/// For example, the result is `owner.name` for `\Dog.owner?.name`, and `address.city` for
/// `\PersonProjection.homeCity`.
///
/// - Precondition: The key path consists of persisted or projected properties.
public func _name<Root: _KeyPathRoot>(for keyPath: PartialKeyPath<Root>) -> String {
    guard let name = Root._tracedName(of: keyPath) else {
        stop("Key path '\(keyPath)' does not consist of persisted or projected properties.")
    }
    return name
}
