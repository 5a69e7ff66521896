import CRealmSystem
import StorageEngine

/// The column of an object that holds a managed collection: what collections of all kinds have in
/// common.
class ManagedPlace {
    /// The class of the object that the collection belongs to.
    final let owner: ManagedClass
    final let key: Int64
    final let birth: UInt32
    /// The property, or the one of mixed values that the collection is inside of.
    final let column: Int
    /// Keeps the Realm alive.
    final let realm: RealmInstance
    /// The type of an element.
    final let type: ValueType
    /// The class of the elements of a collection of objects.
    final let target: ManagedClass?
    /// The owner's: what every use of a collection asks, as raw memory, which costs no counted
    /// reference.
    private final let context: UnsafeMutablePointer<_AccessContext>
    /// The layout stamp for which the owner was last found to exist.
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
    }

    final var isOwnerAlive: Bool {
        realm.checkThread()
        return owner.isAlive(key: key, birth: birth)
    }

    /// Stops unless this is the Realm's thread and the owner exists, or a failed transaction may be why
    /// it does not.
    @inline(__always)
    final func requireOwner() {
        if context.pointee.thread != realm_thread_identity() { realm.checkThread() }
        if context.pointee.stamp.pointee != checkedStamp { findOwner() }
    }

    private final func findOwner() {
        if !owner.isAlive(key: key, birth: birth) {
            if realm.isInFailedTransaction { return }
            stop("Object has been deleted or invalidated.")
        }
        checkedStamp = context.pointee.stamp.pointee
    }

    @inline(__always)
    final var writeState: WriteState { context.pointee.writeState.pointee }

    /// Whether the open write transaction has failed, so that nothing is to be written.
    @inline(__always)
    final var hasFailed: Bool { writeState == .failed }

    /// Where the value in `slot` comes from; nil if the value says it all itself.
    @inline(__always)
    final func source(of slot: @autoclosure () -> _ValueSlot) -> _LinkSource? {
        if let target { return _LinkSource(target: target, birth: realm.generation) }
        if type != .mixed { return nil }
        return _LinkSource(birth: realm.generation, slot: slot())
    }
}
