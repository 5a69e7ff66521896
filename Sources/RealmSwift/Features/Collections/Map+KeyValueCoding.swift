import Foundation

extension Map {
    /// Returns the value of a key, which must be a string; nil if the map does not have the key.
    public func object(forKey key: AnyObject) -> AnyObject? {
        ((key as Any) as? String).flatMap(value(forKey:))
    }

    /// Returns the value of a key; nil if the map does not have the key. A stored nil is returned
    /// as `NSNull`.
    ///
    /// A key that begins with `@` is evaluated as a collection operator, and `invalidated` returns
    /// ``isInvalidated``.
    public func value(forKey key: String) -> AnyObject? {
        if key == "invalidated" { return NSNumber(value: isInvalidated) }
        if key.hasPrefix("@") { return value(forKeyPath: key) }
        return self[Key(_storedKey: key)].map { $0._rlmObjcValue as AnyObject }
    }

    /// Returns the value at a key path that begins with a key, or the result of a collection
    /// operator; see ``RealmCollection/value(forKeyPath:)``.
    public func value(forKeyPath keyPath: String) -> AnyObject? {
        if keyPath.hasPrefix("@") { return _contents.value(forKeyPath: keyPath) as AnyObject? }
        guard let dot = keyPath.firstIndex(of: ".") else { return value(forKey: keyPath) }
        let object = self[Key(_storedKey: String(keyPath[..<dot]))].flatMap(Value._eraseElement)
        let rest = String(keyPath[keyPath.index(after: dot)...])
        return (object as? ObjectBase)?.value(forKeyPath: rest) as AnyObject?
    }

    /// Sets the value of a key. Nil removes the key.
    ///
    /// - Precondition: The value fits the type of the values. A managed map is changed in a write
    ///   transaction.
    public func setValue(_ value: Any?, forKey key: String) {
        let key = Key(_storedKey: key)
        guard let value else { return removeObject(for: key) }
        let conversion = _ValueConversion(realm: managed?.realm, adoptsObjects: true)
        guard let managed else { return set(value, forKey: key, by: conversion) }
        managed.realm.whileAdding(from: conversion) { set(value, forKey: key, by: conversion) }
    }

    private func set(_ value: Any, forKey key: Key, by conversion: _ValueConversion) {
        if isHeld(value, forKey: key) { return }
        if let converted = Value._convertElement(value, conversion) {
            return updateValue(converted, forKey: key)
        }
        if let managed, conversion.hasMetUnmappable,
            Value._storedElementType.isSet(
                value, forKey: key._storedKey, in: managed, by: conversion)
        {
            return
        }
        conversion.stopIfUnmappable()
        stop(
            "Invalid value '\(described(value))' of type '\(type(of: value))' for expected type "
                + "'\(Value._typeName)'.")
    }
}

extension Map {
    /// Returns whether a value is the embedded object that the key already holds.
    private func isHeld(_ value: Any, forKey key: Key) -> Bool {
        guard let managed, managed.type == .embedded, let target = managed.target,
            let object = value as? EmbeddedObject, managed.realm.isWriting
        else { return false }
        return target.isHeld(object, in: _ValueSlot(.value(managed, key: key._storedKey)))
    }
}

extension Map: KeyPathReadable {
    func anyValue(forKeyPath keyPath: String) -> Any? { value(forKeyPath: keyPath) }
}

extension RealmCollectionValue {
    /// Sets a value in a managed map whose values are stored as this type. Returns false if the
    /// value does not fit.
    fileprivate static func isSet(
        _ value: Any, forKey key: String, in managed: ManagedMap, by conversion: _ValueConversion
    ) -> Bool {
        guard let stored = _convertElement(value, conversion) else { return false }
        Map<String, Self>(managed: managed).updateValue(stored, forKey: key)
        return true
    }
}
