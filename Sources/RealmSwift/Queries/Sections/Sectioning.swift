/// What copies of ``SectionedResults``, and their sections, share: the elements, what tells their
/// sections, and which section each belonged to when that was last asked.
///
/// Used on the thread of the Realm.
final class Sectioning<Key: _Persistable & Hashable, Element: RealmCollectionValue> {
    let results: Results<Element>
    private let isReversed: Bool
    private let key: (Element) -> Key
    private var found: Found?

    struct Found {
        /// The connection's change stamp for which the rest holds.
        let stamp: UInt64
        /// In the order of the first elements.
        var keys: [Key] = []
        /// The positions of each section's elements in the results, in the order of the section.
        var positions: [StoredIdentity<Key>: [Int]] = [:]
    }

    /// - Parameter isReversed: whether the last element comes first.
    init(
        _ results: Results<Element>, isReversed: Bool = false, _ key: @escaping (Element) -> Key
    ) {
        self.results = results
        self.isReversed = isReversed
        self.key = key
    }

    /// The sections of now. All elements are visited once for each version of the Realm, and after
    /// each change of a write transaction.
    var sections: Found {
        let stamp = results.changeStamp
        if let found, found.stamp == stamp { return found }
        var found = Found(stamp: stamp)
        var keyed = results.enumerated().map { (position: $0.offset, key: key($0.element)) }
        if isReversed { keyed.reverse() }
        for (position, key) in keyed {
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
