import StorageEngine

extension List {
    /// Adds an element at the end. An unmanaged object is added to the list's Realm.
    ///
    /// Like every change of a managed list it needs a write transaction, and stops the program
    /// outside of one.
    public func append(_ object: Element) {
        guard let managed = writable() else { return elements.append(object) }
        store(object, in: managed) { try $0.append($1) }
    }

    /// Adds the elements of a sequence at the end, in its order.
    public func append<S: Sequence>(objectsIn objects: S) where S.Element == Element {
        if let list = objects as? List<Element> {
            for object in list.snapshotArray() { append(object) }
        } else {
            for object in objects { append(object) }
        }
    }

    /// Inserts an element before the one at `index`; `index` may equal the count, and stops the
    /// program beyond it.
    public func insert(_ object: Element, at index: Int) {
        guard let managed = changeable(checking: [("index", index)], upToCountPlus: 1) else {
            return
        }
        guard let managed else { return elements.insert(object, at: index) }
        store(object, in: managed) { try $0.insert($1, at: index) }
    }

    /// Removes the element at `index`, which must exist. The object itself stays in the Realm.
    public func remove(at index: Int) {
        guard let managed = changeable(checking: [("index", index)]) else { return }
        guard let managed else {
            elements.remove(at: index)
            return
        }
        managed.realm.change { try managed.handle.remove(at: index) }
    }

    /// Removes all elements. The objects themselves stay in the Realm.
    public func removeAll() {
        guard let managed = writable() else { return elements.removeAll() }
        managed.realm.change { try managed.handle.removeAll() }
    }

    /// Removes the first `number` elements; fewer elements than that stop the program.
    public func removeFirst(_ number: Int = 1) {
        guard requireRemovable(number) != nil else { return }
        for _ in 0..<number { remove(at: 0) }
    }

    /// Removes the last `number` elements; fewer elements than that stop the program.
    public func removeLast(_ number: Int = 1) {
        guard let count = requireRemovable(number) else { return }
        for position in (count - number..<count).reversed() { remove(at: position) }
    }

    /// Puts `object` in the place of the element at `index`, which must exist.
    public func replace(index: Int, object: Element) {
        guard let managed = changeable(checking: [("index", index)]) else { return }
        guard let managed else {
            elements[index] = object
            return
        }
        store(object, in: managed) { try $0.set($1, at: index) }
    }

    /// Moves an element. `to` is its position afterwards. Both positions must exist.
    public func move(from: Int, to: Int) {
        guard let managed = changeable(checking: [("index", from), ("index", to)]) else { return }
        guard let managed else {
            elements.insert(elements.remove(at: from), at: to)
            return
        }
        if from != to { managed.realm.change { try managed.handle.move(from: from, to: to) } }
    }

    /// Exchanges two elements. Both positions must exist.
    public func swapAt(_ index1: Int, _ index2: Int) {
        guard let managed = changeable(checking: [("index1", index1), ("index2", index2)]) else {
            return
        }
        guard let managed else { return elements.swapAt(index1, index2) }
        if index1 == index2 { return }
        let (low, high) = (Swift.min(index1, index2), Swift.max(index1, index2))
        managed.realm.change {
            try managed.handle.move(from: high, to: low)
            try managed.handle.move(from: low + 1, to: high)
        }
    }

    // MARK: Access

    /// The list's place in its Realm, nil while unmanaged. Stops unless it may be changed now.
    private func writable() -> ManagedList? {
        guard let managed else { return nil }
        managed.requireWritable()
        return managed
    }

    /// Like `writable()`, and stops unless the positions are below the count. The outer optional is
    /// nil if the transaction has failed: the list may then lack elements that the program added.
    private func changeable(
        checking positions: [(name: String, index: Int)], upToCountPlus extra: Int = 0
    ) -> ManagedList?? {
        let managed = writable()
        var count = elements.count
        if let managed {
            if managed.hasFailed { return nil }
            count = attempt { try managed.handle.count() }
        }
        for (name, index) in positions { requireIndex(index, upTo: count + extra, named: name) }
        return .some(managed)
    }

    /// The count, if `number` elements can be removed; nil if the transaction has failed.
    private func requireRemovable(_ number: Int) -> Int? {
        if number < 0 { stop("Cannot pass a negative value for 'number'.") }
        if let managed = writable(), managed.hasFailed { return nil }
        let count = count
        if number > count {
            stop(
                "It is not possible to remove more objects (\(number)) from a list than it already "
                    + "contains (\(count)).")
        }
        return count
    }

    private func store(
        _ object: Element, in managed: ManagedList,
        _ body: (ListHandle, Scalar) throws -> Void
    ) {
        if managed.hasFailed { return }
        let scratch = managed.realm.scratch
        scratch.reset()
        let scalar = Element._encode(object, scratch)
        if case .bytes(let bytes) = scalar, bytes.count > RealmInstance.maximumValueSize {
            stop(
                managed.owner.model.tooLarge(
                    column: managed.column, of: managed.owner, size: bytes.count))
        }
        managed.realm.change { try body(managed.handle, scalar) }
    }

    /// The elements as they are now.
    func snapshotArray() -> [Element] {
        guard managed != nil else { return elements }
        return Array(IteratorSequence(makeIterator()))
    }
}
