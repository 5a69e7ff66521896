/// Write transactions of a connection whose thread waits neither for the write lock nor for the
/// disk.
extension Pager {
    /// Begins a transaction if that takes no waiting. Returns whether it has begun.
    ///
    /// - Throws: what ``beginWrite()`` throws.
    func beginWriteIfFree() throws(StorageError) -> Bool {
        precondition(!isInWriteTransaction, "already writing")
        guard try writer.tryLock() else { return false }
        mayWait = false
        try beginWithLock()
        return true
    }

    /// Begins a transaction with a write lock that another thread has obtained. Returns false if
    /// the lock is not there, or not any more.
    ///
    /// - Throws: what ``beginWrite()`` throws.
    func beginWrite(with request: WriteLockRequest) throws(StorageError) -> Bool {
        precondition(!isInWriteTransaction, "already writing")
        guard try request.take() else { return false }
        mayWait = false
        try beginWithLock()
        return true
    }

    /// Makes the transaction a version that this connection reads from now on, and returns the
    /// group that is to make it durable; nil if it is durable already. Someone has to wait for the
    /// group, and thereby write it.
    ///
    /// A transaction without changes becomes no version; the group is that of its base.
    ///
    /// - Throws: what `commit` throws for what it does before anything is written.
    func commitWithoutWaiting(
        _ durability: CommitDurability
    ) throws(StorageError) -> CommitGroup? {
        // Pages that were written ahead are not in memory. There are more of them than anybody
        // would keep there.
        if ahead != nil {
            _ = try commit(durability)
            return nil
        }
        mayWait = false
        let base = writing.head.newest
        return try finish(durability) ?? base
    }

    /// Waits until the version that is read, or that the open write transaction is based on, is
    /// published, and so keeps its number for ever.
    ///
    /// - Throws: why it is not.
    func waitUntilPublished() throws(StorageError) {
        let group = isInWriteTransaction ? writing.head.newest : unpublished?.group
        if let group { _ = try writer.commits.waitUntilDurable(group) }
    }
}
