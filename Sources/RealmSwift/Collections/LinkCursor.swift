import StorageEngine

/// Walks the objects that a collection of links, or results, led to when the walk began. Objects that
/// are deleted meanwhile are visited all the same, invalidated, or passed over.
///
/// Neighbours in a list often lie in one leaf: the leaf of the object before is tried first, and
/// the accessor is placed in its row at once. An accessor that nobody but the iterator refers to
/// any more is pointed at the next object, as `TableCursor` does.
@usableFromInline
final class LinkCursor {
    /// Keys, or those of the block before `nextBlock`.
    private var keys: ContiguousArray<Int64>
    /// Of results.
    private let packed: PackedKeys
    private var nextBlock = 0
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
        while position < keys.count || unpackNext() {
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

    /// False if there are no more keys.
    private func unpackNext() -> Bool {
        guard nextBlock < packed.blockCount else { return false }
        packed.unpack(block: nextBlock, into: &keys)
        nextBlock += 1
        position = 0
        return true
    }

    /// An object that is gone stays without a place, and using it stops the program; returns false.
    @inline(__always)
    private func place(_ accessor: ObjectBase, _ key: ObjectKey) -> Bool {
        let stamp = realm.connection.layoutStamp.pointee
        if stamp == leafStamp, let leaf, let row = Table.row(of: key, in: leaf) {
            accessor._place(at: RowLocation(leaf: leaf, row: row), stamp: stamp)
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
}
