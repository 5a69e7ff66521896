/// The place in shared memory in which a connection pins the version that it reads. While a version
/// is pinned, no process reuses the pages that it reaches.
///
/// Only one thread at a time may use it; others may read `version`. Pinning in a forked child stops
/// the program, so call `Coordinator.checkNotForked` first.
package struct ReaderSlot: @unchecked Sendable {
    // Safe to share: the coordinator keeps the memory mapped and is itself safe to share, and the
    // slot's words are only accessed atomically.

    private let coordinator: Coordinator
    private let slot: SharedRegion.PinSlot

    init(coordinator: Coordinator, slot: SharedRegion.PinSlot) {
        self.coordinator = coordinator
        self.slot = slot
    }

    /// The pinned version, or 0.
    package var version: UInt64 { slot.version.loadAcquire() }

    // MARK: Moving

    /// Keeps the pinned version pinned while the pin moves, until ``forgetFormer()``,
    /// ``moveBack()`` or ``unpin()``.
    package func keepFormer() { slot.former.storeRelaxed(slot.version.loadRelaxed()) }

    /// Ends what ``keepFormer()`` began: only the version to which the pin has moved stays pinned.
    package func forgetFormer() { slot.former.storeRelease(0) }

    /// Ends what ``keepFormer()`` began: the pin is again where it was then.
    ///
    /// A process that collects pins may read the version before it is stored, and the former one
    /// after it was cleared. The incremented count tells it to scan again.
    package func moveBack() {
        precondition(!coordinator.isForked, "a forked child must not move its parent's pins")
        slot.version.storeSequential(slot.former.loadRelaxed())
        _ = coordinator.region.pinCopyCount.fetchAdd(1)
        slot.former.storeRelease(0)
    }

    /// Pins the newest visible version instead of the previous one, and returns it. It is never
    /// older than the previous one. In a database without a version, pins nothing and returns 0.
    ///
    /// This is safe because writers publish a version, then look for pins, and then reuse pages
    /// that only versions before it reach and that no pin they saw needs. A pin that was stored too
    /// late to be seen was stored after the version was published. So reading the newest version
    /// again returns that version or a newer one, and the pin moves there. Before that, the pin may
    /// show an older version for a moment. This may cost some space, and the reader accesses no
    /// page in the meantime.
    package func pinLatest() -> UInt64 {
        pinLatest(betweenLoadAndStore: {})
    }

    /// Does the same, with a point at which tests can pause.
    @inline(__always)
    func pinLatest(betweenLoadAndStore pause: () -> Void) -> UInt64 {
        precondition(!coordinator.isForked, "a forked child must not move its parent's pins")
        let words = coordinator.region
        var newest = words.visibleVersion.loadSequential()
        if newest == slot.version.loadRelaxed() { return newest }
        slot.time.storeRelaxed(System.monotonicNanoseconds)
        while true {
            pause()
            slot.version.storeSequential(newest)
            let again = words.visibleVersion.loadSequential()
            if again == newest { return newest }
            newest = again
        }
    }

    /// Pins the version that another slot has pinned. The other slot must keep it pinned during
    /// this call.
    ///
    /// A process that collects pins may read this slot before the store, and the other slot after
    /// it was unpinned. The incremented count tells it to scan again.
    package func pin(sameAs other: ReaderSlot) -> UInt64 {
        precondition(!coordinator.isForked, "a forked child must not move its parent's pins")
        let version = other.version
        slot.time.storeRelaxed(System.monotonicNanoseconds)
        slot.version.storeSequential(version)
        _ = coordinator.region.pinCopyCount.fetchAdd(1)
        return version
    }

    /// Marks the pin as that of a frozen Realm, for those who look for what keeps a file large.
    package func markFrozen() { slot.isFrozen.storeRelaxed(1) }

    /// Removes the pin; the slot stays claimed.
    package func unpin() {
        // In a forked child, the slot belongs to the parent.
        if coordinator.isForked { return }
        slot.clear()
    }

    /// Frees the slot, which must not be used afterwards.
    package func release() {
        if coordinator.isForked { return }
        slot.clear()
        slot.owner.storeRelease(0)
    }
}

extension SharedRegion.PinSlot {
    /// Pins nothing from now on.
    func clear() {
        version.storeSequential(0)
        former.storeRelease(0)
    }
}
