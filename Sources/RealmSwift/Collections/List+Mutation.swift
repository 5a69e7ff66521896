import StorageEngine

extension List {
    /// Adds an element at the end. An unmanaged object is added to the list's Realm.
    ///
    /// Like every change of a managed list it needs a write transaction, and stops the program
    /// outside of one.
    public func append(_ object: Element) {
        guard let managed = writable() else { return contents.append(object) }
        store(object, .newElement(managed, at: nil), managed)
    }

    /// Adds the elements of a sequence at the end, in its order.
    public func append<S: Sequence>(objectsIn objects: S) where S.Element == Element {
        guard let managed = writable() else {
            // The sequence may read this very list.
            return contents.append(contentsOf: Array(objects))
        }
        // Iterating over this very list visits the elements that it has now.
        for object in objects { store(object, .newElement(managed, at: nil), managed) }
    }

    /// Inserts an element before the one at `index`; `index` may equal the count, and stops the
    /// program beyond it.
    public func insert(_ object: Element, at index: Int) {
        guard let count = changeableCount() else { return }
        requireIndex(index, upTo: count + 1)
        guard let managed else { return contents.insert(object, at: index) }
        store(object, .newElement(managed, at: index), managed)
    }

    /// Removes the element at `index`, which must exist. The object itself stays in the Realm.
    public func remove(at index: Int) {
        guard let count = changeableCount() else { return }
        requireIndex(index, upTo: count)
        removeExisting(at: index)
    }

    /// Removes all elements. The objects themselves stay in the Realm.
    public func removeAll() {
        guard let managed = writable() else { return contents.removeAll() }
        managed.realm.change { try managed.handle.removeAll() }
    }

    /// Puts `object` in the place of the element at `index`, which must exist.
    public func replace(index: Int, object: Element) {
        guard let count = changeableCount() else { return }
        requireIndex(index, upTo: count)
        guard let managed else {
            contents[index] = object
            return
        }
        store(object, .element(managed, at: index), managed)
    }

    /// Moves an element. `to` is its position afterwards. Both positions must exist.
    public func move(from: Int, to: Int) {
        guard let count = changeableCount() else { return }
        requireIndex(from, upTo: count)
        requireIndex(to, upTo: count)
        guard let managed else {
            contents.insert(contents.remove(at: from), at: to)
            return
        }
        if from != to { managed.realm.change { try managed.handle.move(from: from, to: to) } }
    }

    /// Exchanges two elements. Both positions must exist.
    public func swapAt(_ index1: Int, _ index2: Int) {
        guard let count = changeableCount() else { return }
        requireIndex(index1, upTo: count, named: "index1")
        requireIndex(index2, upTo: count, named: "index2")
        guard let managed else { return contents.swapAt(index1, index2) }
        if index1 == index2 { return }
        let (low, high) = (Swift.min(index1, index2), Swift.max(index1, index2))
        managed.realm.change {
            try managed.handle.move(from: high, to: low)
            try managed.handle.move(from: low + 1, to: high)
        }
    }

    // MARK: Access

    /// The list's place in its Realm, nil while unmanaged. Stops unless it may be changed now.
    func writable() -> ManagedList? {
        guard let managed else { return nil }
        managed.requireWritable()
        return managed
    }

    /// The count, for checking positions. Stops unless the list may be changed now. Nil if the
    /// transaction has failed: the list may then lack elements that the program added.
    func changeableCount() -> Int? {
        guard let managed = writable() else { return contents.count }
        if managed.hasFailed { return nil }
        let count = managed.count
        return managed.hasFailed ? nil : count
    }

    /// Removes an element at a position that was checked.
    func removeExisting(at index: Int) {
        guard let managed else {
            contents.remove(at: index)
            return
        }
        managed.realm.change { try managed.handle.remove(at: index) }
    }

    private func store(_ object: Element, _ place: _ValueSlot.Place, _ managed: ManagedList) {
        if !managed.hasFailed { Element._store(object, in: _ValueSlot(place)) }
    }

    /// The elements as they are now.
    func snapshotArray() -> [Element] {
        guard managed != nil else { return contents }
        return Array(IteratorSequence(makeIterator()))
    }
}
