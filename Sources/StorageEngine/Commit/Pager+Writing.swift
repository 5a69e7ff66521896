/// Changing pages in a write transaction.
extension Pager {
    /// Waits for the write lock, moves on to the newest version, and starts to write on top of it.
    ///
    /// That may be a version of a group that is not on disk yet, which nothing but the transaction
    /// reads; the version that is pinned is the newest visible one.
    ///
    /// - Throws: `.readOnly`, `.usedAfterFork`, `.outcomeUnknown` after a failed sync, `.damaged`,
    ///   `.fileAccess`. The connection then reads what it did before, or nothing.
    package func beginWrite() throws(StorageError) {
        precondition(!isInWriteTransaction, "already writing")
        try writer.lock()
        mayWait = true
        try beginWithLock()
    }

    /// The same, with the lock, which is released if this throws.
    func beginWithLock() throws(StorageError) {
        let (wasReading, shown) = (isReading, unpublished)
        // Before anything is pinned: a group that has gone from the head has been published.
        let head = writer.takeHead()
        do {
            if isReading { try showNewest() } else { try beginRead() }
            begin(
                try WriteTransaction(
                    writer, on: head, above: snapshot,
                    settings: WriteTransaction.Settings(
                        writesInBulk: writesInBulk, memoryLimit: database.largestPrivateBytes,
                        mayWait: mayWait)))
        } catch {
            writer.unlock()
            if !wasReading { endRead() }
            if isReading, let shown, shown.failure == nil { show(shown) }
            throw error
        }
    }

    /// Has versions of a new file begin behind one of another file, so that what is numbered by
    /// versions in the other one can be taken over. In the first transaction, before it writes.
    func beginVersions(after version: UInt64) { writing.beginVersions(after: version) }

    /// Ends the write transaction without a trace. The connection reads the version that it was
    /// based on, or a newer one: it has seen that version, so it waits until that is durable. A
    /// connection that does not wait goes on to read it while it is on its way to the disk.
    func rollback() {
        precondition(isInWriteTransaction)
        notePeak()
        let shown = mayWait || writer.coordinator.isForked ? nil : unpublishedBase
        let transaction = takeTransaction()
        if writer.coordinator.isForked {
            transaction.abandon()
            return
        }
        let base = transaction.head.newest
        transaction.rollBack()
        guard let base else { return }
        if let shown { return show(shown) }
        // If this fails, the base is lost for all connections, and the version before is read.
        // Those that committed it are told the reason.
        do throws(StorageError) {
            _ = try writer.commits.waitUntilDurable(base)
            try moveToNewest()
        } catch {}
    }

    /// What the open write transaction is based on, if that was not in the file when it began.
    var unpublishedBase: UnpublishedVersion? {
        guard let group = writing.head.newest, let base = writing.base else { return nil }
        return UnpublishedVersion(base, in: group, of: writing)
    }

    // MARK: Failure

    /// The first error that the open write transaction met, or nil.
    ///
    /// A call that failed may have left a change half done, so the transaction can only be rolled
    /// back: from then on `commit` and every call that takes or frees a page throws the error
    /// again, and reads find the version that the transaction was based on
    /// (``failTransaction(_:)``).
    var transactionFailure: StorageError? {
        isInWriteTransaction ? writing.failure : nil
    }

    /// Makes the open write transaction one that can only be rolled back, with `error` as the
    /// reason unless there is one already. For a layer above whose own change was interrupted.
    func failTransaction(_ error: StorageError) {
        precondition(isInWriteTransaction)
        guard writing.fail(error) else { return }
        copiesStamp &+= 1
        transactionDidFail?()
    }

    /// Remembers an error that is about to be thrown inside a write transaction.
    @inline(never)
    func failing(_ error: StorageError) -> StorageError {
        if isInWriteTransaction { failTransaction(error) }
        return error
    }

    // MARK: Pages

    /// A new run with zeroed contents; kind, length and birth are in its header.
    ///
    /// - Throws: `.outOfDiskSpace`, `.addressSpaceExhausted`, `.fileAccess`. The transaction can
    ///   then only be rolled back (``transactionFailure``).
    package func allocate(
        pages: Int, kind: PageKind
    ) throws(StorageError) -> (PageReference, UnsafeMutableRawPointer) {
        do throws(StorageError) { return try writing.allocate(pages: pages, kind: kind) } catch {
            throw failing(error)
        }
    }

    /// The same, for callers that write all of the run, its header too.
    func allocateUninitialized(
        pages: Int
    ) throws(StorageError) -> (PageReference, UnsafeMutableRawPointer) {
        do throws(StorageError) { return try writing.allocateUninitialized(pages: pages) } catch {
            throw failing(error)
        }
    }

    /// Makes room for `count` pages at once, as far as the disk has it: for one transaction or
    /// several that will need them.
    func reserve(pages count: UInt64) { writing.reserve(pages: count) }

    /// The run as a private copy: itself if it is one, else a copy under a new page number, and the
    /// old run is freed, at once if this transaction has written it ahead.
    package func makeWritable(
        _ reference: PageReference
    ) throws(StorageError) -> (PageReference, UnsafeMutableRawPointer, byteCount: Int) {
        if let buffer = writing.privateCopy(reference) {
            return (reference, buffer, PageHeader(buffer).pageCount * pageSize)
        }
        let old = try page(reference)
        let pages = PageHeader(old).pageCount
        let (copy, buffer) = try allocateUninitialized(pages: pages)
        copyContents(of: old, to: buffer, byteCount: pages * pageSize)
        MutablePageHeader(buffer).birth = copy.birth
        MutablePageHeader(buffer).base = reference
        if reference.birth == copy.birth {
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
    /// there. It must not use the pager.
    func reallocate(
        _ reference: PageReference, pages: Int,
        move: (_ old: UnsafeMutableRawPointer, _ new: UnsafeMutableRawPointer) -> Void
    ) throws(StorageError) -> (PageReference, UnsafeMutableRawPointer) {
        try writing.checkNotFailed()
        let old = try own(reference)
        let isNode = PageHeader(old).kind == .node
        do throws(StorageError) {
            let moved = try writing.reallocate(reference, old, pages: pages, move: move)
            if isNode { forgetPlaces() }
            return moved
        } catch {
            throw failing(error)
        }
    }

    /// Frees a run: at once if this transaction wrote it, else once no reader reaches it. A private
    /// copy's memory must not be used afterwards.
    package func free(_ reference: PageReference) throws(StorageError) {
        try writing.checkNotFailed()
        guard reference.birth == writing.version else {
            let start = try page(reference)
            return try freeOld(reference, pages: PageHeader(start).pageCount)
        }
        guard let buffer = writing.privateCopy(reference) else {
            let start = try writtenAhead(reference)
            return freeAhead(reference, pages: PageHeader(start).pageCount)
        }
        if PageHeader(buffer).kind == .node { forgetPlaces() }
        writing.freePrivateCopy(reference, buffer)
    }

    /// A node that this transaction made was freed. In a malicious file two trees may have had it:
    /// places in the other one, and paths to it, are lost.
    private func forgetPlaces() {
        layoutStamp?.pointee &+= 1
        copiesStamp &+= 1
    }

    private func freeOld(_ reference: PageReference, pages: Int) throws(StorageError) {
        do throws(StorageError) { try writing.freeOld(reference, pages: pages) } catch {
            throw failing(error)
        }
    }

    private func freeAhead(_ reference: PageReference, pages: Int) {
        forgetDecrypted(reference.page)
        writing.freeAhead(reference, pages: pages)
    }
}
