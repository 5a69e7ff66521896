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
        realm.checkThread()
        _backing.requireReadable()
        let copy = _moved(to: Realm(instance: realm.freeze()))
        if copy.isInvalidated {
            stop("Cannot freeze an object in the same write transaction as it was created in.")
        }
        return copy
    }

    /// Returns the live collection that this frozen one is a copy of, in the Realm of the thread or
    /// queue of the caller; nil if its object was deleted. Results are never nil. A live collection
    /// returns itself.
    ///
    /// - Precondition: The collection is managed.
    public func thaw() -> Self? {
        let realm = _backing.managedRealm
        return realm.isFrozen ? _counterpart(in: Realm(instance: realm.thaw())) : self
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
