extension Connection {
    /// For how long a transaction that is being made durable is waited for.
    private static let longestWait = Duration.seconds(10)

    /// Opens a view of the version that another connection reads, for any number of threads at the
    /// same time. In a write transaction, that is the version from before it.
    ///
    /// What reading uses does not change any more: the roots of all trees are loaded here, and the
    /// tables have no open changes. The connection must not move to another version, nor write. It
    /// pins its version as long as it exists; the last reference to it may be released by any
    /// thread.
    ///
    /// - Throws: `.tooManyReaders`, `.damaged`, `.usedAfterFork`.
    public convenience init(freezing other: Connection) throws(StorageError) {
        if other.isInWriteTransaction {
            // The transaction may be based on one that a thread of this process is still making
            // durable. No other one follows, because this one has the write lock.
            let base = other.version
            if other.database.newestVersion < base {
                _ = other.database.waitForVersion(
                    newerThan: base - 1, timeout: Self.longestWait)
            }
            try self.init(other.database)
        } else {
            try self.init(readingLike: other)
        }
        try forest.loadAll(below: schema.nextTreeID)
        pager.share()
    }
}

extension Forest {
    /// Loads the roots of all trees with smaller ids, so that finding one changes nothing.
    fileprivate func loadAll(below end: UInt32) throws(StorageError) {
        for id in 0..<end { _ = try state(id) }
    }
}
