import StorageEngine

/// Walks the objects that a collection of links, or results, led to when the walk began. Objects that
/// are deleted meanwhile are visited all the same, invalidated, or passed over.
///
/// Neighbours in a list often lie in one leaf: the leaf of the object before is tried first, and
/// the accessor is placed in its row at once. An accessor that nobody but the iterator refers to
/// any more is pointed at the next object, as `TableCursor` does.
@usableFromInline
final class LinkCursor {
    private let keys: ContiguousArray<Int64>
    private let target: ManagedClass
    /// Keeps the Realm alive.
    private let realm: RealmInstance
    private let birth: UInt32
    private let soleReference: UInt64
    private let visitsDeleted: Bool
    private var position = 0
    /// The leaf of the last object, for as long as the layout stamp is `leafStamp`.
    private var leaf: Node?
    private var leafStamp = UInt64.max
    /// Finds the next objects while this one is used: made once a few objects in a row were not in the
    /// leaf of the one before, and given up when rows move.
    private var lookahead: RowLookahead?
    private var lookaheadStamp = UInt64.max
    /// Objects in a row that were not in the leaf of the one before.
    private var missCount = 0

    /// So many objects are found one by one: most walks are short, end early, or go from leaf to leaf.
    private static let fewMisses = 8

    init(_ keys: ContiguousArray<Int64>, to target: ManagedClass, visitsDeleted: Bool = true) {
        self.visitsDeleted = visitsDeleted
        self.keys = keys
        self.target = target
        realm = target.realm
        birth = target.realm.generation
        soleReference =
            target.model.isReusable ? ReferenceCounts.ofSoleReference : .max
    }

    /// Leaves the accessor of the next object in `accessor`; nil at the end.
    @inline(never) @usableFromInline
    func _step(_ accessor: inout ObjectBase?) {
        realm.checkThread()
        while position < keys.count {
            let key = keys[position]
            position += 1
            if !ReferenceCounts.isSole(&accessor, soleReference) {
                accessor = target.makeAccessor(key: key)
            }
            guard let accessor else { return }
            accessor._key = key
            accessor._birth = birth
            if place(accessor, ObjectKey(rawValue: key)) || visitsDeleted { return }
        }
        accessor = nil
    }

    /// An object that is gone stays without a place, and using it stops the program; returns false.
    @inline(__always)
    private func place(_ accessor: ObjectBase, _ key: ObjectKey) -> Bool {
        let stamp = realm.connection.layoutStamp.pointee
        if stamp == leafStamp, let leaf, let row = Table.row(of: key, in: leaf) {
            missCount = 0
            accessor._place(at: RowLocation(leaf: leaf, row: row), stamp: stamp)
        } else if let location = locateAhead(stamp) {
            leaf = location.leaf
            leafStamp = stamp
            accessor._place(at: location, stamp: stamp)
        } else if let location = target.locate(key: key.rawValue, birth: birth) {
            leaf = location.leaf
            leafStamp = realm.connection.layoutStamp.pointee
            accessor._place(at: location, stamp: leafStamp)
        } else {
            accessor._stamp = .max
            return false
        }
        return true
    }

    /// The row of the object that is visited now, if it was looked for while others were visited.
    @inline(__always)
    private func locateAhead(_ stamp: UInt64) -> RowLocation? {
        if missCount < Self.fewMisses {
            missCount += 1
            return nil
        }
        if stamp != lookaheadStamp {
            guard lookaheadStamp == .max else { return nil }
            beginLookahead()
        }
        guard let lookahead else { return nil }
        let end = min(position - 1 + RowLookahead.distance, keys.count)
        lookahead.skip(to: position - 1)
        while lookahead.end < end { lookahead.add(ObjectKey(rawValue: keys[lookahead.end])) }
        return lookahead.location(at: position - 1)
    }

    private func beginLookahead() {
        // What cannot be read is told when the object itself is looked for.
        lookaheadStamp = realm.connection.layoutStamp.pointee
        guard let table = target.table else { return }
        lookahead = try? RowLookahead(table, from: position - 1)
    }
}
