import StorageEngine

/// Walks the objects that a collection of links, or results, led to when the walk began. Objects that
/// are deleted meanwhile are visited all the same, invalidated, or passed over.
///
/// The accessor is placed in its row at once. An accessor that nobody but the iterator refers to
/// any more is pointed at the next object, as `TableCursor` does.
@usableFromInline
final class LinkCursor {
    // What a step changes. Outside the exclusivity checks: one thread uses it, and nothing is called
    // while it is accessed.

    /// All keys; of results those at `keysStart` and behind, up to `nextBlock`.
    @exclusivity(unchecked) private var keys: ContiguousArray<Int64>
    @exclusivity(unchecked) private var keysStart = 0
    /// Of results.
    private let packed: PackedKeys
    @exclusivity(unchecked) private var nextBlock = 0
    /// From this position on, keys of the next block have to be at hand.
    @exclusivity(unchecked) private var refillPosition = Int.max
    private let target: ManagedClass
    /// Keeps the Realm alive.
    private let realm: RealmInstance
    private let birth: UInt32
    private let soleReference: UInt64
    private let visitsDeleted: Bool
    @exclusivity(unchecked) private var position = 0
    @exclusivity(unchecked) private var locator: SequentialLocator

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
        locator = SequentialLocator(target)
        realm = target.realm
        birth = target.realm.generation
        soleReference =
            target.model.isReusable ? ReferenceCounts.ofSoleReference : .max
    }

    /// Leaves the accessor of the next object in `accessor`; nil at the end.
    @inline(never) @usableFromInline
    func _step(_ accessor: inout ObjectBase?) {
        realm.checkThread()
        realm.connection.releaseExcessMemory()
        while true {
            if position >= refillPosition { unpackNext() }
            if position == keysStart + keys.count { break }
            let key = keys[position - keysStart]
            position += 1
            if !ReferenceCounts.isSole(&accessor, soleReference) {
                accessor = target.makeAccessor(key: key)
            }
            // Uncounted: the caller's variable keeps the accessor.
            let address = withUnsafeBytes(of: &accessor) {
                $0.load(as: UnsafeRawPointer?.self)
            }
            guard let address else { return }
            let uncounted = Unmanaged<ObjectBase>.fromOpaque(address)
            let exists = uncounted._withUnsafeGuaranteedRef { place($0, key) }
            if exists || visitsDeleted { return }
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
    private func place(_ accessor: ObjectBase, _ key: Int64) -> Bool {
        let location = locator.locate(
            key, birth: birth, at: position - 1, before: keysStart + keys.count
        ) { keys[$0 - keysStart] }
        accessor._key = key
        accessor._birth = birth
        guard let location else {
            accessor._stamp = .max
            return false
        }
        accessor._place(at: location, stamp: locator.stamp)
        return true
    }
}
