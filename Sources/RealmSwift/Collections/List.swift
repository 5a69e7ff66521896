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
/// A list that belongs to a managed object is live: it always shows what the Realm holds, may be
/// used on the thread of its Realm only, and may be changed inside a write transaction only. Once
/// its object is deleted the list is invalidated, and using it stops the program.
///
/// Iterating visits the elements that were there when the iteration began.
public final class List<Element: RealmCollectionValue> {
    /// The elements of an unmanaged list.
    var contents: [Element] = []
    /// Outside the exclusivity checks: one thread uses it, and nothing is called meanwhile.
    @exclusivity(unchecked) var managed: ManagedList?

    /// Creates an empty unmanaged list.
    public init() {}

    init(managed: ManagedList) { self.managed = managed }

    deinit {
        // Lists inside each other are released one after the other.
        guard Element.self == AnyRealmValue.self, !contents.isEmpty else { return }
        var nested = NestedRelease(unsafeBitCast(contents, to: [AnyRealmValue].self))
        contents = []
        nested.run()
    }
}

extension List {
    /// True once the object that the list belongs to has been deleted or invalidated.
    public var isInvalidated: Bool { managed?.isInvalidated ?? false }

    /// The Realm that manages the list; nil while unmanaged.
    public var realm: Realm? { managed.map { Realm(instance: $0.realm) } }

    /// The number of elements.
    public var count: Int {
        guard let managed = readable() else { return contents.count }
        return managed.count
    }

    /// The element at `position`. A position outside the list stops the program.
    public subscript(position: Int) -> Element {
        get {
            guard let managed = readable() else {
                // A key path that is traced leads through any element.
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

    /// The position of the first element equal to `object`; for objects, of the first that stands
    /// for the same object.
    public func index(of object: Element) -> Int? {
        guard let managed = readable() else {
            return contents.firstIndex { areSame($0, object) }
        }
        managed.realm.scratch.reset()
        guard let sought = Element._encodeSought(object, managed.realm.scratch) else { return nil }
        return managed.realm.read(absent: nil) { try managed.handle.firstIndex(of: sought) }
    }

    // MARK: Access

    func readable() -> ManagedList? {
        guard let managed else { return nil }
        managed.requireAlive()
        return managed
    }

    func element(at position: Int) -> Element {
        guard let managed else { return contents[position] }
        return element(at: position, in: managed)
    }

    private func element(at position: Int, in managed: ManagedList) -> Element {
        let value = managed.realm.read(absent: nil) {
            try managed.handle.value(ifAt: position)
        }
        guard let value else {
            if let absent = managed.absentElement(of: Element.self) { return absent }
            requireIndex(position, upTo: count)
            stop("Index \(position) is out of bounds.")
        }
        return Element._decode(
            value, managed.source(of: _ValueSlot(.element(managed, at: position))))
    }

    /// Unmanaged objects are the same if they are one instance or stand for one row.
    private func areSame(_ left: Element, _ right: Element) -> Bool {
        if let left = left as? Object, let right = right as? Object {
            return left.isSameObject(as: right)
        }
        return isSameValue(left, right)
    }
}

extension List: RealmCollection {
    /// An iterator over the elements that there are now; later changes of the list do not concern
    /// it. Elements that are objects may be deleted meanwhile.
    public func makeIterator() -> RLMIterator<Element> {
        guard let managed = readable() else { return RLMIterator(.array(contents)) }
        return managed.makeIterator(element(at:))
    }

    public var _querySource: _QuerySource {
        _QuerySource(managed, of: Element.self, className: "RLMArray")
    }

    public var _contents: _CollectionContents {
        guard let managed = readable() else {
            return _CollectionContents(unmanaged: contents, kindName: ListHandle.kindName)
        }
        return _CollectionContents(managed) { self.map(Element._eraseElement) }
    }
}

extension List: MutableCollection {
    /// A part of a list is a view of it.
    public typealias SubSequence = Slice<List>
}

extension List: Equatable {
    /// Managed lists are equal if they are the same list; unmanaged ones if their elements are.
    public static func == (left: List, right: List) -> Bool {
        if left === right { return true }
        switch (left.managed, right.managed) {
        case (nil, nil) where Element.self == AnyRealmValue.self:
            return NestedEquality.areEqual(
                unsafeDowncast(left, to: List<AnyRealmValue>.self),
                unsafeDowncast(right, to: List<AnyRealmValue>.self))
        case (nil, nil): return left.contents.elementsEqual(right.contents, by: isSameValue)
        case (let left?, let right?):
            return left.isSame(as: right)
        default: return false
        }
    }
}
