/// Giving a file that has grown the commit slots that it was made without (``CommitRing``).
///
/// 1. The transaction with which the file grows beyond a size takes pages for them, in front of what
///    the file grows by: they are never moved, and would keep what is in front of them from being cut
///    off.
/// 2. Its record names them, if it opens a group; with a checkpoint, so that no number is missing that
///    it passes over.
/// 3. Before that is written, the slots are cleared and the locator is written, both durably
///    (``GroupWriter``).
///
/// Interrupted before the record, they are free pages. A file without room for them stays as it is.
extension Pager {
    /// The slots that the newest record may be in.
    private var ring: CommitRing { record?.ring ?? file.ring }

    /// Takes the pages in the open transaction if the file is about to have so many.
    func takeExtension(ofFileWith pageCount: UInt64) {
        guard extensionPage == nil, !ring.hasAllSlots,
            file.offset(of: pageCount) > CommitRing.largestFileWithFewSlots
        else { return }
        let count = ring.extensionPageCount
        let end = database.writerState.freeSpace!.freePagesAtEnd
        if end < count {
            let oldCount = database.writerState.freeSpace!.pageCount
            let newCount = file.grownPageCount(from: oldCount, shortage: count - end)
            guard
                (try? file.grow(from: oldCount, to: newCount, transactionPages: count)) != nil
            else { return }
            database.writerState.freeSpace!.grow(to: newCount)
        }
        extensionPage = database.writerState.freeSpace!.allocate(count)
    }

    /// The ring and the number of the record that opens a group, `next` being the next number: those of
    /// one that comes with the pages taken, if there are any.
    func extendRing(next: UInt64) -> (CommitRing, sequence: UInt64) {
        takeExtension(ofFileWith: database.writerState.freeSpace!.pageCount)
        guard let page = extensionPage else {
            extensionPage = 0
            return (ring, next)
        }
        return ring.extended(at: page, next: next)
    }

    /// The transaction joins a group, whose record has its number already. The next one tries again.
    func giveBackExtension() {
        if let page = extensionPage {
            database.writerState.freeSpace!.freeOwn(
                Extent(start: page, count: ring.extensionPageCount))
        }
        extensionPage = 0
    }
}
