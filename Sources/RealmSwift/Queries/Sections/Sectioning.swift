/// What copies of ``SectionedResults``, and their sections, share: the elements, what tells their
/// sections, and which section each belonged to when that was last asked.
///
/// Used on the thread of the Realm.
final class Sectioning<Key: _Persistable & Hashable, Element: RealmCollectionValue> {
    let results: Results<Element>
    private let key: (Element) -> Key
    private var found: Found?

    struct Found {
        /// The connection's change stamp for which the rest holds.
        let stamp: UInt64
        /// In the order of the first elements.
        var keys: [Key] = []
        /// The positions of each section's elements in the results, ascending.
        var positions: [StoredIdentity<Key>: [Int]] = [:]
    }

    init(_ results: Results<Element>, _ key: @escaping (Element) -> Key) {
        self.results = results
        self.key = key
    }

    /// The sections of now. All elements are visited once for each version of the Realm, and after
    /// each change of a write transaction.
    var sections: Found {
        let stamp = results.changeStamp
        if let found, found.stamp == stamp { return found }
        var found = Found(stamp: stamp)
        for (position, element) in results.enumerated() {
            let key = key(element)
            let identity = StoredIdentity(key)
            if found.positions[identity] == nil { found.keys.append(key) }
            found.positions[identity, default: []].append(position)
        }
        self.found = found
        return found
    }
}

extension Results {
    /// The connection's change stamp, for which all holds that is read now. Stops unless the
    /// results may be used.
    fileprivate var changeStamp: UInt64 {
        guard let values else {
            query.requireValid()
            return query.realm.connection.changeStamp
        }
        _ = values.values
        return values.realm.connection.changeStamp
    }
}
