import StorageEngine

/// The engine's handle of a list, set or map.
protocol EngineCollection {
    /// What messages call a collection of this kind.
    static var kindName: String { get }
    init(_ table: Table, _ column: Int, _ owner: ObjectKey)
    var owner: ObjectKey { get }
    func count() throws -> Int
    func forEachValue(_ body: (Scalar) throws -> Bool) throws
    func appendLinks(to keys: inout ContiguousArray<Int64>) throws
    func isSame(as other: Self) -> Bool
}

/// A list, set or map in its place in a Realm. A class, because every use of a collection takes one
/// reference to it instead of a copy of all that it holds.
final class ManagedCollection<Handle: EngineCollection>: ManagedPlace {
    let handle: Handle
    /// True for a collection inside of a mixed value, which may go before its owner does.
    let isNested: Bool

    override init(owner: ManagedClass, key: Int64, birth: UInt32, column: Int) {
        handle = Handle(owner.existingTable, column, ObjectKey(rawValue: key))
        isNested = false
        super.init(owner: owner, key: key, birth: birth, column: column)
    }

    convenience init(of object: ObjectBase, column: Int) {
        guard let owner = object._managedClass else { stop("The object is not managed.") }
        self.init(owner: owner, key: object._key, birth: object._birth, column: column)
    }

    /// A collection inside of a mixed value.
    init(_ handle: Handle, inside owner: ManagedClass, birth: UInt32, column: Int) {
        self.handle = handle
        isNested = true
        super.init(owner: owner, key: handle.owner.rawValue, birth: birth, column: column)
    }

    var isInvalidated: Bool { !isOwnerAlive || (isNested && !isInPlace) }

    /// Whether a collection inside of a mixed value has been neither removed nor replaced.
    private var isInPlace: Bool { (try? handle.count()) != nil }

    /// Stops unless the collection may be read now.
    @inline(__always)
    func requireAlive() {
        requireOwner()
        if isNested && !isInPlace && !realm.isInFailedTransaction {
            stop("Collection is no longer valid")
        }
    }

    /// Stops unless the collection may be changed now.
    @inline(__always)
    func requireWritable() {
        requireAlive()
        if writeState == .none {
            stop("Cannot modify \(Handle.kindName) outside of a write transaction.")
        }
    }

    /// Whether both are the same collection of the same object.
    func isSame(as other: ManagedCollection) -> Bool {
        self === other
            || owner === other.owner && key == other.key && column == other.column
                && handle.isSame(as: other.handle)
    }

    // MARK: Reading

    /// The number of elements.
    var count: Int { realm.read(absent: 0) { try handle.count() } }

    /// The keys of all objects that the collection holds now. Null, which is the value of a map's
    /// key whose object is gone, is left out.
    func links() -> ContiguousArray<Int64> {
        realm.read(absent: []) {
            var keys = ContiguousArray<Int64>()
            keys.reserveCapacity(try handle.count())
            try handle.appendLinks(to: &keys)
            return keys
        }
    }

    /// Iterates over all elements that the collection holds now. `element` reads one.
    func makeIterator<Element>(_ element: (Int) -> Element) -> RLMIterator<Element> {
        if let target, Element.self is ObjectBase.Type {
            return RLMIterator(links: LinkCursor(links(), to: target))
        }
        if target == nil && type != .mixed { return RLMIterator(.values(snapshot(), realm)) }
        // What such values are is found through their places, which change with the collection.
        return RLMIterator(.array((0..<count).map(element)))
    }

    /// All values that the collection holds now.
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

typealias ManagedList = ManagedCollection<ListHandle>
typealias ManagedSet = ManagedCollection<SetHandle>
typealias ManagedMap = ManagedCollection<MapHandle>

extension ListHandle: EngineCollection {
    static var kindName: String { "List" }

    init(_ table: Table, _ column: Int, _ owner: ObjectKey) {
        self = table.list(column, of: owner)
    }

    func forEachValue(_ body: (Scalar) throws -> Bool) throws {
        try forEach(body)
    }
}

extension SetHandle: EngineCollection {
    static var kindName: String { "Set" }

    init(_ table: Table, _ column: Int, _ owner: ObjectKey) {
        self = table.set(column, of: owner)
    }

    func forEachValue(_ body: (Scalar) throws -> Bool) throws {
        try forEach(body)
    }
}

extension MapHandle: EngineCollection {
    static var kindName: String { "Dictionary" }

    init(_ table: Table, _ column: Int, _ owner: ObjectKey) {
        self = table.map(column, of: owner)
    }

    func forEachValue(_ body: (Scalar) throws -> Bool) throws {
        try forEach { try body($1) }
    }
}
