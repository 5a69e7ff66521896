/// Giving a file that has grown the commit slots that it was made without (``CommitRing``).
///
/// 1. The transaction with which the file grows beyond a size takes pages for them, in front of
///    what the file grows by: they are never moved, and would keep what is in front of them from
///    being cut off. So does the first one after a number of commits.
/// 2. If it opens a group, its record names them. The record comes with a checkpoint, so that no
///    number is missing that it passes over.
/// 3. Before that is written, the slots are cleared and the locator is written, both durably
///    (``GroupWriter``).
///
/// Interrupted before the record, they are free pages. A file without room for them stays as it is.
extension WriteTransaction {
    /// The slots that the newest record may be in.
    private var ring: CommitRing { base?.ring ?? file.ring }

    /// Takes the pages if the file is about to have `pageCount`.
    mutating func takeSlotPages(ofFileWith pageCount: UInt64) {
        guard file.offset(of: pageCount) > CommitRing.largestFileWithFewSlots else { return }
        takeSlotPages()
    }

    private mutating func takeSlotPages() {
        guard slotPages == .undecided, !ring.hasAllSlots else { return }
        let count = ring.extensionPageCount
        let end = map.space.freePagesAtEnd
        if end < count {
            let oldCount = map.space.pageCount
            let newCount = file.grownPageCount(from: oldCount, shortage: count - end)
            let isGrown: Void? = try? file.grow(
                from: oldCount, to: newCount, transactionPages: count)
            guard isGrown != nil else { return }
            map.space.grow(to: newCount)
        }
        if let page = map.space.allocate(count) { slotPages = .taken(page) }
    }

    /// Returns the ring and the number of the record that opens a group, `next` being the next
    /// number: those of a record that comes with the pages taken, if there are any.
    mutating func extendRing(next: UInt64) -> (CommitRing, sequence: UInt64) {
        takeSlotPages(ofFileWith: map.space.pageCount)
        // Only with all slots may records carry changes.
        if next > CommitRing.recordsWithFewSlots, file.mayCarryChanges { takeSlotPages() }
        guard case .taken(let page) = slotPages else {
            slotPages = .declined
            return (ring, next)
        }
        return ring.extended(at: page, next: next)
    }

    /// Frees the pages: the transaction joins a group, whose record has its number already. The
    /// next transaction tries again.
    mutating func returnSlotPages() {
        if case .taken(let page) = slotPages {
            map.space.freeOwn(Extent(start: page, count: ring.extensionPageCount))
        }
        slotPages = .declined
    }
}
