import CRealmSystem
import StorageEngine

/// Walks the objects of a class in the order of their keys.
///
/// Objects that are deleted while the walk is under way are passed over, objects that are added are
/// not visited. Reads rows from the leaf it stands in, and finds its place anew when rows have
/// moved.
///
/// An accessor that nobody but the iterator refers to any more is pointed at the next object
/// instead of making another, which is several times cheaper. `_step` does that without a call,
/// because it is inlined into the loop.
@usableFromInline
final class TableCursor {
    // What `_step` needs. Outside the exclusivity checks: one thread uses them, and nothing is
    // called while they are accessed.

    /// The key of the object visited last.
    @exclusivity(unchecked) @usableFromInline final var _key = Int64.min
    /// The row of that object in its leaf, while `_stamp` is the layout stamp.
    @exclusivity(unchecked) @usableFromInline final var _row = 0
    /// The walk leaves the leaf before this row.
    @exclusivity(unchecked) @usableFromInline final var _rowLimit = 0
    @exclusivity(unchecked) @usableFromInline final var _stamp = UInt64.max
    /// Steps below this row may be taken by `_step`: `_rowLimit`, or 0 where keys have gaps.
    @exclusivity(unchecked) @usableFromInline final var _stepLimit = 0
    /// The reference counts of an accessor that only the iterator refers to; if accessors cannot be
    /// reused, a word that equals no counts.
    @usableFromInline let _soleReference: UInt64
    @usableFromInline let _context: UnsafeMutablePointer<_AccessContext>

    private let managedClass: ManagedClass
    private let realm: RealmInstance
    private let table: Table
    private let birth: UInt32
    /// The key of the last object to visit.
    private let lastKey: Int64
    /// The position of the leaf's first row, while `_stamp` is the layout stamp.
    private var leafPosition = 0
    private var leaf: Node?
    /// False until the first object was visited.
    private var hasStarted = false

    /// Nil for an empty table.
    init?(_ managedClass: ManagedClass) {
        guard let table = managedClass.table else { return nil }
        let last: Int64? = attempt {
            let count = try table.count()
            return count > 0 ? try table.key(at: count - 1).rawValue : nil
        }
        guard let last else { return nil }
        self.managedClass = managedClass
        self.table = table
        realm = managedClass.realm
        birth = realm.generation
        lastKey = last
        _context = managedClass.context
        _soleReference = managedClass.model.isReusable ? ReferenceCounts.ofSoleReference : .max
    }

    /// Points the accessor that was handed out last at the next object, if that lies in the same
    /// leaf, no row has moved, and nobody but the iterator refers to the accessor.
    @inlinable @inline(__always)
    final func _step(_ accessor: ObjectBase) -> Bool {
        let row = _row &+ 1
        guard row < _stepLimit, _context.pointee.thread == realm_thread_identity(),
            _context.pointee.stamp.pointee == _stamp,
            ReferenceCounts.of(accessor) == _soleReference
        else { return false }
        _row = row
        _key &+= 1
        accessor._row = Int32(truncatingIfNeeded: row)
        accessor._key = _key
        return true
    }

    /// Leaves the accessor of the next object in `accessor`, wherever the object lies; nil at the
    /// end.
    @inline(never) @usableFromInline
    func _stepSlowly(_ accessor: inout ObjectBase?) {
        realm.checkThread()
        guard managedClass.isValid(birth: birth) else { stop("Collection is no longer valid") }
        let isHere = hasStarted && realm.connection.layoutStamp.pointee == _stamp
        if isHere, _row + 1 < _rowLimit {
            _row += 1
        } else if !findLeaf(isBehindThisOne: isHere) {
            accessor = nil
            return
        }
        guard let leaf else { return }
        hasStarted = true
        let location = RowLocation(leaf: leaf, row: _row)
        _key = table.key(at: location).rawValue
        if !ReferenceCounts.isSole(&accessor, _soleReference) {
            accessor = managedClass.makeAccessor(key: _key)
        }
        accessor?._key = _key
        accessor?._birth = realm.generation
        accessor?._place(at: location, stamp: _stamp)
    }

    // MARK: Leaves

    /// Moves to the first object behind the last one; false if there is none to visit.
    private func findLeaf(isBehindThisOne: Bool) -> Bool {
        realm.connection.releaseExcessMemory()
        return attempt {
            let count = try table.count()
            // Looked at again, because a transaction may fail while this reads.
            let isHere = isBehindThisOne && realm.connection.layoutStamp.pointee == _stamp
            let position =
                isHere
                ? leafPosition + _row + 1
                : try hasStarted
                    ? firstPosition(after: _key, near: leafPosition + _row, count: count)
                    : 0
            guard position < count else { return false }
            let location = try table.location(at: position)
            if table.key(at: location).rawValue > lastKey { return false }
            stand(at: location, position)
            return true
        }
    }

    private func stand(at location: RowLocation, _ position: Int) {
        leaf = location.leaf
        _row = location.row
        leafPosition = position - location.row
        _stamp = realm.connection.layoutStamp.pointee
        func key(_ row: Int) -> Int64 {
            table.key(at: RowLocation(leaf: location.leaf, row: row)).rawValue
        }
        _rowLimit = location.leaf.rowCount
        // Only the walk's last leaf holds objects that were added since it began.
        while key(_rowLimit - 1) > lastKey { _rowLimit -= 1 }
        let isDense = key(_rowLimit - 1) - key(_row) == Int64(_rowLimit - 1 - _row)
        _stepLimit = isDense ? _rowLimit : 0
    }

    /// Looks beside the old place first: usually nothing, or just one object, went away.
    private func firstPosition(after key: Int64, near guess: Int, count: Int) throws -> Int {
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
}
