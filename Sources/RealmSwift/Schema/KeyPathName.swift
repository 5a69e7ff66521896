/// A type whose key paths lead to persisted properties: objects and projections.
///
/// Queries ask for it, and not for `ObjectBase`: the compiler takes key paths of any type for those
/// of a class in dynamic member lookup.
public protocol _KeyPathRoot {
    /// The names of the properties that a key path leads through, separated by dots; nil if it does
    /// not consist of persisted properties.
    static func _tracedName(of keyPath: AnyKeyPath) -> String?
}

extension ObjectBase: _KeyPathRoot {
    public static func _tracedName(of keyPath: AnyKeyPath) -> String? {
        _KeyPathTracer.name(of: keyPath, from: self)
    }
}

extension ProjectionObservable {
    /// The names of the properties of the projected object.
    public static func _tracedName(of keyPath: AnyKeyPath) -> String? {
        _KeyPathTracer.name(of: keyPath, from: self)
    }
}

/// The names of the properties that a key path leads through, separated by dots: `owner.name` for
/// `\Dog.owner?.name`, `address.city` for `\PersonProjection.homeCity`.
///
/// A key path that does not consist of persisted, or projected, properties stops the program.
public func _name<Root: _KeyPathRoot>(for keyPath: PartialKeyPath<Root>) -> String {
    guard let name = Root._tracedName(of: keyPath) else {
        stop("Key path '\(keyPath)' does not consist of persisted or projected properties.")
    }
    return name
}
