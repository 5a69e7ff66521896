import CRealmSystem

extension Coordinator {
    /// Ends the use of the database by this process. Once, when no reader slot is claimed and no
    /// thread writes or waits.
    ///
    /// Returns true for the last process: the file is then locked exclusively, and stays so until
    /// the caller, having written the clean-close marker, calls `releaseFinal`. The marker must not
    /// be written when `isPoisoned`. A reader, or a database in memory, never is the last process;
    /// the only user of a file that nobody else knows of always is.
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
                // Serialises with others that open and close: of two that close at a time, the
                // second sees that the first is gone.
                try System.lock(lockFile, .exclusive, LockRanges.opening)
                if try !isUsedByOthers() { return true }
            } catch {
                releaseFinal()
                throw StorageError(error, .lock, path: path)
            }
        }
        releaseFinal()
        return false
    }

    /// Keeps everybody else out until ``releaseFinal()``: whoever opens the file waits. False, and
    /// nothing has changed, if somebody else has it open, or may have; but for readers without
    /// `.lock`, who keep the file that they have if another one takes its place.
    package func becomeSoleUser() throws(StorageError) -> Bool {
        try checkNotForked()
        if !isShared || isReadOnly { return false }
        return try StorageError.converting(.lock, path: path) { () throws(SystemFailure) in
            try System.lock(lockFile, .exclusive, LockRanges.opening)
            if try !isUsedByOthers() { return true }
            try System.unlock(lockFile, LockRanges.opening)
            return false
        }
    }

    /// Whether anybody else shares memory, here or by another `.lock`. With the opening lock.
    private func isUsedByOthers() throws(SystemFailure) -> Bool {
        if try System.isLockedByOther(lockFile, LockRanges.allProcesses) { return true }
        return try System.isLockedByOther(dataLock, LockRanges.sharing, against: .shared)
    }

    /// Releases everything. After `close` returned true; the data file's descriptor is the
    /// caller's to close, afterwards.
    package func releaseFinal() {
        phaseLock.withLock {
            if phase == .closed { return }
            releaseEverything()
            phase = .closed
        }
    }

    /// The order matters: what names the process slot goes while its lock is held, which gives the
    /// right to clear it; the mapping goes before the locks, after which a sole opener may come.
    func releaseEverything() {
        region.clearTraces(ofProcessSlot: processSlot)
        // These calls only fail for wrong arguments; there is nothing left to undo.
        try? System.unmap(region.base, length: SharedRegion.size)
        if dataFile >= 0 { realm_keep_in_forked_child(dataFile) }
        for descriptor in [dataLock, lockFile] where descriptor >= 0 {
            realm_keep_in_forked_child(descriptor)
            System.close(descriptor)
        }
    }
}
