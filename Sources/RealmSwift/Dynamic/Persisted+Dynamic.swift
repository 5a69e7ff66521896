import StorageEngine

/// A `Persisted` of any value type: how schema discovery and dynamic access reach a property.
protocol AnyPersisted {
    static var valueType: any _Persistable.Type { get }
    static func attributes(at storage: UnsafeMutableRawPointer) -> _PersistedAttributes
    /// Forgets the unmanaged value.
    static func reset(at storage: UnsafeMutableRawPointer)
    /// Notes that the value is the Realm's from now on.
    static func markManaged(at storage: UnsafeMutableRawPointer)
    static func value(of object: ObjectBase, at offset: Int) -> Any?
    /// Returns false when the value does not fit.
    static func setValue(
        _ value: Any?, of object: ObjectBase, at offset: Int, _ conversion: _ValueConversion
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

    /// The unmanaged value, made now if there is none.
    @inlinable @inline(__always)
    static func value(at storage: UnsafeMutableRawPointer) -> Value {
        let wrapper = storage.assumingMemoryBound(to: Self.self)
        if case .value(let value) = wrapper.pointee.state { return value }
        return wrapper.pointee.makeDefault()
    }

    static func value(of object: ObjectBase, at offset: Int) -> Any? {
        if object._context != nil { return Value._erase(Value._get(object, offset)) }
        return Value._erase(value(at: object._storage(at: offset)))
    }

    static func setValue(
        _ value: Any?, of object: ObjectBase, at offset: Int, _ conversion: _ValueConversion
    ) -> Bool {
        guard let value = Value._convert(value, conversion) else { return false }
        if object._context != nil {
            Value._set(value, object, offset)
        } else {
            object._storage(at: offset).assumingMemoryBound(to: Self.self).pointee.assign(value)
        }
        return true
    }
}
