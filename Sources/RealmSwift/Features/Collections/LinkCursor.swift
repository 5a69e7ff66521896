import StorageEngine

/// A cursor over the objects of a collection of links, or of results, as of the beginning of the
/// iteration. Objects deleted in the meantime are visited as invalidated objects, or skipped.
///
/// The cursor places an accessor in its row at once. If only the iterator refers to the accessor,
/// it is reused for the next object, as in `TableCursor`.
@usableFromInline
final class LinkCursor {
    // The state that a step changes. Unchecked exclusivity is safe, because only one thread uses it
    // and nothing is called during an access.

    /// The keys of a collection, or the unpacked keys of results: those from `keysStart` on, up to
    /// `nextBlock`.
    @exclusivity(unchecked) private var keys: ContiguousArray<Int64>
    @exclusivity(unchecked) private var keysStart = 0
    /// The packed keys of results.
    private let packed: PackedKeys
    @exclusivity(unchecked) private var nextBlock = 0
    /// The first position at which the keys of the next block are needed.
    @exclusivity(unchecked) private var refillPosition = Int.max
    private let target: ManagedClass
    /// A reference that keeps the Realm alive.
    private let realm: RealmInstance
    private let birth: UInt32
    private let soleReference: UInt64
    private let visitsDeleted: Bool
    @exclusivity(unchecked) private var position = 0
    @exclusivity(unchecked) private var locator: SequentialLocator

    /// Creates a cursor over a collection of links that visits deleted objects.
    convenience init(_ keys: ContiguousArray<Int64>, to target: ManagedClass) {
        self.init(keys, PackedKeys(), to: target, visitsDeleted: true)
    }

    /// Creates a cursor over results that skips deleted objects.
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

    /// Stores the accessor of the next object in `accessor`; nil at the end.
    @inline(never) @usableFromInline
    func _step(_ accessor: inout ObjectBase?) {
        realm.checkThread()
        realm.connection.releaseExcessMemory()
        while true {
            if position >= refillPosition { unpackNext() }
            if position == keysStart + keys.count { break }
            let key = keys[position - keysStart]
            position += 1
            if ReferenceCounts.sole(&accessor, soleReference) == nil {
                accessor = target.makeUnplaced(key: key)
            }
            // The reference is unretained, which is safe because the caller's variable retains the
            // accessor.
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

    /// Unpacks the next block of keys. Keys of the previous block that were not visited are kept,
    /// because the lookahead extends into the next block.
    private func unpackNext() {
        keys.removeFirst(position - keysStart)
        keysStart = position
        packed.append(block: nextBlock, to: &keys)
        nextBlock += 1
        refillPosition =
            nextBlock == packed.blockCount
            ? .max : max(position, keysStart + keys.count - RowLookahead.distance)
    }

    /// Places an accessor in the row of an object. Returns false for a deleted object, whose
    /// accessor has no place; using it stops the program.
    @inline(__always)
    private func place(_ accessor: ObjectBase, _ key: Int64) -> Bool {
        let location = locator.locate(
            key, birth: birth, at: position - 1, before: keysStart + keys.count
        ) { keys[$0 - keysStart] }
        accessor._key = key
        accessor._birth = birth
        guard let location else {
            // An object of a frozen Realm exists if it has a leaf.
            accessor._leaf = nil
            accessor._stamp = .max
            return false
        }
        accessor._place(at: location, stamp: locator.stamp)
        return true
    }
}
