import StorageEngine

/// A `Persisted` of any value type, through which schema discovery and dynamic access reach a
/// property.
protocol AnyPersisted {
    static var valueType: any _Persistable.Type { get }
    static func attributes(at storage: UnsafeMutableRawPointer) -> _PersistedAttributes
    /// Discards the unmanaged value.
    static func reset(at storage: UnsafeMutableRawPointer)
    /// Records that the Realm holds the value from now on.
    static func markManaged(at storage: UnsafeMutableRawPointer)
    static func value(of object: ObjectBase, at offset: Int) -> Any?
    /// Sets the value. Returns false if it does not fit.
    static func setValue(
        _ value: Any?, of object: ObjectBase, at offset: Int, by conversion: _ValueConversion
    ) -> Bool
}

extension Persisted: AnyPersisted {
    static var valueType: any _Persistable.Type { Value.self }

    static func attributes(at storage: UnsafeMutableRawPointer) -> _PersistedAttributes {
        storage.assumingMemoryBound(to: Self.self).pointee.attributes
    }

    static func reset(at storage: UnsafeMutableRawPointer) {
        storage.assumingMemoryBound(to: Self.self).pointee.state = .unset
    }

    static func markManaged(at storage: UnsafeMutableRawPointer) {
        storage.assumingMemoryBound(to: Self.self).pointee.state = .managed
    }

    static func value(of object: ObjectBase, at offset: Int) -> Any? {
        if object._context != nil { return Value._erase(Value._get(object, offset)) }
        return Value._erase(value(at: object._storage(at: offset)))
    }

    static func setValue(
        _ value: Any?, of object: ObjectBase, at offset: Int, by conversion: _ValueConversion
    ) -> Bool {
        guard let value = Value._convert(value, conversion) else { return false }
        if object._context != nil {
            Value._set(value, object, at: offset)
        } else {
            assign(value, at: object._storage(at: offset))
        }
        return true
    }
}

extension _Persistable {
    /// The wrapper of a property of this type in a class without storage.
    static var dynamicWrapper: any AnyPersisted.Type { Persisted<Self>.self }
}

extension PropertyModel {
    /// The wrapper that writes values of a managed object which the property's own type cannot
    /// represent; see `_Persistable._storedType`.
    var storedWrapper: any AnyPersisted.Type { valueType._storedType.dynamicWrapper }
}
