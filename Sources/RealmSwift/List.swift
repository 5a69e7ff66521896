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
    var elements: [Element] = []
    /// Outside the exclusivity checks: one thread uses it, and nothing is called meanwhile.
    @exclusivity(unchecked) var managed: ManagedList?

    /// Creates an empty unmanaged list.
    public init() {}

    init(managed: ManagedList) { self.managed = managed }
}

/// The place of a list in a Realm. A class, because every use of a list takes one reference to it
/// instead of a copy of five.
final class ManagedList {
    let owner: ManagedClass
    let key: Int64
    let birth: UInt32
    let column: Int
    let handle: ListHandle
    /// Keeps the Realm alive.
    let realm: RealmInstance
    /// The class of the elements of a list of objects.
    private let target: ManagedClass?
    /// The owner's: what every use of a list asks, as raw memory, which costs no counted reference.
    private let context: UnsafeMutablePointer<_AccessContext>
    /// The layout stamp for which the owner was last found to exist.
    @exclusivity(unchecked) private var checkedStamp = UInt64.max

    init(owner: ManagedClass, key: Int64, birth: UInt32, column: Int) {
        self.owner = owner
        self.key = key
        self.birth = birth
        self.column = column
        realm = owner.realm
        context = owner.context
        handle = owner.existingTable.list(column, of: ObjectKey(rawValue: key))
        let isLink = owner.property(ofColumn: column).shape.isLink
        target = isLink ? owner.linkTarget(column: column) : nil
    }

    /// Where the objects that the list holds now come from.
    var source: _LinkSource? {
        target.map { _LinkSource(target: $0, birth: realm.generation) }
    }

    var isInvalidated: Bool {
        realm.checkThread()
        return !owner.isAlive(key: key, birth: birth)
    }

    /// Stops unless the list may be read now.
    func requireAlive() {
        if context.pointee.thread != realm_thread_identity() { realm.checkThread() }
        if context.pointee.stamp.pointee == checkedStamp { return }
        if !owner.isAlive(key: key, birth: birth) {
            stop("Object has been deleted or invalidated.")
        }
        checkedStamp = context.pointee.stamp.pointee
    }

    /// Stops unless the list may be changed now.
    func requireWritable() {
        requireAlive()
        if context.pointee.writeState.pointee == .none {
            stop("Cannot modify List outside of a write transaction.")
        }
    }

    /// Whether the open write transaction has failed, so that nothing is to be written.
    var hasFailed: Bool { context.pointee.writeState.pointee == .failed }
}

extension List {
    /// True once the object that the list belongs to has been deleted or invalidated.
    public var isInvalidated: Bool { managed?.isInvalidated ?? false }

    /// The Realm that manages the list; nil while unmanaged.
    public var realm: Realm? { managed.map { Realm(instance: $0.realm) } }

    /// The number of elements.
    public var count: Int {
        guard let managed = readable() else { return elements.count }
        return attempt { try managed.handle.count() }
    }

    /// The element at `position`. A position outside the list stops the program.
    public subscript(position: Int) -> Element {
        get {
            guard let managed = readable() else {
                requireIndex(position, upTo: elements.count)
                return elements[position]
            }
            guard let value = attempt({ try managed.handle.value(ifAt: position) }) else {
                requireIndex(position, upTo: count)
                stop("Index \(position) is out of bounds.")
            }
            return Element._decode(value, managed.source)
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
            return elements.firstIndex { areSame($0, object) }
        }
        if let object = object as? ObjectBase {
            if object._realm !== managed.realm { return nil }
            object._requireAlive()
        }
        managed.realm.scratch.reset()
        let scalar = Element._encode(object, managed.realm.scratch)
        return attempt { try managed.handle.firstIndex(of: scalar) }
    }

    // MARK: Access

    func readable() -> ManagedList? {
        guard let managed else { return nil }
        managed.requireAlive()
        return managed
    }

    func element(at position: Int) -> Element {
        guard let managed else { return elements[position] }
        return attempt {
            Element._decode(try managed.handle.value(at: position), managed.source)
        }
    }

    /// Unmanaged objects are the same if they are one instance or stand for one row.
    private func areSame(_ left: Element, _ right: Element) -> Bool {
        if let left = left as? Object, let right = right as? Object {
            return left.isSameObject(as: right)
        }
        return left == right
    }
}

/// Stops unless `0 <= index < bound`.
func requireIndex(_ index: Int, upTo bound: Int, named name: String = "index") {
    if index < 0 { stop("Cannot pass a negative value for '\(name)'.") }
    if index >= bound { stop("Index \(index) is out of bounds (must be less than \(bound)).") }
}

extension List: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of elements.
    public var endIndex: Int { count }

    /// An iterator over the elements that there are now; later changes of the list do not concern
    /// it. Elements that are objects may be deleted meanwhile.
    public func makeIterator() -> RLMIterator<Element> {
        guard let managed = readable() else { return RLMIterator(.array(elements)) }
        if let source = managed.source {
            return RLMIterator(links: LinkCursor(attempt { try managed.links() }, source))
        }
        return RLMIterator(.list(attempt { try managed.snapshot() }, managed.realm))
    }
}

extension List: MutableCollection {}

extension ManagedList {
    /// The keys of all objects that the list holds now.
    func links() throws -> ContiguousArray<Int64> {
        var keys = ContiguousArray<Int64>()
        keys.reserveCapacity(try handle.count())
        // swift-format-ignore: ReplaceForEachWithForLoop
        try handle.forEach {
            if case .integer(let key) = $0 { keys.append(key) }
            return true
        }
        return keys
    }

    /// All values now. Bytes are copied, because the engine's own may move with the next write.
    func snapshot() throws -> ListSnapshot {
        let snapshot = ListSnapshot()
        // swift-format-ignore: ReplaceForEachWithForLoop
        try handle.forEach {
            snapshot.append($0)
            return true
        }
        return snapshot
    }
}

extension List: Equatable {
    /// Managed lists are equal if they are the same list; unmanaged ones if their elements are.
    public static func == (left: List, right: List) -> Bool {
        if left === right { return true }
        switch (left.managed, right.managed) {
        case (nil, nil): return left.elements == right.elements
        case (let left?, let right?):
            return left.owner === right.owner && left.key == right.key
                && left.column == right.column
        default: return false
        }
    }
}

extension List: CustomStringConvertible {
    /// At most a hundred elements, objects with their properties.
    public var description: String { ObjectPrinter.describe(self) }
}
