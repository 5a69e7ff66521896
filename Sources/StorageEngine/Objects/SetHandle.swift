/// A set of an object: distinct values in ascending order. Cheap to make, without state of its own.
///
/// Null comes first, then the values in the order of their type (``ValueTraits/Order``). Sets of
/// mixed values contain null, then values by their kinds, where strings and data are one. 1 and 1.0
/// are one element; a string and data of the same bytes are two.
///
/// Positions out of range are programming errors. If the owner was deleted, functions throw
/// `.invalidArgument`.
public struct SetHandle {
    let collection: CollectionHandle

    public var owner: ObjectKey { collection.owner }

    /// Whether both handles lead to the same set.
    public func isSame(as other: SetHandle) -> Bool { collection.isSame(as: other.collection) }
}

extension Table {
    public func set(_ column: Int, of key: ObjectKey) -> SetHandle {
        SetHandle(collection: collection(column, of: key, kind: .set))
    }
}

// MARK: Reading

extension SetHandle {
    public func count() throws(StorageError) -> Int { try collection.stored().count() }

    /// Appends the keys of the objects that the elements refer to, in order, without nulls.
    public func appendLinks(to keys: inout ContiguousArray<Int64>) throws(StorageError) {
        try collection.stored().appendIntegers(to: &keys)
    }

    /// The element at a position in ascending order. O(log n).
    public func value(at index: Int) throws(StorageError) -> Scalar {
        try collection.stored().value(at: index)
    }

    /// The position of a value; nil if it is not an element. O(log n).
    ///
    /// - Throws: `.invalidArgument` for a value of another type.
    public func index(of value: Scalar) throws(StorageError) -> Int? {
        try checkType(value)
        let (index, isFound) = try collection.stored().position(of: value)
        return isFound ? index : nil
    }

    /// Whether a value is an element. O(log n).
    public func contains(_ value: Scalar) throws(StorageError) -> Bool {
        try index(of: value) != nil
    }

    /// Visits all elements in ascending order, until `body` returns false. The set must not be
    /// changed meanwhile.
    public func forEach(_ body: (Scalar) throws(StorageError) -> Bool) throws(StorageError) {
        try collection.stored().forEachValue(body)
    }

    private func checkType(_ value: Scalar) throws(StorageError) {
        guard value.isNull || collection.format.type.accepts(value) else {
            throw collection.pager.invalidArgument("The set has values of another type.")
        }
    }

    // MARK: Comparing

    /// Whether all elements are elements of `other`, a set of the same type. O(n).
    public func isSubset(of other: SetHandle) throws(StorageError) -> Bool {
        if try count() > other.count() { return false }
        var isSubset = true
        try compare(with: other) { mine, theirs in
            isSubset = theirs || !mine
            return isSubset
        }
        return isSubset
    }

    /// Whether the sets have an element in common. O(n).
    public func intersects(_ other: SetHandle) throws(StorageError) -> Bool {
        var intersects = false
        try compare(with: other) { mine, theirs in
            intersects = mine && theirs
            return !intersects
        }
        return intersects
    }

    /// Merges both sets: visits their distinct values in order, and tells `body` which sets contain
    /// each, until it returns false.
    private func compare(
        with other: SetHandle, _ body: (_ mine: Bool, _ theirs: Bool) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let type = collection.format.type
        guard type == other.collection.format.type else {
            throw collection.pager.invalidArgument("The sets have elements of different types.")
        }
        let order = ValueOrder.ofSets(type)
        let theirs = try other.collection.stored()
        let theirCount = try theirs.count()
        var position = 0
        var goesOn = true
        try forEach { value throws(StorageError) in
            var result = -1
            while goesOn, position < theirCount {
                result = order.compare(value, try theirs.value(at: position))
                if result <= 0 { break }
                position += 1
                goesOn = try body(false, true)
                result = -1
            }
            guard goesOn else { return false }
            if result == 0 { position += 1 }
            goesOn = try body(true, result == 0)
            return goesOn
        }
        while goesOn, position < theirCount {
            position += 1
            goesOn = try body(false, true)
        }
    }
}

// MARK: Changing

extension SetHandle {
    /// Inserts a value. Returns false if it was an element already.
    ///
    /// - Throws: `.invalidArgument` for values that the set may not hold, including lists and maps,
    ///   and links to objects that do not exist, `.valueTooLarge`: then nothing has changed. After
    ///   any other error the transaction can only be rolled back.
    @discardableResult
    public func insert(_ value: Scalar) throws(StorageError) -> Bool {
        try collection.check(value)
        let (index, isFound) = try collection.stored().position(of: value)
        if isFound { return false }
        try collection.withOwned(value) { value throws(StorageError) in
            try collection.insert(CollectionRow(value: value), at: index)
        }
        return true
    }

    /// Removes a value. Returns false if it was not an element.
    @discardableResult
    public func remove(_ value: Scalar) throws(StorageError) -> Bool {
        try collection.table.requireWriteTransaction()
        guard let index = try index(of: value) else { return false }
        try collection.remove(at: index)
        return true
    }

    public func removeAll() throws(StorageError) { try collection.removeAll() }
}
