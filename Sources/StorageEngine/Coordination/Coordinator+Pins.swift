/// Pins: the versions that are being read, and their readers.
extension Coordinator {
    /// A pinned version, for tools that show what keeps a file from shrinking.
    package struct PinDescription: Equatable, Sendable {
        package var version: UInt64
        /// The id of the reader's process; 0 for a reader without `.lock`, whose process is
        /// unknown.
        package var processID: UInt32
        package var age: Duration
        /// Whether it is pinned for a frozen Realm, and so stays until nothing of that is used.
        package var isFrozen = false
    }

    private static let livenessCheckInterval: UInt64 = 50_000_000

    /// Claims a slot in which a connection pins versions. It must be released before `close`.
    ///
    /// - Throws: `.tooManyReaders` if all slots are taken, `.outOfDiskSpace` and `.fileAccess` if
    ///   `.lock` cannot be extended, `.usedAfterFork`.
    package func claimReader() throws(StorageError) -> ReaderSlot {
        try checkNotForked()
        let owner = UInt32(processSlot) + 1
        if let slot = claimFreePinSlot(owner: owner) {
            return ReaderSlot(coordinator: self, slot: slot)
        }
        clearDeadProcesses()
        clearUnsharedReaders()
        while true {
            let blocks = region.presentBlocks
            if let slot = claimFreePinSlot(owner: owner) {
                return ReaderSlot(coordinator: self, slot: slot)
            }
            if blocks == SharedRegion.mostBlocks { break }
            try grow(toBlocks: blocks + 1)
        }
        throw StorageError(
            .tooManyReaders, path: path,
            message: "The database at path '\(path)' has \(SharedRegion.pinSlotCount) open "
                + "connections, which is the limit")
    }

    private func grow(toBlocks count: Int) throws(StorageError) {
        do {
            try growingLock.withLock { () throws(SystemFailure) in
                try region.grow(toBlocks: count, lockFile: lockFile)
            }
        } catch {
            throw .ofLockFile(error, .resize, path: path)
        }
    }

    func claimFreePinSlot(owner: UInt32) -> SharedRegion.PinSlot? {
        for index in 0..<SharedRegion.pinSlots(inBlocks: region.presentBlocks) {
            let slot = region.pinSlot(index)
            guard slot.owner.loadRelaxed() == 0 else { continue }
            // The limit is raised before the slot is taken, so that a process that clears the slot
            // after this one was killed looks at it. It is also raised before anything is pinned: a
            // process that looks for pins after publishing a version then either looks at this slot
            // or is seen by `pinLatest`.
            SharedRegion.raise(region.pinSlotLimit, to: UInt32(index) + 1)
            if slot.owner.compareExchange(expected: 0, desired: owner) {
                slot.isFrozen.storeRelaxed(0)
                return slot
            }
        }
        return nil
    }

    /// Collects the versions that live readers of all processes have pinned, in ascending order
    /// without duplicates. The memory of the array is reused.
    ///
    /// It must be called after the version that frees pages was published: a reader whose pin is
    /// missed here then finds that version when it reads the newest version again. Pins of dead
    /// processes are cleared within 50 ms of the first call that they affect.
    package func collectPinnedVersions(into versions: inout [UInt64]) {
        let newest = visibleVersion
        let oldestForeign = scanPins(into: &versions)
        guard oldestForeign < newest else { return }
        let isDue = clearingLock.withLock {
            let now = System.monotonicNanoseconds
            guard now - lastLivenessCheck >= Self.livenessCheckInterval else { return false }
            lastLivenessCheck = now
            return true
        }
        guard isDue else { return }
        clearDeadProcesses()
        clearUnsharedReaders()
        _ = scanPins(into: &versions)
    }

    /// Scans all pins. Returns the oldest version that other processes have pinned, or
    /// `UInt64.max`.
    private func scanPins(into versions: inout [UInt64]) -> UInt64 {
        var oldestForeign = UInt64.max
        var copies = region.pinCopyCount.loadSequential()
        while true {
            versions.removeAll(keepingCapacity: true)
            for index in 0..<region.usedPinSlots {
                let slot = region.pinSlot(index)
                // In this order, because the former version is stored before the pin leaves it.
                let version = slot.version.loadSequential()
                let former = slot.former.loadAcquire()
                guard version != 0 else { continue }
                if slot.owner.loadRelaxed() != UInt32(processSlot) + 1 {
                    oldestForeign = min(oldestForeign, version)
                    if former != 0 { oldestForeign = min(oldestForeign, former) }
                }
                if version != versions.last { versions.append(version) }
                if former != 0 { versions.append(former) }
            }
            // A pin may have been copied from a place that was not scanned yet to one that was.
            let copiesNow = region.pinCopyCount.loadSequential()
            if copiesNow == copies { break }
            copies = copiesNow
        }
        versions.sort()
        versions.removeRepeated()
        return oldestForeign
    }

    /// Returns every pin of every process, the oldest version first. Pins of processes that have
    /// just died may be included. What a reader keeps while it moves is not.
    package func pinnedVersions() -> [PinDescription] {
        let now = System.monotonicNanoseconds
        var pins: [PinDescription] = []
        for index in 0..<region.usedPinSlots {
            let slot = region.pinSlot(index)
            let version = slot.version.loadAcquire()
            let owner = Int(slot.owner.loadAcquire())
            let isUnshared = owner == Int(SharedRegion.unsharedReaders)
            guard version != 0, owner >= 1,
                owner <= region.usedProcessSlots || isUnshared
            else { continue }
            let pinned = slot.time.loadRelaxed()
            pins.append(
                PinDescription(
                    version: version,
                    processID: isUnshared
                        ? 0 : region.processSlot(owner - 1).processID.loadRelaxed(),
                    age: .nanoseconds(now > pinned ? now - pinned : 0),
                    isFrozen: slot.isFrozen.loadRelaxed() != 0))
        }
        return pins.sorted { $0.version < $1.version }
    }
}

extension [UInt64] {
    /// Removes consecutive duplicates.
    fileprivate mutating func removeRepeated() {
        var kept = 0
        for index in indices where index == 0 || self[index] != self[kept - 1] {
            self[kept] = self[index]
            kept += 1
        }
        removeLast(count - kept)
    }
}
