/// The names of the properties that a key path leads through, separated by dots: `owner.name` for
/// `\Dog.owner?.name`.
///
/// A key path that does not consist of persisted properties stops the program.
public func _name<Root: ObjectBase>(for keyPath: PartialKeyPath<Root>) -> String {
    guard let name = _KeyPathTracer.name(of: keyPath) else {
        stop("Key path '\(keyPath)' does not consist of persisted properties.")
    }
    return name
}

/// The names of the properties of the projected object that a key path of a projection leads
/// through: `address.city` for `\PersonProjection.homeCity`.
///
/// A key path that does not consist of persisted properties stops the program.
public func _name<P: ProjectionObservable>(for keyPath: PartialKeyPath<P>) -> String {
    guard let name = _KeyPathTracer.name(of: keyPath) else {
        stop("Key path '\(keyPath)' does not consist of persisted properties.")
    }
    return name
}
