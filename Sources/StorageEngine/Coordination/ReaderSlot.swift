/// A place in shared memory where one connection says which version it reads. As long as it says
/// so, no process reuses what that version reaches.
///
/// Used by one thread at a time; others may read `version`. Pinning in a forked child stops the
/// program: ask `Coordinator.checkNotForked` first.
package struct ReaderSlot: @unchecked Sendable {
    // Safe to share: the coordinator keeps the memory mapped and is itself safe to share, and the
    // slot's words are accessed atomically only.

    private let coordinator: Coordinator
    private let slot: SharedRegion.PinSlot

    init(coordinator: Coordinator, slot: SharedRegion.PinSlot) {
        self.coordinator = coordinator
        self.slot = slot
    }

    /// The pinned version, or 0.
    package var version: UInt64 { slot.version.loadAcquire() }

    /// Pins the newest visible version instead of the one pinned before, and returns it. It is
    /// never older than that one. In a database that has no version yet it pins nothing.
    ///
    /// Why this is safe: writers publish a version, then look for pins, then reuse what versions
    /// before it alone reach and the pins they saw do not need. A pin that was stored too late to
    /// be seen is stored after the version was published, so reading the newest version again finds
    /// that one or a newer, and the pin goes there. Until then it may show an older version for a
    /// moment, which costs whoever sees it some space, and the reader looks at no page meanwhile.
    package func pinLatest() -> UInt64 {
        pinLatest(betweenLoadAndStore: {})
    }

    /// The same with a place for tests to stop at.
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

    /// Pins the version that another slot has pinned and keeps pinned during this call.
    ///
    /// Whoever collects pins may look at this slot before, and at the other one after that was
    /// unpinned; the count tells it that it has to look again.
    package func pin(sameAs other: ReaderSlot) -> UInt64 {
        precondition(!coordinator.isForked, "a forked child must not move its parent's pins")
        let version = other.version
        slot.time.storeRelaxed(System.monotonicNanoseconds)
        slot.version.storeSequential(version)
        _ = coordinator.region.pinCopyCount.fetchAdd(1)
        return version
    }

    /// Pins nothing any more; the slot stays claimed.
    package func unpin() {
        // In a forked child the slot is the parent's.
        if coordinator.isForked { return }
        slot.version.storeRelease(0)
    }

    /// Gives the slot back. It must not be used afterwards.
    package func release() {
        if coordinator.isForked { return }
        slot.version.storeSequential(0)
        slot.owner.storeRelease(0)
    }
}
