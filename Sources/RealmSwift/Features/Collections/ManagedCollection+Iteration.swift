extension ManagedCollection {
    /// Returns an iterator over the current elements. `element` reads one element.
    func makeIterator<Element>(_ element: (Int) -> Element) -> RLMIterator<Element> {
        if let target, Element.self is ObjectBase.Type {
            return RLMIterator(links: LinkCursor(links(), to: target))
        }
        if target == nil && type != .mixed { return RLMIterator(.values(snapshot(), realm)) }
        // Mixed values can contain links and collections that are found through their places, which
        // change with the collection. Their elements are therefore read at once.
        return RLMIterator(.array((0..<count).map(element)))
    }

    /// Returns all current values.
    func snapshot() -> ValueSnapshot {
        realm.read(absent: ValueSnapshot()) {
            let snapshot = ValueSnapshot()
            try handle.forEachValue {
                snapshot.append($0)
                return true
            }
            return snapshot
        }
    }
}
