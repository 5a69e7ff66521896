import CRealmSystem
import StorageEngine

/// The column of an object that holds a managed collection, with the state that collections of all
/// kinds share.
class ManagedPlace {
    /// The class of the object that owns the collection.
    final let owner: ManagedClass
    final let key: Int64
    final let birth: UInt32
    /// The column of the property, or of the mixed value that contains the collection.
    final let column: Int
    /// A reference that keeps the Realm alive.
    final let realm: RealmInstance
    /// The type of an element.
    final let type: ValueType
    /// The class of the elements of a collection of objects.
    final let target: ManagedClass?
    /// The access context of the owner's class. Every use of a collection reads it, and raw memory
    /// needs no reference counting.
    private final let context: UnsafeMutablePointer<_AccessContext>
    /// The layout stamp at which the owner was last found to exist.
    @exclusivity(unchecked) private final var checkedStamp = UInt64.max

    init(owner: ManagedClass, key: Int64, birth: UInt32, column: Int) {
        self.owner = owner
        self.key = key
        self.birth = birth
        self.column = column
        realm = owner.realm
        context = owner.context
        type = owner.property(ofColumn: column).shape.type
        let isLink = type == .link || type == .embedded
        target = isLink ? owner.linkTarget(column: column) : nil
        // Threads that use a frozen Realm share this object, so it is complete from the beginning.
        if owner.isFrozen && owner.isAlive(key: key, birth: birth) {
            checkedStamp = context.pointee.stamp.pointee
        }
    }

    final var isOwnerAlive: Bool {
        realm.checkThread()
        return owner.isAlive(key: key, birth: birth)
    }

    /// Stops the program unless this is the Realm's thread and the owner exists. An owner that a
    /// failed transaction may have removed is accepted.
    @inline(__always)
    final func requireOwner() {
        if !context.pointee.isCurrent(checkedStamp) { findOwner() }
    }

    @inline(never)
    private final func findOwner() {
        realm.checkThread()
        // The thread of a Realm of a queue is not known to the fast check.
        if !owner.isFrozen && context.pointee.stamp.pointee == checkedStamp { return }
        if !owner.isAlive(key: key, birth: birth) {
            if realm.isInFailedTransaction { return }
            stop("Object has been deleted or invalidated.")
        }
        if owner.isFrozen { return }
        checkedStamp = context.pointee.stamp.pointee
    }

    @inline(__always)
    final var writeState: WriteState { context.pointee.writeState.pointee }

    /// Whether the open write transaction has failed, so that nothing is to be written.
    @inline(__always)
    final var hasFailed: Bool { writeState == .failed }

    /// Returns the origin of the value in `slot`; nil if decoding the value needs none.
    @inline(__always)
    final func source(of slot: @autoclosure () -> _ValueSlot) -> _LinkSource? {
        if let target { return _LinkSource(target: target, birth: realm.generation) }
        if type != .mixed { return nil }
        return _LinkSource(birth: realm.generation, slot: slot())
    }
}
