import CRealmSystem

/// What the users of one database file agree on, across threads and processes: who writes, which
/// version is the newest, and which versions are still being read.
///
/// Any thread may call any method, except where a method says otherwise.
package final class Coordinator: @unchecked Sendable {
    // Safe to share: what is not constant lies in the shared region, which is accessed atomically
    // only, or is guarded as noted at each variable below.

    package enum Role: Equatable, Sendable {
        /// Nobody else has the file open: recover it, then call `finishRecovery`.
        case soleOpener
        /// Others have it open, and the shared versions are valid.
        case joined
    }

    /// The path of the data file.
    package let path: String
    package let isReadOnly: Bool
    /// False for databases in memory, for files that nobody else knows of, and for readers that
    /// cannot create or open `.lock`. These stay at one version, which they pin by a lock.
    package var isShared: Bool { lockFile >= 0 }
    /// True for a file that nobody else knows of, or can open.
    var isOnlyUser: Bool { lockFile < 0 && dataLock < 0 && dataFile >= 0 }
    /// True for a reader that cannot create or open `.lock`.
    package var readsUnshared: Bool { lockFile < 0 && dataLock >= 0 }

    /// Descriptors, or -1: databases in memory have none, readers without `.lock` lack the last.
    /// The data file's belongs to the caller of `open`, who closes it after `close`.
    let dataFile: Int32
    /// Of the data file, for its locks.
    let dataLock: Int32
    let lockFile: Int32
    let region: SharedRegion
    /// The index of this user's process slot.
    let processSlot: Int
    private let forkGeneration: UInt64

    let writeQueue = FairLock()
    /// Guarded by `writeQueue`.
    var writeLockState = WriteLockState()

    /// Guards the clearing of dead processes and the variable after it.
    let clearingLock = FairLock()
    /// When the liveness of other processes was last looked at.
    var lastLivenessCheck: UInt64 = 0

    /// Held while shared memory grows: a lock on `.lock` does not keep threads apart.
    let growingLock = FairLock()

    /// Guards the variable after it; opening and closing are rare.
    let phaseLock = FairLock()
    var phase: Phase

    enum Phase { case recovering, open, closing, closed }

    init(
        path: String, dataFile: Int32, dataLock: Int32, lockFile: Int32, readOnly: Bool,
        region: SharedRegion, processSlot: Int, phase: Phase
    ) {
        self.path = path
        self.dataFile = dataFile
        self.dataLock = dataLock
        self.lockFile = lockFile
        isReadOnly = readOnly
        self.region = region
        self.processSlot = processSlot
        self.phase = phase
        forkGeneration = realm_fork_generation()
    }

    deinit {
        if isForked {
            // The descriptors are closed already, and their numbers may be in use again. The
            // parent's locks and pins are not this process's to release.
            try? System.unmap(region.base, length: SharedRegion.size)
        } else if phase != .closed {
            releaseEverything()
        }
    }

    /// Whether this process is a forked child of the one that opened the database. Its descriptors
    /// of the data file and of `.lock` were closed by the fork and must not be closed again.
    package var isForked: Bool { realm_fork_generation() != forkGeneration }

    /// Throws `.usedAfterFork` in a forked child of the process that opened the database.
    package func checkNotForked() throws(StorageError) {
        if isForked {
            throw StorageError(
                .usedAfterFork, path: path,
                message: "The database at path '\(path)' was opened before this process was "
                    + "forked; open it again in the child process")
        }
    }

    /// A coordinator for a database in memory, used by this process only. It is its own sole
    /// opener: call `finishRecovery` before anything else.
    package static func inMemory(name: String) throws(StorageError) -> Coordinator {
        try unshared(path: name, dataFile: -1)
    }

    /// The same for a file that nobody else knows of: nobody is kept from opening it.
    static func unshared(path: String, dataFile: Int32) throws(StorageError) -> Coordinator {
        realm_watch_forks()
        let base = try StorageError.converting(.map, path: path) { () throws(SystemFailure) in
            try System.mapPrivate(length: SharedRegion.size)
        }
        if dataFile >= 0, !realm_close_in_forked_child(dataFile) {
            try? System.unmap(base, length: SharedRegion.size)
            throw StorageError(
                .tooManyReaders, path: path,
                message: "Too many databases are open in this process")
        }
        let coordinator = Coordinator(
            path: path, dataFile: dataFile, dataLock: -1, lockFile: -1, readOnly: false,
            region: SharedRegion(base: base), processSlot: 0, phase: .recovering)
        coordinator.region.initialize(dataFileInode: 0, blocks: 1)
        coordinator.describeProcess()
        return coordinator
    }

    /// Fills in this user's process slot.
    func describeProcess() {
        SharedRegion.raise(region.processSlotLimit, to: UInt32(processSlot) + 1)
        let slot = region.processSlot(processSlot)
        slot.processID.storeRelaxed(System.processID)
        slot.startTime.storeRelaxed(System.monotonicNanoseconds)
        // In this order: who is killed in between leaves the sum too high, never too low.
        _ = region.processCount.fetchAdd(1)
        slot.isInUse.storeRelease(1)
    }
}
