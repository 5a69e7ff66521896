import StorageEngine

extension Map {
    /// Sets the value of a new or existing key. An unmanaged object is added to the map's Realm.
    ///
    /// - Precondition: A managed map is changed in a write transaction, and the key is valid for
    ///   it.
    public func updateValue(_ value: Value, forKey key: Key) {
        guard let managed = managed.writable() else {
            contents[StoredText(key._storedKey)] = value
            return
        }
        let key = key._storedKey
        requireMapKey(key)
        if !managed.hasFailed { Value._store(value, in: _ValueSlot(.value(managed, key: key))) }
    }

    /// Sets the values of the keys in a sequence. For an existing key, `combine` computes the value
    /// from the old and the new one.
    ///
    /// ```swift
    /// map.merge(["Chicago": "Grant Park"].map { (key: $0, value: $1) }) { _, new in new }
    /// ```
    ///
    /// - Throws: The error of `combine`.
    /// - Precondition: A managed map is changed in a write transaction, and the keys are valid for
    ///   it.
    public func merge<S>(
        _ sequence: S, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows where S: Sequence, S.Element == (key: Key, value: Value) {
        for (key, value) in sequence {
            let merged = try self[key].map { try combine($0, value) } ?? value
            updateValue(merged, forKey: key)
        }
    }

    /// Sets the values of the keys of another map. For an existing key, `combine` computes the
    /// value from the old and the new one.
    ///
    /// - Throws: The error of `combine`.
    /// - Precondition: A managed map is changed in a write transaction.
    public func merge(
        _ other: Map<Key, Value>, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        try merge(other.entries, uniquingKeysWith: combine)
    }

    /// Removes a key and its value. Has no effect if the map does not have the key. A removed
    /// object stays in the Realm, unless it is embedded.
    ///
    /// - Precondition: A managed map is changed in a write transaction.
    public func removeObject(for key: Key) {
        guard let managed = managed.writable() else {
            contents[StoredText(key._storedKey)] = nil
            return
        }
        managed.realm.change {
            try key._storedKey.withKeyBytes { try managed.handle.removeValue(forKey: $0) }
        }
    }

    /// Removes all keys and values. Removed objects stay in the Realm, unless they are embedded.
    ///
    /// - Precondition: A managed map is changed in a write transaction.
    public func removeAll() {
        guard let managed = managed.writable() else {
            contents = [:]
            return
        }
        managed.realm.change { try managed.handle.removeAll() }
    }
}

/// Stops the program if a managed map cannot have the key, because a key path in a query could not
/// name it.
func requireMapKey(_ key: String) {
    if key.utf8.first == UInt8(ascii: "$") {
        stop("Dictionary::insert: key must not start with '$'")
    }
    if key.utf8.contains(UInt8(ascii: ".")) {
        stop("Dictionary::insert: key must not contain '.'")
    }
}
