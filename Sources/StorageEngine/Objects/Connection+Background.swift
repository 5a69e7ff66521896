/// Write transactions of a thread that waits neither for the write lock nor for the disk; see
/// docs/changes.md, "Asynchronous writes".
extension Connection {
    /// Begins a write transaction on the newest version if that takes no waiting. Returns whether
    /// it has begun.
    public func beginWriteIfFree() throws(StorageError) -> Bool {
        try begin { () throws(StorageError) in try pager.beginWriteIfFree() }
    }

    /// Begins a write transaction with a write lock that a ``BackgroundWriter`` has obtained.
    /// Returns false if the lock is not there, or not any more.
    public func beginWrite(with request: WriteLockRequest) throws(StorageError) -> Bool {
        try begin { () throws(StorageError) in try pager.beginWrite(with: request) }
    }

    /// Commits the transaction, and has `writer` make it durable. The connection reads its version
    /// from now on; others see it once it is durable, as after ``commit(_:keepingVersion:)``.
    ///
    /// If this throws, the transaction is rolled back, but for `.committedUnread`, as in
    /// ``commit(_:keepingVersion:)``, and `whenDone` is not called. Otherwise it
    /// is called on another thread, with the reason if the transaction could not be written. Its
    /// changes are lost then, and what this connection shows is no version of the file; see
    /// ``failureOfUnpublished``.
    ///
    /// Waits for the disk if the transaction was so large that it was written ahead, or, while
    /// other commits are on their way to the disk, if it has changed more than 64 pages.
    public func commitInBackground(
        _ durability: CommitDurability, with writer: BackgroundWriter,
        whenDone: @escaping @Sendable (StorageError?) -> Void
    ) throws(StorageError) {
        precondition(isInWriteTransaction, "commit outside a write transaction")
        let group: CommitGroup?
        do {
            try completeTransaction()
            let version = pager.writeVersion
            group = try pager.commitWithoutWaiting(durability)
            try moved(from: version)
        } catch {
            commitFailed(with: error)
            throw error
        }
        if let group { writer.finish(group, whenDone: whenDone) } else { whenDone(nil) }
    }

    /// Why the version that this connection shows was never published; nil if it was, or may still
    /// be. The connection must not be used for anything but ``endRead()`` then.
    public var failureOfUnpublished: StorageError? {
        isInWriteTransaction ? nil : pager.unpublished?.failure
    }

    /// Whether this connection shows a version that was not published when it was committed.
    public var isUnpublished: Bool { pager.unpublished != nil }

    /// Waits until the version that this connection shows is published, or in a write transaction
    /// the one that it is based on.
    ///
    /// - Throws: why it was not.
    public func waitUntilPublished() throws(StorageError) { try pager.waitUntilPublished() }
}
