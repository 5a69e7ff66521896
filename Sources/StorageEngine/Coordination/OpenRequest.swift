import CRealmSystem
import Glibc

/// The constants of one call of `Coordinator.open`, and one attempt at its protocol.
///
/// A lock lives as long as any descriptor *or mapping* of its open file description, in whatever
/// process. A forked child closes its descriptors and keeps its mappings, so locks and mappings
/// never share a description: both files are opened once more, for the locks and for the mapping.
struct OpenRequest {
    let path: String
    /// The caller's, which may be mapped: no lock is taken on it.
    let dataFile: Int32
    let readOnly: Bool
    let status: System.FileStatus
    /// A descriptor of the data file for its locks only.
    let dataLock: Int32

    var inode: UInt64 { status.inode }

    init(path: String, dataFile: Int32, readOnly: Bool) throws(StorageError) {
        self.path = path
        self.dataFile = dataFile
        self.readOnly = readOnly
        (status, dataLock) = try StorageError.converting(.open, path: path) {
            () throws(SystemFailure) in
            let status = try System.status(dataFile)
            let flags = (readOnly ? O_RDONLY : O_RDWR) | O_NONBLOCK | O_NOCTTY
            return (status, try System.open(path, flags: flags))
        }
        do {
            // Before the first lock is taken, so that no forked child keeps one.
            try closeInForkedChild(dataLock)
            try checkIsDataFile()
        } catch {
            abandon()
            throw error
        }
    }

    private func checkIsDataFile() throws(StorageError) {
        let opened = try StorageError.converting(.open, path: path) { () throws(SystemFailure) in
            try System.status(dataLock)
        }
        guard opened.inode == status.inode, opened.device == status.device else {
            throw replacedError
        }
    }

    /// With a lock on the data file, so that nobody replaces it from now on.
    private func checkIsStillAtPath() throws(StorageError) {
        guard let present = try? System.status(path: path), present.inode == status.inode,
            present.device == status.device
        else { throw replacedError }
    }

    private var replacedError: StorageError {
        StorageError(
            .fileAccess, path: path,
            message: "The database at path '\(path)' was replaced while it was being opened; "
                + "open it again")
    }

    /// Closes what this request opened. Not after `attempt` has returned a coordinator.
    func abandon() { close(dataLock) }

    func close(_ lockedDescriptor: Int32) {
        realm_keep_in_forked_child(lockedDescriptor)
        System.close(lockedDescriptor)
    }

    func closeInForkedChild(_ descriptor: Int32) throws(StorageError) {
        guard realm_close_in_forked_child(descriptor) else { throw Self.tooManyDatabases(path) }
    }

    static func tooManyDatabases(_ path: String) -> StorageError {
        StorageError(
            .tooManyReaders, path: path,
            message: "Too many databases are open in this process: '\(path)' is one more")
    }

    var lockPath: String { path + ".lock" }

    /// Returns nil when the attempt must be repeated (step 6); then no lock is held.
    func attempt() throws(StorageError) -> (Coordinator, Coordinator.Role)? {
        guard let lockFile = try openLockFile() else {
            return (try openWithoutLockFile(), .soleOpener)
        }
        var opened: (Coordinator, Coordinator.Role)?
        defer {
            if opened == nil {
                close(lockFile)
                try? System.unlock(dataLock, LockRanges.usingAndSharing)
            }
        }
        var isAlone = false
        var isAlive = false
        try StorageError.converting(.lock, path: path) { () throws(SystemFailure) in
            if !readOnly {
                isAlone = try System.tryLock(dataLock, .exclusive, LockRanges.usingAndSharing)
            }
            if !isAlone { try System.lock(dataLock, .shared, LockRanges.usingAndSharing) }
            try System.lock(lockFile, .exclusive, LockRanges.opening)
            let isUsed = try System.isLockedByOther(lockFile, LockRanges.allProcesses)
            if isAlone {
                isAlone = !isUsed
                return
            }
            isAlive = isUsed
            if isAlive { return }
            isAlone =
                readOnly
                ? try !System.isLockedByOther(dataLock, LockRanges.sharing)
                : try System.tryLock(dataLock, .exclusive, LockRanges.usingAndSharing)
        }
        try checkIsStillAtPath()
        if isAlive {
            opened = (try join(lockFile), .joined)
        } else if isAlone, isAtLockPath(lockFile) {
            opened = (try initialize(lockFile), .soleOpener)
        }
        return opened
    }

    // MARK: Step 4: alone

    private func initialize(_ lockFile: Int32) throws(StorageError) -> Coordinator {
        // It may have been empty before its lock was waited for.
        try checkIsOurs(lockFile)
        try allocate(lockFile)
        let region = try map(lockFile)
        region.initialize(dataFileInode: inode)
        return try claimProcessSlot(region, lockFile, .recovering)
    }

    // MARK: Step 5: joining

    private func join(_ lockFile: Int32) throws(StorageError) -> Coordinator {
        let size: UInt64
        do {
            size = try System.status(lockFile).size
        } catch {
            throw lockFileError(error, .open)
        }
        guard size >= UInt64(SharedRegion.size) else { throw incompatible("it was cut off") }
        let region = try map(lockFile)
        if let reason = mismatch(region) {
            try? System.unmap(region.base, length: SharedRegion.size)
            throw incompatible(reason)
        }
        return try claimProcessSlot(region, lockFile, .open)
    }

    /// Why the shared memory cannot be used, or nil.
    private func mismatch(_ region: SharedRegion) -> String? {
        if region.magic.loadAcquire() != SharedRegion.magic {
            return "it has another layout"
        }
        if region.inode.loadRelaxed() != inode {
            return "it belongs to another database file that was at this path"
        }
        let bootID = System.bootID ?? (0, 0)
        if (region.bootIDHigh.loadRelaxed(), region.bootIDLow.loadRelaxed()) != bootID {
            return "it is in use by a process on another machine"
        }
        return nil
    }

    /// Takes the first process slot whose lock is free. The opening lock is held, and released
    /// here unless recovery still has to be done. When this throws, the lock file is the caller's
    /// to close, which releases all locks on it.
    private func claimProcessSlot(
        _ region: SharedRegion, _ lockFile: Int32, _ phase: Coordinator.Phase
    ) throws(StorageError) -> Coordinator {
        do {
            for index in 0..<SharedRegion.processSlotCount
            where try System.tryLock(lockFile, .exclusive, LockRanges.process(index)) {
                // Whoever had it may have been killed, and nobody has looked since.
                if planted(.claimsSlotsUncleared) {
                    region.clearPins(ofProcessSlot: index)
                } else {
                    region.clearTraces(ofProcessSlot: index)
                }
                if phase == .open { try System.unlock(lockFile, LockRanges.opening) }
                guard realm_close_in_forked_child(dataFile) else { break }
                let coordinator = Coordinator(
                    path: path, dataFile: dataFile, dataLock: dataLock, lockFile: lockFile,
                    readOnly: readOnly,
                    region: region, processSlot: index, phase: phase)
                coordinator.describeProcess()
                return coordinator
            }
        } catch {
            try? System.unmap(region.base, length: SharedRegion.size)
            throw lockFileError(error, .lock)
        }
        try? System.unmap(region.base, length: SharedRegion.size)
        throw StorageError(
            .tooManyReaders, path: path,
            message: "The database at path '\(path)' cannot be opened: all "
                + "\(SharedRegion.processSlotCount) places for processes, or those of this "
                + "process, are taken")
    }

    // MARK: Without a lock file

    /// For a reader on media that it cannot write to. It keeps writers out by holding the first
    /// byte of the data file's lock, and must not come in where memory is shared already.
    private func openWithoutLockFile() throws(StorageError) -> Coordinator {
        let isWritable = try StorageError.converting(.lock, path: path) {
            () throws(SystemFailure) in
            try System.lock(dataLock, .shared, LockRanges.using)
            return try System.isLockedByOther(dataLock, LockRanges.sharing)
        }
        try checkIsStillAtPath()
        if isWritable {
            try? System.unlock(dataLock, LockRanges.using)
            throw StorageError(
                .permissionDenied, path: path,
                message: "The database at path '\(path)' is in use by another process, and "
                    + "reading beside it needs write access to '\(lockPath)'",
                systemError: EACCES)
        }
        let base = try StorageError.converting(.map, path: path) { () throws(SystemFailure) in
            try System.mapPrivate(length: SharedRegion.size)
        }
        let region = SharedRegion(base: base)
        region.initialize(dataFileInode: inode)
        do {
            try closeInForkedChild(dataFile)
        } catch {
            try? System.unmap(base, length: SharedRegion.size)
            throw error
        }
        let coordinator = Coordinator(
            path: path, dataFile: dataFile, dataLock: dataLock, lockFile: -1, readOnly: true,
            region: region,
            processSlot: 0, phase: .recovering)
        coordinator.describeProcess()
        return coordinator
    }

    // MARK: Errors

    func lockFileError(
        _ failure: SystemFailure, _ operation: StorageError.Operation
    ) -> StorageError {
        var error = StorageError(failure, operation, path: lockPath)
        error.path = path
        return error
    }

    func incompatible(_ reason: String) -> StorageError {
        StorageError(
            .incompatibleLockFile, path: path,
            message: "The lock file '\(lockPath)' cannot be used: \(reason). Close the database "
                + "in all processes and open it again")
    }

    /// Others hold locks for longer than opening takes, but not on both this file and this `.lock`.
    var strangersError: StorageError {
        let isLocked = { (range: System.LockRange) in
            (try? System.isLockedByOther(dataLock, range)) ?? false
        }
        if isLocked(LockRanges.sharing) {
            return incompatible(
                "it was removed or replaced while other processes have the database open")
        }
        if isLocked(LockRanges.using) {
            return incompatible(
                "a process that may only read has the database open without it")
        }
        return incompatible("it is in use for another database file that was at this path")
    }
}
