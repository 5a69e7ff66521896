/// An open write transaction: the write lock, the free map, and private copies of what it changes.
///
/// Exists exactly as long as the lock is held for it. It ends in one of two ways: it joins a group
/// of commits (``join(_:)``, then ``handOver()``), or it is rolled back (``rollBack()``).
///
/// Used by the thread of its ``Pager``, which reads through it and passes errors on to it.
struct WriteTransaction: ~Copyable {
    /// What its owner wishes of it.
    struct Settings {
        /// Whether it writes so much that filling new space beforehand would cost more than it
        /// saves.
        var writesInBulk: Bool
        /// Private copies beyond this many bytes are written ahead.
        var memoryLimit: Int
        /// Whether it may wait for a sync when it begins.
        var mayWait: Bool
    }

    /// Pages that the transaction takes for commit slots.
    enum SlotPages: Equatable {
        case undecided
        /// It has taken them, from this page on.
        case taken(UInt64)
        /// It takes none any more.
        case declined
    }

    let writer: Writer
    let settings: Settings
    /// The record of the version that it is based on, which may be one of a group that is not in
    /// the file yet. Nobody can free what that version reaches while the lock is held.
    let base: CommitRecord?
    /// Where pages of the base that are in the file are read.
    let pages: MappedPages?
    /// The groups that the base is a part of, as far as they are not in the file.
    let head: CommitQueue.Head
    /// Pages of later births are in memory: the transaction's own, and those of its head.
    let newestVersionInFile: UInt64

    /// The birth of everything that the transaction writes, and the version that it becomes.
    private(set) var version: UInt64
    var map: FreeMap
    var memory: PageMemory
    /// The root of the forest. Its owner sets it before the commit.
    var root: PageReference
    /// The roots themselves, as bytes, where they are few and `root` is none: no page is written
    /// for them. At most ``CommitRecord/inlineRootsCapacity`` bytes.
    var inlineRoots: [UInt8]
    var slotPages = SlotPages.undecided
    /// What it has written ahead; nil if nothing.
    var ahead: PagesAhead?
    /// What it did, if that is to be kept in the change log.
    var recordedChanges: (writer: UInt64, changes: ChangeSet)?
    /// Whether its version is to have no free pages at the end of the file: for a file that is
    /// complete with it. The file is cut when it is closed, at the latest.
    var leavesNoTail = false
    /// Whether the next change has more to do than to begin: the transaction has failed, its memory
    /// is to be freed, or an index has much to catch up on.
    var needsAttention = false
    /// The first error that the transaction met, see ``Pager/transactionFailure``.
    private(set) var failure: StorageError?

    /// Begins a transaction on the newest version. The write lock is held, and `snapshot` is of the
    /// newest visible version.
    ///
    /// - Throws: `.damaged`, `.fileAccess`, `.addressSpaceExhausted`, `.outcomeUnknown`. The lock
    ///   is still held.
    init(
        _ writer: Writer, on head: CommitQueue.Head, above snapshot: Snapshot,
        settings: Settings
    ) throws(StorageError) {
        let file = writer.file
        let base = head.newest?.record ?? snapshot.record
        pages = file.isMapped(with: snapshot.pages?.stamp ?? 0) ? snapshot.pages : file.pages
        var map = try writer.takeMap(of: base)
        try file.map(pageCount: max(base?.pageCount ?? 0, map.space.pageCount))
        try map.reclaim(
            visible: snapshot.version, below: base, joining: head.open != nil, in: file,
            readBy: writer.coordinator)
        if settings.mayWait, map.shouldWaitForSync(in: file) {
            try writer.backgroundSync.syncNow()
            try map.reclaim(
                visible: snapshot.version, below: base, in: file,
                readBy: writer.coordinator)
        }
        writer.tailRelease.look(at: &map.space, version: base?.version ?? 0, record: base)
        self.writer = writer
        self.settings = settings
        self.base = base
        self.head = head
        self.map = map
        memory = writer.memory.take()
        version = (base?.version ?? 0) + 1
        newestVersionInFile = head.oldest.map { $0.firstVersion - 1 } ?? base?.version ?? 0
        root = base?.root ?? .none
        inlineRoots = base?.inlineRoots ?? []
    }

    var file: PageFile { writer.file }
    var baseVersion: UInt64 { base?.version ?? 0 }
    var basePageCount: UInt64 { base?.pageCount ?? 0 }

    /// Bounds of what it reads of the file.
    var boundsInFile: SnapshotBounds {
        SnapshotBounds(version: newestVersionInFile, pageCount: basePageCount)
    }

    /// Whether it has changed anything.
    var hasChanges: Bool {
        !map.space.isTransactionEmpty || inlineRoots != base?.inlineRoots ?? []
    }

    /// Makes versions of a new file begin behind one of another file, so that what is numbered by
    /// versions in the other one can be taken over. In the first transaction, before it writes.
    mutating func beginVersions(after version: UInt64) {
        precondition(baseVersion == 0 && map.space.isTransactionEmpty)
        self.version = version + 1
    }

    // MARK: Pages in memory

    /// Returns the private copy of a run that the transaction wrote; nil if it has none.
    @inline(__always)
    func privateCopy(_ reference: PageReference) -> UnsafeMutableRawPointer? {
        reference.birth == version ? memory.pages[reference.page] : nil
    }

    /// Returns a run that is not in the file yet: the transaction's own, or one of its head.
    @inline(__always)
    func pageInMemory(_ reference: PageReference) -> UnsafeMutableRawPointer? {
        if reference.birth == version { return memory.pages[reference.page] }
        return head.group(of: reference.birth)?.page(reference.page)
    }

    // MARK: Failure

    /// Makes the transaction one that can only be rolled back. Returns false if it was before.
    ///
    /// Its private copies, some of which may be half changed, are found no more, so the base is
    /// what is read. Their memory stays until the transaction ends, because callers that are still
    /// to return may have pointers into it.
    mutating func fail(_ error: StorageError) -> Bool {
        if failure != nil { return false }
        failure = error
        needsAttention = true
        if planted(.readsHalfDoneChanges) { return false }
        memory.pages.removeAll()
        ahead?.pages.removeAll()
        root = base?.root ?? .none
        inlineRoots = base?.inlineRoots ?? []
        return true
    }

    func checkNotFailed() throws(StorageError) {
        if let failure { throw failure }
    }

    // MARK: The end

    /// Ends the transaction without a trace, and releases the lock.
    consuming func rollBack() {
        if planted(.rollsGroupBack) { map.space.rollBackGroup() }
        map.space.rollBack()
        map.space.checkInvariants()
        writer.memory.giveBack(memory.take())
        let writer = writer
        writer.keep(map)
        writer.unlock()
    }

    /// Releases the lock of a transaction that has joined a group, which now owns its memory. The
    /// next writer goes on while the group is on its way to the disk.
    consuming func handOver() {
        let writer = writer
        writer.keep(map)
        writer.coordinator.handOverToNextWriter()
    }

    /// Ends the transaction in a forked child: everything but memory is the parent's, and its locks
    /// may have been held when the child was forked.
    consuming func abandon() { writer.memory.giveBack(memory.take()) }
}
