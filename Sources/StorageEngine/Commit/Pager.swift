/// One connection's pages: those of the version it reads, and, in a write transaction, its private
/// copies of those it changes.
///
/// Used by one thread at a time. Drop it to end it; an open write transaction is then rolled back.
public final class Pager {
    /// The file that the pages are in.
    public let database: Database
    let file: PageFile
    let reader: ReaderSlot

    // Unchecked, because every page that is looked up reads them, one thread uses a pager at a
    // time, and nothing is called while one is being changed.

    @exclusivity(unchecked) private(set) var bounds = SnapshotBounds(version: 0, pageCount: 0)
    /// Where the version's pages are read, and what keeps them there: as of when this connection
    /// began to read it. The file may have grown out of that since.
    @exclusivity(unchecked) private(set) var pageTable = PageTable.empty
    @exclusivity(unchecked) private(set) var pages: MappedPages?
    /// The birth of everything the open write transaction writes: `version + 1`. Outside of one, a
    /// number that is no page's birth.
    @exclusivity(unchecked) public internal(set) var writeVersion: UInt64 = Pager.noVersion
    /// Counts write transactions, and nodes that one of them made and freed: tells whether private
    /// copies of nodes are still there.
    @exclusivity(unchecked) var copiesStamp: UInt64 = 0
    /// The root of the forest. In a write transaction its owner sets it before `commit()`.
    @exclusivity(unchecked) public var root = PageReference.none
    /// The roots themselves, as bytes, where they are few and `root` is none: no page is written for
    /// them. Its owner sets it like `root`, to at most ``CommitRecord/inlineRootsCapacity`` bytes.
    @exclusivity(unchecked) var inlineRoots: [UInt8] = []
    @exclusivity(unchecked) public private(set) var isReading = false

    /// The record of `version`; nil for version 0. In a write transaction perhaps the draft of one.
    @exclusivity(unchecked) private(set) var record: CommitRecord?
    /// The record of the version that is pinned: `record`, except in a write transaction.
    @exclusivity(unchecked) private(set) var pinnedRecord: CommitRecord?
    /// The private copies of the open write transaction.
    @exclusivity(unchecked) var memory: PageMemory?
    /// What the open write transaction is based on, as far as it is not in the file.
    @exclusivity(unchecked) var head = CommitQueue.Head()
    /// Pages of this birth and later are in memory: the transaction's, and those of its head.
    @exclusivity(unchecked) var firstVersionInMemory: UInt64 = Pager.noVersion
    /// Pages of the head that the open transaction has copied or freed.
    @exclusivity(unchecked) var freedFromHead: [PageReference] = []

    /// Whether the next change has more to do than to begin: the transaction has failed, its memory
    /// is to be given back, or an index has much to catch up on.
    @exclusivity(unchecked) var needsAttention = false
    /// What the open write transaction has written ahead; nil if nothing.
    @exclusivity(unchecked) var ahead: PagesAhead?
    /// Private copies beyond this are written ahead.
    @exclusivity(unchecked) let memoryLimit: Int
    /// What was decrypted for it alone is given back beyond this.
    private let mostDecryptedBytes: Int
    /// The most that its transactions had in memory.
    package internal(set) var largestPrivateBytes = 0

    /// Takes what is decrypted now; nil if it stays in memory.
    @exclusivity(unchecked) var passingRuns: PassingRuns?

    /// What was decrypted for this connection alone.
    @exclusivity(unchecked) private(set) var privateRuns: PrivateRuns?
    /// Whether there is so much of it that it is to be given back as soon as nobody has a pointer
    /// into it.
    @exclusivity(unchecked) @usableFromInline private(set) var hasExcessMemory = false

    /// Counted up when a node that the open write transaction made is freed, for those who hold
    /// places in rows. Set by the owner, who keeps it as long as the pager.
    @exclusivity(unchecked) var layoutStamp: UnsafeMutablePointer<UInt64>?

    /// What the open write transaction did, if that is to be kept. Set by its owner before
    /// ``commit(_:)``; kept in the change log when the transaction becomes a version.
    var changesToRecord: (writer: UInt64, changes: ChangeSet)?

    /// The first page that the open transaction took for commit slots; 0 once it takes none any more
    /// (``takeExtension(ofFileWith:)``).
    var extensionPage: UInt64?

    /// Whether its transactions write so much that filling new space beforehand would cost more
    /// than it saves.
    var writesInBulk = false

    /// Whether the version that the next transaction becomes is to have no free pages at the end of
    /// the file: for a file that is complete with it. The file is cut when it is closed, at the
    /// latest.
    var leavesNoTail = false

    /// The first error that the open write transaction met, or nil.
    ///
    /// A call that failed may have left a change half done, so the transaction can only be rolled
    /// back: from then on `commit()` and every call that takes or gives back a page throws the
    /// error again, and reads find the version that the transaction was based on
    /// (``failTransaction(_:)``).
    @exclusivity(unchecked) public internal(set) var transactionFailure: StorageError?

    /// Called once when the open write transaction has failed. Whoever remembers anything of its
    /// pages forgets it.
    @exclusivity(unchecked) var transactionDidFail: (() -> Void)?

    static let noVersion = UInt64.max

    /// - Throws: `.tooManyReaders` when all slots for connections are taken, `.usedAfterFork`.
    public init(database: Database) throws(StorageError) {
        self.database = database
        file = database.file
        memoryLimit = database.largestPrivateBytes
        mostDecryptedBytes = min(file.mostPrivateBytes, memoryLimit)
        reader = try database.coordinator.claimReader()
    }

    deinit {
        if isInWriteTransaction { rollback() }
        reader.release()
    }

    /// The version this connection sees; 0 is the empty database before the first commit.
    public var version: UInt64 { bounds.version }

    /// That of the open write transaction, else the one that is read.
    var newestVersion: UInt64 { isInWriteTransaction ? writeVersion : version }

    public var isInWriteTransaction: Bool { writeVersion != Pager.noVersion }

    /// Bytes of one page.
    public var pageSize: Int { file.pageSize }

    // MARK: Reading

    /// Starts to read the newest version. Nothing that it reaches changes until ``endRead()`` or
    /// ``refresh()``.
    ///
    /// - Throws: `.damaged`, `.usedAfterFork`, `.addressSpaceExhausted`, `.fileAccess`.
    public func beginRead() throws(StorageError) {
        precondition(!isReading, "already reading")
        try database.coordinator.checkNotForked()
        isReading = true
        try moveToNewest()
    }

    /// Reads the version that `other` has pinned, instead of the one read before. `other` stays as
    /// it is during this call.
    ///
    /// - Throws: `.usedAfterFork`.
    func beginRead(sameAs other: Pager) throws(StorageError) {
        precondition(other.isReading && !isInWriteTransaction)
        try database.coordinator.checkNotForked()
        _ = reader.pin(sameAs: other.reader)
        isReading = true
        stand(at: other.pinnedRecord)
    }

    /// Moves on to the newest version; true if it is another one. After an error the connection
    /// reads nothing.
    public func refresh() throws(StorageError) -> Bool {
        precondition(isReading && !isInWriteTransaction)
        try database.coordinator.checkNotForked()
        let before = version
        if database.coordinator.visibleVersion == before { return false }
        try moveToNewest()
        return version != before
    }

    /// Stops reading: the version may go.
    public func endRead() {
        precondition(!isInWriteTransaction)
        guard isReading else { return }
        isReading = false
        reader.unpin()
        stand(at: nil)
        privateRuns = nil
    }

    /// Pins the newest version and reads it; nothing if this fails.
    func moveToNewest() throws(StorageError) {
        do {
            try pinNewest()
        } catch {
            endRead()
            throw error
        }
    }

    /// Pins the newest version and takes its record.
    ///
    /// The record is read after the pin was set. A slot is used again 64 commits later, so the
    /// slot may hold another record by then, or half of one: in this case there is a newer version,
    /// and the connection takes that.
    private func pinNewest() throws(StorageError) {
        while true {
            let newest = reader.pinLatest()
            if newest == 0 {
                stand(at: nil)
                return
            }
            if let found = try database.record(of: newest) {
                try file.map(pageCount: found.pageCount)
                stand(at: found)
                return
            }
            guard database.coordinator.visibleVersion != newest else {
                throw database.missingRecord(newest)
            }
        }
    }

    /// Reads the version that is pinned. Pointers into pages of the one before are void.
    func stand(at newRecord: CommitRecord?) {
        releaseExcessMemory()
        pinnedRecord = newRecord
        stand(on: newRecord)
    }

    /// Reads a version that is not pinned: in a write transaction, whose base nobody can free.
    func stand(on newRecord: CommitRecord?) {
        // In a forked child the file's lock may be held for ever.
        if !file.isMapped(with: pages?.stamp ?? 0), !database.coordinator.isForked {
            pages = file.pages
            pageTable = pages?.table ?? .empty
        }
        record = newRecord
        bounds = newRecord?.bounds ?? SnapshotBounds(version: 0, pageCount: 0)
        root = newRecord?.root ?? .none
        inlineRoots = newRecord?.inlineRoots ?? []
    }

    // MARK: Pages

    /// The run that `reference` names: the transaction's private copy, or the checked page of the
    /// file.
    ///
    /// The pointer is valid as long as the snapshot, and until `releaseExcessMemory()` gives back
    /// anything; that to a private copy until it is freed.
    /// - Throws: `.damaged` when the page is not what the reference says.
    @inline(__always)
    public func page(_ reference: PageReference) throws(StorageError) -> UnsafeRawPointer {
        if reference.birth >= firstVersionInMemory {
            return try inMemory(reference)
        }
        if let page = pageTable.checkedPage(reference, of: bounds) { return page }
        return try uncheckedPage(reference)
    }

    @inline(never)
    private func uncheckedPage(
        _ reference: PageReference
    ) throws(StorageError) -> UnsafeRawPointer {
        // In a forked child nothing decrypted is to be seen: it is told so below.
        if let run = privateRuns?.run(reference), file.cipher?.isForked == false { return run }
        do throws(StorageError) {
            guard let pages else {
                throw file.damage(reference.page, "a reference leads outside the file")
            }
            return try file.check(reference, of: bounds, in: pages) { run in
                if let memory = passingRuns?.memory(for: run) { return memory }
                return file.takePlace(for: run, at: reference, in: pages)
                    ? nil : keep(run, reference)
            }
        } catch {
            throw failing(error)
        }
    }

    @inline(__always)
    private func inMemory(
        _ reference: PageReference
    ) throws(StorageError) -> UnsafeRawPointer {
        if reference.birth == writeVersion {
            // Outside of a transaction only a file made to harm has such births.
            guard isInWriteTransaction else { throw unknownVersion(reference) }
            guard let buffer = privateCopy(reference) else { return try writtenAhead(reference) }
            return UnsafeRawPointer(buffer)
        }
        guard let buffer = head.group(of: reference.birth)?.page(reference.page) else {
            throw unknownVersion(reference)
        }
        return UnsafeRawPointer(buffer)
    }

    /// What the open transaction has of a run of its own in memory.
    @inline(__always)
    func privateCopy(_ reference: PageReference) -> UnsafeMutableRawPointer? {
        memory.unsafelyUnwrapped.pages[reference.page]
    }

    @inline(__always)
    func own(_ reference: PageReference) throws(StorageError) -> UnsafeMutableRawPointer {
        guard let buffer = privateCopy(reference) else {
            throw missingCopy(reference)
        }
        return buffer
    }

    /// A failed transaction has no copies any more; who asks for one has come to it before.
    @inline(never)
    func missingCopy(_ reference: PageReference) -> StorageError {
        transactionFailure ?? unknownVersion(reference)
    }

    private func unknownVersion(_ reference: PageReference) -> StorageError {
        failing(
            file.damage(
                reference.page, "a reference to it is from a version that does not exist"))
    }

    // MARK: Memory of decrypted pages

    /// Where to keep a run that the shared memory has no room for.
    private func keep(
        _ run: UnsafeRawBufferPointer, _ reference: PageReference
    ) -> UnsafeMutableRawPointer {
        let runs = privateRuns ?? PrivateRuns(pageSize: pageSize)
        privateRuns = runs
        let memory = runs.take(run, at: reference)
        hasExcessMemory = runs.byteCount > mostDecryptedBytes
        if hasExcessMemory, isInWriteTransaction { needsAttention = true }
        return memory
    }

    var decryptedBytes: Int { privateRuns?.byteCount ?? 0 }

    /// A run of an encrypted file, decrypted in memory of this connection.
    func decryptedForItself(
        _ reference: PageReference, of snapshot: SnapshotBounds, in pages: MappedPages
    ) throws(StorageError) -> UnsafeRawPointer {
        if let run = privateRuns?.run(reference), file.cipher?.isForked == false { return run }
        do throws(StorageError) {
            return try file.check(reference, of: snapshot, in: pages) { run in
                passingRuns?.memory(for: run) ?? keep(run, reference)
            }
        } catch {
            throw failing(error)
        }
    }

    /// The page is free, and may come again with other contents and the same birth.
    func forgetDecrypted(_ page: UInt64) { privateRuns?.forget(page) }

    /// What was decrypted, which is found no more, and goes with whoever drops it.
    func takePrivateRuns() -> PrivateRuns? {
        hasExcessMemory = false
        return privateRuns.take()
    }

    /// Between two uses of the connection, when nobody has a pointer into a page: gives back what
    /// was decrypted for it alone, if that is much, and returns whether it has. Who keeps places in
    /// rows has to void them then.
    @discardableResult
    func releaseExcessMemory() -> Bool {
        guard hasExcessMemory else { return false }
        privateRuns?.removeAll()
        hasExcessMemory = false
        return true
    }

    /// How many leaves and long values are in this connection's own memory.
    var passingRunCount: Int { privateRuns?.passingCount ?? 0 }

    /// Gives back those of them that a scan has done with: see ``PrivateRuns/remove(from:to:but:)``.
    func releasePassingRuns(from first: Int, to end: Int, but kept: Node?) {
        guard let privateRuns, first < end else { return }
        privateRuns.remove(from: first, to: end, but: kept?.base)
        hasExcessMemory = privateRuns.byteCount > mostDecryptedBytes
    }

    /// The node that `reference` names.
    @inline(__always)
    public func node(_ reference: PageReference) throws(StorageError) -> Node {
        let start = try page(reference)
        guard PageHeader(start).kind == .node else {
            throw failing(file.damage(reference.page, "it is not a node"))
        }
        return Node(start)
    }

    /// The bytes of a value that has a run of its own.
    public func overflowBytes(
        _ reference: PageReference
    ) throws(StorageError) -> UnsafeRawBufferPointer {
        guard let bytes = file.contents(at: try page(reference), kind: .overflow) else {
            throw failing(file.damage(reference.page, "it is not an overflow value"))
        }
        return bytes
    }
}
