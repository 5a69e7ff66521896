import StorageEngine

extension PredicateValue {
    /// Whether a stored value equals this one, lists and maps by all that lies in them.
    ///
    /// - Throws: what reading a list or map throws.
    func equals(_ stored: MixedValue, _ connection: Connection) throws -> Bool {
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

    /// - Parameter value: what is to be at a position; nil if no value equals.
    private func equals(
        _ stored: MixedValue, _ count: Int, _ connection: Connection,
        _ value: (Int, UnsafeRawBufferPointer) -> PredicateValue?
    ) throws -> Bool {
        guard try connection.elementCount(of: stored) == count else { return false }
        var index = 0
        var areEqual = true
        try connection.forEachElement(of: stored) { key, element in
            // Damage may give more elements than there are.
            areEqual =
                try index < count && value(index, key)?.equals(element, connection) ?? false
            index += 1
            return areEqual
        }
        return areEqual
    }
}
