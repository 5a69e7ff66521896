/// Declares a property of a ``Projection`` as a view of the one at the end of a key path.
///
/// ```swift
/// class PersonProjection: Projection<Person> {
///     @Projected(\Person.firstName) var name
///     @Projected(\Person.address?.city) var homeCity
/// }
/// ```
/// Everything along the path is persisted, or a computed property ends it that reads persisted ones. A property is writable if its key path is: one that
/// leads through an optional link is not.
@propertyWrapper
public struct Projected<T: ObjectBase, Value> {
    private let keyPath: KeyPath<T, Value>

    /// A view of the property at the end of `projectedKeyPath`.
    public init(_ projectedKeyPath: KeyPath<T, Value>) { keyPath = projectedKeyPath }

    /// Not available: the compiler uses the subscript below inside of projections.
    @available(
        *, unavailable, message: "@Projected can only be used as a property of a Projection"
    )
    public var wrappedValue: Value {
        get { fatalError("@Projected can only be used as a property of a Projection") }
        set { fatalError("@Projected can only be used as a property of a Projection") }
    }

    /// The property of the projected object. Writing to one whose key path cannot be written to
    /// stops the program.
    public static subscript<EnclosingSelf: Projection<T>>(
        _enclosingInstance projection: EnclosingSelf,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Self>
    ) -> Value {
        get { projection.rootObject[keyPath: projection[keyPath: storageKeyPath].keyPath] }
        set {
            let keyPath = projection[keyPath: storageKeyPath].keyPath
            guard let writable = keyPath as? ReferenceWritableKeyPath<T, Value> else {
                let name = _KeyPathTracer.name(of: keyPath as PartialKeyPath<T>) ?? ""
                stop("Projected property '\(T.className()).\(name)' cannot be written to.")
            }
            projection.rootObject[keyPath: writable] = newValue
        }
    }
}

/// A `Projected` of any type, as the model of a projection sees it.
protocol AnyProjected {
    /// The names of the properties along the path of the wrapper at an address, joined by dots. One
    /// for each that a property computes its value from; none if nothing on it is persisted.
    static func paths(at storage: UnsafeMutableRawPointer) -> [String]
    static func value(of root: ObjectBase, at storage: UnsafeMutableRawPointer) -> Any?
}

extension Projected: AnyProjected {
    static func paths(at storage: UnsafeMutableRawPointer) -> [String] {
        let keyPath = storage.assumingMemoryBound(to: Self.self).pointee.keyPath
        if let name = _KeyPathTracer.name(of: keyPath as PartialKeyPath<T>) { return [name] }
        return _KeyPathTracer.names(readBy: keyPath, of: T.self)
    }

    static func value(of root: ObjectBase, at storage: UnsafeMutableRawPointer) -> Any? {
        let keyPath = storage.assumingMemoryBound(to: Self.self).pointee.keyPath
        return (root as? T)?[keyPath: keyPath]
    }
}
