import StorageEngine

extension List {
    /// Adds an element at the end. An unmanaged object is added to the list's Realm.
    public func append(_ object: Element) {
        guard let managed = writable() else { return elements.append(object) }
        let position = attempt { try managed.handle.count() }
        store(object, in: managed) { try $0.insert($1, at: position) }
    }

    /// Adds the elements of a sequence at the end, in its order.
    public func append<S: Sequence>(objectsIn objects: S) where S.Element == Element {
        if let list = objects as? List<Element> {
            for object in list.snapshotArray() { append(object) }
        } else {
            for object in objects { append(object) }
        }
    }

    /// Inserts an element before the one at `index`; `index` may equal the count.
    public func insert(_ object: Element, at index: Int) {
        requireIndex(index, upTo: count + 1)
        guard let managed = writable() else { return elements.insert(object, at: index) }
        store(object, in: managed) { try $0.insert($1, at: index) }
    }

    /// Removes the element at `index`. The object itself stays in the Realm.
    public func remove(at index: Int) {
        requireIndex(index, upTo: count)
        guard let managed = writable() else {
            elements.remove(at: index)
            return
        }
        attempt { try managed.handle.remove(at: index) }
    }

    /// Removes all elements. The objects themselves stay in the Realm.
    public func removeAll() {
        guard let managed = writable() else { return elements.removeAll() }
        attempt { try managed.handle.removeAll() }
    }

    /// Removes the first `number` elements.
    public func removeFirst(_ number: Int = 1) {
        requireRemovable(number)
        for _ in 0..<number { remove(at: 0) }
    }

    /// Removes the last `number` elements.
    public func removeLast(_ number: Int = 1) {
        let count = requireRemovable(number)
        for position in (count - number..<count).reversed() { remove(at: position) }
    }

    /// Puts `object` in the place of the element at `index`.
    public func replace(index: Int, object: Element) {
        requireIndex(index, upTo: count)
        guard let managed = writable() else {
            elements[index] = object
            return
        }
        store(object, in: managed) { try $0.set($1, at: index) }
    }

    /// Moves an element. `to` is its position afterwards.
    public func move(from: Int, to: Int) {
        let count = count
        requireIndex(from, upTo: count)
        requireIndex(to, upTo: count)
        guard let managed = writable() else {
            elements.insert(elements.remove(at: from), at: to)
            return
        }
        if from != to { attempt { try managed.handle.move(from: from, to: to) } }
    }

    /// Exchanges two elements.
    public func swapAt(_ index1: Int, _ index2: Int) {
        let count = count
        requireIndex(index1, upTo: count, named: "index1")
        requireIndex(index2, upTo: count, named: "index2")
        guard let managed = writable() else { return elements.swapAt(index1, index2) }
        if index1 == index2 { return }
        let (low, high) = (Swift.min(index1, index2), Swift.max(index1, index2))
        attempt {
            try managed.handle.move(from: high, to: low)
            try managed.handle.move(from: low + 1, to: high)
        }
    }

    // MARK: Access

    func writable() -> ManagedList? {
        if managed == nil { return nil }
        managed?.requireWritable()
        return managed
    }

    @discardableResult
    private func requireRemovable(_ number: Int) -> Int {
        let count = count
        if number < 0 { stop("Cannot pass a negative value for 'number'.") }
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
        let scratch = managed.realm.scratch
        scratch.reset()
        let scalar = Element._encode(object, scratch)
        if case .bytes(let bytes) = scalar, bytes.count > RealmInstance.maximumValueSize {
            stop(
                managed.owner.model.tooLarge(
                    column: managed.column, of: managed.owner, size: bytes.count))
        }
        attempt { try body(managed.handle, scalar) }
    }

    /// The elements as they are now.
    func snapshotArray() -> [Element] {
        guard managed != nil else { return elements }
        return Array(IteratorSequence(makeIterator()))
    }
}
