import StorageEngine

extension AggregatableCollection {
    /// A Boolean value that indicates whether the collection is frozen. Can be read on any thread.
    public var isFrozen: Bool { _backing.realm?.isFrozen ?? false }

    /// Returns a frozen copy of the collection: it has the elements that the collection has now,
    /// does not change, and can be read by any number of threads at the same time.
    ///
    /// ```swift
    /// let frozen = dogs.filter("age < 2").freeze()
    /// queue.async { print(frozen.count) }
    /// ```
    /// The objects in it are frozen too. Writing stops the program. A frozen collection keeps its
    /// version in the file as long as it exists, as ``Realm/freeze()`` says. Frozen results are
    /// searched when they are used first; sorted values are read at once.
    ///
    /// In a write transaction, the copy has the elements from before the transaction. A frozen
    /// collection returns itself.
    ///
    /// - Precondition: The collection is managed. Its object was neither deleted nor added by the
    ///   write transaction that is open.
    public func freeze() -> Self {
        let realm = _backing.managedRealm
        if realm.isFrozen { return self }
        let frozen = realm.freeze()
        // Afterwards, because the Realm may have left a version that could not be written.
        _backing.requireReadable()
        let copy = _moved(to: Realm(instance: frozen))
        if copy.isInvalidated {
            stop("Cannot freeze an object in the same write transaction as it was created in.")
        }
        return copy
    }

    /// Returns the live collection that this frozen one is a copy of, in the Realm of the caller's
    /// actor, queue or thread, as ``Realm/thaw()`` says. The result is nil if the object of the
    /// collection was deleted, or if the file was moved or removed; for results, only in the latter
    /// case. A live collection returns itself.
    ///
    /// - Precondition: The collection is managed.
    public func thaw() -> Self? {
        let realm = _backing.managedRealm
        if !realm.isFrozen { return self }
        let thawed = realm.thaw(with: _backing.neededClasses)
        return thawed.flatMap { _counterpart(in: Realm(instance: $0)) }
    }
}

extension Realm {
    /// Returns a frozen copy of a collection; see ``ThreadConfined/freeze()``.
    public func freeze<Collection: RealmCollection>(_ collection: Collection) -> Collection {
        collection.freeze()
    }
}

extension _CollectionBacking {
    /// The Realm of the elements. Stops the program for an unmanaged collection.
    fileprivate var managedRealm: RealmInstance {
        if let realm { return realm }
        guard case .memory(let kindName) = kind else { stop("A collection has no Realm.") }
        let name = kindName == ListHandle.kindName ? "Array" : kindName
        stop("This method may only be called on RLM\(name) instances retrieved from an RLMRealm")
    }

    /// The classes that a Realm must have for the collection; nil if it may need all.
    fileprivate var neededClasses: [ManagedClass]? {
        switch kind {
        case .memory, .values: nil
        case .column(let managed): [managed.owner]
        case .backlinks(let managed): [managed.targetClass, managed.origin]
        case .query(let query):
            switch query.origin {
            case .table, .nothing: [query.managedClass]
            case .column(let managed): [query.managedClass, managed.owner]
            case .backlinks(let managed): [query.managedClass, managed.targetClass, managed.origin]
            }
        }
    }

    /// Stops the program if the collection was invalidated.
    fileprivate func requireReadable() {
        switch kind {
        case .memory: break
        case .column(let managed): managed.requireAlive()
        case .backlinks(let managed):
            if !managed.isAlive { stop("Object has been deleted or invalidated.") }
        case .query(let query): query.requireValid()
        case .values(let values):
            if !values.isValid { stop("Collection is no longer valid") }
        }
    }
}
