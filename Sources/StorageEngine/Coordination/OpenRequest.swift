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
    /// Whether that is open for writing, as exclusive locks need; also if the caller only reads.
    let mayWrite: Bool

    var inode: UInt64 { status.inode }

    init(path: String, dataFile: Int32, readOnly: Bool) throws(StorageError) {
        self.path = path
        self.dataFile = dataFile
        self.readOnly = readOnly
        (status, dataLock, mayWrite) = try StorageError.converting(.open, path: path) {
            () throws(SystemFailure) in
            let status = try System.status(dataFile)
            let flags = O_NONBLOCK | O_NOCTTY
            do throws(SystemFailure) {
                return (status, try System.open(path, flags: O_RDWR | flags), true)
            } catch {
                guard readOnly, Self.isDenial(error) else { throw error }
                return (status, try System.open(path, flags: O_RDONLY | flags), false)
            }
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

    static func isDenial(_ failure: SystemFailure) -> Bool {
        [EROFS, EACCES, EPERM].contains(failure.errno)
    }

    private func checkIsDataFile() throws(StorageError) {
        let opened = try StorageError.converting(.open, path: path) { () throws(SystemFailure) in
            try System.status(dataLock)
        }
        guard opened.inode == status.inode, opened.device == status.device else {
            throw replacedError
        }
    }

    /// With the opening lock, so that nobody replaces it from now on.
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
        if planted(.keepsLocksInForks) { return }
        guard realm_close_in_forked_child(descriptor) else { throw Self.tooManyDatabases(path) }
    }

    static func tooManyDatabases(_ path: String) -> StorageError {
        StorageError(
            .tooManyReaders, path: path,
            message: "Too many databases are open in this process: '\(path)' is one more")
    }

    var lockPath: String { path + ".lock" }

    /// Returns nil when the attempt must be repeated (step 5); then no lock is held.
    func attempt() throws(StorageError) -> (Coordinator, Coordinator.Role)? {
        guard mayWrite, let lockFile = try openLockFile() else {
            return (try openWithoutLockFile(), .soleOpener)
        }
        var opened: (Coordinator, Coordinator.Role)?
        defer { if opened == nil { close(lockFile) } }
        var isAlive = false
        var isAlone = false
        try StorageError.converting(.lock, path: path) { () throws(SystemFailure) in
            try System.lock(lockFile, .exclusive, LockRanges.opening)
            isAlive = try System.isLockedByOther(lockFile, LockRanges.allProcesses)
            if isAlive { return }
            isAlone = try !System.isLockedByOther(dataLock, LockRanges.sharing, against: .shared)
        }
        try checkIsStillAtPath()
        if isAlive {
            if let coordinator = try join(lockFile) { opened = (coordinator, .joined) }
        } else if isAlone, isAtLockPath(lockFile) {
            if let coordinator = try initialize(lockFile) { opened = (coordinator, .soleOpener) }
        }
        return opened
    }

    // MARK: Step 4: alone

    private func initialize(_ lockFile: Int32) throws(StorageError) -> Coordinator? {
        // It may have been empty before its lock was waited for.
        let size = try checkIsOurs(lockFile)
        try setAccess(lockFile)
        let blocks = try allocate(lockFile, size: size)
        let region = try map(lockFile)
        region.initialize(dataFileInode: inode, blocks: blocks)
        return try claimProcessSlot(region, lockFile, .recovering)
    }

    // MARK: Step 5: joining

    /// Nil where it is in use for another data file that was at this path; perhaps only by a
    /// process that just dies.
    private func join(_ lockFile: Int32) throws(StorageError) -> Coordinator? {
        // Nothing of the mapping may be touched that the file does not have.
        let size: UInt64
        do {
            size = try System.status(lockFile).size
        } catch {
            throw lockFileError(error, .open)
        }
        guard size >= UInt64(SharedRegion.blockSize) else { throw incompatible(Self.cutOff) }
        let region = try map(lockFile)
        let reason = mismatch(region, lockFile, size: size)
        if reason != nil || region.inode.loadRelaxed() != inode {
            try? System.unmap(region.base, length: SharedRegion.size)
            if let reason { throw incompatible(reason) }
            return nil
        }
        return try claimProcessSlot(region, lockFile, .open)
    }

    private static let cutOff = "it was cut off"

    /// Why the shared memory cannot be used, or nil. `size`: of the file, some time ago.
    private func mismatch(_ region: SharedRegion, _ lockFile: Int32, size: UInt64) -> String? {
        if region.magic.loadAcquire() != SharedRegion.magic {
            return "it has another layout"
        }
        let bootID = System.bootID ?? (0, 0)
        if (region.bootIDHigh.loadRelaxed(), region.bootIDLow.loadRelaxed()) != bootID {
            return "it is in use by a process on another machine"
        }
        // It may have become longer since, and then says so.
        let needed = UInt64(region.presentBlocks * SharedRegion.blockSize)
        if size < needed, (try? System.status(lockFile).size) ?? 0 < needed { return Self.cutOff }
        return nil
    }

    /// Takes the first process slot whose lock is free. The opening lock is held, and released
    /// here unless recovery still has to be done. When this throws, or returns nil because somebody
    /// shares memory by another `.lock`, the lock file is the caller's to close, which releases all
    /// locks on it.
    private func claimProcessSlot(
        _ region: SharedRegion, _ lockFile: Int32, _ phase: Coordinator.Phase
    ) throws(StorageError) -> Coordinator? {
        var isOver = false
        defer { if !isOver { try? System.unmap(region.base, length: SharedRegion.size) } }
        guard let index = try lockFreeProcessSlot(lockFile) else { throw tooManyProcessesError }
        do {
            guard try lockSharing(index) else { return nil }
        } catch {
            throw lockFileError(error, .lock)
        }
        // Who removes the file does so where nobody shares it, without the opening lock.
        try checkIsStillAtPath()
        do {
            let blocks = SharedRegion.blocks(toHoldProcessSlot: index)
            try region.grow(toBlocks: blocks, lockFile: lockFile)
        } catch {
            throw lockFileError(error, .resize)
        }
        // Whoever had the slot may have been killed, and nobody has looked since.
        if planted(.claimsSlotsUncleared) {
            region.clearPins(ofProcessSlot: index)
        } else {
            region.clearTraces(ofProcessSlot: index)
        }
        guard realm_close_in_forked_child(dataFile) else { throw Self.tooManyDatabases(path) }
        if phase == .open {
            do { try System.unlock(lockFile, LockRanges.opening) } catch {
                realm_keep_in_forked_child(dataFile)
                throw lockFileError(error, .lock)
            }
        }
        isOver = true
        let coordinator = Coordinator(
            path: path, dataFile: dataFile, dataLock: dataLock, lockFile: lockFile,
            readOnly: readOnly,
            region: region, processSlot: index, phase: phase)
        coordinator.describeProcess()
        return coordinator
    }

    /// The first slot whose lock was free; nil if there is none.
    private func lockFreeProcessSlot(_ lockFile: Int32) throws(StorageError) -> Int? {
        do {
            for index in 0..<SharedRegion.processSlotCount
            where try System.tryLock(lockFile, .exclusive, LockRanges.process(index)) {
                return index
            }
            return nil
        } catch {
            throw lockFileError(error, .lock)
        }
    }

    private var tooManyProcessesError: StorageError {
        StorageError(
            .tooManyReaders, path: path,
            message: "The database at path '\(path)' cannot be opened: all "
                + "\(SharedRegion.processSlotCount) places for processes are taken")
    }

    /// Tells those who use another `.lock`, or none, that there is somebody. False where one of
    /// them was faster.
    ///
    /// Who may only read the data file can lock it shared for as long as it likes. That keeps
    /// nobody out, and nobody from being found by the way of the lock file.
    private func lockSharing(_ processSlot: Int) throws(SystemFailure) -> Bool {
        let range = LockRanges.sharing(processSlot)
        if try System.tryLock(dataLock, .exclusive, range) { return true }
        return try !System.isLockedByOther(dataLock, range, against: .shared)
    }

    // MARK: Without a lock file

    /// For a reader that may not write the file, or cannot have a lock file.
    private func openWithoutLockFile() throws(StorageError) -> Coordinator {
        try Coordinator.checkNobodyShares(path, dataLock)
        try checkIsStillAtPath()
        let base = try StorageError.converting(.map, path: path) { () throws(SystemFailure) in
            try System.mapPrivate(length: SharedRegion.size)
        }
        let region = SharedRegion(base: base)
        region.initialize(dataFileInode: inode, blocks: 1)
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
        .ofLockFile(failure, operation, path: path)
    }

    func incompatible(_ reason: String) -> StorageError {
        StorageError(
            .incompatibleLockFile, path: path,
            message: "The lock file '\(lockPath)' cannot be used: \(reason). Close the database "
                + "in all processes and open it again")
    }

    /// Others hold locks for longer than opening takes, but not on both this file and this `.lock`.
    var strangersError: StorageError {
        if (try? System.isLockedByOther(dataLock, LockRanges.sharing, against: .shared)) == true {
            return incompatible(
                "it was removed or replaced while other processes have the database open")
        }
        return incompatible("it is in use for another database file that was at this path")
    }
}
