/// Reading lists and maps inside mixed values for queries.
extension Connection {
    /// Visits the elements of a list, or the values of a map with their keys in ascending order,
    /// until `body` returns false. Other values have no elements. Bytes are valid while nothing is
    /// written.
    ///
    /// - Throws: `.damaged`, and what `body` throws.
    public func forEachElement(
        of value: MixedValue,
        _ body: (_ key: UnsafeRawBufferPointer, MixedValue) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try nestedCollection(value)?.forEach { row throws(StorageError) in
            guard let element = MixedValue(row.value) else {
                throw pager.damaged(0, "a mixed value")
            }
            return try body(row.key, element)
        }
    }

    /// The number of elements of a list or map; 0 for any other value.
    ///
    /// - Throws: `.damaged`.
    public func elementCount(of value: MixedValue) throws(StorageError) -> Int {
        try nestedCollection(value)?.count() ?? 0
    }

    /// Whether `left` compares with `right` as `comparison` says. Lists and maps are compared for
    /// equality by all their elements, and have no order. See ``MixedValue/matches(_:_:)``.
    ///
    /// - Throws: `.damaged`.
    public func matches(
        _ left: MixedValue, _ comparison: Comparison, with right: MixedValue
    ) throws(StorageError) -> Bool {
        guard left.isCollection, right.isCollection else { return left.matches(comparison, right) }
        return switch comparison {
        case .equal: try haveEqualElements(left, right)
        case .notEqual: try !haveEqualElements(left, right)
        case .less, .lessOrEqual, .greater, .greaterOrEqual: false
        }
    }

    private func haveEqualElements(_ left: MixedValue, _ right: MixedValue) throws(StorageError)
        -> Bool
    {
        switch (left, right) {
        case (.list, .list), (.map, .map): break
        default: return false
        }
        guard try elementCount(of: left) == elementCount(of: right) else { return false }
        var others: [(key: UnsafeRawBufferPointer, value: MixedValue)] = []
        try forEachElement(of: right) {
            others.append(($0, $1))
            return true
        }
        var index = 0
        var areEqual = true
        try forEachElement(of: left) { key, value throws(StorageError) in
            guard index < others.count else { throw pager.damaged(0, "a mixed value") }
            let other = others[index]
            index += 1
            areEqual = compareBytes(key, other.key) == 0
            if areEqual { areEqual = try matches(value, .equal, with: other.value) }
            return areEqual
        }
        return areEqual
    }

    private func nestedCollection(_ value: MixedValue) throws(StorageError) -> StoredCollection? {
        switch value {
        case .list(let bytes), .map(let bytes):
            guard let nested = NestedCollection(bytes) else {
                throw pager.damaged(0, "a mixed value")
            }
            return StoredCollection(
                pager: pager, bytes: nested.rows, format: .nested(nested.kind))
        default: return nil
        }
    }
}
