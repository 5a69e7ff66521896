/// A map of an object, or a map of mixed values inside a mixed value: values by string keys, in
/// ascending order of the keys' UTF-8 bytes. Cheap to make, without state of its own.
///
/// Keys are UTF-8. Positions out of range are programming errors. If the owner was deleted, or a
/// nested map was removed or replaced, functions throw `.invalidArgument`.
public struct MapHandle {
    let collection: CollectionHandle

    public var owner: ObjectKey { collection.owner }

    /// Whether both handles lead to the same map, whatever its position was when they were made.
    public func isSame(as other: MapHandle) -> Bool {
        collection.isSame(as: other.collection)
    }
}

extension Table {
    public func map(_ column: Int, of key: ObjectKey) -> MapHandle {
        MapHandle(collection: collection(column, of: key, kind: .map))
    }
}

// MARK: Reading

extension MapHandle {
    public func count() throws(StorageError) -> Int { try collection.stored().count() }

    /// Appends the keys of the objects that the values refer to, in order, without nulls.
    public func appendLinks(to keys: inout ContiguousArray<Int64>) throws(StorageError) {
        try collection.stored().appendIntegers(to: &keys)
    }

    /// The value of a key; nil if the map does not contain the key. O(log n).
    public func value(forKey key: UnsafeRawBufferPointer) throws(StorageError) -> Scalar? {
        let stored = try collection.stored()
        let (index, isFound) = try stored.position(ofKey: key)
        return isFound ? try stored.value(at: index) : nil
    }

    /// The position of a key; nil if the map does not contain the key. O(log n).
    public func index(ofKey key: UnsafeRawBufferPointer) throws(StorageError) -> Int? {
        let (index, isFound) = try collection.stored().position(ofKey: key)
        return isFound ? index : nil
    }

    /// The key and value at a position in ascending order of the keys. O(log n).
    public func entry(at index: Int) throws(StorageError) -> (
        key: UnsafeRawBufferPointer, value: Scalar
    ) {
        let row = try collection.stored().row(at: index)
        return (row.key, row.value)
    }

    /// Visits all entries in ascending order of the keys, until `body` returns false. The map must
    /// not be changed meanwhile.
    public func forEach(
        _ body: (_ key: UnsafeRawBufferPointer, Scalar) throws(StorageError) -> Bool
    ) throws(StorageError) {
        // swift-format-ignore: ReplaceForEachWithForLoop
        try collection.stored().forEach { row throws(StorageError) in
            try body(row.key, row.value)
        }
    }

    /// The list that is the mixed value of a key; nil if the value is something else.
    public func nestedList(forKey key: UnsafeRawBufferPointer) throws(StorageError) -> ListHandle? {
        guard let index = try index(ofKey: key) else { return nil }
        return try collection.child(at: index).flatMap(ListHandle.init(ifList:))
    }

    /// The map that is the mixed value of a key; nil if the value is something else.
    public func nestedMap(forKey key: UnsafeRawBufferPointer) throws(StorageError) -> MapHandle? {
        guard let index = try index(ofKey: key) else { return nil }
        return try collection.child(at: index).flatMap(MapHandle.init(ifMap:))
    }

    init?(ifMap collection: CollectionHandle) {
        guard collection.format.collection == .map else { return nil }
        self.collection = collection
    }
}

// MARK: Changing

extension MapHandle {
    /// Sets the value of a key, which is added if necessary. If the old value was an embedded
    /// object or a nested collection, that is deleted.
    ///
    /// - Throws: `.invalidArgument` for values that the map may not hold and links to objects that
    ///   do not exist, `.valueTooLarge`: then nothing has changed. After any other error the
    ///   transaction can only be rolled back. The same holds for all functions that follow.
    public func set(_ value: Scalar, forKey key: UnsafeRawBufferPointer) throws(StorageError) {
        try collection.check(value)
        try collection.check(key: key)
        try collection.withOwned(value) { value throws(StorageError) in try put(value, key) }
    }

    private func put(_ value: Scalar, _ key: UnsafeRawBufferPointer) throws(StorageError) {
        let (index, isFound) = try collection.stored().position(ofKey: key)
        if isFound { return try collection.set(value, at: index) }
        try collection.withOwned(key) { key throws(StorageError) in
            try collection.insert(CollectionRow(key: key, value: value), at: index)
        }
    }

    /// Removes a key. Returns false if the map does not contain it. An embedded object is deleted.
    @discardableResult
    public func removeValue(forKey key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
        try collection.table.requireWriteTransaction()
        guard let index = try index(ofKey: key) else { return false }
        try collection.remove(at: index)
        return true
    }

    public func removeAll() throws(StorageError) { try collection.removeAll() }

    /// Creates an embedded object as the value of a key; the previous one is deleted. `values` are
    /// those of ``Table/insert(_:)``.
    public func setEmbedded(
        _ values: UnsafeBufferPointer<Scalar>, forKey key: UnsafeRawBufferPointer
    ) throws(StorageError) -> ObjectKey {
        try collection.check(key: key)
        let ownKey = Array(key)
        return try collection.createEmbedded(values) { link throws(StorageError) in
            try ownKey.withBytes { key throws(StorageError) in try put(link, key) }
        }
    }

    /// Sets the value of a key to an empty list or map of mixed values.
    public func setEmpty(_ kind: CollectionKind, forKey key: UnsafeRawBufferPointer)
        throws(StorageError)
    {
        try collection.check(key: key)
        try collection.createNested(kind) { value throws(StorageError) in try put(value, key) }
    }
}
