import StorageEngine

extension Realm {
    /// What the last commit of this Realm cost: pages, bytes, calls and the time of its syncs. Nil
    /// before the first one; a transaction that changed nothing counts as a commit of nothing.
    ///
    /// For programs that measure the database; not part of the API that applications use.
    @_spi(Measurement) public var lastCommitStatistics: CommitStatistics? {
        instance.checkThread()
        return instance.lastCommit
    }
}
