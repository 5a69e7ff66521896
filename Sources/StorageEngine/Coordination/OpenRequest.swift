import CRealmSystem
import Glibc

/// The constants of one call of `Coordinator.open`, and a single attempt at its protocol.
///
/// A lock lives as long as any descriptor *or mapping* of its open file description, in any
/// process. A forked child closes its descriptors but keeps its mappings, so locks and mappings
/// must never share a description. Therefore both files are opened twice: once for the locks, and
/// once for the mapping.
struct OpenRequest {
    let path: String
    /// The caller's descriptor, which may be mapped. No lock is taken on it.
    let dataFile: Int32
    let readOnly: Bool
    let status: System.FileStatus
    /// A descriptor of the data file for its locks only.
    let dataLock: Int32
    /// Whether `dataLock` is open for writing, which exclusive locks need. It may be, even if the
    /// caller only reads.
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
            // This comes before the first lock is taken, so that no forked child keeps one.
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

    /// Checks that the path still leads to the data file. With the opening lock held, no process
    /// can replace the file from then on.
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

    /// Closes what this request opened. Must not be called after `attempt` has returned a
    /// coordinator.
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

    /// Makes one attempt. Returns nil if it must be repeated (step 5); then no lock is held.
    func attempt() throws(StorageError) -> (Coordinator, Coordinator.Role)? {
        guard mayWrite, let lockFile = try openLockFile() else {
            return (try openWithoutLockFile(), .soleOpener)
        }
        var opened: (Coordinator, Coordinator.Role)?
        defer { if opened == nil { close(lockFile) } }
        var isAlive = false
        var isAlone = false
        try StorageError.converting(.lock, path: path) { () throws(SystemFailure) in
            try System.lock(lockFile, .exclusive, on: LockRanges.opening)
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
        // The file may have been empty before this process waited for its lock.
        let size = try checkIsOurs(lockFile)
        try setAccess(lockFile)
        let blocks = try allocate(lockFile, size: size)
        let region = try map(lockFile)
        region.initialize(dataFileInode: inode, blocks: blocks)
        return try claimProcessSlot(region, lockFile, in: .recovering)
    }

    // MARK: Step 3: joining

    /// Joins the shared memory. Returns nil if it is in use for another data file that was at this
    /// path, perhaps only by a process that is just dying.
    private func join(_ lockFile: Int32) throws(StorageError) -> Coordinator? {
        // Parts of the mapping beyond the end of the file must not be accessed, so check the size
        // first.
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
        return try claimProcessSlot(region, lockFile, in: .open)
    }

    private static let cutOff = "it was cut off"

    /// Returns why the shared memory cannot be used, or nil. `size` is an earlier size of the file.
    private func mismatch(_ region: SharedRegion, _ lockFile: Int32, size: UInt64) -> String? {
        if region.magic.loadAcquire() != SharedRegion.magic {
            return "it has another layout"
        }
        let bootID = System.bootID ?? (0, 0)
        if (region.bootIDHigh.loadRelaxed(), region.bootIDLow.loadRelaxed()) != bootID {
            return "it is in use by a process on another machine"
        }
        // The file may have been extended since, and `presentBlocks` with it.
        let needed = UInt64(region.presentBlocks * SharedRegion.blockSize)
        if size < needed, (try? System.status(lockFile).size) ?? 0 < needed { return Self.cutOff }
        return nil
    }

    /// Takes the first process slot whose lock is free.
    ///
    /// The opening lock must be held. It is released here unless recovery is still to be done.
    /// Returns nil if another process shares memory through another `.lock`. When this throws or
    /// returns nil, the caller must close the lock file, which releases all locks on it.
    private func claimProcessSlot(
        _ region: SharedRegion, _ lockFile: Int32, in phase: Coordinator.Phase
    ) throws(StorageError) -> Coordinator? {
        var isOver = false
        defer { if !isOver { try? System.unmap(region.base, length: SharedRegion.size) } }
        guard let index = try lockFreeProcessSlot(lockFile) else { throw tooManyProcessesError }
        do {
            guard try lockSharing(index) else { return nil }
        } catch {
            throw lockFileError(error, .lock)
        }
        // Removing a file requires that no process shares it, and is done without the opening lock.
        // Therefore check again after the sharing lock was taken.
        try checkIsStillAtPath()
        do {
            let blocks = SharedRegion.blocks(toHoldProcessSlot: index)
            try region.grow(toBlocks: blocks, lockFile: lockFile)
        } catch {
            throw lockFileError(error, .resize)
        }
        // The previous user of the slot may have been killed without any process having looked
        // since.
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

    /// Locks the first process slot whose lock is free, and returns its index; nil if there is
    /// none.
    private func lockFreeProcessSlot(_ lockFile: Int32) throws(StorageError) -> Int? {
        do {
            for index in 0..<SharedRegion.processSlotCount
            where try System.tryLock(lockFile, .exclusive, on: LockRanges.process(index)) {
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

    /// Takes the sharing lock, which makes this user known to processes that use another `.lock` or
    /// none. Returns false if one of them was faster.
    ///
    /// A user who may only read the data file can hold a shared lock on it for any length of time.
    /// Such a lock neither excludes this process, nor keeps others from finding it through the lock
    /// file.
    private func lockSharing(_ processSlot: Int) throws(SystemFailure) -> Bool {
        let range = LockRanges.sharing(processSlot)
        if try System.tryLock(dataLock, .exclusive, on: range) { return true }
        return try !System.isLockedByOther(dataLock, range, against: .shared)
    }

    // MARK: Without a lock file

    /// Opens the database for a reader that may not write the file, or cannot have a lock file.
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

    /// The error for locks that others hold for longer than opening takes, but not on both this
    /// file and this `.lock`.
    var strangersError: StorageError {
        if (try? System.isLockedByOther(dataLock, LockRanges.sharing, against: .shared)) == true {
            return incompatible(
                "it was removed or replaced while other processes have the database open")
        }
        return incompatible("it is in use for another database file that was at this path")
    }
}
