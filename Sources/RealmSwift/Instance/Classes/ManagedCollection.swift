import StorageEngine

/// The engine's handle of a list, set or map.
protocol EngineCollection: ComparableHandle {
    /// The name of a collection of this kind in messages.
    static var kindName: String { get }
    init(_ table: Table, _ column: Int, of owner: ObjectKey)
    var owner: ObjectKey { get }
    func count() throws -> Int
    func forEachValue(_ body: (Scalar) throws(StorageError) -> Bool) throws(StorageError)
    func appendLinks(to keys: inout ContiguousArray<Int64>) throws
    func isSame(as other: Self) -> Bool
}

/// A managed list, set or map, whatever its kind.
protocol AnyManagedCollection: ManagedPlace {
    /// The name of the collection's kind in messages.
    var kindName: String { get }
    /// Whether the collection is within a mixed value.
    var isNested: Bool { get }
    var isInvalidated: Bool { get }
    /// Stops the program if the collection cannot be read now.
    func requireAlive()
    /// Returns the same collection in another Realm of the file, where it may not exist.
    func moved(to realm: RealmInstance) -> Self
    /// Returns the keys of all objects in the collection.
    func links() -> ContiguousArray<Int64>
    func forEachValue(_ body: (Scalar) throws(StorageError) -> Bool) throws(StorageError)
}

/// A managed list, set or map. It is a class because using a collection then takes one reference
/// instead of a copy of all fields.
final class ManagedCollection<Handle: EngineCollection>: ManagedPlace, AnyManagedCollection {
    let handle: Handle
    /// Whether the collection is within a mixed value. Such a collection can be removed before its
    /// owner.
    let isNested: Bool

    override init(owner: ManagedClass, key: Int64, birth: UInt32, column: Int) {
        handle = Handle(owner.existingTable, column, of: ObjectKey(rawValue: key))
        isNested = false
        super.init(owner: owner, key: key, birth: birth, column: column)
    }

    convenience init(of object: ObjectBase, column: Int) {
        guard let owner = object._managedClass else { stop("The object is not managed.") }
        self.init(owner: owner, key: object._key, birth: object._birth, column: column)
    }

    /// Creates a collection within a mixed value, or, with `isNested` false, in a column.
    init(
        _ handle: Handle, inside owner: ManagedClass, birth: UInt32, column: Int,
        isNested: Bool = true
    ) {
        self.handle = handle
        self.isNested = isNested
        super.init(owner: owner, key: handle.owner.rawValue, birth: birth, column: column)
    }

    var kindName: String { Handle.kindName }

    var isInvalidated: Bool { !isOwnerAlive || (isNested && !isInPlace) }

    /// Whether a collection within a mixed value was neither removed nor replaced.
    private var isInPlace: Bool { (try? handle.count()) != nil }

    /// Stops the program if the collection cannot be read now.
    @inline(__always)
    func requireAlive() {
        requireOwner()
        if isNested && !isInPlace && !realm.isInFailedTransaction {
            stop("Collection is no longer valid")
        }
    }

    /// Stops the program if the collection cannot be changed now.
    @inline(__always)
    func requireWritable() {
        requireAlive()
        if writeState == .none {
            if owner.isFrozen { stopForFrozen() }
            stop("Cannot modify \(Handle.kindName) outside of a write transaction.")
        }
    }

    /// Returns whether both are the same collection of the same object.
    func isSame(as other: ManagedCollection) -> Bool {
        self === other
            || owner === other.owner && key == other.key && column == other.column
                && handle.isSame(as: other.handle)
    }

    // MARK: Reading

    /// The number of elements.
    var count: Int { realm.read(absent: 0) { try handle.count() } }

    /// Returns the keys of all objects in the collection. Null values, which a map has for keys of
    /// deleted objects, are skipped.
    func links() -> ContiguousArray<Int64> {
        realm.read(absent: []) {
            var keys = ContiguousArray<Int64>()
            keys.reserveCapacity(try handle.count())
            try handle.appendLinks(to: &keys)
            return keys
        }
    }

    func forEachValue(_ body: (Scalar) throws(StorageError) -> Bool) throws(StorageError) {
        try handle.forEachValue(body)
    }
}

extension ManagedCollection where Handle == ListHandle {
    /// Appends the stored form of an element. Not inlined, because the handle would be copied for
    /// the call elsewhere, which counts references.
    @inline(never)
    func append(_ scalar: Scalar) throws(StorageError) { try handle.append(scalar) }
}

extension Optional {
    /// Returns the managed collection; nil for an unmanaged one. Stops the program if the
    /// collection cannot be read now.
    @inline(__always)
    func readable<Handle>() -> Self where Wrapped == ManagedCollection<Handle> {
        self?.requireAlive()
        return self
    }

    /// Returns the managed collection; nil for an unmanaged one. Stops the program if the
    /// collection cannot be changed now.
    @inline(__always)
    func writable<Handle>() -> Self where Wrapped == ManagedCollection<Handle> {
        self?.requireWritable()
        return self
    }

    /// Returns whether both are the same collection of the same object; nil if neither is managed.
    func isSame<Handle>(as other: Self) -> Bool? where Wrapped == ManagedCollection<Handle> {
        switch (self, other) {
        case (nil, nil): nil
        case (let managed?, let other?): managed.isSame(as: other)
        default: false
        }
    }
}

typealias ManagedList = ManagedCollection<ListHandle>
typealias ManagedSet = ManagedCollection<SetHandle>
typealias ManagedMap = ManagedCollection<MapHandle>

extension ListHandle: EngineCollection {
    static var kindName: String { "List" }

    init(_ table: Table, _ column: Int, of owner: ObjectKey) {
        self = table.list(column, of: owner)
    }

    func forEachValue(_ body: (Scalar) throws(StorageError) -> Bool) throws(StorageError) {
        try forEach(body)
    }
}

extension SetHandle: EngineCollection {
    static var kindName: String { "Set" }

    init(_ table: Table, _ column: Int, of owner: ObjectKey) {
        self = table.set(column, of: owner)
    }

    func forEachValue(_ body: (Scalar) throws(StorageError) -> Bool) throws(StorageError) {
        try forEach(body)
    }
}

extension MapHandle: EngineCollection {
    static var kindName: String { "Dictionary" }

    init(_ table: Table, _ column: Int, of owner: ObjectKey) {
        self = table.map(column, of: owner)
    }

    func forEachValue(_ body: (Scalar) throws(StorageError) -> Bool) throws(StorageError) {
        try forEach { _, value throws(StorageError) in try body(value) }
    }
}
