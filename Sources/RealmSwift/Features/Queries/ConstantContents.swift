import StorageEngine

/// A list or map as the constant of a comparison, with all that is in it.
///
/// Objects are named by class and key, so that the constant belongs to no Realm: a query that is
/// frozen, observed or passed on is run on other threads.
indirect enum ConstantContents {
    /// A value that is no list, map or object.
    case value(PredicateValue)
    /// An object of the file; nil for one that no stored value can be equal to.
    case link(TypedLink?)
    case list([ConstantContents])
    /// Entries in ascending order of the bytes of their keys.
    case map([(key: [UInt8], value: ConstantContents)])

    init(_ value: PredicateValue, in realm: RealmInstance) {
        switch value {
        case .list(let values): self = .list(values.map { ConstantContents($0, in: realm) })
        case .map(let entries):
            self = .map(entries.map { ($0.key, ConstantContents($0.value, in: realm)) })
        case .object(let object):
            guard let itsClass = object._managedClass, itsClass.realm === realm,
                !object.isInvalidated
            else {
                self = .link(nil)
                return
            }
            self = .link(
                TypedLink(
                    table: itsClass.existingTable.number, key: ObjectKey(rawValue: object._key)))
        case .null, .scalar, .members: self = .value(value)
        }
    }

    /// Returns whether a stored value equals this one. Lists and maps are compared by their
    /// contents, at all levels.
    ///
    /// - Throws: An error if a list or map cannot be read.
    func equals(_ stored: MixedValue, _ connection: Connection) throws(StorageError) -> Bool {
        switch (self, stored) {
        case (.list(let values), .list):
            return try equals(stored, count: values.count, in: connection) { index, _ in
                values[index]
            }
        case (.map(let entries), .map):
            return try equals(stored, count: entries.count, in: connection) { index, key in
                key.elementsEqual(entries[index].key) ? entries[index].value : nil
            }
        case (.link(let expected), .link(let link)): return expected == link
        case (.value(.members), _): return false
        case (.value(let value), _): return value.withMixed { stored.matches(.equal, $0) }
        case (.list, _), (.map, _), (.link, _): return false
        }
    }

    /// Compares a stored list or map.
    ///
    /// - Parameter value: A function that returns the expected value for a position and key; nil if
    ///   no value is equal.
    private func equals(
        _ stored: MixedValue, count: Int, in connection: Connection,
        _ value: (Int, UnsafeRawBufferPointer) -> ConstantContents?
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
