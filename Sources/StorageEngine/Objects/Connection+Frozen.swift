/// Connections with which any number of threads read at the same time.
extension Connection {
    /// Opens a view of the version that another connection reads, for any number of threads at the
    /// same time. In a write transaction, that is the version that it is based on.
    ///
    /// What reading uses does not change any more: the roots of all trees are loaded here, and the
    /// tables have no open changes. The connection must not move to another version, nor write. It
    /// pins its version as long as it exists; the last reference to it may be released by any
    /// thread.
    ///
    /// Waits until the version is published, if that is still being made durable.
    ///
    /// - Throws: `.tooManyReaders`, `.damaged`, `.usedAfterFork`; why the version could not be
    ///   published.
    public convenience init(freezing other: Connection) throws(StorageError) {
        try self.init(readingLike: other)
        try share()
    }

    /// Does the same in a write transaction whose base could not be published. What is seen then is
    /// no version of the file, and another transaction may come to have its number.
    ///
    /// - Throws: `.tooManyReaders`, `.damaged`, `.usedAfterFork`.
    public convenience init(freezingLostBaseOf other: Connection) throws(StorageError) {
        try self.init(other.database) { pager throws(StorageError) in
            try pager.beginRead(lostBaseOf: other.pager)
        }
        try share()
    }

    private func share() throws(StorageError) {
        try forest.loadAll(below: schema.nextTreeID)
        pager.share()
    }

    /// Calls `body`, which searches with this connection on the calling thread and keeps no
    /// pointers into pages: no `RowLocation` and no bytes of values. If several threads use the
    /// connection, pages of an encrypted file that `body` reads do not stay in memory then.
    public func searching<Result, E>(_ body: () throws(E) -> Result) throws(E) -> Result {
        try pager.searching(body)
    }

    /// Bytes of decrypted pages that this connection holds for itself.
    package var decryptedBytes: Int { pager.decryptedBytes }

    /// Whether the version is of an encrypted file with more pages than are kept decrypted for all
    /// connections, so that a frozen connection of it may come to hold much memory.
    public var exceedsDecryptedMemory: Bool {
        guard pager.file.cipher != nil, let record = pager.record else { return false }
        return pager.file.offset(of: record.pageCount) > pager.file.decryptedMemory.mostBytes
    }
}

extension Forest {
    /// Loads the roots of all trees with smaller ids, so that finding one changes nothing.
    fileprivate func loadAll(below end: UInt32) throws(StorageError) {
        for id in 0..<end { _ = try state(id) }
    }
}
