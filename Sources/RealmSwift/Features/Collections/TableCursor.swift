import CRealmSystem
import StorageEngine

/// A cursor over the objects of a class in key order.
///
/// Objects deleted during the iteration are skipped, and objects added during it are not visited.
/// The cursor reads rows from its current leaf, and finds its position again when rows have moved.
///
/// If only the iterator refers to an accessor, it is reused for the next object, which is several
/// times cheaper than creating another one. `_step` does this without a call, because it is inlined
/// into the loop.
@usableFromInline
final class TableCursor {
    // The state that `_step` needs. Unchecked exclusivity is safe, because only one thread uses it
    // and nothing is called during an access.

    /// The key of the last object visited.
    @exclusivity(unchecked) @usableFromInline final var _key = Int64.min
    /// The row of that object in its leaf, valid while the layout stamp is `_stamp`.
    @exclusivity(unchecked) @usableFromInline final var _row = 0
    /// The end of the rows to visit in the leaf.
    @exclusivity(unchecked) @usableFromInline final var _rowLimit = 0
    @exclusivity(unchecked) @usableFromInline final var _stamp = UInt64.max
    /// The end of the rows that `_step` can visit: `_rowLimit`, or 0 if the keys have gaps.
    @exclusivity(unchecked) @usableFromInline final var _stepLimit = 0
    /// The reference counts of an accessor that only the iterator refers to. If accessors cannot be
    /// reused, a value that no object has.
    @usableFromInline let _soleReference: UInt64
    @usableFromInline let _context: UnsafeMutablePointer<_AccessContext>

    private let managedClass: ManagedClass
    private let realm: RealmInstance
    private let table: Table
    private let birth: UInt32
    /// The key of the last object to visit.
    private let lastKey: Int64
    /// The position of the leaf's first row, valid while the layout stamp is `_stamp`.
    private var leafPosition = 0
    private var leaf: Node?
    /// Whether an object was visited.
    private var hasStarted = false

    /// Creates a cursor; nil for an empty table.
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

    /// Reuses the last accessor for the next object. Returns false if the next object is not in the
    /// same leaf, if rows have moved, or if there are other references to the accessor.
    ///
    /// The parameter is `inout`, and is not copied before its references are counted: whether the
    /// optimizer removes the copy's own reference depends on the code around the loop.
    @inlinable @inline(__always)
    final func _step(_ accessor: inout ObjectBase?) -> Bool {
        let row = _row &+ 1
        guard row < _stepLimit, _context.pointee.isCurrent(_stamp),
            let accessor = ReferenceCounts.sole(&accessor, _soleReference)
        else { return false }
        _row = row
        _key &+= 1
        accessor._withUnsafeGuaranteedRef {
            $0._row = Int32(truncatingIfNeeded: row)
            $0._key = _key
        }
        return true
    }

    /// Stores the accessor of the next object in `accessor`, in any leaf; nil at the end.
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
        if ReferenceCounts.sole(&accessor, _soleReference) == nil {
            accessor = managedClass.makeUnplaced(key: _key)
        }
        accessor?._key = _key
        accessor?._birth = realm.generation
        accessor?._place(at: location, stamp: _stamp)
    }

    // MARK: Leaves

    /// Moves to the first object after the last one. Returns false if there is none to visit.
    private func findLeaf(isBehindThisOne: Bool) -> Bool {
        realm.connection.releaseExcessMemory()
        return attempt {
            let count = try table.count()
            // Checked again, because a transaction can fail during this read.
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
        // Only the last leaf of the iteration can contain objects that were added after its
        // beginning.
        while key(_rowLimit - 1) > lastKey { _rowLimit -= 1 }
        let isDense = key(_rowLimit - 1) - key(_row) == Int64(_rowLimit - 1 - _row)
        _stepLimit = isDense ? _rowLimit : 0
    }

    /// Returns the first position after a key. The previous position is tried first, because
    /// usually no object or only one was deleted.
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
