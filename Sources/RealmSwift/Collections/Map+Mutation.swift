import StorageEngine

extension Map {
    /// Sets the value of a key, which need not be there. An unmanaged object is added to the map's
    /// Realm.
    ///
    /// Like every change of a managed map it needs a write transaction, and stops the program
    /// outside of one.
    public func updateValue(_ value: Value, forKey key: Key) {
        guard let managed = writable() else {
            contents[StoredText(key._storedKey)] = value
            return
        }
        let key = key._storedKey
        requireMapKey(key)
        if !managed.hasFailed { Value._store(value, in: _ValueSlot(.value(managed, key: key))) }
    }

    /// Sets the values of the keys in a sequence. Where a key is there already, `combine` makes the
    /// value of the old one and the new one.
    ///
    /// ```swift
    /// map.merge(["Chicago": "Grant Park"].map { (key: $0, value: $1) }) { _, new in new }
    /// ```
    public func merge<S>(
        _ sequence: S, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows where S: Sequence, S.Element == (key: Key, value: Value) {
        for (key, value) in sequence {
            let merged = try self[key].map { try combine($0, value) } ?? value
            updateValue(merged, forKey: key)
        }
    }

    /// Sets the values of the keys of another map. Where a key is there already, `combine` makes
    /// the value of the old one and the new one.
    public func merge(
        _ other: Map<Key, Value>, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        try merge(other.entries, uniquingKeysWith: combine)
    }

    /// Removes a key and its value, if the key is there. An object itself stays in the Realm.
    public func removeObject(for key: Key) {
        guard let managed = writable() else {
            contents[StoredText(key._storedKey)] = nil
            return
        }
        managed.realm.change {
            try key._storedKey.withKeyBytes { try managed.handle.removeValue(forKey: $0) }
        }
    }

    /// Removes all keys and values. Objects themselves stay in the Realm.
    public func removeAll() {
        guard let managed = writable() else {
            contents = [:]
            return
        }
        managed.realm.change { try managed.handle.removeAll() }
    }

    /// The map's place in its Realm, nil while unmanaged. Stops unless it may be changed now.
    private func writable() -> ManagedMap? {
        guard let managed else { return nil }
        managed.requireWritable()
        return managed
    }
}

/// Stops unless a managed map can have the key: key paths of queries could not name others.
func requireMapKey(_ key: String) {
    if key.utf8.first == UInt8(ascii: "$") {
        stop("Dictionary::insert: key must not start with '$'")
    }
    if key.utf8.contains(UInt8(ascii: ".")) {
        stop("Dictionary::insert: key must not contain '.'")
    }
}
