import StorageEngine

extension List {
    /// Appends an element. An unmanaged object is added to the list's Realm.
    ///
    /// - Precondition: A managed list is changed in a write transaction.
    public func append(_ object: Element) {
        guard let managed = managed.writable() else { return contents.append(object) }
        store(object, .newElement(managed, at: nil), in: managed)
    }

    /// Appends the elements of a sequence, in their order.
    ///
    /// - Precondition: A managed list is changed in a write transaction.
    public func append<S: Sequence>(objectsIn objects: S) where S.Element == Element {
        guard let managed = managed.writable() else {
            // The elements are copied first, because the sequence may read this list.
            return contents.append(contentsOf: Array(objects))
        }
        // A sequence that iterates over this list visits the elements of the current state.
        for object in objects { store(object, .newElement(managed, at: nil), in: managed) }
    }

    /// Inserts an element before the one at `index`. The index can equal the count.
    ///
    /// - Precondition: The index is valid. A managed list is changed in a write transaction.
    public func insert(_ object: Element, at index: Int) {
        guard let count = changeableCount() else { return }
        requireIndex(index, upTo: count + 1)
        guard let managed else { return contents.insert(object, at: index) }
        store(object, .newElement(managed, at: index), in: managed)
    }

    /// Removes the element at `index`. A removed object stays in the Realm, unless it is embedded.
    ///
    /// - Precondition: The index is valid. A managed list is changed in a write transaction.
    public func remove(at index: Int) {
        guard let managed = managed.writable() else {
            requireIndex(index, upTo: contents.count)
            contents.remove(at: index)
            return
        }
        // One look at the list finds out whether the element exists, and removes it.
        let isThere = managed.realm.change { try managed.handle.remove(ifAt: index) }
        if isThere == false { requireIndex(index, upTo: managed.count) }
    }

    /// Removes all elements. Removed objects stay in the Realm, unless they are embedded.
    ///
    /// - Precondition: A managed list is changed in a write transaction.
    public func removeAll() {
        guard let managed = managed.writable() else { return contents.removeAll() }
        managed.realm.change { try managed.handle.removeAll() }
    }

    /// Replaces the element at `index` with `object`.
    ///
    /// - Precondition: The index is valid. A managed list is changed in a write transaction.
    public func replace(index: Int, object: Element) {
        guard let count = changeableCount() else { return }
        requireIndex(index, upTo: count)
        guard let managed else {
            contents[index] = object
            return
        }
        store(object, .element(managed, at: index), in: managed)
    }

    /// Moves an element. `to` is its position after the move.
    ///
    /// - Precondition: Both positions are valid. A managed list is changed in a write transaction.
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

    /// Exchanges two elements.
    ///
    /// - Precondition: Both positions are valid. A managed list is changed in a write transaction.
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

    /// Returns the count for checking positions; nil in a failed transaction, in which the list can
    /// lack elements that the program added. Stops the program if the list cannot be changed now.
    func changeableCount() -> Int? {
        guard let managed = managed.writable() else { return contents.count }
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

    private func store(_ object: Element, _ place: _ValueSlot.Place, in managed: ManagedList) {
        if !managed.hasFailed { Element._store(object, in: _ValueSlot(place)) }
    }
}
