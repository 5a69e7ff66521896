import StorageEngine

/// A type that a property declared with `@Persisted(originProperty:)` may have:
/// ``LinkingObjects``.
public protocol LinkingObjectsProtocol {
    /// The class of the objects that lead to another.
    associatedtype Element
    /// Creates the value of an unmanaged object.
    init(fromType: Element.Type, property: String)
}

extension LinkingObjects: LinkingObjectsProtocol {}

extension Persisted where Value: LinkingObjectsProtocol {
    /// The objects that lead to this one through their property of the given name.
    ///
    /// ```swift
    /// @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
    /// ```
    // Inlinable, because every object that is made runs it, accessors too, and looking up the generic
    // type took longer than all the rest.
    @inlinable @inline(__always)
    public init(originProperty: String) {
        self.init(
            wrappedValue: Value(fromType: Value.Element.self, property: originProperty))
    }
}

/// A property that is computed from those of other objects, and not stored itself.
protocol ComputedProperty: _Persistable {
    /// The property of the other objects.
    var propertyName: String { get }
}

extension LinkingObjects: ComputedProperty {}

extension LinkingObjects: _Persistable {
    /// The type that is stored.
    public typealias PersistedType = LinkingObjects<Element>

    /// Like that of a list of the objects.
    public static var _shape: _PropertyShape {
        var shape = Element._elementShape
        shape.collection = .list
        return shape
    }

    /// Without an origin property; schema discovery refuses such a property.
    public static func _makeDefault() -> LinkingObjects {
        LinkingObjects(fromType: Element.self, property: "")
    }

    // Inlinable as the initialiser is, and for the same reason.
    @inlinable
    public static func _get(_ object: ObjectBase, _ offset: Int) -> LinkingObjects {
        // What the declaration says stays in the object.
        let declared = Persisted<LinkingObjects>.value(at: object._storage(at: offset))
        return LinkingObjects(
            propertyName: declared.propertyName,
            managed: ManagedBacklinks(
                to: object, ofPropertyAt: offset, in: Element.self, named: declared.propertyName))
    }

    /// Nothing can be assigned: stops the program.
    public static func _set(_ value: LinkingObjects, _ object: ObjectBase, _ offset: Int) {
        stop("LinkingObjects properties are read-only")
    }

    /// Nothing is stored.
    public static func _gather(
        _ storage: UnsafeMutableRawPointer, _ scratch: _Scratch
    ) -> Scalar {
        .null
    }

    /// No value fits.
    public static func _convert(
        _ value: Any?, _ conversion: _ValueConversion
    ) -> LinkingObjects? {
        nil
    }

    public static func _erase(_ value: LinkingObjects) -> Any? { value }
}
