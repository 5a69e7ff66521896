import StorageEngine

/// A collection of distinct objects or values that belongs to an object.
///
/// ```swift
/// class Dog: Object {
///     @Persisted var name: String
///     @Persisted var citiesVisited: MutableSet<String>
/// }
/// ```
/// A set that belongs to a managed object is live: it always shows what the Realm holds, may be
/// used on the thread of its Realm only, and may be changed inside a write transaction only. It
/// keeps values in ascending order, objects in the order in which they were added to the Realm; an
/// unmanaged set has no order to rely on. Objects are the same if they stand for the same object of
/// the Realm. In a set of ``AnyRealmValue`` numbers are the same if their values are, whatever
/// their types. Texts are the same if their bytes are: "\u{e9}" and "e\u{301}" are two elements,
/// though Swift holds them equal.
///
/// Iterating visits the elements that were there when the iteration began.
public final class MutableSet<Element: RealmCollectionValue> {
    /// The elements of an unmanaged set in the order of insertion.
    var contents: [Element] = []
    /// The same for finding them.
    var members: Set<StoredIdentity<Element>> = []
    /// Outside the exclusivity checks: one thread uses it, and nothing is called meanwhile.
    @exclusivity(unchecked) var managed: ManagedSet?

    /// Creates an empty unmanaged set.
    public init() {}

    init(managed: ManagedSet) { self.managed = managed }

    /// The set's place in its Realm, nil while unmanaged. Stops unless it may be read now.
    func readable() -> ManagedSet? {
        guard let managed else { return nil }
        managed.requireAlive()
        return managed
    }
}

extension MutableSet: RealmCollection {
    /// True once the object that the set belongs to has been deleted or invalidated.
    public var isInvalidated: Bool { managed?.isInvalidated ?? false }

    /// The Realm that manages the set; nil while unmanaged.
    public var realm: Realm? { managed.map { Realm(instance: $0.realm) } }

    /// The number of elements.
    public var count: Int {
        guard let managed = readable() else { return contents.count }
        return managed.count
    }

    /// The element at `position` in the order of the set. A position outside stops the program.
    ///
    /// Positions change with every element that is inserted before.
    public subscript(position: Int) -> Element {
        // A key path that is traced leads through any element.
        let position = _KeyPathTracer.active == nil || managed != nil ? position : 0
        let count = count
        if position < 0 || position >= count {
            if let absent = managed?.absentElement(of: Element.self) { return absent }
            requireIndex(position, upTo: count)
        }
        return element(at: position)
    }

    /// The position of an element is not known: stops the program. Use ``contains(_:)``.
    public func index(of object: Element) -> Int? {
        stop("index(of:) is not available on MutableSet")
    }

    /// An iterator over the elements that there are now; later changes of the set do not concern
    /// it. Elements that are objects may be deleted meanwhile.
    public func makeIterator() -> RLMIterator<Element> {
        guard let managed = readable() else { return RLMIterator(.array(contents)) }
        return managed.makeIterator(element(at:))
    }

    public var _querySource: _QuerySource {
        _QuerySource(managed, of: Element.self, className: "RLMSet")
    }

    public var _contents: _CollectionContents {
        guard let managed = readable() else {
            return _CollectionContents(unmanaged: contents, kindName: SetHandle.kindName)
        }
        return _CollectionContents(managed) { self.map(Element._eraseElement) }
    }

    private func element(at position: Int) -> Element {
        guard let managed else { return contents[position] }
        let scalar = managed.realm.read(absent: Scalar?.none) {
            try position < managed.handle.count() ? managed.handle.value(at: position) : nil
        }
        guard let scalar else {
            if let absent = managed.absentElement(of: Element.self) { return absent }
            stop("Index \(position) is out of bounds.")
        }
        return Element._decode(scalar, managed.source(of: _ValueSlot(.member(managed))))
    }
}

extension MutableSet {
    /// Whether `object` is an element; for objects, whether one that stands for the same object is.
    public func contains(_ object: Element) -> Bool {
        guard let managed = readable() else { return members.contains(StoredIdentity(object)) }
        managed.realm.scratch.reset()
        guard let sought = Element._encodeSought(object, managed.realm.scratch) else {
            return false
        }
        return managed.realm.read(absent: false) { try managed.handle.contains(sought) }
    }

    /// Whether all elements are elements of `possibleSuperset`.
    ///
    /// Asking a managed set about an unmanaged one stops the program; so does ``intersects(_:)``.
    public func isSubset(of possibleSuperset: MutableSet<Element>) -> Bool {
        if let (managed, other) = managedPair(with: possibleSuperset) {
            return managed.realm.read(absent: true) {
                try managed.handle.isSubset(of: other.handle)
            }
        }
        return allSatisfy(possibleSuperset.contains)
    }

    /// Whether the sets have an element in common.
    public func intersects(_ otherSet: MutableSet<Element>) -> Bool {
        if let (managed, other) = managedPair(with: otherSet) {
            return managed.realm.read(absent: false) {
                try managed.handle.intersects(other.handle)
            }
        }
        return contains(where: otherSet.contains)
    }

    /// Both places, if the engine can compare the sets: they are in one Realm. A managed set is
    /// compared with managed ones only.
    private func managedPair(with other: MutableSet) -> (ManagedSet, ManagedSet)? {
        guard let managed = readable() else { return nil }
        guard let place = other.readable() else {
            // It may be unmanaged because its object could not be added.
            if managed.realm.isInFailedTransaction { return nil }
            stop("Right hand side value must be a managed Set.")
        }
        if place.realm !== managed.realm { return nil }
        managed.requireSameClass(as: place)
        return (managed, place)
    }
}

extension ManagedSet {
    /// Stops if the sets hold objects of different classes.
    func requireSameClass(as other: ManagedSet) {
        guard let mine = target?.model.name, let theirs = other.target?.model.name else { return }
        if mine != theirs { stop("Cannot intersect sets of type '\(mine)' and '\(theirs)'.") }
    }
}

extension MutableSet: Equatable {
    /// Managed sets are equal if they are the same set; unmanaged ones if they have the same
    /// elements.
    public static func == (left: MutableSet, right: MutableSet) -> Bool {
        switch (left.managed, right.managed) {
        case (nil, nil): left.members == right.members
        case (let left?, let right?): left.isSame(as: right)
        default: false
        }
    }
}
