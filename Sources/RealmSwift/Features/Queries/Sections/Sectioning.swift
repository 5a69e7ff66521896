/// The shared state of the copies of ``SectionedResults`` and their sections: the elements, the key
/// function, and the sections found for the last version.
///
/// It is used only on the thread of the Realm, or by any thread if that is frozen. The sections of
/// a frozen Realm are found when this object is made.
final class Sectioning<Key: _Persistable & Hashable, Element: RealmCollectionValue> {
    let results: Results<Element>
    private let isReversed: Bool
    private let key: (Element) -> Key
    private var found: Found?

    struct Found {
        /// The connection's change stamp for which the other fields are valid.
        let stamp: UInt64
        /// The keys, in the order of the first elements.
        var keys: [Key] = []
        /// The positions of each section's elements in the results, in the order of the section.
        var positions: [StoredIdentity<Key>: [Int]] = [:]
    }

    /// Creates the sections of results.
    ///
    /// - Parameters:
    ///   - results: The elements.
    ///   - isReversed: Whether the order of the elements is reversed.
    ///   - key: A function that returns the key of an element.
    init(
        _ results: Results<Element>, isReversed: Bool = false, _ key: @escaping (Element) -> Key
    ) {
        self.results = results
        self.isReversed = isReversed
        self.key = key
        // Threads that use a frozen Realm share this object, so it is complete from the beginning.
        if results.isFrozen { found = find() }
    }

    /// Returns the same sections in another Realm of the file.
    func moved(to realm: Realm) -> Sectioning {
        Sectioning(results._moved(to: realm), isReversed: isReversed, key)
    }

    /// Returns the sections of frozen results; the same ones if they are frozen.
    func frozen() -> Sectioning {
        results.isFrozen ? self : Sectioning(results.freeze(), isReversed: isReversed, key)
    }

    /// Returns the sections of live results; the same ones if they are live.
    func thawed() -> Sectioning {
        guard results.isFrozen, let realm = results.realm else { return self }
        return moved(to: realm.thaw())
    }

    /// The current sections. All elements are visited once per version of the Realm, and once after
    /// each change in a write transaction.
    var sections: Found {
        let stamp = results.changeStamp
        if let found, found.stamp == stamp { return found }
        let found = find()
        self.found = found
        return found
    }

    private func find() -> Found {
        var found = Found(stamp: results.changeStamp)
        var keyed = results.enumerated().map { (position: $0.offset, key: key($0.element)) }
        if isReversed { keyed.reverse() }
        for (position, key) in keyed {
            let identity = StoredIdentity(key)
            if found.positions[identity] == nil { found.keys.append(key) }
            found.positions[identity, default: []].append(position)
        }
        return found
    }
}

extension Results {
    /// The connection's change stamp, which identifies the state that is read now. Stops the
    /// program if the results cannot be used.
    fileprivate var changeStamp: UInt64 {
        guard let values else {
            query.requireValid()
            return query.realm.connection.changeStamp
        }
        _ = values.values
        return values.realm.connection.changeStamp
    }
}
