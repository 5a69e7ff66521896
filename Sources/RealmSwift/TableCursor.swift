import StorageEngine

/// Walks the objects of a class in the order of their keys.
///
/// Objects that are deleted while the walk is under way are passed over, objects that are added
/// are not visited. Reads rows from the leaf it stands in, and finds its place anew when rows have
/// moved.
@usableFromInline
final class TableCursor {
    private let managedClass: ManagedClass
    private let realm: RealmInstance
    private let table: Table
    /// The key of the last object to visit.
    private let lastKey: Int64
    /// The position of the next object, while `stamp` is the layout stamp.
    private var position: Int
    private var previousKey = Int64.min
    private var location: RowLocation?
    private var rowsInLeaf = 0
    private var stamp: UInt64 = .max
    private var current: ObjectBase?

    /// Nil for an empty table.
    init?(_ managedClass: ManagedClass) {
        guard let table = managedClass.table else { return nil }
        let count = attempt { try table.count() }
        guard count > 0 else { return nil }
        self.managedClass = managedClass
        self.table = table
        realm = managedClass.realm
        position = 0
        lastKey = attempt { try table.key(at: count - 1).rawValue }
    }

    @usableFromInline
    func next() -> ObjectBase? {
        guard managedClass.isValid else { stop("Collection is no longer valid") }
        realm.checkThread()
        let now = realm.connection.layoutStamp.pointee
        if now == stamp, var here = location, here.row + 1 < rowsInLeaf {
            here.row += 1
            location = here
            position += 1
        } else if !findPlace(now) {
            return nil
        }
        guard let here = location else { return nil }
        let key = table.key(at: here).rawValue
        if key > lastKey { return nil }
        previousKey = key
        return accessor(key: key, at: here)
    }

    /// Moves to the first object behind `previousKey`; false if there is none.
    private func findPlace(_ now: UInt64) -> Bool {
        attempt {
            let count = try table.count()
            if now == stamp {
                position += 1
            } else {
                position = try firstPosition(after: previousKey, near: position, count: count)
            }
            guard position < count else { return false }
            let here = try table.location(at: position)
            location = here
            rowsInLeaf = here.leaf.rowCount
            stamp = realm.connection.layoutStamp.pointee
            return true
        }
    }

    /// Looks beside the old place first: usually nothing, or just one object, went away.
    private func firstPosition(after key: Int64, near guess: Int, count: Int) throws -> Int {
        if key == Int64.min { return 0 }
        for candidate in [guess, guess + 1] where candidate <= count {
            let startsBehind =
                try candidate == count || table.key(at: candidate).rawValue > key
            let endsBefore =
                try candidate == 0 || table.key(at: candidate - 1).rawValue <= key
            if startsBehind && endsBefore { return candidate }
        }
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if try table.key(at: middle).rawValue > key { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Points the accessor of the previous object at this one if nobody else holds it, which is
    /// several times cheaper than making another.
    private func accessor(key: Int64, at location: RowLocation) -> ObjectBase {
        if managedClass.model.isReusable, current != nil, isKnownUniquelyReferenced(&current),
            let current, hasNoWeakReferences(current)
        {
            current._key = key
            current._place(at: location, stamp: stamp)
            return current
        }
        let object = managedClass.makeAccessor(key: key)
        object._place(at: location, stamp: stamp)
        current = object
        return object
    }
}

/// True if nobody has taken a weak reference: the object's reference counts are still inline.
///
/// Weak references move the counts to a side table; the second word of the object then has its
/// highest bit set. An object whose bit is set for any other reason is merely not reused.
private func hasNoWeakReferences(_ object: ObjectBase) -> Bool {
    let counts = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
        .load(fromByteOffset: 8, as: UInt64.self)
    return counts & (1 << 63) == 0
}
