/// A property wrapper that makes a property of a ``Projection`` a view of the property at the end
/// of a key path.
///
/// ```swift
/// class PersonProjection: Projection<Person> {
///     @Projected(\Person.firstName) var name
///     @Projected(\Person.address?.city) var homeCity
/// }
/// ```
/// All properties along the key path are persisted. The last one can also be a computed property
/// that reads persisted ones. A property is writable if its key path is; a key path through an
/// optional link is not.
@propertyWrapper
public struct Projected<T: ObjectBase, Value> {
    private let keyPath: KeyPath<T, Value>

    /// Creates a view of the property at the end of `projectedKeyPath`.
    public init(_ projectedKeyPath: KeyPath<T, Value>) { keyPath = projectedKeyPath }

    /// The value, which is not available here: within a projection, the compiler uses the static
    /// subscript.
    @available(
        *, unavailable, message: "@Projected can only be used as a property of a Projection"
    )
    public var wrappedValue: Value {
        get { fatalError("@Projected can only be used as a property of a Projection") }
        set { fatalError("@Projected can only be used as a property of a Projection") }
    }

    /// Accesses the property of the projected object.
    ///
    /// - Precondition: For a write, the key path is writable.
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

/// A `Projected` of any type, as needed by the model of a projection.
protocol AnyProjected {
    /// Returns the path of properties, joined by dots, that the key path of the wrapper at an
    /// address consists of; nil if the last property is computed.
    static func path(at storage: UnsafeMutableRawPointer) -> String?
    /// Returns the names of the properties along the key path of the wrapper at an address, joined
    /// by dots. The result has one path for each property that a computed value is read from, and
    /// is empty if nothing along the path is persisted.
    static func paths(at storage: UnsafeMutableRawPointer) -> [String]
    static func value(of root: ObjectBase, at storage: UnsafeMutableRawPointer) -> Any?
}

extension Projected: AnyProjected {
    static func path(at storage: UnsafeMutableRawPointer) -> String? {
        let keyPath = storage.assumingMemoryBound(to: Self.self).pointee.keyPath
        return _KeyPathTracer.name(of: keyPath as PartialKeyPath<T>)
    }

    static func paths(at storage: UnsafeMutableRawPointer) -> [String] {
        if let path = path(at: storage) { return [path] }
        let keyPath = storage.assumingMemoryBound(to: Self.self).pointee.keyPath
        return _KeyPathTracer.names(readBy: keyPath, of: T.self)
    }

    static func value(of root: ObjectBase, at storage: UnsafeMutableRawPointer) -> Any? {
        let keyPath = storage.assumingMemoryBound(to: Self.self).pointee.keyPath
        return (root as? T)?[keyPath: keyPath]
    }
}
