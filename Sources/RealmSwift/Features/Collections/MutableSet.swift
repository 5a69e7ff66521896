import StorageEngine

/// A collection of distinct objects or values that belongs to an object.
///
/// ```swift
/// class Dog: Object {
///     @Persisted var name: String
///     @Persisted var citiesVisited: MutableSet<String>
/// }
/// ```
/// A set of a managed object is live: it always shows the stored elements. It can be used only on
/// the thread of its Realm, and changed only in a write transaction.
///
/// A managed set orders values in ascending order, and objects in the order in which they were
/// added to the Realm. The order of an unmanaged set is unspecified.
///
/// Two objects are the same element if they represent the same object of the Realm. In a set of
/// ``AnyRealmValue``, two numbers are the same element if their values are equal, whatever their
/// types. Strings are compared by their bytes: "\u{e9}" and "e\u{301}" are two elements, although
/// they are equal in Swift.
///
/// An iteration visits the elements that the set had when the iteration began.
public final class MutableSet<Element: RealmCollectionValue> {
    /// The elements of an unmanaged set, in the order of insertion.
    var contents: [Element] = []
    /// The elements of an unmanaged set, for lookups.
    var members: Set<StoredIdentity<Element>> = []
    /// The place of a managed set. Unchecked exclusivity is safe, because only one thread uses it
    /// and nothing is called during an access.
    @exclusivity(unchecked) var managed: ManagedSet?

    /// Creates an empty unmanaged set.
    public init() {}

    init(managed: ManagedSet) { self.managed = managed }
}

extension MutableSet: RealmCollection {
    /// The number of elements.
    public var count: Int {
        guard let managed = managed.readable() else { return contents.count }
        return managed.count
    }

    /// Returns the element at `position` in the order of the set.
    ///
    /// The position of an element changes when elements are inserted or removed before it.
    ///
    /// - Precondition: The position is valid.
    public subscript(position: Int) -> Element {
        // While a key path is traced, every position leads to the same element.
        let position = _KeyPathTracer.active == nil || managed != nil ? position : 0
        let count = count
        if position < 0 || position >= count {
            if let absent = managed?.absentElement(of: Element.self) { return absent }
            requireIndex(position, upTo: count)
        }
        return element(at: position)
    }

    /// Stops the program, because sets do not support positions of elements. Use ``contains(_:)``.
    public func index(of object: Element) -> Int? {
        stop("index(of:) is not available on MutableSet")
    }

    /// Returns an iterator over the current elements. Later changes of the set do not affect it,
    /// but elements that are objects can be deleted in the meantime.
    public func makeIterator() -> RLMIterator<Element> {
        guard let managed = managed.readable() else { return RLMIterator(.array(contents)) }
        return managed.makeIterator(element(at:))
    }

    public var _backing: _CollectionBacking { _CollectionBacking(managed, of: self) }
    public var _elements: [Element] { managed == nil ? contents : _iteratedElements }

    public func _moved(to realm: Realm) -> MutableSet {
        managed.map { MutableSet(managed: $0.moved(to: realm.instance)) } ?? self
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
    /// Returns a Boolean value that indicates whether `object` is an element. Objects match if they
    /// represent the same object.
    public func contains(_ object: Element) -> Bool {
        guard let managed = managed.readable() else {
            return members.contains(StoredIdentity(object))
        }
        managed.realm.scratch.reset()
        guard let sought = Element._encodeSought(object, managed.realm.scratch) else {
            return false
        }
        return managed.realm.read(absent: false) { try managed.handle.contains(sought) }
    }

    /// Returns a Boolean value that indicates whether all elements are elements of
    /// `possibleSuperset`.
    ///
    /// - Precondition: If this set is managed, the other one is too. Sets of objects have the same
    ///   class.
    public func isSubset(of possibleSuperset: MutableSet<Element>) -> Bool {
        if let (managed, other) = managedPair(with: possibleSuperset) {
            return managed.realm.read(absent: true) {
                try managed.handle.isSubset(of: other.handle)
            }
        }
        return allSatisfy(possibleSuperset.contains)
    }

    /// Returns a Boolean value that indicates whether the sets have an element in common.
    ///
    /// - Precondition: If this set is managed, the other one is too. Sets of objects have the same
    ///   class.
    public func intersects(_ otherSet: MutableSet<Element>) -> Bool {
        if let (managed, other) = managedPair(with: otherSet) {
            return managed.realm.read(absent: false) {
                try managed.handle.intersects(other.handle)
            }
        }
        return contains(where: otherSet.contains)
    }

    /// Returns both managed sets if they are in one Realm, so that the engine can compare them.
    /// Stops the program if this set is managed and the other is not.
    private func managedPair(with other: MutableSet) -> (ManagedSet, ManagedSet)? {
        guard let managed = managed.readable() else { return nil }
        guard let place = other.managed.readable() else {
            // The other set may be unmanaged because its object could not be added.
            if managed.realm.isInFailedTransaction { return nil }
            stop("Right hand side value must be a managed Set.")
        }
        if place.realm !== managed.realm { return nil }
        managed.requireSameClass(as: place)
        return (managed, place)
    }
}

extension ManagedSet {
    /// Stops the program if the sets contain objects of different classes.
    func requireSameClass(as other: ManagedSet) {
        guard let mine = target?.model.name, let theirs = other.target?.model.name else { return }
        if mine != theirs { stop("Cannot intersect sets of type '\(mine)' and '\(theirs)'.") }
    }
}

extension MutableSet: Equatable {
    /// Returns a Boolean value that indicates whether two sets are equal. Managed sets are equal if
    /// they are the same set, unmanaged sets if they have the same elements.
    public static func == (left: MutableSet, right: MutableSet) -> Bool {
        left.managed.isSame(as: right.managed) ?? (left.members == right.members)
    }
}
