import Foundation
import StorageEngine

/// A type whose stored form has the type `PersistedType`.
public protocol _HasPersistedType: _ObjcBridgeable {
    /// The type that is stored.
    associatedtype PersistedType
    /// Whether two values that Swift holds equal have one stored form. Texts may not: their
    /// characters can be composed in different ways.
    static func _isStoredAlike(_ left: Self, _ right: Self) -> Bool
}

/// How a property, or an element of a collection, is stored.
public struct _PropertyShape {
    var type: ValueType
    var collection = CollectionKind.none
    var isOptional = false
    /// The class that a link leads to.
    var linkedClass: ObjectBase.Type?
    /// Whether the values are those of a custom type, which has one for a null link as well.
    var isMapped = false

    /// Whether values lead to objects of one class: as links, or as embedded objects.
    var isLink: Bool { type == .link || type == .embedded }
}

/// A type that a `@Persisted` property may have.
///
/// The underscored requirements are how properties reach the storage engine. They are public so
/// that property accessors compile into the model class; application code has no use for them.
public protocol _Persistable: _RealmSchemaDiscoverable, _HasPersistedType
where
    PersistedType: _Persistable,
    // Ends the recursion: an enum or a class, which another type maps itself to, is the longest.
    PersistedType.PersistedType.PersistedType == PersistedType.PersistedType
{
    /// How a property of this type is stored.
    static var _shape: _PropertyShape { get }
    /// Whether assigning copies elements into the collection that is there.
    static var _isCollection: Bool { get }
    /// For collections: makes the elements of `target` those of `source`.
    static func _assignElements(of source: Self, to target: Self)
    /// The value of a property declared without one.
    static func _makeDefault() -> Self
    /// The value of a property through which a key path is traced.
    static func _makeTraced(_ tracer: _KeyPathTracer) -> Self
    /// Reads the property at byte offset `offset` of a managed object.
    static func _get(_ object: ObjectBase, _ offset: Int) -> Self
    /// Writes the property at byte offset `offset` of a managed object.
    static func _set(_ value: Self, _ object: ObjectBase, _ offset: Int)
    /// The stored form of an unmanaged property, valid until the scratch memory is reset.
    static func _gather(_ storage: UnsafeMutableRawPointer, _ scratch: _Scratch) -> Scalar
    /// Stores what could not be gathered before the object had a key.
    static func _completeAdd(_ storage: UnsafeMutableRawPointer, _ addition: _Addition)
    /// Converts a value given by the application; nil if it does not fit.
    static func _convert(_ value: Any?, _ conversion: _ValueConversion) -> Self?
    /// The value as dynamic access hands it out; nil for null.
    static func _erase(_ value: Self) -> Any?
    /// The type as which dynamic access writes what stands for no value of this type: the raw value
    /// of an enum that no case has.
    static var _storedType: any _Persistable.Type { get }
}

/// A type that a collection may hold.
public protocol RealmCollectionValue: Hashable, _HasPersistedType
where PersistedType: RealmCollectionValue {
    /// How an element of this type is stored.
    static var _elementShape: _PropertyShape { get }
    /// The value of a stored form that was read from the Realm of `source`.
    static func _decode(_ scalar: Scalar, _ source: _LinkSource?) -> Self
    /// The stored form of a value; links of unmanaged objects add them to the Realm of `scratch`.
    static func _encode(_ value: Self, _ scratch: _Scratch) -> Scalar
    /// The stored form of a value to look for; nil if the Realm of `scratch` cannot hold it.
    static func _encodeSought(_ value: Self, _ scratch: _Scratch) -> Scalar?
    /// Writes a value into its place in a collection.
    static func _store(_ value: Self, in slot: _ValueSlot)
    /// An element through which a key path is traced; nil for values that none leads through.
    static func _makeTracedElement(_ tracer: _KeyPathTracer) -> Self?
    /// Converts a value given by the application; nil if it does not fit.
    static func _convertElement(_ value: Any?, _ conversion: _ValueConversion) -> Self?
    /// The value as dynamic access hands it out; nil for null.
    static func _eraseElement(_ value: Self) -> Any?
    /// Like `_storedType`, for an element.
    static var _storedElementType: any RealmCollectionValue.Type { get }
}

extension RealmCollectionValue {
    /// The type itself.
    public static var _storedElementType: any RealmCollectionValue.Type { Self.self }

    /// The type's default value, where it is sure to have one: key paths end at it.
    public static func _makeTracedElement(_ tracer: _KeyPathTracer) -> Self? {
        if Self.self is any FailableCustomPersistable.Type { return nil }
        guard let type = Self.self as? any _Persistable.Type else { return nil }
        return tracer.ignoringReads { type._makeDefault() as? Self }
    }

    /// The stored form with which the value would be written.
    public static func _encodeSought(_ value: Self, _ scratch: _Scratch) -> Scalar? {
        _encode(value, scratch)
    }

    /// Writes the stored form.
    public static func _store(_ value: Self, in slot: _ValueSlot) {
        let scratch = slot.realm.scratch
        scratch.reset()
        slot.put(_encode(value, scratch))
    }
}

/// A type that a property may have as such and as an optional.
public protocol _PersistableInsideOptional: _Persistable, RealmCollectionValue
where PersistedType: _PersistableInsideOptional {
    /// Whether the property is a link, which is stored as one that may be null even where it is
    /// declared otherwise.
    static var _isLink: Bool { get }
    /// Like `_makeTraced`, for a property that may be nil.
    static func _makeTracedOptional(_ tracer: _KeyPathTracer) -> Self?
    /// Like `_get`, for a property that may be nil.
    static func _getOptional(_ object: ObjectBase, _ offset: Int) -> Self?
    /// Like `_set`, for a property that may be nil.
    static func _setOptional(_ value: Self?, _ object: ObjectBase, _ offset: Int)
    /// Like `_gather`, for a property that may be nil.
    static func _gatherOptional(_ storage: UnsafeMutableRawPointer, _ scratch: _Scratch) -> Scalar
    /// Like `_completeAdd`, for a property that may be nil.
    static func _completeAddOptional(_ storage: UnsafeMutableRawPointer, _ addition: _Addition)
    /// Like `_storedType`, for a property that may be nil.
    static var _storedOptionalType: any _Persistable.Type { get }
}

/// A type that a collection may hold as such and as an optional.
public protocol _RealmCollectionValueInsideOptional: RealmCollectionValue
where PersistedType: _RealmCollectionValueInsideOptional {
    /// Like `_decode`, for an element that may be nil.
    static func _decodeOptional(_ scalar: Scalar, _ source: _LinkSource?) -> Self?
    /// Like `_storedElementType`, for an element that may be nil.
    static var _storedOptionalElementType: any RealmCollectionValue.Type { get }
}

/// A value that is stored as it is, not as a link or a collection.
public protocol _PersistableScalar: _PersistableInsideOptional,
    _RealmCollectionValueInsideOptional
where PersistedType == Self {
    /// The type of the column.
    static var _valueType: ValueType { get }
    /// Whether a value may lie outside its leaf.
    static var _mayOverflow: Bool { get }
    /// Reads a value that is not null and lies in the leaf.
    static func _load(_ node: Node, _ column: Int, _ row: Int) -> Self
    /// Null gives the type's zero.
    static func _decodeScalar(_ scalar: Scalar) -> Self
    /// Hands the stored form to `body`; it is valid during the call only.
    func _withScalar<Result>(_ body: (Scalar) -> Result) -> Result
    /// The stored form, its bytes copied into the scratch memory.
    func _scalar(_ scratch: _Scratch) -> Scalar
    /// Converts a value of another type; nil if it does not fit.
    static func _convertScalar(_ value: Any) -> Self?
}

extension _Persistable {
    /// The type itself.
    public static var _storedType: any _Persistable.Type { Self.self }
    /// The default, because no key path leads on through the value.
    public static func _makeTraced(_ tracer: _KeyPathTracer) -> Self {
        tracer.ignoringReads { _makeDefault() }
    }
    /// Not a collection.
    @inlinable public static var _isCollection: Bool { false }
    /// Nothing, because there are no elements.
    public static func _assignElements(of source: Self, to target: Self) {}
    /// Nothing, because everything was gathered.
    public static func _completeAdd(_ storage: UnsafeMutableRawPointer, _ addition: _Addition) {}
}

extension _RealmCollectionValueInsideOptional {
    /// Nil for null only.
    public static func _decodeOptional(_ scalar: Scalar, _ source: _LinkSource?) -> Self? {
        if case .null = scalar { return nil }
        return _decode(scalar, source)
    }
    /// The optional type itself.
    public static var _storedOptionalElementType: any RealmCollectionValue.Type { Self?.self }
}

extension _PersistableInsideOptional {
    /// The optional type itself.
    public static var _storedOptionalType: any _Persistable.Type { Self?.self }
    /// Not a link.
    @inlinable public static var _isLink: Bool { false }
    /// Nil, because no key path leads on through the value.
    public static func _makeTracedOptional(_ tracer: _KeyPathTracer) -> Self? { nil }
    /// Nothing, because everything was gathered.
    public static func _completeAddOptional(
        _ storage: UnsafeMutableRawPointer, _ addition: _Addition
    ) {}
}
