/// One writer at a time: first in line among the threads of this process, then the byte-range lock
/// against other processes.
///
/// The byte-range lock is kept while writers of this process hand over to each other, and while
/// what they wrote is on its way to the disk, but only for a while. And since the kernel lets a process that has just unlocked lock again before it has
/// woken the others, a process that sees others waiting lets one of them go first.
extension Coordinator {
    /// Guarded by `writeQueue`.
    struct WriteLockState {
        var holdsProcessLock = false
        var heldSince: UInt64 = 0
        /// Whether this process was the last, as far as it knows, to hold the lock.
        var wasLastHolder = false
    }

    package enum PreviousWriter: Equatable, Sendable {
        case finished
        /// It was killed while it held the lock: the file may hold pages and a record that were
        /// never published, and the free map in memory is not its last word.
        case died
    }

    private static let maximumHoldNanoseconds: UInt64 = 5_000_000
    private static let courtesy = Duration.milliseconds(1)

    /// Waits until this caller is the only writer. Pair with `unlockAfterWriting`, which another
    /// thread may call.
    ///
    /// - Throws: `.readOnly`, `.usedAfterFork`, `.outcomeUnknown` when the file is poisoned, and
    ///   `.fileAccess` when the lock cannot be taken. The lock is not held then.
    package func lockForWriting() throws(StorageError) -> PreviousWriter {
        try checkMayWrite()
        writeQueue.lock()
        PlantedLockOwner.note()
        return try waitUntilLocked()
    }

    /// Like `lockForWriting`, but returns nil when that would mean waiting.
    package func tryLockForWriting() throws(StorageError) -> PreviousWriter? {
        try checkMayWrite()
        guard writeQueue.tryLock() else { return nil }
        do {
            let previous = try finishLocking { () throws(SystemFailure) in try tryLockProcess() }
            if previous == nil { writeQueue.unlock() }
            return previous
        } catch {
            writeQueue.unlock()
            throw error
        }
    }

    /// Lets the next writer of this process go on, while the process keeps the lock against others:
    /// what has been written is still on its way to the disk. Only while the lock is held, by
    /// whichever thread. Call ``releaseProcessLock(ifIdle:)`` when it is there.
    package func handOverToNextWriter() {
        if isForked || planted(.givesLockToThread) && PlantedLockOwner.isAnother { return }
        writeQueue.unlock()
    }

    /// Lets other processes write unless a writer of this process is active or waits, or `isIdle`
    /// says that something is on its way to the disk. It is asked while nobody can write.
    package func releaseProcessLock(ifIdle isIdle: () -> Bool) {
        if !isShared || isForked { return }
        while writeQueue.tryLock() {
            let wasIdle = isIdle()
            if wasIdle { unlockProcess() }
            writeQueue.unlock()
            // Whoever became idle in between may have found the lock taken, by this.
            if wasIdle || !isIdle() { return }
        }
    }

    /// Lets the next writer go on, of whichever process. Only while the lock is held, by whichever
    /// thread, and nothing is on its way to the disk.
    package func unlockAfterWriting() {
        handOverToNextWriter()
        releaseProcessLock(ifIdle: { true })
    }

    /// Whether another process has waited for so long that it should have its turn before the
    /// holder of the lock begins.
    package var shouldLetOtherProcessesWrite: Bool {
        isShared && region.waitingProcessCount.loadAcquire() != 0
            && System.monotonicNanoseconds - writeLockState.heldSince
                >= Self.maximumHoldNanoseconds
    }

    /// Lets others write, and waits for the lock again. Only while the lock is held, and nothing is
    /// on its way to the disk. If it throws, the lock is not held any more.
    package func letOtherProcessesWrite() throws(StorageError) -> PreviousWriter {
        unlockProcess()
        return try waitUntilLocked()
    }

    /// Runs with `writeQueue` held, and gives it up when it throws.
    private func waitUntilLocked() throws(StorageError) -> PreviousWriter {
        do {
            return try finishLocking { () throws(SystemFailure) in
                letOthersGoFirst()
                if try !tryLockProcess() { try waitForProcessLock() }
                return true
            }!
        } catch {
            writeQueue.unlock()
            throw error
        }
    }

    private func checkMayWrite() throws(StorageError) {
        try checkNotForked()
        if isReadOnly {
            throw StorageError(
                .readOnly, path: path,
                message: "The database at path '\(path)' was opened for reading only")
        }
    }

    /// Runs with `writeQueue` held. Returns nil when `lockProcess` returns false.
    private func finishLocking(
        _ lockProcess: () throws(SystemFailure) -> Bool
    ) throws(StorageError) -> PreviousWriter? {
        var previous = PreviousWriter.finished
        if isShared, !writeLockState.holdsProcessLock {
            do {
                guard try lockProcess() else { return nil }
            } catch {
                throw StorageError(error, .lock, path: path)
            }
            writeLockState.holdsProcessLock = true
            writeLockState.heldSince = System.monotonicNanoseconds
            while planted(.waitsForDeadWriter), region.writerActive.loadAcquire() != 0 {
                System.sleep(nanoseconds: 1_000_000)
            }
            if region.writerActive.exchange(1) != 0 { previous = .died }
        }
        do {
            try checkNotPoisoned()
        } catch {
            unlockProcess()
            throw error
        }
        return previous
    }

    private func unlockProcess() {
        guard writeLockState.holdsProcessLock else { return }
        region.writerActive.storeRelease(0)
        // Unlocking a range fails only when the kernel has no memory to split a lock, and this
        // lock is never part of a larger one. Should it fail, the lock stays held and recorded.
        do {
            try System.unlock(lockFile, LockRanges.writing)
            writeLockState.holdsProcessLock = false
            writeLockState.wasLastHolder = true
        } catch {
            region.writerActive.storeRelease(1)
        }
    }

    // MARK: The byte-range lock

    private func tryLockProcess() throws(SystemFailure) -> Bool {
        try System.tryLock(lockFile, .exclusive, LockRanges.writing)
    }

    private func waitForProcessLock() throws(SystemFailure) {
        let word = region.processSlot(processSlot).isWaitingToWrite
        _ = region.waitingProcessCount.fetchAdd(1)
        word.storeSequential(1)
        defer {
            word.storeSequential(0)
            _ = region.waitingProcessCount.fetchAdd(UInt32.max)
            System.wake(word, isShared: true)
        }
        try System.lock(lockFile, .exclusive, LockRanges.writing)
    }

    /// Waits, for a bounded time, until a process that waits for the lock has got it.
    private func letOthersGoFirst() {
        guard writeLockState.wasLastHolder else { return }
        writeLockState.wasLastHolder = false
        guard region.waitingProcessCount.loadAcquire() != 0 else { return }
        for index in 0..<region.usedProcessSlots where index != processSlot {
            let slot = region.processSlot(index)
            guard slot.isInUse.loadRelaxed() != 0, slot.isWaitingToWrite.loadAcquire() != 0
            else { continue }
            System.wait(
                on: slot.isWaitingToWrite, while: 1, timeout: Self.courtesy, isShared: true)
            if slot.isWaitingToWrite.loadAcquire() != 0 { clearIfDead(processSlot: index) }
            return
        }
    }
}
