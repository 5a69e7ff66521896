/// The write lock, which admits one writer at a time. A writer first queues among the threads of
/// its process, then takes the byte-range lock that excludes other processes.
///
/// The process keeps the byte-range lock while its writers hand over to each other and while their
/// writes are on their way to the disk, but only for a limited time. How another process waits for
/// it is in `Coordinator+WaitingToWrite`.
extension Coordinator {
    /// Guarded by `writeQueue`.
    struct WriteLockState {
        var holdsProcessLock = false
        var heldSince: UInt64 = 0
        /// Whether this process was the last one to hold the lock, as far as it knows.
        var wasLastHolder = false
        /// Whether to let another process have its turn.
        var patience = Backoff()
    }

    package enum PreviousWriter: Equatable, Sendable {
        case finished
        /// The previous writer was killed while it held the lock. The file may contain pages and a
        /// record that were never published, and the free map in memory may be stale.
        case died
    }

    private static let maximumHoldNanoseconds: UInt64 = 5_000_000

    /// Waits until this caller is the only writer. Each call must be paired with one of
    /// `unlockAfterWriting`, which may be made by another thread.
    ///
    /// - Throws: `.readOnly`, `.usedAfterFork`, `.outcomeUnknown` if the file is poisoned, and
    ///   `.fileAccess` if the lock cannot be taken. The lock is not held then.
    package func lockForWriting() throws(StorageError) -> PreviousWriter {
        try checkMayWrite()
        writeQueue.lock()
        PlantedLockOwner.note()
        return try waitUntilLocked()
    }

    /// Does the same as `lockForWriting`, but returns nil instead of waiting.
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

    /// Admits the next writer of this process, while the process keeps the lock against others
    /// because its writes are still on their way to the disk. The lock must be held, by any thread.
    /// ``releaseProcessLock(ifIdle:)`` must be called when the writes have finished.
    package func handOverToNextWriter() {
        if isForked || planted(.givesLockToThread) && PlantedLockOwner.isAnother { return }
        writeQueue.unlock()
    }

    /// Admits writers of other processes, unless a writer of this process is active or waiting, or
    /// `isIdle` returns false because writes are on their way to the disk. `isIdle` is called while
    /// no thread of this process can write.
    package func releaseProcessLock(ifIdle isIdle: () -> Bool) {
        if !isShared || isForked { return }
        while writeQueue.tryLock() {
            let wasIdle = isIdle()
            if wasIdle { unlockProcess() }
            writeQueue.unlock()
            // A thread that became idle in between may have found `writeQueue` locked by this one,
            // and left the lock to it. So check again.
            if wasIdle || !isIdle() { return }
        }
    }

    /// Admits the next writer of any process. The lock must be held, by any thread, and no writes
    /// may be on their way to the disk.
    package func unlockAfterWriting() {
        handOverToNextWriter()
        releaseProcessLock(ifIdle: { true })
    }

    /// Whether the lock has been held for so long that a waiting process should get it before the
    /// next writer of this process begins.
    package var shouldLetOtherProcessesWrite: Bool {
        isShared && region.waitingProcessCount.loadAcquire() != 0
            && System.monotonicNanoseconds - writeLockState.heldSince
                >= Self.maximumHoldNanoseconds
    }

    /// Lets other processes write, then waits for the lock again. The lock must be held, and no
    /// writes may be on their way to the disk. If it throws, the lock is no longer held.
    package func letOtherProcessesWrite() throws(StorageError) -> PreviousWriter {
        unlockProcess()
        return try waitUntilLocked()
    }

    /// Waits for the byte-range lock. `writeQueue` must be held, and is unlocked if this throws.
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

    /// Takes the byte-range lock with `lockProcess` unless the process has it, and finds out how
    /// the previous writer ended. `writeQueue` must be held. Returns nil if `lockProcess` returns
    /// false.
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
            region.lastWriter.storeRelaxed(UInt32(processSlot) + 1)
            _ = region.lockCount.fetchAdd(1)
            while planted(.waitsForDeadWriter), region.writerActive.loadAcquire() != 0 {
                System.sleep(nanoseconds: 1_000_000)
            }
            if region.writerActive.exchange(1) != 0 {
                previous = .died
                endPublicationOfDead()
            }
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
        // Unlocking a range fails only if the kernel has no memory to split a lock, and this lock
        // is never part of a larger one. Should it fail, the lock remains held and is recorded as
        // held.
        do {
            try System.unlock(lockFile, LockRanges.writing)
            writeLockState.holdsProcessLock = false
            writeLockState.wasLastHolder = true
        } catch {
            region.writerActive.storeRelease(1)
        }
    }
}
