/// The write transaction: private copies, and the pages that they will be written to.
extension Pager {
    /// Waits for the write lock, moves on to the newest version, and starts to write on top of it.
    ///
    /// - Throws: `.readOnly`, `.usedAfterFork`, `.outcomeUnknown` after a failed sync, `.damaged`,
    ///   `.fileAccess`. The connection then reads what it did before, or nothing.
    public func beginWrite() throws(StorageError) {
        precondition(!isInWriteTransaction, "already writing")
        let wasReading = isReading
        try database.lockForWriting()
        do {
            if isReading { _ = try refresh() } else { try beginRead() }
            try database.writerState.catchUp(with: record, in: database)
            try file.map(pageCount: database.writerState.freeSpace!.pageCount)
            try releaseWaitingPages()
        } catch {
            database.coordinator.unlockAfterWriting()
            if !wasReading { endRead() }
            throw error
        }
        transactionFailure = nil
        writeVersion = version + 1
    }

    /// Space freed by version `f` is free for good once `f` is durable and no reader is below it.
    private func releaseWaitingPages() throws(StorageError) {
        defer { releasedAtBegin = database.writerState.freeSpace?.releasedThrough ?? 0 }
        guard database.writerState.freeSpace!.waitingGroups.first != nil else { return }
        let coordinator = database.coordinator
        let oldest = coordinator.oldestPinnedVersion() ?? version
        let limit = min(oldest, coordinator.durableVersion, version)
        guard database.writerState.freeSpace!.release(through: limit) else {
            database.writerState.freeSpace = nil
            throw file.damage(0, "a page is free twice")
        }
    }

    /// Ends the write transaction without a trace. The connection reads the version that it was
    /// based on.
    public func rollback() {
        precondition(isInWriteTransaction)
        database.writerState.freeSpace!.rollBack()
        database.writerState.freeSpace!.checkInvariants()
        root = record?.root ?? .none
        endWriting()
    }

    /// Drops the private copies and lets the next writer go on.
    func endWriting() {
        dirty.removeAll()
        arena.reset()
        writeVersion = Pager.noVersion
        changesToRecord = nil
        transactionFailure = nil
        database.coordinator.unlockAfterWriting()
    }

    /// The transaction has become `newRecord`'s version, and is published. The connection still
    /// holds the write lock, so this is the newest version.
    func moveToCommitted(_ newRecord: CommitRecord) {
        let pinned = reader.pinLatest()
        assert(pinned == newRecord.version)
        stand(at: newRecord)
    }

    // MARK: Failure

    /// Makes the open write transaction one that can only be rolled back, with `error` as the
    /// reason unless there is one already. For a layer above whose own change was interrupted.
    public func failTransaction(_ error: StorageError) {
        precondition(isInWriteTransaction)
        if transactionFailure == nil { transactionFailure = error }
    }

    /// Remembers an error that is about to be thrown inside a write transaction.
    @inline(never)
    func failing(_ error: StorageError) -> StorageError {
        if isInWriteTransaction { failTransaction(error) }
        return error
    }

    private func checkTransaction() throws(StorageError) {
        precondition(isInWriteTransaction)
        if let transactionFailure { throw transactionFailure }
    }

    // MARK: Writing pages

    /// A new run with zeroed contents; kind, length and birth are in its header.
    ///
    /// - Throws: `.outOfDiskSpace`, `.addressSpaceExhausted`, `.fileAccess`. The transaction can
    ///   then only be rolled back (``transactionFailure``).
    public func allocate(
        pages: Int, kind: PageKind
    ) throws(StorageError) -> (PageReference, UnsafeMutableRawPointer) {
        let (reference, buffer) = try allocateUninitialized(pages: pages)
        buffer.initializeMemory(as: UInt8.self, repeating: 0, count: pages * pageSize)
        let header = MutablePageHeader(buffer)
        header.kind = kind
        header.pageCount = pages
        header.birth = writeVersion
        return (reference, buffer)
    }

    private func allocateUninitialized(
        pages: Int
    ) throws(StorageError) -> (PageReference, UnsafeMutableRawPointer) {
        precondition(pages > 0)
        try checkTransaction()
        let count = UInt64(pages)
        var page = database.writerState.freeSpace!.allocate(count, scattering: false)
        if page == nil {
            var failure: StorageError?
            do throws(StorageError) { try growFile(for: count) } catch { failure = error }
            // On a full disk small holes have to do.
            if failure == nil || failure?.code == .outOfDiskSpace {
                page = database.writerState.freeSpace!.allocate(count)
            }
            if page == nil, let failure { throw failing(failure) }
        }
        let buffer = arena.take(pages: pages)
        dirty.add(buffer, at: page!)
        return (PageReference(page: page!, birth: writeVersion), buffer)
    }

    private func growFile(for count: UInt64) throws(StorageError) {
        let oldCount = database.writerState.freeSpace!.pageCount
        let newCount = file.grownPageCount(
            from: oldCount,
            shortage: count - min(count, database.writerState.freeSpace!.freePagesAtEnd))
        try file.grow(
            from: oldCount, to: newCount,
            transactionPages: database.writerState.freeSpace!.allocatedPages + count)
        database.writerState.freeSpace!.grow(to: newCount)
    }

    /// The run as a private copy: itself if it is one, else a copy under a new page number, and the
    /// old run is freed.
    public func makeWritable(
        _ reference: PageReference
    ) throws(StorageError) -> (PageReference, UnsafeMutableRawPointer, byteCount: Int) {
        if reference.birth == writeVersion {
            let buffer = try own(reference)
            return (reference, buffer, PageHeader(buffer).pageCount * pageSize)
        }
        precondition(isInWriteTransaction)
        let old = try page(reference)
        let pages = PageHeader(old).pageCount
        let (copy, buffer) = try allocateUninitialized(pages: pages)
        buffer.copyMemory(from: old, byteCount: pages * pageSize)
        MutablePageHeader(buffer).birth = writeVersion
        try freeOld(reference, pages: pages)
        return (copy, buffer, pages * pageSize)
    }

    /// Moves a run to one of another length. The contents go with it as far as they fit, the rest
    /// is zero; the old run is freed.
    public func reallocate(
        _ reference: PageReference, pages: Int
    ) throws(StorageError) -> (PageReference, UnsafeMutableRawPointer) {
        let old = try page(reference)
        let oldPages = PageHeader(old).pageCount
        let (moved, buffer) = try allocateUninitialized(pages: pages)
        let kept = min(oldPages, pages) * pageSize
        buffer.copyMemory(from: old, byteCount: kept)
        (buffer + kept).initializeMemory(
            as: UInt8.self, repeating: 0, count: pages * pageSize - kept)
        let header = MutablePageHeader(buffer)
        header.pageCount = pages
        header.birth = writeVersion
        try free(reference)
        return (moved, buffer)
    }

    /// Frees a run: at once if this transaction wrote it, else once no reader reaches it. A private
    /// copy's memory must not be used afterwards.
    public func free(_ reference: PageReference) throws(StorageError) {
        try checkTransaction()
        guard reference.birth == writeVersion else {
            let start = try page(reference)
            return try freeOld(reference, pages: PageHeader(start).pageCount)
        }
        let buffer = try own(reference)
        let pages = PageHeader(buffer).pageCount
        dirty.remove(reference.page)
        arena.giveBack(buffer, pages: pages)
        database.writerState.freeSpace!.freeOwn(
            Extent(start: reference.page, count: UInt64(pages)))
    }

    private func freeOld(_ reference: PageReference, pages: Int) throws(StorageError) {
        let extent = Extent(start: reference.page, count: UInt64(pages))
        guard database.writerState.freeSpace!.freeOld(extent) else {
            throw failing(
                file.damage(
                    reference.page, "it is in use and free at once, or used twice"))
        }
    }
}
