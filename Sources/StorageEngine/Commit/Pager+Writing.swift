/// The write transaction: private copies, and the pages that they will be written to.
extension Pager {
    /// Waits for the write lock, moves on to the newest version, and starts to write on top of it.
    ///
    /// That may be a version of a group that is not on disk yet, which nobody reads but the
    /// transaction; the version that is pinned is the newest visible one.
    ///
    /// - Throws: `.readOnly`, `.usedAfterFork`, `.outcomeUnknown` after a failed sync, `.damaged`,
    ///   `.fileAccess`. The connection then reads what it did before, or nothing.
    public func beginWrite() throws(StorageError) {
        precondition(!isInWriteTransaction, "already writing")
        let wasReading = isReading
        try database.lockForWriting()
        // Before anything is pinned: a group that has gone from the head has been published.
        var head = database.commits.takeHead()
        let isMapLost = head.mapIsLost || database.writerState.freeSpace == nil
        if isMapLost || head.hasPagesAhead {
            // The map is read anew from what is in the file, and not all pages are in memory.
            database.commits.drain(GroupWriter(database: database))
            head = database.commits.takeHead()
            if isMapLost || head.mapIsLost { database.writerState.freeSpace = nil }
        }
        do {
            if isReading { _ = try refresh() } else { try beginRead() }
            if let newest = head.newest { stand(on: newest.record) }
            try database.writerState.catchUp(with: record, in: database)
            try file.map(
                pageCount: max(
                    bounds.pageCount, database.writerState.freeSpace!.pageCount))
            try database.writerState.reclaim(
                visible: pinnedRecord?.version ?? 0, below: record, joining: head.open != nil,
                in: database)
            if database.writerState.shouldWaitForSync(in: file) {
                try database.backgroundSync.syncNow()
                try database.writerState.reclaim(
                    visible: pinnedRecord?.version ?? 0, below: record, in: database)
            }
            database.writerState.releaseTail(version: version, record: record)
        } catch {
            database.unlockAfterWriting()
            if wasReading { stand(at: pinnedRecord) } else { endRead() }
            throw error
        }
        self.head = head
        memory = database.pageMemory.take()
        transactionFailure = nil
        needsAttention = false
        writeVersion = version + 1
        copiesStamp &+= 1
        firstVersionInMemory = head.oldest?.firstVersion ?? writeVersion
    }

    /// Has versions of a new file begin behind one of another file, so that what is numbered by
    /// versions in the other one can be taken over. In the first transaction, before it writes.
    func beginVersions(after version: UInt64) {
        precondition(isInWriteTransaction && self.version == 0)
        precondition(database.writerState.freeSpace!.isTransactionEmpty)
        writeVersion = version + 1
        firstVersionInMemory = writeVersion
    }

    /// Ends the write transaction without a trace. The connection reads the version that it was
    /// based on, or a newer one: having seen what it was based on, it waits until that is durable.
    public func rollback() {
        precondition(isInWriteTransaction)
        notePeak()
        if database.coordinator.isForked {
            // All else is the parent's, and its locks may have been held when it was forked.
            endWriting()
            stand(at: pinnedRecord)
            return
        }
        if planted(.rollsGroupBack) { database.writerState.freeSpace!.rollBackGroup() }
        database.writerState.freeSpace!.rollBack()
        database.writerState.freeSpace!.checkInvariants()
        let base = head.newest
        endWriting()
        database.unlockAfterWriting()
        stand(at: pinnedRecord)
        guard let base else { return }
        // If this fails, what was seen is gone for everybody: the version before is what there is.
        // Whoever committed it is told why.
        let writer = GroupWriter(database: database)
        do throws(StorageError) {
            _ = try database.commits.waitUntilDurable(base, writer)
            try moveToNewest()
        } catch {}
    }

    /// The transaction has joined a group: lets the next writer go on, while it is on its way to the
    /// disk.
    func handOver() {
        endWriting()
        database.coordinator.handOverToNextWriter()
    }

    /// Forgets the private copies, unless a group has taken them over.
    private func endWriting() {
        forgetPagesAhead()
        if let unused = memory.take() { database.pageMemory.giveBack(unused) }
        head = CommitQueue.Head()
        freedFromHead.removeAll(keepingCapacity: freedFromHead.count <= 4096)
        writeVersion = Pager.noVersion
        firstVersionInMemory = Pager.noVersion
        changesToRecord = nil
        transactionFailure = nil
        extensionPage = nil
    }

    // MARK: Failure

    /// Makes the open write transaction one that can only be rolled back, with `error` as the
    /// reason unless there is one already. For a layer above whose own change was interrupted.
    ///
    /// From now on its private copies, some of which may be half changed, are found no more: the
    /// connection reads the version that the transaction was based on. Their memory stays until the
    /// transaction ends, because callers that are still to return may have pointers into it.
    public func failTransaction(_ error: StorageError) {
        precondition(isInWriteTransaction)
        if transactionFailure != nil { return }
        transactionFailure = error
        needsAttention = true
        if planted(.readsHalfDoneChanges) { return }
        memory?.pages.removeAll()
        ahead?.pages.removeAll()
        copiesStamp &+= 1
        root = record?.root ?? .none
        inlineRoots = record?.inlineRoots ?? []
        transactionDidFail?()
    }

    /// Remembers an error that is about to be thrown inside a write transaction.
    @inline(never)
    func failing(_ error: StorageError) -> StorageError {
        if isInWriteTransaction { failTransaction(error) }
        return error
    }

    private func checkTransaction() throws(StorageError) {
        precondition(isInWriteTransaction)
        if transactionFailure != nil { throw transactionFailure! }
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
        format(buffer, pages: pages, kind: kind)
        return (reference, buffer)
    }

    private func format(_ buffer: UnsafeMutableRawPointer, pages: Int, kind: PageKind) {
        buffer.initializeMemory(as: UInt8.self, repeating: 0, count: pages * pageSize)
        let header = MutablePageHeader(buffer)
        header.kind = kind
        header.pageCount = pages
        header.birth = writeVersion
    }

    /// The same, for whoever writes all of the run, its header too.
    func allocateUninitialized(
        pages: Int
    ) throws(StorageError) -> (PageReference, UnsafeMutableRawPointer) {
        precondition(pages > 0)
        try checkTransaction()
        let page = try takePages(UInt64(pages))
        let buffer = memory!.arena.take(pages: pages)
        memory!.pages.add(buffer, at: page)
        noteMemory()
        return (PageReference(page: page, birth: writeVersion), buffer)
    }

    /// Numbers for a run of the open transaction, behind which the file has room.
    private func takePages(_ count: UInt64) throws(StorageError) -> UInt64 {
        do { try System.takePages(file.descriptor) } catch {
            throw failing(file.failure(error, .resize))
        }
        // A file that is to end where its contents do takes what is left in front of its end.
        var page = database.writerState.freeSpace!.allocate(count, scattering: leavesNoTail)
        if page == nil {
            var failure: StorageError?
            do throws(StorageError) { try growFile(for: count) } catch { failure = error }
            // On a full disk small holes have to do.
            if failure == nil || failure?.code == .outOfDiskSpace {
                page = database.writerState.freeSpace!.allocate(count)
            }
            if page == nil, let failure { throw failing(failure) }
        }
        return page!
    }

    private func growFile(for count: UInt64) throws(StorageError) {
        try database.checkNotForked()
        takeExtension(ofFileWith: grownPageCount(for: count))
        let oldCount = database.writerState.freeSpace!.pageCount
        let newCount = grownPageCount(for: count)
        try file.grow(
            from: oldCount, to: newCount,
            transactionPages: writesInBulk
                ? nil : database.writerState.freeSpace!.allocatedPages + count)
        database.writerState.freeSpace!.grow(to: newCount)
    }

    /// Pages of the file once it has grown by so many in one piece.
    private func grownPageCount(for count: UInt64) -> UInt64 {
        file.grownPageCount(
            from: database.writerState.freeSpace!.pageCount,
            shortage: count - min(count, database.writerState.freeSpace!.freePagesAtEnd))
    }

    /// Makes room for so many pages at once, as far as the disk has it: for a transaction, or several,
    /// that will need them. Growing step by step waits for whoever writes to the file meanwhile.
    func reserve(pages count: UInt64) {
        takeExtension(ofFileWith: file.firstPage + count)
        let oldCount = database.writerState.freeSpace!.pageCount
        let missing = count - min(count, database.writerState.freeSpace!.freePages)
        guard missing > 0 else { return }
        let newCount = oldCount + missing
        guard
            (try? file.grow(from: oldCount, to: newCount, transactionPages: nil)) != nil
        else { return }
        database.writerState.freeSpace!.grow(to: newCount)
    }

    /// The run as a private copy: itself if it is one, else a copy under a new page number, and the
    /// old run is freed, at once if this transaction has written it ahead.
    public func makeWritable(
        _ reference: PageReference
    ) throws(StorageError) -> (PageReference, UnsafeMutableRawPointer, byteCount: Int) {
        if reference.birth == writeVersion, let buffer = privateCopy(reference) {
            return (reference, buffer, PageHeader(buffer).pageCount * pageSize)
        }
        precondition(isInWriteTransaction)
        let old = try page(reference)
        let pages = PageHeader(old).pageCount
        let (copy, buffer) = try allocateUninitialized(pages: pages)
        copyContents(of: old, to: buffer, byteCount: pages * pageSize)
        MutablePageHeader(buffer).birth = writeVersion
        if reference.birth == writeVersion {
            freeAhead(reference, pages: pages)
        } else {
            try freeOld(reference, pages: pages)
        }
        return (copy, buffer, pages * pageSize)
    }

    /// Copies a run without its seal, which another thread may just be filling in, and which the
    /// copy gets anew.
    private func copyContents(
        of old: UnsafeRawPointer, to buffer: UnsafeMutableRawPointer, byteCount: Int
    ) {
        (buffer + PageHeader.sealSize).copyMemory(
            from: old + PageHeader.sealSize, byteCount: byteCount - PageHeader.sealSize)
    }

    /// Moves a run that this transaction wrote to one of another length, which may begin at the
    /// same page: a run that grows step by step at the end of what was allocated leaves no holes.
    /// `move` fills the new memory, which is zeroed but for the header, while the old one is still
    /// there.
    public func reallocate(
        _ reference: PageReference, pages: Int,
        move: (_ old: UnsafeMutableRawPointer, _ new: UnsafeMutableRawPointer) -> Void
    ) throws(StorageError) -> (PageReference, UnsafeMutableRawPointer) {
        try checkTransaction()
        let old = try own(reference)
        let (kind, oldPages) = (PageHeader(old).kind, PageHeader(old).pageCount)
        // Only the numbers come free before the call that can fail: the new run may need them.
        database.writerState.freeSpace!.freeOwn(
            Extent(start: reference.page, count: UInt64(oldPages)))
        if planted(.readsHalfDoneChanges) { memory!.pages.remove(reference.page) }
        let page = try takePages(UInt64(pages))
        let buffer = memory!.arena.take(pages: pages)
        format(buffer, pages: pages, kind: kind!)
        move(old, buffer)
        forgetPlaces(in: old)
        if !planted(.readsHalfDoneChanges) { memory!.pages.remove(reference.page) }
        memory!.pages.add(buffer, at: page)
        memory!.arena.giveBack(old, pages: oldPages)
        noteMemory()
        return (PageReference(page: page, birth: writeVersion), buffer)
    }

    /// Frees a run: at once if this transaction wrote it, else once no reader reaches it. A private
    /// copy's memory must not be used afterwards.
    public func free(_ reference: PageReference) throws(StorageError) {
        try checkTransaction()
        guard reference.birth == writeVersion else {
            let start = try page(reference)
            return try freeOld(reference, pages: PageHeader(start).pageCount)
        }
        guard let buffer = privateCopy(reference) else {
            let start = try writtenAhead(reference)
            return freeAhead(reference, pages: PageHeader(start).pageCount)
        }
        let pages = PageHeader(buffer).pageCount
        forgetPlaces(in: buffer)
        memory!.pages.remove(reference.page)
        memory!.arena.giveBack(buffer, pages: pages)
        database.writerState.freeSpace!.freeOwn(
            Extent(start: reference.page, count: UInt64(pages)))
    }

    /// A run that this transaction made goes. In a file made to harm two trees may have had a node:
    /// who holds a place in the other one, or a path to it, has lost it.
    private func forgetPlaces(in run: UnsafeMutableRawPointer) {
        guard PageHeader(run).kind == .node else { return }
        layoutStamp?.pointee &+= 1
        copiesStamp &+= 1
    }

    private func freeOld(_ reference: PageReference, pages: Int) throws(StorageError) {
        if reference.birth >= firstVersionInMemory { freedFromHead.append(reference) }
        let extent = Extent(start: reference.page, count: UInt64(pages))
        guard database.writerState.freeSpace!.freeOld(extent, birth: reference.birth) else {
            throw failing(
                file.damage(
                    reference.page, "it is in use and free at once, or used twice"))
        }
    }
}
