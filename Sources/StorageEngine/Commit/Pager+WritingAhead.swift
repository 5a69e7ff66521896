/// Writing pages ahead of their commit: what bounds the memory of a transaction.
///
/// Once private copies take more than ``memoryLimit``, all of them are written to the places that
/// they have been given, and their memory is used again. From then on they are read like other
/// pages of the file; one that is to be changed again is copied to a new number, and the old one is free
/// at once, so that no page is written twice with different contents while anything names it.
///
/// It happens where nobody has a pointer into a private copy: at the entry of a change, and between
/// the steps of one that changes many pages. Only what the change was given may lie in pages, so
/// memory that was in use at its entry stays until it has ended.
extension Pager {
    /// Private copies beyond this are written ahead.
    static let largestPrivateBytes: Int = 16 << 20

    /// Bytes of private copies, of those whose memory is not used again yet, and of pages that were
    /// decrypted for this connection alone.
    var privateBytes: Int {
        (memory?.arena.takenBytes ?? 0) + (ahead?.retiredBytes ?? 0) + decryptedBytes
    }

    /// Between two steps of a change, when nobody has a pointer into a page but for what the change
    /// was given: writes ahead if there is much to be written.
    @inline(__always)
    func limitMemory() throws(StorageError) {
        if needsAttention { try limitMemoryNow() }
    }

    @inline(never)
    func limitMemoryNow() throws(StorageError) {
        guard isInWriteTransaction, transactionFailure == nil else { return }
        if memory!.arena.takenBytes > memoryLimit { try writeAhead() }
        if hasExcessMemory { retireDecryptedPages() }
    }

    /// At the entry of a change, or at the commit: nobody has a pointer any more into what was
    /// written ahead at the entry of the one before.
    func releaseRetiredMemory() {
        needsAttention = transactionFailure != nil
        guard let ahead, ahead.isRetiring else { return noteMemory() }
        ahead.retiredRuns = nil
        if var arena = ahead.retiredArena.take() { memory!.arena.takeOver(&arena) }
        noteMemory()
    }

    /// Memory was taken.
    @inline(__always)
    func noteMemory() {
        if memory.unsafelyUnwrapped.arena.takenBytes > memoryLimit { needsAttention = true }
    }

    private func writeAhead() throws(StorageError) {
        notePeak()
        let ahead = ahead ?? PagesAhead()
        self.ahead = ahead
        do throws(StorageError) {
            // Its descriptor is the parent's, or a file of somebody else.
            try database.checkNotForked()
            let written = try GroupWriter(database: database).writeAhead(
                memory!.pages, pageCount: database.writerState.freeSpace!.pageCount, &ahead.cost)
            for page in written { ahead.pages.insert(page) }
        } catch {
            throw failing(error)
        }
        ahead.use(file.pages!)
        memory!.pages.removeAll()
        copiesStamp &+= 1
        layoutStamp?.pointee &+= 1
        needsAttention = true
        if ahead.retiredArena == nil {
            ahead.retiredArena = memory!.arena
            memory!.arena = PageArena(pageSize: pageSize)
        } else {
            // Taken since the entry of this change, for which all that it was given lies elsewhere.
            memory!.arena.reset(keeping: .max)
        }
    }

    private func retireDecryptedPages() {
        notePeak()
        let ahead = ahead ?? PagesAhead()
        self.ahead = ahead
        let runs = takePrivateRuns()
        if ahead.retiredRuns == nil { ahead.retiredRuns = runs }
        layoutStamp?.pointee &+= 1
        needsAttention = true
    }

    /// Notes how much memory there is; it is the most just before some is given back.
    func notePeak() { largestPrivateBytes = max(largestPrivateBytes, privateBytes) }

    // MARK: Pages that were written

    /// A run of the open transaction that is not in memory.
    @inline(never)
    func writtenAhead(_ reference: PageReference) throws(StorageError) -> UnsafeRawPointer {
        guard let ahead, ahead.pages.contains(reference.page) else {
            throw missingCopy(reference)
        }
        let mapping = ahead.mapping
        // What this process has written it need not check.
        if file.cipher == nil { return mapping.table.address(of: reference.page) }
        let bounds = SnapshotBounds(
            version: writeVersion, pageCount: database.writerState.freeSpace!.pageCount)
        return try decryptedForItself(reference, of: bounds, in: mapping)
    }

    /// Frees a run that was written ahead: its number may be given out again. Its contents stay
    /// readable for who has looked at them, as long as a private copy's would.
    func freeAhead(_ reference: PageReference, pages: Int) {
        ahead!.pages.remove(reference.page)
        forgetDecrypted(reference.page)
        database.writerState.freeSpace!.freeOwn(
            Extent(start: reference.page, count: UInt64(pages)))
    }

    /// The transaction ends. What was decrypted goes, because another one may come to write other
    /// pages of the same places and birth.
    func forgetPagesAhead() {
        needsAttention = false
        guard ahead != nil else { return }
        ahead = nil
        _ = takePrivateRuns()
    }
}
