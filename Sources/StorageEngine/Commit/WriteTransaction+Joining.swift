/// Step 1 of the commit protocol (`docs/design.md`, "Commit protocol"): a finished transaction
/// becomes a version of a group, whose record is drafted here.
///
/// A failure here rolls the transaction back.
extension WriteTransaction {
    /// More bytes than this are synced before the record is written, instead of being listed in it:
    /// so recovery never reads more than this to check a commit.
    static let largestListedBytes: UInt64 = 1 << 20

    /// At most this many bytes that several commits wrote and that were not synced are listed in a
    /// record.
    static let largestUnsyncedBytes: UInt64 = 4 << 20

    /// Extents of a transaction that always fit in the record of a group that is not full.
    private static let fewExtents = 64

    /// Free pages that keep the file from growing when the checkpoint of a file without gaps is
    /// written.
    private static let pagesForCheckpoint: UInt64 = 2

    /// Makes the transaction a part of the open group, or of a new one, which is still to be
    /// written. Its memory is the group's from then on: hand the transaction over
    /// (``handOver()``). `durability` is nil for what becomes durable with a later commit only.
    ///
    /// - Throws: the reason why the head failed; what drafting the record throws. Roll the
    ///   transaction back.
    mutating func join(
        _ durability: CommitDurability?, runMemory: RunMemory
    ) throws(StorageError) -> CommitGroup {
        // A checkpoint of the free map looks for earlier records in the file.
        if isLarge { writer.commits.drain() }
        do throws(StorageError) {
            return try writer.commits.join(head) { open throws(StorageError) in
                try add(to: open, durability, runMemory: runMemory)
            }
        } catch {
            writer.changeLog.removeAll()
            map.space.rollBackGroup()
            throw error
        }
    }

    private mutating func add(
        to open: CommitGroup?, _ durability: CommitDurability?, runMemory: RunMemory
    ) throws(StorageError) -> CommitGroup {
        if open == nil { map.space.beginGroup(firstVersion: version) }
        let draft: CommitRecord
        let freed: [FreedExtent]
        do throws(StorageError) {
            (draft, freed) = try draftRecord(
                joining: open?.record, durability, runMemory: runMemory)
        } catch {
            // The queue fails the others of the group, and the map is then read anew.
            if open == nil { map.space.rollBackGroup() }
            throw error
        }
        map.describes(draft)
        recordChanges()
        let sync = sync(for: durability)
        let isFull = isFull(draft)
        guard let open else {
            return CommitGroup(
                firstVersion: version, record: draft, freed: freed, sync: sync, isFull: isFull,
                memory: memory.take(), pagesAhead: ahead?.pages, pool: writer.memory)
        }
        precondition(ahead == nil, "a transaction that wrote ahead has a group of its own")
        open.join(draft, freed: freed, sync: sync, isFull: isFull, memory: memory.take())
        return open
    }

    /// Whether it may need more of a record than an open group leaves. It gets a group of its own
    /// then, made when all groups before it are in the file.
    var isLarge: Bool {
        ahead != nil || map.space.allocatedPages > UInt64(Self.fewExtents)
            || map.space.freedExtents.count > Self.fewExtents
    }

    private func sync(for durability: CommitDurability?) -> CommitGroup.Sync {
        guard let durability else { return .withLaterGroup }
        if durability == .full || file.isInMemory { return .beforeReturning }
        return map.exceedsSyncBudget(in: file) ? .soon : .later
    }

    /// Before the group can be taken, so that no version is visible whose changes are not recorded.
    private func recordChanges() {
        guard let (writerID, changes) = recordedChanges else { return }
        writer.changeLog.append(
            RecordedTransaction(version: version, writer: writerID, changes: changes))
    }

    // MARK: The record

    /// Drafts the record that makes this transaction, and the group that it joins, a version.
    /// Returns it with what they freed of versions before. `open`: the group's record so far.
    ///
    /// What remains for ``GroupWriter`` is what is known only when the group is written: the
    /// durable floor, and what the record vouches for.
    private mutating func draftRecord(
        joining open: CommitRecord?, _ durability: CommitDurability?, runMemory: RunMemory
    ) throws(StorageError) -> (CommitRecord, freed: [FreedExtent]) {
        let newest = base?.sequence ?? 0
        // First of all, because pages that it takes for slots force a checkpoint.
        let (ring, sequence) = slots(joining: open, after: newest)
        var checkpoint = base?.checkpoint ?? .none
        var checkpointSequence = base?.checkpointSequence ?? 0
        // Rebuilding the map from a checkpoint and the records since must find no number missing.
        let passesSlotsOver = sequence > newest + 1
        let isCheckpointDue =
            passesSlotsOver || hasSlotPages
            || sequence - checkpointSequence > ring.maximumCheckpointAge
        var page = open?.place.page ?? 0
        var chain = open?.chain ?? base?.chainOfNext ?? RecordChain()
        if open == nil {
            // The last page that the transaction takes, so that it lies behind the others.
            if !isCheckpointDue, durability == .full, ahead == nil, !mayCarryChanges(in: ring) {
                page = takePageForRecord()
            }
            try freeRecords(of: &chain, before: checkpointSequence)
        }
        // From here on nothing is allocated or freed but for the checkpoint, so the log is whole.
        var log = map.finishTransaction(as: version)
        var isListed = isListable(pages(of: log))
        var list = isListed ? pages(of: log) : []
        let recordExtent = Extent(start: page, count: 1)
        // The record's own page is no page that it vouches for.
        if page != 0 { list.remove(recordExtent) }
        let needsCheckpoint =
            isCheckpointDue
            || !CommitRecord.fits(pageList: list, log: log, version: version)
        if page != 0, needsCheckpoint || !isListed {
            // A record with a checkpoint, or one whose pages are synced before, goes into its slot.
            map.space.dropRecordPage(page)
            log.allocated.remove(recordExtent)
            list.remove(recordExtent)
            page = 0
        }
        // Before the checkpoint, which is to describe the shorter file.
        if leavesNoTail {
            map.space.shrinkToUse(
                keeping: needsCheckpoint ? Self.pagesForCheckpoint : 0, version: version)
        }
        if needsCheckpoint {
            checkpoint = try writeCheckpoint(sequence: sequence, memory: runMemory)
            checkpointSequence = sequence
            // Again, because the checkpoint has pages too. The log is left out of the record if it
            // does not fit, because the checkpoint says the same.
            log = map.space.groupLog()
            isListed =
                isListable(pages(of: log))
                && CommitRecord.fits(pageList: pages(of: log), log: nil, version: version)
            list = isListed ? pages(of: log) : []
        }
        let fits = CommitRecord.fits(pageList: list, log: log, version: version)
        var draft = CommitRecord(
            version: version, sequence: sequence,
            commitID: open?.commitID ?? writer.commitIDs.next(),
            durableFloor: sequence - 1, pageCount: map.space.pageCount,
            root: root, livePages: map.space.livePages,
            checkpoint: checkpoint, checkpointSequence: checkpointSequence, pageListHash: 0,
            pagesWereSynced: !isListed,
            place: page != 0 ? .page(page) : ring.place(of: sequence), ring: ring,
            lists: CommitRecord.Lists(
                inlineRoots: inlineRoots, pageList: list, log: fits ? log : nil, chain: chain))
        setWindows(of: &draft, after: open ?? base)
        map.space.checkInvariants()
        return (draft, log.freed)
    }

    /// Returns the ring and the number of the group's record. `open`: that record so far, if there
    /// is one.
    private mutating func slots(
        joining open: CommitRecord?, after newest: UInt64
    ) -> (CommitRing, sequence: UInt64) {
        if let open {
            returnSlotPages()
            return (open.ring, open.sequence)
        }
        let ring = base?.ring ?? file.ring
        return extendRing(next: writer.coordinator.sequence(after: newest, in: ring))
    }

    private var hasSlotPages: Bool {
        if case .taken = slotPages { true } else { false }
    }

    /// The pages that the group wrote: all that it allocated, but for commit slots.
    private func pages(of log: FreeSpaceLog) -> [Extent] {
        var extents = log.allocated
        if case .taken(let page) = slotPages {
            extents.remove(Extent(start: page, count: file.ring.extensionPageCount))
        }
        return extents
    }

    /// Whether the record is expected to carry the changes, and be durable without the pages: then
    /// it need not be beside them.
    private func mayCarryChanges(in ring: CommitRing) -> Bool {
        file.mayCarryChanges && ring.hasAllSlots && writer.changesPolicy.isExpected && !isLarge
            && file.byteCount(map.space.allocatedPages) <= PageChanges.largestRuns
    }

    /// Takes the page behind what the transaction wrote, if its record may be there; returns 0
    /// otherwise.
    private mutating func takePageForRecord() -> UInt64 {
        guard let base, writer.coordinator.mayPutRecordAmongPages(after: base.sequence),
            let page = map.space.pageForRecord, base.window.contains(page),
            base.chain.hasRoom(for: page, version: version)
        else { return 0 }
        return map.space.takePageForRecord() ?? 0
    }

    /// Sets the windows of a record. One in its slot opens the window that the record before has
    /// announced, and announces another. `before`: the record of the group before, or of the open
    /// one so far.
    private mutating func setWindows(
        of draft: inout CommitRecord, after before: CommitRecord?
    ) {
        (draft.slotID, draft.earlierSlotID) = (before?.slotID ?? 0, before?.earlierSlotID ?? 0)
        (draft.window, draft.nextWindow) = (before?.window ?? .none, before?.nextWindow ?? .none)
        // A group that others join has set its windows already.
        guard !draft.place.isPage, draft.slotID != draft.commitID else { return }
        (draft.slotID, draft.earlierSlotID) = (draft.commitID, draft.slotID)
        draft.window = draft.nextWindow
        guard file.mayHoldRecordsAmongPages, draft.ring.hasAllSlots, !settings.writesInBulk,
            let piece = map.space.pieceForNextRecord(),
            !draft.nextWindow.hasRoom(behind: piece.start)
        else { return }
        draft.nextWindow = RecordWindow(start: piece.start)
    }

    /// Frees the pages of records that are no longer needed: those before the newest checkpoint,
    /// once that is durable. (Recovery goes back to the durable floor of the newest record that it
    /// finds, and from there to the checkpoint before it.)
    private mutating func freeRecords(
        of chain: inout RecordChain, before checkpointSequence: UInt64
    ) throws(StorageError) {
        guard !chain.entries.isEmpty,
            checkpointSequence <= writer.coordinator.durableSequence
        else { return }
        for entry in chain.removeEntries(before: checkpointSequence) {
            let extent = Extent(start: entry.page, count: 1)
            guard map.space.freeOld(extent, birth: entry.version) else {
                throw file.damage(entry.page, "it holds a commit record and is free at once")
            }
        }
    }

    private func isListable(_ pages: [Extent]) -> Bool {
        // The seals of what was written ahead are not kept.
        ahead == nil && listedBytes(pages) <= Self.largestListedBytes
    }

    private func listedBytes(_ extents: [Extent]) -> UInt64 {
        file.offset(of: extents.reduce(0) { $0 + $1.count })
    }

    /// Whether no further transaction may join a group with this record: it has a checkpoint, which
    /// describes its newest version and no later one, or uses more than half of the room that a
    /// record has.
    private func isFull(_ draft: CommitRecord) -> Bool {
        draft.checkpointSequence == draft.sequence || draft.pagesWereSynced
            || listedBytes(draft.pageList) > Self.largestListedBytes / 2
            || 2 * draft.listByteCount > CommitRecord.listCapacity
    }
}
