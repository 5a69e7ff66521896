import StorageEngine

extension Realm {
    /// The cost of the last commit of this Realm: pages, bytes, system calls and the time of its
    /// syncs.
    ///
    /// The value is nil before the first commit. A transaction without changes counts as an empty
    /// commit. This property is for programs that measure the database; it is not part of the
    /// application API.
    @_spi(Measurement) public var lastCommitStatistics: CommitStatistics? {
        instance.checkThread()
        return instance.lastCommit
    }
}
