import Glibc

/// Readers without `.lock`: those that may only read the data file or its directory.
///
/// The place of a lock on the data file names the version that the reader pins. It blocks no other
/// process. Such a reader can open the file only while no process shares memory. Writers that come
/// later pin its version for as long as the lock exists. So it costs at most the space of its
/// snapshot, like any reader.
extension Coordinator {
    /// The number of versions that can be kept in this way, so that users who may only read cannot
    /// make the file grow without limit. Later writers may overwrite the versions of further
    /// readers.
    private static let mostUnsharedVersions = 64
    /// The number of locks that are examined. Some of them may not be pins.
    private static let mostLocks = 256

    // MARK: The unshared reader

    /// Throws if any process shares memory, because it may be writing. `dataLock` is a descriptor
    /// of the file.
    static func checkNobodyShares(_ path: String, _ dataLock: Int32) throws(StorageError) {
        let isUsed = try StorageError.converting(.lock, path: path) {
            () throws(SystemFailure) in
            // This tests for any lock, not only for exclusive ones: the lock of a reader may have
            // prevented a writer from taking its own.
            try System.isLockedByOther(dataLock, LockRanges.sharing)
        }
        if isUsed {
            throw StorageError(
                .permissionDenied, path: path,
                message: "The database at path '\(path)' is in use by another process, and "
                    + "reading beside it needs write access to the file and to '\(path).lock'",
                systemError: EACCES)
        }
    }

    /// Performs steps b and c, except for comparing the newest version.
    func pinByLock(_ version: UInt64) throws(StorageError) {
        try StorageError.converting(.lock, path: path) { () throws(SystemFailure) in
            // Only a process that is about to remove the file holds the byte exclusively.
            _ = try System.tryLock(dataLock, .shared, on: LockRanges.reading(version))
        }
        try Self.checkNobodyShares(path, dataLock)
    }

    // MARK: Processes that share memory

    /// Pins the versions that unshared readers read. The sole opener must call this while it has
    /// its sharing lock, before other processes join: no such reader opens the file while memory is
    /// shared.
    func pinVersionsOfUnsharedReaders() throws(SystemFailure) {
        var ranges = [LockRanges.reading]
        var versions: Set<UInt64> = []
        var looked = 0
        let newest = visibleVersion
        while let range = ranges.popLast(), looked < Self.mostLocks,
            versions.count < Self.mostUnsharedVersions
        {
            guard let lock = try System.lockOfOther(dataLock, against: .exclusive, in: range)
            else { continue }
            looked += 1
            let end = lock.length == 0 ? Int64.max : lock.start + lock.length
            if lock.length == 1, lock.start >= LockRanges.reading.start {
                let version = UInt64(lock.start - LockRanges.reading.start)
                if version > 0, version <= newest { versions.insert(version) }
            }
            let rangeEnd = range.start + range.length
            if end < rangeEnd {
                ranges.append(System.LockRange(start: end, length: rangeEnd - end))
            }
            if lock.start > range.start {
                ranges.append(
                    System.LockRange(start: range.start, length: lock.start - range.start))
            }
        }
        for version in versions {
            // All slots are free at this time, and there are more slots than versions.
            guard let slot = claimFreePinSlot(owner: SharedRegion.unsharedReaders) else { return }
            slot.time.storeRelaxed(System.monotonicNanoseconds)
            slot.version.storeSequential(version)
        }
    }

    /// Clears the pins of unshared readers that have gone.
    func clearUnsharedReaders() {
        guard isShared else { return }
        for index in 0..<region.usedPinSlots {
            let slot = region.pinSlot(index)
            guard slot.owner.loadAcquire() == SharedRegion.unsharedReaders else { continue }
            let range = LockRanges.reading(slot.version.loadAcquire())
            // If the lock cannot be tested, the pin stays, which only costs space.
            guard (try? System.isLockedByOther(dataLock, range)) == false else { continue }
            // Of several processes that see this, only one clears the pin: afterwards, the slot may
            // belong to another reader.
            let this = UInt32(processSlot) + 1
            guard
                slot.owner.compareExchange(
                    expected: SharedRegion.unsharedReaders, desired: this)
            else { continue }
            slot.version.storeSequential(0)
            slot.owner.storeRelease(0)
        }
    }
}
