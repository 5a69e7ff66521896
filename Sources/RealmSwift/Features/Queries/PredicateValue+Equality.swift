import StorageEngine

extension PredicateValue {
    /// Returns whether a stored value equals this one. Lists and maps are compared by their
    /// contents, at all levels.
    ///
    /// - Throws: An error if a list or map cannot be read.
    func equals(_ stored: MixedValue, _ connection: Connection) throws(StorageError) -> Bool {
        switch (self, stored) {
        case (.list(let values), .list):
            return try equals(stored, values.count, connection) { index, _ in values[index] }
        case (.map(let entries), .map):
            return try equals(stored, entries.count, connection) { index, key in
                key.elementsEqual(entries[index].key) ? entries[index].value : nil
            }
        case (.object(let object), .link(let link)):
            guard let itsClass = object._managedClass, !object.isInvalidated else { return false }
            return itsClass.realm.connection === connection
                && link.table == itsClass.existingTable.number
                && link.key.rawValue == object._key
        case (.null, _), (.scalar, _): return withMixed { stored.matches(.equal, $0) }
        case (.list, _), (.map, _), (.object, _), (.members, _): return false
        }
    }

    /// Compares a stored list or map.
    ///
    /// - Parameter value: A function that returns the expected value for a position and key; nil if
    ///   no value is equal.
    private func equals(
        _ stored: MixedValue, _ count: Int, _ connection: Connection,
        _ value: (Int, UnsafeRawBufferPointer) -> PredicateValue?
    ) throws(StorageError) -> Bool {
        guard try connection.elementCount(of: stored) == count else { return false }
        var index = 0
        var areEqual = true
        try connection.forEachElement(of: stored) { key, element throws(StorageError) in
            // A damaged collection can have more elements than its count.
            let expected = index < count ? value(index, key) : nil
            areEqual = if let expected { try expected.equals(element, connection) } else { false }
            index += 1
            return areEqual
        }
        return areEqual
    }
}
