import CRealmSystem

/// The state that the users of one database file share across threads and processes: the writer,
/// the newest version, and the versions that are being read.
///
/// Any thread may call any method, unless a method says otherwise.
package final class Coordinator: @unchecked Sendable {
    // Safe to share: everything that is not constant is in the shared region, which is only
    // accessed atomically, or is guarded as noted at each variable below.

    package enum Role: Equatable, Sendable {
        /// No other process has the file open. The caller must recover it, then call
        /// `finishRecovery`.
        case soleOpener
        /// Other processes have the file open, and the shared versions are valid.
        case joined
    }

    /// The path of the data file.
    package let path: String
    package let isReadOnly: Bool
    /// Whether memory is shared through `.lock`. False for databases in memory, for files that are
    /// known to this process only, and for readers that cannot create or open `.lock`. Such readers
    /// stay at one version, which they pin by a lock.
    package var isShared: Bool { lockFile >= 0 }
    /// Whether the file is known to, or can be opened by, this process only.
    var isOnlyUser: Bool { lockFile < 0 && dataLock < 0 && dataFile >= 0 }
    /// Whether this is a reader that cannot create or open `.lock`.
    package var readsUnshared: Bool { lockFile < 0 && dataLock >= 0 }

    /// The descriptor of the data file; -1 for a database in memory. It belongs to the caller of
    /// `open`, who closes it after `close`.
    let dataFile: Int32
    /// The descriptor of the data file for its locks; -1 if the file is not locked.
    let dataLock: Int32
    /// The descriptor of `.lock`, or -1 without that file.
    let lockFile: Int32
    let region: SharedRegion
    /// The index of this user's process slot.
    let processSlot: Int
    private let forkGeneration: UInt64

    let writeQueue = FairLock()
    /// Guarded by `writeQueue`.
    var writeLockState = WriteLockState()

    /// Guards the clearing of dead processes and `lastLivenessCheck`.
    let clearingLock = FairLock()
    /// The time at which the liveness of other processes was last checked.
    var lastLivenessCheck: UInt64 = 0

    /// Held while the shared memory grows, because a lock on `.lock` does not exclude other threads
    /// of this process.
    let growingLock = FairLock()

    /// Guards `phase`. A simple lock suffices, because opening and closing are rare.
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
            // parent's locks and pins must not be released by this process.
            try? System.unmap(region.base, length: SharedRegion.size)
        } else if phase != .closed {
            releaseEverything()
        }
    }

    /// Whether this process is a forked child of the one that opened the database. The fork closed
    /// its descriptors of the data file and of `.lock`, and they must not be closed again.
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

    /// Creates a coordinator for a database in memory that only this process uses. The caller is
    /// the sole opener and must call `finishRecovery` first.
    package static func inMemory(name: String) throws(StorageError) -> Coordinator {
        try unshared(path: name, dataFile: -1)
    }

    /// Creates a coordinator for a file that only this process knows. Other processes are not
    /// prevented from opening it.
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
        // The sum is incremented first. A process that is killed in between leaves it too high,
        // never too low.
        _ = region.processCount.fetchAdd(1)
        slot.isInUse.storeRelease(1)
    }
}
