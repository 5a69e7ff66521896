/// Writing pages ahead of their commit: what bounds the memory of a transaction.
///
/// Once private copies take more than ``Settings/memoryLimit``, all of them are written to the
/// places that they have been given, and their memory is used again. From then on they are read
/// like other pages of the file. One that is to be changed again is copied to a new number, and the
/// old one is free at once, so that no page is written twice with different contents while anything
/// names it.
///
/// It happens where no pointer into a private copy exists: at the entry of a change, and between
/// the steps of one that changes many pages. Only what the change was given may lie in pages, so
/// memory that was in use at its entry stays until it has ended.
extension WriteTransaction {
    /// Bytes of private copies, and of those whose memory is not used again yet.
    var privateBytes: Int { memory.arena.takenBytes + (ahead?.retiredBytes ?? 0) }

    var exceedsMemoryLimit: Bool { memory.arena.takenBytes > settings.memoryLimit }

    /// Memory was taken.
    @inline(__always)
    mutating func noteMemory() {
        if exceedsMemoryLimit { needsAttention = true }
    }

    /// At the entry of a change, or at the commit: no pointer is used any more into what was
    /// written ahead at the entry of the change before.
    mutating func releaseRetiredMemory() {
        needsAttention = failure != nil
        if let ahead, ahead.isRetiring {
            ahead.retiredRuns = nil
            if var arena = ahead.retiredArena.take() { memory.arena.takeOver(&arena) }
        }
        noteMemory()
    }

    /// Writes all private copies to the file.
    mutating func writeAhead() throws(StorageError) {
        let ahead = ahead ?? PagesAhead()
        self.ahead = ahead
        // In a forked child the descriptor is the parent's, or one of another file.
        try writer.coordinator.checkNotForked()
        let written = try writer.commits.groupWriter.writeAhead(
            memory.pages, pageCount: map.space.pageCount, cost: &ahead.cost)
        for page in written { ahead.pages.insert(page) }
        ahead.use(file.pages!)
        memory.pages.removeAll()
        needsAttention = true
        if ahead.retiredArena == nil {
            ahead.retiredArena = memory.arena
            memory.arena = PageArena(pageSize: file.pageSize)
        } else {
            // Taken since the entry of this change, and all that the change was given lies
            // elsewhere.
            memory.arena.reset(keeping: .max)
        }
    }

    /// Keeps decrypted pages that are found no more until the change under way has ended.
    mutating func retire(_ runs: PrivateRuns?) {
        let ahead = ahead ?? PagesAhead()
        self.ahead = ahead
        if ahead.retiredRuns == nil { ahead.retiredRuns = runs }
        needsAttention = true
    }

    /// Frees a run that was written ahead: its number may be given out again. Its contents stay
    /// readable for callers that have looked at them, as long as those of a private copy would.
    mutating func freeAhead(_ reference: PageReference, pages: Int) {
        ahead!.pages.remove(reference.page)
        freeOwn(reference.page, pages: pages)
    }
}
