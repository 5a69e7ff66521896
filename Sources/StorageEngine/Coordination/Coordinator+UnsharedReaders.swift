import Glibc

/// Readers without `.lock`: those who may only read the data file, or its directory.
///
/// Such a reader says which version it reads by the place of a lock on the data file, and blocks
/// nobody by it. It comes only where nobody shares memory; writers that come later pin its version
/// for as long as the lock is there. So it costs at most the space of its snapshot, like any
/// reader.
extension Coordinator {
    /// Versions that others can keep in this way, so that who may only read cannot make the
    /// file grow without limit. Readers beyond see what later writers write over their version.
    private static let mostUnsharedVersions = 64
    /// How many locks are looked at, of which some may be nobody's pins.
    private static let mostLocks = 256

    // MARK: The reader

    /// Throws if anybody shares memory: whoever does may be writing. `dataLock`: of the file.
    static func checkNobodyShares(_ path: String, _ dataLock: Int32) throws(StorageError) {
        let isUsed = try StorageError.converting(.lock, path: path) {
            () throws(SystemFailure) in
            // Against an exclusive lock: a writer that could not take its lock because of a
            // reader's is not seen otherwise.
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

    /// Steps b and c, but for the newest version.
    func pinByLock(_ version: UInt64) throws(StorageError) {
        try StorageError.converting(.lock, path: path) { () throws(SystemFailure) in
            // Nobody holds it exclusively but who is about to remove the file.
            _ = try System.tryLock(dataLock, .shared, LockRanges.reading(version))
        }
        try Self.checkNobodyShares(path, dataLock)
    }

    // MARK: Those who share memory

    /// Pins what unshared readers read. For the sole opener, which has its sharing lock, before
    /// others join: no such reader comes as long as anybody shares memory.
    func pinVersionsOfUnsharedReaders() throws(SystemFailure) {
        var ranges = [LockRanges.reading]
        var versions: Set<UInt64> = []
        var looked = 0
        let newest = visibleVersion
        while let range = ranges.popLast(), looked < Self.mostLocks,
            versions.count < Self.mostUnsharedVersions
        {
            guard let lock = try System.lockOfOther(dataLock, against: .exclusive, range)
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
            // All slots are free now, and there are more than these versions.
            guard let slot = claimFreePinSlot(owner: SharedRegion.unsharedReaders) else { return }
            slot.time.storeRelaxed(System.monotonicNanoseconds)
            slot.version.storeSequential(version)
        }
    }

    /// Takes back the pins of unshared readers that have gone.
    func clearUnsharedReaders() {
        guard isShared else { return }
        for index in 0..<region.usedPinSlots {
            let slot = region.pinSlot(index)
            guard slot.owner.loadAcquire() == SharedRegion.unsharedReaders else { continue }
            let range = LockRanges.reading(slot.version.loadAcquire())
            // Who cannot tell leaves the pin: it only costs space.
            guard (try? System.isLockedByOther(dataLock, range)) == false else { continue }
            // Of several who see this, one clears it: afterwards the slot may be another's.
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
