/// One connection's pages: those of the version it reads, or, while it writes, those of the open
/// transaction and of the version that the transaction is based on.
///
/// Used by one thread at a time. Drop it to end it; an open write transaction is then rolled back.
@usableFromInline package final class Pager {
    package let database: Database
    let file: PageFile
    let writer: Writer

    // Unchecked, because every page that is looked up reads them, one thread uses a pager at a
    // time, and nothing is called while one is being changed.

    /// The version that is pinned; version 0 while nothing is read. In a write transaction it is
    /// the newest visible version, and the transaction may be based on a newer one.
    @exclusivity(unchecked) private(set) var snapshot: Snapshot
    /// What was read before the pager moved past a version that changes the layout of tables:
    /// kept until the owner knows whether it can read the newer one.
    @exclusivity(unchecked) private var former: Former?
    /// The open write transaction. A pointer, because every change asks whether there is one: of an
    /// optional value of its size that is a call.
    @exclusivity(unchecked) private var transaction: UnsafeMutablePointer<WriteTransaction>?
    /// The memory of all its write transactions, one after the other; nil before the first.
    private var memoryOfTransaction: UnsafeMutablePointer<WriteTransaction>?
    @exclusivity(unchecked) private(set) var isReading = false
    /// What is read instead of the snapshot; nil but after a commit that did not wait.
    @exclusivity(unchecked) private(set) var unpublished: UnpublishedVersion?
    /// Whether the thread may wait for the disk when the open write transaction ends.
    @exclusivity(unchecked) var mayWait = true

    /// Copies of what the snapshot, or the transaction, says: the bounds of what is read of the
    /// file, and where that is found once it has been checked.
    @exclusivity(unchecked) private(set) var bounds = SnapshotBounds.empty
    @exclusivity(unchecked) private(set) var pageTable = PageTable.empty

    /// Counts write transactions, and nodes that one of them made and freed: tells whether private
    /// copies of nodes are still there.
    @exclusivity(unchecked) var copiesStamp: UInt64 = 0
    /// Counted up when a node that the open write transaction made is freed, for owners of places
    /// in rows. Set by the owner, who keeps it as long as the pager.
    @exclusivity(unchecked) var layoutStamp: UnsafeMutablePointer<UInt64>?
    /// Called once when the open write transaction has failed, to forget everything that was read
    /// of its pages.
    @exclusivity(unchecked) var transactionDidFail: (() -> Void)?

    /// Whether its transactions write so much that filling new space beforehand would cost more
    /// than it saves.
    var writesInBulk = false
    /// The most bytes of memory that its transactions had at a time.
    package internal(set) var largestPrivateBytes = 0

    /// Ends what only reads; nil if nobody may.
    @exclusivity(unchecked) var stopRequest: StopRequest?

    /// Called now and then by what reads or sorts many objects.
    ///
    /// - Throws: `.interrupted` once the request is made.
    @inline(__always)
    func checkStop() throws(StorageError) {
        if let stopRequest { try stopRequest.check(database.path) }
    }

    /// Takes what is decrypted now; nil if it stays in memory.
    @exclusivity(unchecked) var passingRuns: PassingRuns?
    /// Runs that were decrypted for this connection alone.
    @exclusivity(unchecked) private(set) var privateRuns: PrivateRuns?
    /// Whether they take so much memory that it is to be freed as soon as no pointer into it is
    /// used.
    @exclusivity(unchecked) @usableFromInline private(set) var hasExcessMemory = false
    /// Which questions about its pages are divided among two threads.
    @exclusivity(unchecked) var worthSharing = WorthSharing()
    /// Bytes of them beyond which that is so.
    private let mostDecryptedBytes: Int

    /// A version that was read. In memory of its own, because it is rare.
    private final class Former {
        let snapshot: Snapshot
        /// What was read above the snapshot; nil if that itself was.
        let shown: UnpublishedVersion?

        init(_ snapshot: Snapshot, _ shown: UnpublishedVersion?) {
            self.snapshot = snapshot
            self.shown = shown
        }
    }

    /// - Throws: `.tooManyReaders` when all slots for connections are taken, `.usedAfterFork`.
    package init(database: Database) throws(StorageError) {
        self.database = database
        file = database.file
        writer = database.writer
        mostDecryptedBytes = min(file.mostPrivateBytes, database.largestPrivateBytes)
        snapshot = Snapshot(emptyWith: try VersionPin(claimedFor: database))
    }

    deinit {
        if isInWriteTransaction { rollback() }
        memoryOfTransaction?.deallocate()
    }

    /// The version this connection sees; 0 is the empty database before the first commit. In a
    /// write transaction the version that it is based on.
    package var version: UInt64 { transaction?.pointee.baseVersion ?? shownVersion }

    private var shownVersion: UInt64 { unpublished?.version ?? snapshot.version }

    /// The version that the open write transaction becomes, else the one that is read.
    var newestVersion: UInt64 { transaction?.pointee.version ?? shownVersion }

    /// The record of ``version``; nil for version 0.
    var record: CommitRecord? { transaction != nil ? writing.base : shownRecord }

    private var shownRecord: CommitRecord? { unpublished?.record ?? snapshot.record }

    /// Where pages of the file are read.
    var pages: MappedPages? {
        if transaction != nil { return writing.pages }
        return unpublished.map(\.pages) ?? snapshot.pages
    }

    /// Bytes of one page.
    package var pageSize: Int { file.pageSize }

    /// The root of the forest. In a write transaction its owner sets it before `commit`.
    package var root: PageReference {
        get { transaction?.pointee.root ?? shownRecord?.root ?? .none }
        set { writing.root = newValue }
    }

    /// The roots themselves, as bytes, where they are few and ``root`` is none. Set like it.
    var inlineRoots: [UInt8] {
        get { transaction?.pointee.inlineRoots ?? shownRecord?.inlineRoots ?? [] }
        set { writing.inlineRoots = newValue }
    }

    // MARK: Versions

    /// Starts to read the newest version. Nothing that it reaches changes until ``endRead()`` or
    /// ``refresh()``.
    ///
    /// - Throws: `.damaged`, `.usedAfterFork`, `.addressSpaceExhausted`, `.fileAccess`.
    package func beginRead() throws(StorageError) {
        precondition(!isReading, "already reading")
        try database.checkNotForked()
        isReading = true
        try moveToNewest()
    }

    /// Reads the version that `other` reads, or that its write transaction is based on, instead of
    /// the one read before. `other` stays as it is during this call. Waits until that version is
    /// published.
    ///
    /// - Throws: `.usedAfterFork`; why the version was not published.
    func beginRead(sameAs other: Pager) throws(StorageError) {
        precondition(other.isReading && !isInWriteTransaction)
        try database.checkNotForked()
        try other.waitUntilPublished()
        if other.isInWriteTransaction, other.version != other.snapshot.version {
            isReading = true
            try moveToNewest()
            // No other version can follow the base while `other` has the write lock.
            precondition(version == other.version, "the base of a transaction is not the newest")
            return
        }
        try snapshot.move(to: other.snapshot)
        isReading = true
        showSnapshot()
        if let shown = other.unpublished { show(shown) }
    }

    /// Reads a version while it is being written. Returns false if it is published or has failed
    /// already: then the newest version is read.
    ///
    /// - Throws: what ``beginRead()`` throws. Nothing is read then.
    func beginRead(_ coming: UnpublishedVersion) throws(StorageError) -> Bool {
        precondition(!isInWriteTransaction)
        try database.checkNotForked()
        isReading = true
        // Any visible version before the coming one protects what that reaches in the file: pages
        // of the versions in between are read from memory.
        try moveToNewest()
        if !coming.isPending(version) { return false }
        show(coming)
        return true
    }

    /// Reads what the write transaction of `other` is based on, although that could not be written
    /// and is no version of the file.
    ///
    /// - Throws: `.usedAfterFork`.
    func beginRead(lostBaseOf other: Pager) throws(StorageError) {
        try database.checkNotForked()
        try snapshot.move(to: other.snapshot)
        isReading = true
        showSnapshot()
        if let base = other.unpublishedBase { show(base) }
    }

    /// Moves on to the newest version; true if it is another one. After an error the connection
    /// reads nothing.
    func refresh() throws(StorageError) -> Bool {
        precondition(isReading && !isInWriteTransaction)
        try database.checkNotForked()
        let before = version
        let newest = database.newestVersion
        if let unpublished {
            if unpublished.isPending(newest) { return false }
        } else if newest == before {
            return false
        }
        try moveToNewest()
        return version != before
    }

    /// Moves on to the newest visible version, also from a later one that is not published.
    func showNewest() throws(StorageError) {
        try database.checkNotForked()
        if database.newestVersion != snapshot.version { return try moveToNewest() }
        if unpublished != nil { showSnapshot() }
    }

    /// Goes back from a version that is not published to the one that is pinned.
    func leaveUnpublished() { showSnapshot() }

    /// Stops reading: the version is pinned no more.
    func endRead() {
        precondition(!isInWriteTransaction)
        guard isReading else { return }
        isReading = false
        former = nil
        snapshot.end()
        showSnapshot()
        privateRuns = nil
    }

    /// Pins the newest version and reads it; nothing if this fails.
    func moveToNewest() throws(StorageError) {
        do {
            if let left = try snapshot.moveToNewest() { keepFormer(left) }
        } catch {
            endRead()
            throw error
        }
        showSnapshot()
    }

    /// Keeps what was read until now, so that ``moveBack()`` can return to it.
    @inline(never)
    private func keepFormer(_ left: Snapshot) {
        if former != nil || shownVersion == 0 { return left.forgetFormer() }
        // What a commit in the background showed, unless that has failed: it is newer than what is
        // pinned, although it may have been published since.
        let shown = unpublished?.failure == nil ? unpublished : nil
        former = Former(left, shown)
    }

    /// The owner reads on where the pager has moved.
    @inline(__always)
    func forgetFormer() {
        if let former {
            former.snapshot.forgetFormer()
            self.former = nil
        }
    }

    /// Reads what was read before the pager moved past a change of layout. Returns false if it has
    /// not done that.
    func moveBack() -> Bool {
        precondition(!isInWriteTransaction)
        guard let former else { return false }
        self.former = nil
        snapshot.moveBack(to: former.snapshot)
        showSnapshot()
        if let shown = former.shown { show(shown) }
        return true
    }

    /// Pages are those of the snapshot from now on. Pointers into pages of another version are
    /// invalid.
    private func showSnapshot() {
        releaseExcessMemory()
        unpublished = nil
        bounds = snapshot.bounds
        pageTable = snapshot.table
    }

    /// Pages are those of this version from now on. The snapshot is of one that was visible when
    /// the transaction began which made it.
    func show(_ shown: UnpublishedVersion) {
        unpublished = shown
        bounds = shown.bounds
        pageTable = shown.pages?.table ?? .empty
    }

    // MARK: The write transaction

    var isInWriteTransaction: Bool {
        @inline(__always) get { transaction != nil }
    }

    /// The open write transaction, of which there must be one.
    var writing: WriteTransaction {
        @inline(__always) _read { yield transaction!.pointee }
        @inline(__always) _modify { yield &transaction!.pointee }
    }

    /// The birth of everything that the open write transaction writes.
    var writeVersion: UInt64 {
        @inline(__always) get { writing.version }
    }

    /// Pages are those of a transaction from now on, and of its base.
    func begin(_ new: consuming WriteTransaction) {
        bounds = new.boundsInFile
        pageTable = new.pages?.table ?? .empty
        let memory = memoryOfTransaction ?? .allocate(capacity: 1)
        memory.initialize(to: consume new)
        memoryOfTransaction = memory
        transaction = memory
        copiesStamp &+= 1
    }

    /// Takes the transaction out to end it: from now on pages are those of the snapshot.
    func takeTransaction() -> WriteTransaction {
        guard let memory = transaction else {
            preconditionFailure("outside of a write transaction")
        }
        transaction = nil
        let ending = memory.move()
        // Pages that were decrypted go too, because another transaction may come to write other
        // pages at the same places with the same birth.
        if ending.ahead != nil { _ = takePrivateRuns() }
        showSnapshot()
        return ending
    }

    // MARK: Pages

    /// The run that `reference` names: the transaction's private copy, or the checked page of the
    /// file.
    ///
    /// The pointer is valid as long as the snapshot, and until `releaseExcessMemory()` frees
    /// memory; that to a private copy until it is freed.
    /// - Throws: `.damaged` when the page is not what the reference says.
    @inline(__always)
    package func page(_ reference: PageReference) throws(StorageError) -> UnsafeRawPointer {
        if let page = pageTable.checkedPage(reference, of: bounds) { return page }
        // Younger than everything in the file that is read.
        if reference.birth > bounds.version, transaction != nil {
            if let page = writing.pageInMemory(reference) { return UnsafeRawPointer(page) }
            return try pageWithoutCopy(reference)
        }
        return try uncheckedPage(reference)
    }

    @inline(never)
    private func uncheckedPage(
        _ reference: PageReference
    ) throws(StorageError) -> UnsafeRawPointer {
        if reference.birth > bounds.version, let unpublished {
            guard let page = unpublished.page(reference) else { throw unknownVersion(reference) }
            return UnsafeRawPointer(page)
        }
        guard let pages else {
            throw failing(file.damage(reference.page, "a reference leads outside the file"))
        }
        if let privateRuns, let lock = privateRuns.lock {
            return try sharedPage(reference, in: pages, keptIn: privateRuns, under: lock)
        }
        // In a forked child nothing decrypted is to be seen: the check below says so.
        if let run = privateRuns?.run(reference), file.cipher?.isForked == false { return run }
        do throws(StorageError) {
            let page = try file.check(reference, of: bounds, in: pages) { run in
                memory(for: run, reference, in: pages)
            }
            noteExcessMemory()
            return page
        } catch {
            throw failing(error)
        }
    }

    /// A run of the transaction or its head of which there is no copy in memory.
    @inline(never)
    private func pageWithoutCopy(
        _ reference: PageReference
    ) throws(StorageError) -> UnsafeRawPointer {
        guard reference.birth == writing.version else { throw unknownVersion(reference) }
        return try writtenAhead(reference)
    }

    /// Returns a private copy that must be there.
    @inline(__always)
    func own(_ reference: PageReference) throws(StorageError) -> UnsafeMutableRawPointer {
        guard let buffer = writing.privateCopy(reference) else { throw missingCopy(reference) }
        return buffer
    }

    /// The error for a run of the transaction that is not there. A failed transaction has no copies
    /// any more, and its first error is the reason.
    @inline(never)
    func missingCopy(_ reference: PageReference) -> StorageError {
        transactionFailure ?? unknownVersion(reference)
    }

    private func unknownVersion(_ reference: PageReference) -> StorageError {
        failing(
            file.damage(
                reference.page, "a reference to it is from a version that does not exist"))
    }

    /// The node that `reference` names.
    @inline(__always)
    func node(_ reference: PageReference) throws(StorageError) -> Node {
        let start = try page(reference)
        guard PageHeader(start).kind == .node else {
            throw failing(file.damage(reference.page, "it is not a node"))
        }
        return Node(start)
    }

    /// The bytes of a value that has a run of its own.
    package func overflowBytes(
        _ reference: PageReference
    ) throws(StorageError) -> UnsafeRawBufferPointer {
        guard let bytes = file.contents(at: try page(reference), kind: .overflow) else {
            throw failing(file.damage(reference.page, "it is not an overflow value"))
        }
        return bytes
    }

    // MARK: Decrypted pages of this connection

    /// Where to put a run that has just been decrypted; nil for the place where all connections
    /// find it.
    func memory(
        for run: UnsafeRawBufferPointer, _ reference: PageReference, in pages: MappedPages
    ) -> UnsafeMutableRawPointer? {
        if let memory = passingRuns?.memory(for: run) { return memory }
        return file.takePlace(for: run, at: reference, in: pages) ? nil : keep(run, reference)
    }

    /// Memory for a run that the shared memory has no room for.
    private func keep(
        _ run: UnsafeRawBufferPointer, _ reference: PageReference
    ) -> UnsafeMutableRawPointer {
        let runs = privateRuns ?? PrivateRuns(pageSize: pageSize)
        assert(runs.lock == nil, "a connection that several threads use does more than read")
        privateRuns = runs
        let memory = runs.take(run, at: reference)
        hasExcessMemory = runs.byteCount > mostDecryptedBytes
        return memory
    }

    /// The next change frees memory if there is too much of it.
    private func noteExcessMemory() {
        if hasExcessMemory, isInWriteTransaction { writing.needsAttention = true }
    }

    var decryptedBytes: Int {
        guard let privateRuns else { return 0 }
        guard let lock = privateRuns.lock else { return privateRuns.byteCount }
        return lock.withLock { _ in privateRuns.byteCount }
    }

    /// Returns a run of an encrypted file, decrypted in memory of this connection.
    func decryptedForItself(
        _ reference: PageReference, of snapshot: SnapshotBounds, in pages: MappedPages
    ) throws(StorageError) -> UnsafeRawPointer {
        precondition(privateRuns?.lock == nil, "several threads use the connection")
        if let run = privateRuns?.run(reference), file.cipher?.isForked == false { return run }
        do throws(StorageError) {
            let page = try file.check(reference, of: snapshot, in: pages) { run in
                passingRuns?.memory(for: run) ?? keep(run, reference)
            }
            noteExcessMemory()
            return page
        } catch {
            throw failing(error)
        }
    }

    /// Forgets a page that was freed, and may come again with other contents and the same birth.
    func forgetDecrypted(_ page: UInt64) { privateRuns?.forget(page) }

    /// Takes the decrypted runs out. They are found no more, and freed with the result.
    func takePrivateRuns() -> PrivateRuns? {
        hasExcessMemory = false
        return privateRuns.take()
    }

    /// Between two uses of the connection, when no pointer into a page is used: frees what was
    /// decrypted for it alone, if that is much, and returns whether it has. Places in rows are
    /// invalid then.
    @discardableResult
    func releaseExcessMemory() -> Bool {
        guard hasExcessMemory else { return false }
        privateRuns?.removeAll()
        hasExcessMemory = false
        return true
    }

    // MARK: Reading by several threads

    /// Any number of threads may read at the same time from now on. Nothing may be written, and the
    /// version stays the same until this pager is dropped.
    func share() {
        precondition(isReading && !isInWriteTransaction)
        if file.cipher != nil {
            privateRuns = PrivateRuns(pageSize: pageSize, lock: Locked(()))
        }
        // Said of the memory from before. What is shared is not released while this pager exists.
        hasExcessMemory = false
        snapshot.markFrozen()
    }

    /// Calls `body`, which searches on the calling thread and keeps no pointers into pages. What
    /// several threads share of an encrypted file would keep each leaf that `body` reads; instead,
    /// leaves and long values go to memory of this thread, which is freed in the end.
    func searching<Result, E>(_ body: () throws(E) -> Result) throws(E) -> Result {
        guard privateRuns?.lock != nil else { return try body() }
        return try SearchMemory.with(
            PrivateRuns(pageSize: pageSize), of: ObjectIdentifier(self), body)
    }

    /// A run of an encrypted file that is not in the memory that all connections share. Where that
    /// has no room, the run stays here as long as the pager, because any thread may have a pointer
    /// into it; or as long as the thread's search.
    private func sharedPage(
        _ reference: PageReference, in pages: MappedPages, keptIn runs: PrivateRuns,
        under lock: Locked<Void>
    ) throws(StorageError) -> UnsafeRawPointer {
        // Before the lock, which another thread may have held when this process was forked.
        if file.cipher?.isForked == true { try database.checkNotForked() }
        let search = SearchMemory.runs(of: ObjectIdentifier(self))
        if let run = search?.run(reference) { return run }
        if let run = lock.withLock({ _ in runs.run(reference) }) { return run }
        // Without the lock: several threads decrypt at the same time.
        var own: UnsafeMutableRawPointer?
        let start = try file.check(reference, of: bounds, in: pages) { run in
            if file.takePlace(for: run, at: reference, in: pages) { return nil }
            if let search, PageHeader(run.baseAddress!).isLeafOrValue {
                return search.take(run, at: reference)
            }
            own = lock.withLock { _ in runs.reserve(run) }
            return own
        }
        guard let own else { return start }
        return lock.withLock { _ in runs.keep(own, at: reference) }
    }

    /// The runs of a connection that one thread uses, and those of the search of the calling
    /// thread; nil if it reads with others and does not search.
    private var passing: PrivateRuns? {
        privateRuns?.lock == nil ? privateRuns : SearchMemory.runs(of: ObjectIdentifier(self))
    }

    /// How many leaves and long values are in memory that belongs to this thread.
    var passingRunCount: Int { passing?.passingCount ?? 0 }

    /// Frees those of them that a scan has done with: see ``PrivateRuns/remove(from:to:but:)``.
    func releasePassingRuns(from first: Int, to end: Int, but kept: Node?) {
        guard first < end, let passing else { return }
        passing.remove(from: first, to: end, but: kept?.base)
        if passing === privateRuns { hasExcessMemory = passing.byteCount > mostDecryptedBytes }
    }
}
