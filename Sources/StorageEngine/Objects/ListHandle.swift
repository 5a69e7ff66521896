/// A list of an object, or a list of mixed values inside a mixed value. Cheap to make, without
/// state of its own.
///
/// Positions out of range are programming errors. If the owner was deleted, or a nested list was
/// removed or replaced, functions throw `.invalidArgument`.
public struct ListHandle {
    let collection: CollectionHandle

    public var owner: ObjectKey { collection.owner }

    /// Whether both handles lead to the same list, whatever its position was when they were made.
    public func isSame(as other: ListHandle) -> Bool {
        collection.isSame(as: other.collection)
    }
}

extension Table {
    public func list(_ column: Int, of key: ObjectKey) -> ListHandle {
        ListHandle(collection: collection(column, of: key, kind: .list))
    }

    /// The handle of a list, set or map that is the value of a column.
    func collection(_ column: Int, of key: ObjectKey, kind: CollectionKind) -> CollectionHandle {
        let format = checks[column].format
        precondition(format.collection == kind, "column \(column) is not a \(kind)")
        return CollectionHandle(table: self, column: column, owner: key, format: format, path: [])
    }
}

// MARK: Reading

extension ListHandle {
    public func count() throws(StorageError) -> Int { try collection.stored().count() }

    /// Appends the keys of the objects that the elements refer to, in order, without nulls.
    public func appendLinks(to keys: inout ContiguousArray<Int64>) throws(StorageError) {
        try collection.stored().appendIntegers(to: &keys)
    }

    /// The element at a position. O(log n).
    public func value(at index: Int) throws(StorageError) -> Scalar {
        try collection.stored().value(at: index)
    }

    /// The element at a position; nil if the position is out of range.
    public func value(ifAt index: Int) throws(StorageError) -> Scalar? {
        try collection.value(ifAt: index)
    }

    /// The position of the first element equal to `value`. O(n).
    public func firstIndex(of value: Scalar) throws(StorageError) -> Int? {
        try collection.stored().firstIndex(of: value)
    }

    /// Visits all elements in order, until `body` returns false. The list must not be changed
    /// meanwhile.
    public func forEach(_ body: (Scalar) throws(StorageError) -> Bool) throws(StorageError) {
        try collection.stored().forEachValue(body)
    }

    /// The list that is the mixed element at a position; nil if the element is something else.
    public func nestedList(at index: Int) throws(StorageError) -> ListHandle? {
        try collection.child(at: index).flatMap(ListHandle.init(ifList:))
    }

    /// The map that is the mixed element at a position; nil if the element is something else.
    public func nestedMap(at index: Int) throws(StorageError) -> MapHandle? {
        try collection.child(at: index).flatMap(MapHandle.init(ifMap:))
    }

    init?(ifList collection: CollectionHandle) {
        guard collection.format.collection == .list else { return nil }
        self.collection = collection
    }
}

// MARK: Changing

extension ListHandle {
    /// Inserts an element.
    ///
    /// - Throws: `.invalidArgument` for values that the list may not hold and links to objects that
    ///   do not exist, `.valueTooLarge`: then nothing has changed. After any other error the
    ///   transaction can only be rolled back. The same holds for all functions that follow.
    public func insert(_ value: Scalar, at index: Int) throws(StorageError) {
        try enter(value, at: index)
    }

    /// Inserts an element at the end.
    public func append(_ value: Scalar) throws(StorageError) { try enter(value, at: nil) }

    private func enter(_ value: Scalar, at index: Int?) throws(StorageError) {
        try collection.check(value)
        try collection.withOwned(value) { value throws(StorageError) in
            try collection.insert(CollectionRow(value: value), at: index)
        }
    }

    /// Replaces an element. If it was an embedded object or a nested collection, that is deleted.
    public func set(_ value: Scalar, at index: Int) throws(StorageError) {
        try collection.check(value)
        try collection.withOwned(value) { value throws(StorageError) in
            try collection.set(value, at: index)
        }
    }

    /// Removes an element. An embedded object is deleted.
    public func remove(at index: Int) throws(StorageError) { try collection.remove(at: index) }

    /// Removes an element, after one look at the list. An embedded object is deleted. Returns
    /// false, with nothing changed, if the position is out of range.
    public func remove(ifAt index: Int) throws(StorageError) -> Bool {
        try collection.remove(ifAt: index)
    }

    /// Moves an element. `to` is its position afterwards.
    public func move(from: Int, to: Int) throws(StorageError) {
        try collection.table.requireWriteTransaction()
        if from == to { return }
        // References stay the same, so backlinks do not change. The bytes are copied, because
        // removing the row frees the pages that they are on.
        let value = try collection.stored().value(at: from)
        if case .bytes(let bytes) = value {
            try Array(bytes).withBytes { bytes throws(StorageError) in
                try collection.moveRow(.bytes(bytes), from: from, to: to)
            }
        } else {
            try collection.moveRow(value, from: from, to: to)
        }
    }

    public func removeAll() throws(StorageError) { try collection.removeAll() }

    /// Creates an embedded object and inserts it. `values` are those of ``Table/insert(_:)``.
    public func insertEmbedded(_ values: UnsafeBufferPointer<Scalar>, at index: Int)
        throws(StorageError)
        -> ObjectKey
    {
        try collection.createEmbedded(values) { link throws(StorageError) in
            try collection.insert(CollectionRow(value: link), at: index)
        }
    }

    /// Creates an embedded object in place of the one at a position, which is deleted.
    public func setEmbedded(_ values: UnsafeBufferPointer<Scalar>, at index: Int)
        throws(StorageError)
        -> ObjectKey
    {
        try collection.createEmbedded(values) { link throws(StorageError) in
            try collection.set(link, at: index)
        }
    }

    /// Inserts an empty list or map into a list of mixed values.
    public func insertEmpty(_ kind: CollectionKind, at index: Int) throws(StorageError) {
        try collection.createNested(kind) { value throws(StorageError) in
            try collection.insert(CollectionRow(value: value), at: index)
        }
    }

    /// Replaces an element of a list of mixed values by an empty list or map.
    public func setEmpty(_ kind: CollectionKind, at index: Int) throws(StorageError) {
        try collection.createNested(kind) { value throws(StorageError) in
            try collection.set(value, at: index)
        }
    }
}
