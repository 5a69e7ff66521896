import StorageEngine

/// Walks the objects that a collection of links, or results, led to when the walk began. Objects that
/// are deleted meanwhile are visited all the same, invalidated, or passed over.
///
/// Neighbours in a list often lie in one leaf: the leaf of the object before is tried first, and
/// the accessor is placed in its row at once. An accessor that nobody but the iterator refers to
/// any more is pointed at the next object, as `TableCursor` does.
@usableFromInline
final class LinkCursor {
    /// All keys; of results those at `keysStart` and behind, up to `nextBlock`.
    private var keys: ContiguousArray<Int64>
    private var keysStart = 0
    /// Of results.
    private let packed: PackedKeys
    private var nextBlock = 0
    /// From this position on, keys of the next block have to be at hand.
    private var refillPosition = Int.max
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

    /// Walks a collection of links, and visits those of deleted objects.
    convenience init(_ keys: ContiguousArray<Int64>, to target: ManagedClass) {
        self.init(keys, PackedKeys(), to: target, visitsDeleted: true)
    }

    /// Walks results, and passes over deleted objects.
    convenience init(_ keys: PackedKeys, of target: ManagedClass) {
        self.init([], keys, to: target, visitsDeleted: false)
    }

    private init(
        _ keys: ContiguousArray<Int64>, _ packed: PackedKeys, to target: ManagedClass,
        visitsDeleted: Bool
    ) {
        self.visitsDeleted = visitsDeleted
        self.keys = keys
        self.packed = packed
        if packed.count > 0 { refillPosition = 0 }
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
        while true {
            if position >= refillPosition { unpackNext() }
            if position == keysStart + keys.count { break }
            let key = keys[position - keysStart]
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

    /// Some keys of the block before stay, because objects are looked for ahead.
    private func unpackNext() {
        keys.removeFirst(position - keysStart)
        keysStart = position
        packed.append(block: nextBlock, to: &keys)
        nextBlock += 1
        refillPosition =
            nextBlock == packed.blockCount
            ? .max : max(position, keysStart + keys.count - RowLookahead.distance)
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
        let end = min(position - 1 + RowLookahead.distance, keysStart + keys.count)
        lookahead.skip(to: position - 1)
        while lookahead.end < end {
            lookahead.add(ObjectKey(rawValue: keys[lookahead.end - keysStart]))
        }
        return lookahead.location(at: position - 1)
    }

    private func beginLookahead() {
        // What cannot be read is told when the object itself is looked for.
        lookaheadStamp = realm.connection.layoutStamp.pointee
        guard let table = target.table else { return }
        lookahead = try? RowLookahead(table, from: position - 1)
    }
}
