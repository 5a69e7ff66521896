import StorageEngine

extension MutableSet {
    /// Inserts an element. Has no effect if the set already contains it. An unmanaged object is
    /// added to the set's Realm.
    ///
    /// - Precondition: A managed set is changed in a write transaction.
    public func insert(_ object: Element) {
        guard let managed = managed.writable() else { return insertUnmanaged(object) }
        store(object, in: managed)
    }

    /// Inserts the elements of a sequence.
    ///
    /// - Precondition: A managed set is changed in a write transaction.
    public func insert<S: Sequence>(objectsIn objects: S) where S.Iterator.Element == Element {
        guard let managed = managed.writable() else {
            for object in objects { insertUnmanaged(object) }
            return
        }
        for object in objects { store(object, in: managed) }
    }

    /// Removes an element. Has no effect if the set does not contain it. A removed object stays in
    /// the Realm.
    ///
    /// - Precondition: A managed set is changed in a write transaction.
    public func remove(_ object: Element) {
        guard let managed = managed.writable() else { return removeUnmanaged(object) }
        managed.realm.scratch.reset()
        guard let sought = Element._encodeSought(object, managed.realm.scratch) else { return }
        managed.realm.change { try managed.handle.remove(sought) }
    }

    /// Removes all elements. Removed objects stay in the Realm.
    ///
    /// - Precondition: A managed set is changed in a write transaction.
    public func removeAll() {
        guard let managed = managed.writable() else {
            contents = []
            members = []
            return
        }
        managed.realm.change { try managed.handle.removeAll() }
    }

    /// Removes the elements that are not in `other`.
    ///
    /// - Precondition: A managed set is changed in a write transaction, and `other` is managed too.
    ///   Sets of objects have the same class.
    public func formIntersection(_ other: MutableSet<Element>) {
        requireCombinable(with: other)
        for element in self where !other.contains(element) { remove(element) }
    }

    /// Removes the elements that are in `other`.
    ///
    /// - Precondition: A managed set is changed in a write transaction, and `other` is managed too.
    ///   Sets of objects have the same class.
    public func subtract(_ other: MutableSet<Element>) {
        requireCombinable(with: other)
        for element in other { remove(element) }
    }

    /// Inserts the elements of `other`.
    ///
    /// - Precondition: A managed set is changed in a write transaction, and `other` is managed too.
    ///   Sets of objects have the same class.
    public func formUnion(_ other: MutableSet<Element>) {
        requireCombinable(with: other)
        insert(objectsIn: other)
    }

    // MARK: Access

    private func requireCombinable(with other: MutableSet) {
        guard let managed = managed.writable(), !managed.hasFailed else { return }
        guard let place = other.managed.readable() else {
            stop("Right hand side value must be a managed Set.")
        }
        managed.requireSameClass(as: place)
    }

    private func store(_ object: Element, in managed: ManagedSet) {
        if !managed.hasFailed { Element._store(object, in: _ValueSlot(.member(managed))) }
    }

    private func insertUnmanaged(_ object: Element) {
        if members.insert(StoredIdentity(object)).inserted { contents.append(object) }
    }

    private func removeUnmanaged(_ object: Element) {
        guard members.remove(StoredIdentity(object)) != nil else { return }
        contents.removeAll { isSameValue($0, object) }
    }
}
