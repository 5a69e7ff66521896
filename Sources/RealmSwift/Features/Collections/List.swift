import CRealmSystem
import StorageEngine

/// An ordered collection of objects or values that belongs to an object.
///
/// ```swift
/// class Person: Object {
///     @Persisted var dogs: List<Dog>
///     @Persisted var nicknames: List<String>
/// }
/// ```
/// A list of a managed object is live: it always shows the stored elements. It can be used only on
/// the thread of its Realm, and changed only in a write transaction. When its object is deleted,
/// the list is invalidated, and using it stops the program.
///
/// An iteration visits the elements that the list had when the iteration began.
public final class List<Element: RealmCollectionValue> {
    /// The elements of an unmanaged list.
    var contents: [Element] = []
    /// The place of a managed list. Unchecked exclusivity is safe, because only one thread uses it
    /// and nothing is called during an access.
    @exclusivity(unchecked) var managed: ManagedList?

    /// Creates an empty unmanaged list.
    public init() {}

    init(managed: ManagedList) { self.managed = managed }

    deinit {
        // Nested lists are released iteratively, not recursively.
        guard Element.self == AnyRealmValue.self, !contents.isEmpty else { return }
        var nested = NestedRelease(unsafeBitCast(contents, to: [AnyRealmValue].self))
        contents = []
        nested.run()
    }
}

extension List {
    /// The number of elements.
    public var count: Int {
        guard let managed = managed.readable() else { return contents.count }
        return managed.count
    }

    /// Accesses the element at `position`.
    ///
    /// - Precondition: The position is valid.
    public subscript(position: Int) -> Element {
        get {
            guard let managed = managed.readable() else {
                // While a key path is traced, every position leads to the same element.
                let position = _KeyPathTracer.active == nil ? position : 0
                requireIndex(position, upTo: contents.count)
                return contents[position]
            }
            return element(at: position, in: managed)
        }
        set { replace(index: position, object: newValue) }
    }

    /// The first element; nil if the list is empty.
    public var first: Element? { isEmpty ? nil : element(at: 0) }

    /// The last element; nil if the list is empty.
    public var last: Element? {
        let count = count
        return count == 0 ? nil : element(at: count - 1)
    }

    /// Returns the position of the first element that equals `object`; nil if there is none.
    /// Objects match if they represent the same object.
    public func index(of object: Element) -> Int? {
        guard let managed = managed.readable() else {
            return contents.firstIndex { areSame($0, object) }
        }
        managed.realm.scratch.reset()
        guard let sought = Element._encodeSought(object, managed.realm.scratch) else { return nil }
        return managed.realm.read(absent: nil) { try managed.handle.firstIndex(of: sought) }
    }

    // MARK: Access

    func element(at position: Int) -> Element {
        guard let managed else { return contents[position] }
        return element(at: position, in: managed)
    }

    private func element(at position: Int, in managed: ManagedList) -> Element {
        let value = managed.realm.read(absent: nil) {
            try managed.handle.value(ifAt: position)
        }
        guard let value else { return absentElement(at: position, in: managed) }
        if let target = managed.target, case .integer(let key) = value {
            return Element._decodeLink(key, _LinkTarget(target, birth: managed.realm.generation))
        }
        return decoded(value, at: position, in: managed)
    }

    // Two functions of their own, because what they use takes looking up types of `Element`, which
    // would be done at the entry of the function above.
    @inline(never)
    private func decoded(_ value: Scalar, at position: Int, in managed: ManagedList) -> Element {
        Element._decode(value, managed.source(of: _ValueSlot(.element(managed, at: position))))
    }

    @inline(never)
    private func absentElement(at position: Int, in managed: ManagedList) -> Element {
        if let absent = managed.absentElement(of: Element.self) { return absent }
        requireIndex(position, upTo: count)
        stop("Index \(position) is out of bounds.")
    }

    /// Returns whether two elements of an unmanaged list match. Objects match if they are the same
    /// instance or represent the same row.
    private func areSame(_ left: Element, _ right: Element) -> Bool {
        if let left = left as? Object, let right = right as? Object {
            return left.isSameObject(as: right)
        }
        return isSameValue(left, right)
    }
}

extension List: RealmCollection {
    /// Returns an iterator over the current elements. Later changes of the list do not affect it,
    /// but elements that are objects can be deleted in the meantime.
    public func makeIterator() -> RLMIterator<Element> {
        guard let managed = managed.readable() else { return RLMIterator(.array(contents)) }
        return managed.makeIterator(element(at:))
    }

    public var _backing: _CollectionBacking { _CollectionBacking(managed, of: self) }
    public var _elements: [Element] { managed == nil ? contents : _iteratedElements }

    public func _moved(to realm: Realm) -> List {
        managed.map { List(managed: $0.moved(to: realm.instance)) } ?? self
    }
}

extension List: MutableCollection {
    /// A slice, which is a view of the list.
    public typealias SubSequence = Slice<List>
}

extension List: Equatable {
    /// Returns a Boolean value that indicates whether two lists are equal. Managed lists are equal
    /// if they are the same list, unmanaged lists if their elements are equal.
    public static func == (left: List, right: List) -> Bool {
        if left === right { return true }
        if let isSame = left.managed.isSame(as: right.managed) { return isSame }
        if Element.self == AnyRealmValue.self {
            return NestedEquality.areEqual(
                unsafeDowncast(left, to: List<AnyRealmValue>.self),
                unsafeDowncast(right, to: List<AnyRealmValue>.self))
        }
        return left.contents.elementsEqual(right.contents, by: isSameValue)
    }
}
