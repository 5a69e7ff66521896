import CRealmSystem
import Glibc

/// The constants of one call of `Coordinator.open`, and one attempt at its protocol.
struct OpenRequest {
    let path: String
    let dataFile: Int32
    let readOnly: Bool
    let inode: UInt64

    var lockPath: String { path + ".lock" }

    /// Returns nil when the attempt must be repeated (step 6); then no lock is held.
    func attempt() throws(StorageError) -> (Coordinator, Coordinator.Role)? {
        guard let lockFile = try openLockFile() else {
            return (try openWithoutLockFile(), .soleOpener)
        }
        var opened: (Coordinator, Coordinator.Role)?
        defer {
            if opened == nil {
                System.close(lockFile)
                try? System.unlock(dataFile, LockRanges.usingAndSharing)
            }
        }
        var isAlone = false
        var isAlive = false
        try StorageError.converting(.lock, path: path) { () throws(SystemFailure) in
            if !readOnly {
                isAlone = try System.tryLock(dataFile, .exclusive, LockRanges.usingAndSharing)
            }
            if !isAlone { try System.lock(dataFile, .shared, LockRanges.usingAndSharing) }
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
                ? try !System.isLockedByOther(dataFile, LockRanges.sharing)
                : try System.tryLock(dataFile, .exclusive, LockRanges.usingAndSharing)
        }
        if isAlive {
            opened = (try join(lockFile), .joined)
        } else if isAlone, isAtLockPath(lockFile) {
            opened = (try initialize(lockFile), .soleOpener)
        }
        return opened
    }

    // MARK: The lock file

    /// Returns nil when a reader may not create or open it.
    private func openLockFile() throws(StorageError) -> Int32? {
        do {
            return try System.open(lockPath, flags: O_RDWR | O_CREAT, permissions: 0o666)
        } catch {
            if readOnly, [EROFS, EACCES, EPERM].contains(error.errno) { return nil }
            throw lockFileError(error, .open)
        }
    }

    /// Whether the file that was opened is still the one at the path: somebody may have removed it
    /// before its lock was taken.
    private func isAtLockPath(_ lockFile: Int32) -> Bool {
        guard let opened = try? System.status(lockFile),
            let present = try? System.status(path: lockPath)
        else { return false }
        return opened.inode == present.inode && opened.device == present.device
    }

    private func map(_ lockFile: Int32) throws(StorageError) -> SharedRegion {
        do {
            let base = try System.mapShared(lockFile, length: SharedRegion.size)
            return SharedRegion(base: base)
        } catch {
            throw lockFileError(error, .map)
        }
    }

    // MARK: Step 4: alone

    private func initialize(_ lockFile: Int32) throws(StorageError) -> Coordinator {
        do {
            guard try System.status(lockFile).isRegularFile else {
                throw incompatible("it is not a regular file")
            }
            // Allocated, so that storing into the mapping cannot fail on a full disk. Never
            // truncated: nobody is left who maps it, but no bug elsewhere should be a SIGBUS.
            try System.allocate(lockFile, offset: 0, length: UInt64(SharedRegion.size))
        } catch let failure as SystemFailure {
            throw lockFileError(failure, .resize)
        } catch let error as StorageError {
            throw error
        } catch {
            preconditionFailure("nothing else is thrown above")
        }
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
                region.clearPins(ofProcessSlot: index)
                if phase == .open { try System.unlock(lockFile, LockRanges.opening) }
                guard realm_close_in_forked_child(lockFile) else { break }
                guard realm_close_in_forked_child(dataFile) else {
                    realm_keep_in_forked_child(lockFile)
                    break
                }
                let coordinator = Coordinator(
                    path: path, dataFile: dataFile, lockFile: lockFile, readOnly: readOnly,
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
            try System.lock(dataFile, .shared, LockRanges.using)
            return try System.isLockedByOther(dataFile, LockRanges.sharing)
        }
        if isWritable {
            try? System.unlock(dataFile, LockRanges.using)
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
        guard realm_close_in_forked_child(dataFile) else {
            try? System.unmap(base, length: SharedRegion.size)
            throw StorageError(
                .tooManyReaders, path: path,
                message: "Too many databases are open in this process")
        }
        let coordinator = Coordinator(
            path: path, dataFile: dataFile, lockFile: -1, readOnly: true, region: region,
            processSlot: 0, phase: .recovering)
        coordinator.describeProcess()
        return coordinator
    }

    // MARK: Errors

    private func lockFileError(
        _ failure: SystemFailure, _ operation: StorageError.Operation
    ) -> StorageError {
        var error = StorageError(failure, operation, path: lockPath)
        error.path = path
        return error
    }

    private func incompatible(_ reason: String) -> StorageError {
        StorageError(
            .incompatibleLockFile, path: path,
            message: "The lock file '\(lockPath)' cannot be used: \(reason). Close the database "
                + "in all processes and open it again")
    }

    /// Others hold locks for longer than opening takes, but not on both this file and this `.lock`.
    var strangersError: StorageError {
        let isLocked = { (range: System.LockRange) in
            (try? System.isLockedByOther(dataFile, range)) ?? false
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
