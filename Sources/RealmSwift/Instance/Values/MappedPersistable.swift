import StorageEngine

/// A type whose values are stored as values of another type. Enums are stored as raw values, and
/// custom types as the type that they map themselves to.
///
/// The requirements of storable types are implemented here by forwarding to the stored type.
public protocol _MappedPersistable: _PersistableInsideOptional, _RealmCollectionValueInsideOptional
{
    /// Returns the value for a stored value; nil if there is none.
    static func _fromPersisted(_ value: PersistedType) -> Self?
    /// The value in its stored form.
    var _persisted: PersistedType { get }
    /// Returns the value of a property that is set to nil; nil if nil does not fit.
    static func _makeValueOfNull() -> Self?
}

extension _MappedPersistable {
    @inlinable public static var _isLink: Bool { PersistedType._isLink }

    /// The shape of the stored type. A link is always stored as optional, whatever the declaration
    /// of the property.
    public static var _shape: _PropertyShape {
        var shape = PersistedType._shape
        shape.isOptional = shape.isOptional || _isLink
        return shape
    }

    public static var _elementShape: _PropertyShape {
        var shape = PersistedType._elementShape
        shape.isMapped = true
        return shape
    }

    /// Compares the stored forms, except for embedded objects, because each value makes a new one.
    public static func _isStoredAlike(_ left: Self, _ right: Self) -> Bool {
        PersistedType._isLink || PersistedType._isStoredAlike(left._persisted, right._persisted)
    }

    /// Returns the mapped value. Stops the program if there is none.
    @inlinable @inline(__always)
    static func _required(_ value: PersistedType) -> Self {
        guard let mapped = _fromPersisted(value) else { return _replaceUnmappable(value) }
        return mapped
    }

    /// Returns the default value if a failed transaction has removed the stored value. Otherwise
    /// stops the program.
    @inline(never) @usableFromInline
    static func _replaceUnmappable(_ value: PersistedType) -> Self {
        if RealmCache.failedInstance != nil { return _makeDefault() }
        stop(
            "Failed to convert persisted value '\(value)' to type '\(Self.self)' in a "
                + "non-optional context.")
    }
}

// MARK: Properties

extension _MappedPersistable {
    /// Returns the value of a property. A null link gives the default value.
    @inlinable @inline(__always)
    public static func _get(_ object: ObjectBase, _ offset: Int) -> Self {
        if PersistedType._isLink {
            guard let value = PersistedType._getOptional(object, offset) else {
                return _makeDefault()
            }
            return _required(value)
        }
        return _required(PersistedType._get(object, offset))
    }

    @inlinable @inline(__always)
    public static func _getOptional(_ object: ObjectBase, _ offset: Int) -> Self? {
        PersistedType._getOptional(object, offset).flatMap(_fromPersisted)
    }

    @inlinable @inline(__always)
    public static func _set(_ value: Self, _ object: ObjectBase, at offset: Int) {
        if PersistedType._isLink {
            PersistedType._setOptional(value._persisted, object, at: offset)
        } else {
            PersistedType._set(value._persisted, object, at: offset)
        }
    }

    @inlinable @inline(__always)
    public static func _setOptional(_ value: Self?, _ object: ObjectBase, at offset: Int) {
        PersistedType._setOptional(value?._persisted, object, at: offset)
    }

    @inlinable
    public static func _gather(
        _ storage: UnsafeMutableRawPointer, _ scratch: _Scratch
    ) -> Scalar {
        _gather(Persisted<Self>.value(at: storage), scratch)
    }

    @inlinable
    public static func _gatherOptional(
        _ storage: UnsafeMutableRawPointer, _ scratch: _Scratch
    ) -> Scalar {
        Persisted<Self?>.value(at: storage).map { _gather($0, scratch) } ?? .null
    }

    @inlinable
    static func _gather(_ value: Self, _ scratch: _Scratch) -> Scalar {
        PersistedType._isLink
            ? scratch._defer() : PersistedType._encode(value._persisted, scratch)
    }

    public static func _completeAdd(
        _ storage: UnsafeMutableRawPointer, _ addition: _Addition
    ) {
        _completeAdd(Persisted<Self>.value(at: storage), addition)
    }

    public static func _completeAddOptional(
        _ storage: UnsafeMutableRawPointer, _ addition: _Addition
    ) {
        _completeAdd(Persisted<Self?>.value(at: storage), addition)
    }

    private static func _completeAdd(_ value: Self?, _ addition: _Addition) {
        guard PersistedType._isLink else { return }
        var wrapper = Persisted(wrappedValue: value?._persisted)
        withUnsafeMutablePointer(to: &wrapper) {
            PersistedType._completeAddOptional(UnsafeMutableRawPointer($0), addition)
        }
    }
}

// MARK: Elements

extension _MappedPersistable {
    /// Returns the value of an element. A null link, which a map can contain, gives the default
    /// value.
    public static func _decode(_ scalar: Scalar, _ source: _LinkSource?) -> Self {
        if PersistedType._isLink, case .null = scalar { return _makeDefault() }
        return _required(PersistedType._decode(scalar, source))
    }

    public static func _decodeOptional(_ scalar: Scalar, _ source: _LinkSource?) -> Self? {
        PersistedType._decodeOptional(scalar, source).flatMap(_fromPersisted)
    }

    public static func _encode(_ value: Self, _ scratch: _Scratch) -> Scalar {
        PersistedType._encode(value._persisted, scratch)
    }

    public static func _encodeSought(_ value: Self, _ scratch: _Scratch) -> Scalar? {
        PersistedType._encodeSought(value._persisted, scratch)
    }

    public static func _store(_ value: Self, in slot: _ValueSlot) {
        PersistedType._store(value._persisted, in: slot)
    }
}

// MARK: Dynamic access

extension _MappedPersistable {
    public static func _convert(_ value: Any?, _ conversion: _ValueConversion) -> Self? {
        _convertElement(value, conversion) ?? _makeValueOfNull(for: value)
    }

    private static func _makeValueOfNull(for value: Any?) -> Self? {
        unwrapped(value) == nil ? _makeValueOfNull() : nil
    }

    /// Converts a value of this type or of the stored type. Records a value that cannot be mapped.
    public static func _convertElement(_ value: Any?, _ conversion: _ValueConversion) -> Self? {
        guard let value = unwrapped(value) else { return nil }
        if let value = cast(value, to: Self.self) { return value }
        let persisted = conversion.filled { PersistedType._convertElement(value, conversion) }
        guard let persisted else { return nil }
        guard let mapped = _fromPersisted(persisted) else {
            conversion.noteUnmappable(value, as: Self.self)
            return nil
        }
        return mapped
    }

    public static var _storedType: any _Persistable.Type {
        _isLink ? PersistedType._storedOptionalType : PersistedType._storedType
    }

    public static var _storedOptionalType: any _Persistable.Type {
        PersistedType._storedOptionalType
    }

    public static var _storedElementType: any RealmCollectionValue.Type {
        PersistedType._storedElementType
    }

    public static var _storedOptionalElementType: any RealmCollectionValue.Type {
        PersistedType._storedOptionalElementType
    }

    /// The value in the form that dynamic access returns.
    var erased: Any? { Self._eraseElement(self) }

    public static func _erase(_ value: Self) -> Any? { PersistedType._erase(value._persisted) }

    public static func _eraseElement(_ value: Self) -> Any? {
        PersistedType._eraseElement(value._persisted)
    }
}
