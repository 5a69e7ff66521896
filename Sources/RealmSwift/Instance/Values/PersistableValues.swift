import Foundation
import StorageEngine

/// The storage type of a property or an element of a collection.
public struct _PropertyShape {
    var type: ValueType
    var collection = CollectionKind.none
    var isOptional = false
    /// The class of the objects that a link refers to.
    var linkedClass: ObjectBase.Type?
    /// Whether the values have a custom type, which also maps a null link to a value.
    var isMapped = false
    /// The bits of integers; 0 for other types.
    var integerBits = 0

    /// Whether values refer to objects of one class, as links or as embedded objects.
    var isLink: Bool { type == .link || type == .embedded }
}

/// A type of `@Persisted` properties.
///
/// The underscored requirements connect properties to the storage engine. They are public so that
/// property accessors can be compiled into the module of the model class; application code does not
/// use them.
public protocol _Persistable: _RealmSchemaDiscoverable, _HasPersistedType
where
    PersistedType: _Persistable,
    // This ends the recursion. The longest chain is a custom type that maps to an enum or a class.
    PersistedType.PersistedType.PersistedType == PersistedType.PersistedType
{
    /// The storage type of a property of this type.
    static var _shape: _PropertyShape { get }
    /// Whether an assignment copies elements into the existing collection.
    static var _isCollection: Bool { get }
    /// Replaces the elements of `target` with those of `source`. Only called for collections.
    static func _assignElements(of source: Self, to target: Self)
    /// Returns the value of a property without an initial value.
    static func _makeDefault() -> Self
    /// Returns the value of a property while a key path is traced through it.
    static func _makeTraced(_ tracer: _KeyPathTracer) -> Self
    /// Reads the property at byte offset `offset` of a managed object.
    static func _get(_ object: ObjectBase, _ offset: Int) -> Self
    /// Writes the property at byte offset `offset` of a managed object.
    static func _set(_ value: Self, _ object: ObjectBase, at offset: Int)
    /// Returns the stored form of an unmanaged property, valid until the scratch memory is reset.
    static func _gather(_ storage: UnsafeMutableRawPointer, _ scratch: _Scratch) -> Scalar
    /// Stores the parts that could not be gathered before the object had a key.
    static func _completeAdd(_ storage: UnsafeMutableRawPointer, _ addition: _Addition)
    /// Converts a value given by the application; nil if it does not fit.
    static func _convert(_ value: Any?, _ conversion: _ValueConversion) -> Self?
    /// Returns the value in the form that dynamic access returns; nil for null.
    static func _erase(_ value: Self) -> Any?
    /// Reads a property of a managed object as ``ObjectBase/subscript(_:)`` returns it, if its
    /// values are neither objects nor collections.
    static func _readByName(_ object: ObjectBase, _ offset: Int) -> Any?
    /// Converts a value given by the application and writes it, where values are neither objects
    /// nor collections. Returns false, and writes nothing, if it does not fit.
    static func _writeByName(
        _ value: Any?, _ object: ObjectBase, at offset: Int, by conversion: _ValueConversion
    ) -> Bool
    /// The type that dynamic access uses to write values that this type cannot represent, such as
    /// the raw value of an enum without a case for it.
    static var _storedType: any _Persistable.Type { get }
}

/// A type of the elements of collections.
public protocol RealmCollectionValue: Hashable, _HasPersistedType
where PersistedType: RealmCollectionValue {
    /// The storage type of an element of this type.
    static var _elementShape: _PropertyShape { get }
    /// Returns the value of a stored form that was read from the Realm of `source`.
    static func _decode(_ scalar: Scalar, _ source: _LinkSource?) -> Self
    /// Returns the element for a link to the object with this key.
    static func _decodeLink(_ key: Int64, _ target: _LinkTarget) -> Self
    /// Returns the stored form of a value. Encoding a link adds an unmanaged object to the Realm of
    /// `scratch`.
    static func _encode(_ value: Self, _ scratch: _Scratch) -> Scalar
    /// Returns the stored form of a value for a search; nil if the Realm of `scratch` cannot
    /// contain the value.
    static func _encodeSought(_ value: Self, _ scratch: _Scratch) -> Scalar?
    /// Writes a value into its place in a collection.
    static func _store(_ value: Self, in slot: _ValueSlot)
    /// Returns an element for tracing a key path; nil for values that no key path leads through.
    static func _makeTracedElement(_ tracer: _KeyPathTracer) -> Self?
    /// Converts a value given by the application; nil if it does not fit.
    static func _convertElement(_ value: Any?, _ conversion: _ValueConversion) -> Self?
    /// Returns the value in the form that dynamic access returns; nil for null.
    static func _eraseElement(_ value: Self) -> Any?
    /// The type that dynamic access uses to write elements that this type cannot represent.
    static var _storedElementType: any RealmCollectionValue.Type { get }
}

extension RealmCollectionValue {
    /// The type itself.
    public static var _storedElementType: any RealmCollectionValue.Type { Self.self }

    /// Returns the default value, where key paths end, if the type is certain to have one.
    public static func _makeTracedElement(_ tracer: _KeyPathTracer) -> Self? {
        if Self.self is any FailableCustomPersistable.Type { return nil }
        guard let type = Self.self as? any _Persistable.Type else { return nil }
        return tracer.ignoringReads { type._makeDefault() as? Self }
    }

    /// Returns the stored form in which the value would be written.
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

extension RealmCollectionValue {
    /// Converts a value with the same rules as setting a property by name.
    public static func _rlmFromObjc(_ value: Any, insideOptional: Bool) -> Self? {
        _convertElement(value, .detached)
    }

    /// The value with numbers as `NSNumber` and nil as `NSNull`.
    public var _rlmObjcValue: Any { boxed(Self._eraseElement(self)) ?? NSNull() }
}

/// A type that properties can have directly and as an optional.
public protocol _PersistableInsideOptional: _Persistable, RealmCollectionValue
where PersistedType: _PersistableInsideOptional {
    /// Whether the property is a link. A link is stored as optional even if it is declared
    /// otherwise.
    static var _isLink: Bool { get }
    /// Returns the value of an optional property while a key path is traced through it.
    static func _makeTracedOptional(_ tracer: _KeyPathTracer) -> Self?
    /// Reads an optional property at byte offset `offset` of a managed object.
    static func _getOptional(_ object: ObjectBase, _ offset: Int) -> Self?
    /// Writes an optional property at byte offset `offset` of a managed object.
    static func _setOptional(_ value: Self?, _ object: ObjectBase, at offset: Int)
    /// Returns the stored form of an unmanaged optional property, valid until the scratch memory is
    /// reset.
    static func _gatherOptional(_ storage: UnsafeMutableRawPointer, _ scratch: _Scratch) -> Scalar
    /// Stores the parts of an optional property that could not be gathered before the object had a
    /// key.
    static func _completeAddOptional(_ storage: UnsafeMutableRawPointer, _ addition: _Addition)
    /// The type that dynamic access uses to write values that an optional of this type cannot
    /// represent.
    static var _storedOptionalType: any _Persistable.Type { get }
}

/// A type that elements of collections can have directly and as an optional.
public protocol _RealmCollectionValueInsideOptional: RealmCollectionValue
where PersistedType: _RealmCollectionValueInsideOptional {
    /// Returns the optional value of a stored form that was read from the Realm of `source`.
    static func _decodeOptional(_ scalar: Scalar, _ source: _LinkSource?) -> Self?
    /// The type that dynamic access uses to write elements that an optional of this type cannot
    /// represent.
    static var _storedOptionalElementType: any RealmCollectionValue.Type { get }
}

/// A type whose values are stored directly, not as links or collections.
public protocol _PersistableScalar: _PersistableInsideOptional,
    _RealmCollectionValueInsideOptional
where PersistedType == Self {
    /// The type of the column.
    static var _valueType: ValueType { get }
    /// Whether a value can be stored outside of its leaf.
    static var _mayOverflow: Bool { get }
    /// Reads a value that is not null and is stored in the leaf.
    static func _load(_ node: Node, _ column: Int, at row: Int) -> Self
    /// Returns the value of a stored form. Null gives the zero value of the type.
    static func _decodeScalar(_ scalar: Scalar) -> Self
    /// Calls `body` with the stored form, which is valid only during the call.
    func _withScalar<Result>(_ body: (Scalar) -> Result) -> Result
    /// Returns the stored form, with its bytes copied into the scratch memory.
    func _scalar(_ scratch: _Scratch) -> Scalar
    /// Converts a value of another type; nil if it does not fit.
    static func _convertScalar(_ value: Any) -> Self?
}

extension _Persistable {
    /// Returns the value, with numbers as `NSNumber`.
    public static func _readByName(_ object: ObjectBase, _ offset: Int) -> Any? {
        boxed(_erase(_get(object, offset)))
    }

    /// Writes the converted value.
    public static func _writeByName(
        _ value: Any?, _ object: ObjectBase, at offset: Int, by conversion: _ValueConversion
    ) -> Bool {
        guard let value = _convert(value, conversion) else { return false }
        _set(value, object, at: offset)
        return true
    }

    /// The type itself.
    public static var _storedType: any _Persistable.Type { Self.self }
    /// Returns the default value, because no key path continues through the value.
    public static func _makeTraced(_ tracer: _KeyPathTracer) -> Self {
        tracer.ignoringReads { _makeDefault() }
    }
    /// Always false.
    @inlinable public static var _isCollection: Bool { false }
    /// Does nothing, because there are no elements.
    public static func _assignElements(of source: Self, to target: Self) {}
    /// Does nothing, because all values were gathered.
    public static func _completeAdd(_ storage: UnsafeMutableRawPointer, _ addition: _Addition) {}
}

extension RealmCollectionValue {
    /// Decodes the link like any other stored form.
    public static func _decodeLink(_ key: Int64, _ target: _LinkTarget) -> Self {
        _decode(.integer(key), _LinkSource(target: target.target, birth: target.birth))
    }
}

extension _RealmCollectionValueInsideOptional {
    /// Returns the value of a stored form; nil only for null.
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
    /// Always false.
    @inlinable public static var _isLink: Bool { false }
    /// Returns nil, because no key path continues through the value.
    public static func _makeTracedOptional(_ tracer: _KeyPathTracer) -> Self? { nil }
    /// Does nothing, because all values were gathered.
    public static func _completeAddOptional(
        _ storage: UnsafeMutableRawPointer, _ addition: _Addition
    ) {}
}

/// A property that is computed from properties of other objects, and not stored itself.
protocol ComputedProperty: _Persistable {
    /// The name of the property of the other objects.
    var propertyName: String { get }
}
