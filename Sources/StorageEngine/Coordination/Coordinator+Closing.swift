import CRealmSystem

extension Coordinator {
    /// Ends this process's use of the database. Must be called once, when no reader slot is claimed
    /// and no thread writes or waits.
    ///
    /// Returns true for the last process. The file is then locked exclusively until the caller,
    /// having written the clean-close marker, calls `releaseFinal`. The marker must not be written
    /// if `isPoisoned`. A read-only user and a database in memory are never the last process; the
    /// only user of a file that is not shared always is.
    package func close() throws(StorageError) -> Bool {
        try checkNotForked()
        let wasOpen = phaseLock.withLock {
            let wasOpen = phase == .open
            if wasOpen { phase = .closing }
            return wasOpen
        }
        if wasOpen, isOnlyUser { return true }
        if wasOpen, isShared, !isReadOnly {
            do {
                // The opening lock serializes opening and closing. If two processes close at the
                // same time, the second one sees that the first is gone.
                try System.lock(lockFile, .exclusive, on: LockRanges.opening)
                if try !isUsedByOthers() { return true }
            } catch {
                releaseFinal()
                throw StorageError(error, .lock, path: path)
            }
        }
        releaseFinal()
        return false
    }

    /// Excludes all other users until ``releaseFinal()``: a process that opens the file waits.
    /// Returns false, without any change, if another process has or may have the file open. Readers
    /// without `.lock` do not count. They keep the file that they have open if another one takes
    /// its place.
    package func becomeSoleUser() throws(StorageError) -> Bool {
        try checkNotForked()
        if !isShared || isReadOnly { return false }
        return try StorageError.converting(.lock, path: path) { () throws(SystemFailure) in
            try System.lock(lockFile, .exclusive, on: LockRanges.opening)
            if try !isUsedByOthers() { return true }
            try System.unlock(lockFile, LockRanges.opening)
            return false
        }
    }

    /// Whether another process shares memory, through this `.lock` or another one. Requires the
    /// opening lock.
    private func isUsedByOthers() throws(SystemFailure) -> Bool {
        if try System.isLockedByOther(lockFile, LockRanges.allProcesses) { return true }
        return try System.isLockedByOther(dataLock, LockRanges.sharing, against: .shared)
    }

    /// Releases everything. Must be called after `close` returned true. The caller closes the
    /// descriptor of the data file afterwards.
    package func releaseFinal() {
        phaseLock.withLock {
            if phase == .closed { return }
            releaseEverything()
            phase = .closed
        }
    }

    /// Releases the process slot, the mapping and the locks, in this order. The slot is cleared
    /// while its lock is held, which gives the right to clear it. The memory is unmapped before the
    /// locks are released, because a sole opener may come afterwards.
    func releaseEverything() {
        region.clearTraces(ofProcessSlot: processSlot)
        // These calls fail only for invalid arguments, and nothing could be undone here.
        try? System.unmap(region.base, length: SharedRegion.size)
        if dataFile >= 0 { realm_keep_in_forked_child(dataFile) }
        for descriptor in [dataLock, lockFile] where descriptor >= 0 {
            realm_keep_in_forked_child(descriptor)
            System.close(descriptor)
        }
    }
}
