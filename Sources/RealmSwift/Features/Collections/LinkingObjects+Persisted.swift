import StorageEngine

/// A type of properties declared with `@Persisted(originProperty:)`: ``LinkingObjects``.
public protocol LinkingObjectsProtocol {
    /// The class of the objects that refer to another object.
    associatedtype Element
    /// Creates the value for an unmanaged object.
    init(fromType: Element.Type, property: String)
}

extension LinkingObjects: LinkingObjectsProtocol {}

extension Persisted where Value: LinkingObjectsProtocol {
    /// Creates a property with the objects that refer to this one through their property with the
    /// given name.
    ///
    /// ```swift
    /// @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
    /// ```
    // Inlinable, because it runs for every object that is created, including accessors, and the
    // lookup of the generic type cost more than everything else.
    @inlinable @inline(__always)
    public init(originProperty: String) {
        self.init(
            wrappedValue: Value(fromType: Value.Element.self, property: originProperty))
    }
}

extension LinkingObjects: ComputedProperty {}

extension LinkingObjects: _Persistable {
    /// The type that is stored.
    public typealias PersistedType = LinkingObjects<Element>

    /// The shape of a list of the objects.
    public static var _shape: _PropertyShape { Element._elementShape.asElement(of: .list) }

    /// Returns a value without an origin property, which schema discovery rejects.
    public static func _makeDefault() -> LinkingObjects {
        LinkingObjects(fromType: Element.self, property: "")
    }

    // Inlinable for the same reason as the initializer.
    @inlinable
    public static func _get(_ object: ObjectBase, _ offset: Int) -> LinkingObjects {
        // The declared value stays in the object.
        let declared = Persisted<LinkingObjects>.value(at: object._storage(at: offset))
        return LinkingObjects(
            propertyName: declared.propertyName,
            managed: ManagedBacklinks(
                to: object, ofPropertyAt: offset, in: Element.self, named: declared.propertyName))
    }

    /// Stops the program, because linking objects are read-only.
    public static func _set(_ value: LinkingObjects, _ object: ObjectBase, at offset: Int) {
        stop("LinkingObjects properties are read-only")
    }

    /// Returns null, because nothing is stored.
    public static func _gather(
        _ storage: UnsafeMutableRawPointer, _ scratch: _Scratch
    ) -> Scalar {
        .null
    }

    /// Returns nil, because no value can be assigned.
    public static func _convert(
        _ value: Any?, _ conversion: _ValueConversion
    ) -> LinkingObjects? {
        nil
    }

    public static func _erase(_ value: LinkingObjects) -> Any? { value }
}

extension LinkingObjects {
    /// The type of linking objects.
    public static var _rlmType: PropertyType { .linkingObjects }
}
