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

/// The names of the properties that a key path of a projection stands for, those of the projected
/// object, separated by dots: `address.city` for `\PersonProjection.homeCity`.
///
/// A key path that does not consist of projected properties stops the program.
public func _name<Root: ProjectionObservable>(for keyPath: PartialKeyPath<Root>) -> String {
    guard let name = _KeyPathTracer.name(of: keyPath) else {
        stop("Key path '\(keyPath)' does not consist of projected properties.")
    }
    return name
}
