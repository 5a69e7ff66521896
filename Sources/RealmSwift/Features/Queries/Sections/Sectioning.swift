/// The shared state of the copies of ``SectionedResults`` and their sections: the elements, the key
/// function, and the sections found for the last version.
///
/// It is used only on the thread of the Realm, or by any thread if that is frozen. The sections of
/// a frozen Realm are found when this object is made.
final class Sectioning<Key: _Persistable & Hashable, Element: RealmCollectionValue> {
    let results: Results<Element>
    /// Whether the order of the elements is reversed.
    let isReversed: Bool
    private let key: (Element) -> Key
    private var found: Found?
    /// The sections of the frozen results, as long as they are used: each section that is frozen
    /// needs them all.
    private weak var frozenCopy: Sectioning?

    struct Found {
        /// The connection's change stamp for which the other fields are valid.
        let stamp: UInt64
        /// The keys of all elements, in the order of the results.
        let elementKeys: [Key]
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
        if results.isFrozen { find() }
    }

    /// Returns the same sections in another Realm of the file.
    func moved(to realm: Realm) -> Sectioning {
        Sectioning(results._moved(to: realm), isReversed: isReversed, key)
    }

    /// Returns the sections of frozen results; the same ones if they are frozen.
    func frozen() -> Sectioning {
        if results.isFrozen { return self }
        let frozenResults = results.freeze()
        if let frozenCopy, frozenCopy.results.realm == frozenResults.realm { return frozenCopy }
        let copy = Sectioning(frozenResults, isReversed: isReversed, key)
        frozenCopy = copy
        return copy
    }

    /// Returns the sections of live results; the same ones if they are live. The result is nil if
    /// the file was moved or removed.
    func thawed() -> Sectioning? {
        if !results.isFrozen { return self }
        return results.thaw().map { Sectioning($0, isReversed: isReversed, key) }
    }

    /// The current sections. All elements are visited once per version of the Realm, and once after
    /// each change in a write transaction.
    var sections: Found {
        let stamp = results.changeStamp
        if let found, found.stamp == stamp { return found }
        return find()
    }

    @discardableResult
    private func find() -> Found {
        divide(results.map { key($0) }, at: results.changeStamp)
    }

    private func divide(_ elementKeys: [Key], at stamp: UInt64) -> Found {
        var found = Found(stamp: stamp, elementKeys: elementKeys)
        for step in elementKeys.indices {
            let position = isReversed ? elementKeys.count - 1 - step : step
            let key = elementKeys[position]
            let identity = StoredIdentity(key)
            if found.positions[identity] == nil { found.keys.append(key) }
            found.positions[identity, default: []].append(position)
        }
        self.found = found
        return found
    }
}

// MARK: Following changes

extension Sectioning {
    /// The same sections in the version that handlers are told of, which the Realm shows.
    ///
    /// They are others only in a transaction in which a handler before has changed something.
    var toldVersion: Sectioning {
        guard let realm = results._backing.realm, realm.hasChanged else { return self }
        return attempt { moved(to: Realm(instance: try realm.snapshot())) }
    }

    /// The keys of all elements, in the order of the results.
    var elementKeys: [Key] { sections.elementKeys }

    func key(ofElementAt position: Int) -> Key { key(results[position]) }

    /// Takes the keys of all elements, which are known, as those in the version of `told`.
    func adopt(_ keys: [Key], from told: Sectioning) {
        let stamp = told.results.changeStamp
        if told === self, found?.stamp != stamp { _ = divide(keys, at: stamp) }
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
