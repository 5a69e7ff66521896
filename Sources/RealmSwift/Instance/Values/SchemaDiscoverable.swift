/// A type that describes how its properties are stored.
public protocol _RealmSchemaDiscoverable {
    /// The type of the property, or of the elements of the collection.
    static var _rlmType: PropertyType { get }
    /// Whether the property, or an element of the collection, can be nil.
    static var _rlmOptional: Bool { get }
}

extension _Persistable {
    /// The type that is stored.
    public static var _rlmType: PropertyType { PropertyType(_shape.type) }
    /// Whether null can be stored.
    public static var _rlmOptional: Bool { _shape.isOptional }
}

extension Optional: _RealmSchemaDiscoverable where Wrapped: _PersistableInsideOptional {}

extension RealmCollectionValue {
    /// The name of the element type in messages, such as `Dog` or `int?`.
    static var _typeName: String {
        let shape = _elementShape
        return shape.linkedClass.map { $0.className() }
            ?? shape.type.name + (shape.isOptional ? "?" : "")
    }
}
