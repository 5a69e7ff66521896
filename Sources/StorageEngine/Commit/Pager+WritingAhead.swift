/// Keeping the memory of a write transaction within its limit.
extension Pager {
    /// Private copies beyond this many bytes are written ahead.
    static let largestPrivateBytes: Int = 16 << 20

    /// The pages that the open write transaction has written ahead; nil if none.
    var ahead: PagesAhead? { isInWriteTransaction ? writing.ahead : nil }

    /// Bytes of private copies, of those whose memory is not used again yet, and of pages that were
    /// decrypted for this connection alone.
    var privateBytes: Int {
        (isInWriteTransaction ? writing.privateBytes : 0) + decryptedBytes
    }

    /// Notes how much memory there is. It is the most just before some is freed.
    func notePeak() { largestPrivateBytes = max(largestPrivateBytes, privateBytes) }

    /// Whether the next change has more to do than to begin.
    var needsAttention: Bool {
        @inline(__always) get { isInWriteTransaction && writing.needsAttention }
    }

    /// Has the next change call ``Connection/prepareChange()``.
    func requestAttention() { writing.needsAttention = true }

    /// Between two steps of a change, when no pointer into a page is used but for what the change
    /// was given: writes ahead if there is much to be written.
    @inline(__always)
    func limitMemory() throws(StorageError) {
        if needsAttention { try limitMemoryNow() }
    }

    @inline(never)
    func limitMemoryNow() throws(StorageError) {
        guard isInWriteTransaction, transactionFailure == nil else { return }
        if writing.exceedsMemoryLimit { try writeAhead() }
        if hasExcessMemory { retireDecryptedPages() }
    }

    /// At the entry of a change, or at the commit: no pointer is used any more into what was
    /// written ahead at the entry of the change before.
    func releaseRetiredMemory() { writing.releaseRetiredMemory() }

    private func writeAhead() throws(StorageError) {
        notePeak()
        do throws(StorageError) { try writing.writeAhead() } catch { throw failing(error) }
        forgetCopies()
    }

    private func retireDecryptedPages() {
        notePeak()
        writing.retire(takePrivateRuns())
        layoutStamp?.pointee &+= 1
    }

    /// Private copies have gone from memory.
    private func forgetCopies() {
        copiesStamp &+= 1
        layoutStamp?.pointee &+= 1
    }

    // MARK: Pages that were written

    /// Returns a run of the open transaction that is not in memory.
    @inline(never)
    func writtenAhead(_ reference: PageReference) throws(StorageError) -> UnsafeRawPointer {
        guard let ahead, ahead.pages.contains(reference.page) else {
            throw missingCopy(reference)
        }
        let mapping = ahead.mapping
        // This process has written it, so it need not be checked.
        if file.cipher == nil { return mapping.table.address(of: reference.page) }
        let bounds = SnapshotBounds(
            version: writing.version, pageCount: writing.map.space.pageCount)
        return try decryptedForItself(reference, of: bounds, in: mapping)
    }
}
