import Dispatch

/// What has happened to a write transaction when its commit returns.
public enum CommitDurability: String, Sendable {
    /// It survives a loss of power.
    case full
    /// It survives the end of this process, and everybody sees it. Within 100 ms it survives a loss of
    /// power; one before that takes back the newest commits, in the order in which they were made, and
    /// never damages the file.
    case relaxed
}

/// The commit protocol.
///
/// 1. Join the open group, or open one (``CommitQueue``): draft the group's commit record, with its
///    page list and with free-space log or checkpoint. Hand the write lock on.
/// 2. When no other group is being written, one of the waiting threads takes the group; it does
///    the rest (``GroupWriter``).
/// 3. Seal: fill in the checksums, or encrypt.
/// 4. Write the runs, each contiguous stretch with one call, to pages that neither the visible nor the
///    durable version uses, nor the one that a sync under way makes durable (invariant I1).
/// 5. If they are more than a record can vouch for, sync: the record then says so.
/// 6. Write the commit record into slot `sequence mod 64`, or, of a small commit, with 4 behind its
///    pages, in a window that a record before has named (``RecordWindow``).
/// 7. Sync.
/// 8. Publish the version, wake the others.
///
/// Interrupted before 6: the record of the group before is the newest, and nothing points at what
/// was written. Between 6 and 8 without a loss of power: nobody was told; the next writer clears
/// the slot before it writes anything. Loss of power between 6 and 7: record or pages may be torn;
/// recovery checks both and takes the group before.
///
/// A failure in 1 rolls the transaction back. One in 3 to 6 fails the group and all that was built
/// on it; the record's slot is cleared. After a failed sync nobody knows what is on disk: the file
/// is poisoned for all writers of all processes.
extension Pager {
    /// More than this is synced before the record is written, instead of being listed in it: so
    /// recovery never reads more than this to check a commit.
    static let largestListedBytes: UInt64 = 1 << 20

    /// And a record lists at most so much that several commits wrote and that was not synced.
    static let largestUnsyncedBytes: UInt64 = 4 << 20

    /// Makes the transaction a version, durable when this returns; the connection then reads it, or
    /// a newer one. A transaction without changes becomes no version. After an error it is rolled
    /// back.
    ///
    /// With relaxed durability it is written and visible when this returns, and durable soon.
    ///
    /// - Throws: `.outOfDiskSpace`, `.fileAccess`, `.damaged` when the file was cut outside of this
    ///   library; `.outcomeUnknown` when a sync failed; what ``transactionFailure`` says.
    public func commit(
        _ durability: CommitDurability = .full
    ) throws(StorageError) -> CommitStatistics {
        precondition(isInWriteTransaction)
        let base = version
        var statistics = CommitStatistics(version: writeVersion)
        let costAhead = ahead?.cost
        guard let group = try finish(durability) else { return CommitStatistics(version: base) }
        do throws(StorageError) {
            let writer = GroupWriter(database: database)
            if let cost = try database.commits.waitUntilDurable(group, writer) {
                let version = statistics.version
                statistics = cost
                statistics.version = version
                statistics.add(costAhead)
            }
        } catch {
            stand(at: pinnedRecord)
            throw error
        }
        try moveToNewest()
        return statistics
    }

    /// Writes the transaction, or has `queue` write it, and begins the next one on it. For a file that
    /// nobody else knows of yet: it becomes durable with the next ``commit(_:)`` that is full and
    /// changes something, and a loss of power before that may leave a damaged file. If it cannot be
    /// written, this throws, or whatever ends the next transaction does: that is failed with what it
    /// was built on.
    ///
    /// - Throws: what ``commit(_:)`` and ``beginWrite()`` throw; there is no transaction then.
    func commitBehind(on queue: DispatchQueue?) throws(StorageError) {
        let version = writeVersion
        // The one before was written while this one was made.
        queue?.sync {}
        guard let group = try finish(nil) else { return try beginWrite() }
        stand(at: pinnedRecord)
        let writer = GroupWriter(database: database)
        if let queue {
            // Taken here: otherwise this thread would write it itself, before the queue comes to it,
            // because nothing joins a group as large as this.
            let isTaken = database.commits.take(group)
            precondition(isTaken, "somebody else writes to a file that nobody else knows of")
            // The queue of commits keeps the failure.
            queue.async { _ = try? writer.database.commits.write(group, writer) }
        } else {
            _ = try database.commits.waitUntilDurable(group, writer)
        }
        try beginWrite()
        // It may have failed already: then the next one stands on the version before.
        guard self.version != version else { return }
        rollback()
        _ = try database.commits.waitUntilDurable(group, writer)
        preconditionFailure("a transaction was written, and the next one does not stand on it")
    }

    // MARK: 1. Join

    /// Ends the transaction as a part of the group that is returned, which is still to be written;
    /// nil if it changed nothing: the connection then stands at the version it was based on, or a
    /// newer one. After an error it is rolled back. `durability` is nil for what becomes durable
    /// with a later commit only.
    private func finish(_ durability: CommitDurability?) throws(StorageError) -> CommitGroup? {
        precondition(isInWriteTransaction)
        if let transactionFailure {
            rollback()
            throw transactionFailure
        }
        do throws(StorageError) { try database.checkNotForked() } catch {
            rollback()
            throw error
        }
        if database.writerState.freeSpace!.isTransactionEmpty,
            inlineRoots == record?.inlineRoots ?? []
        {
            precondition(root == record?.root ?? .none, "a new root without a new page")
            rollback()
            return nil
        }
        notePeak()
        let group: CommitGroup
        do throws(StorageError) {
            group = try joinGroup(durability)
        } catch {
            database.changeLog.removeAll()
            database.writerState.freeSpace!.rollBackGroup()
            rollback()
            throw error
        }
        handOver()
        return group
    }

    private func joinGroup(_ durability: CommitDurability?) throws(StorageError) -> CommitGroup {
        if isLarge { database.commits.drain(GroupWriter(database: database)) }
        return try database.commits.join(head) { open throws(StorageError) in
            let firstVersion = open?.firstVersion ?? writeVersion
            if open == nil {
                database.writerState.freeSpace!.beginGroup(firstVersion: firstVersion)
            }
            let draft: CommitRecord
            let freed: [FreedExtent]
            do throws(StorageError) {
                (draft, freed) = try draftRecord(joining: open?.record, durability)
            } catch {
                // Others of the group are failed by the queue, and the map is then read anew.
                if open == nil { database.writerState.freeSpace!.rollBackGroup() }
                throw error
            }
            database.writerState.freeSpaceVersion = writeVersion
            database.writerState.freeSpaceSequence = draft.sequence
            recordChanges()
            guard let open else {
                return CommitGroup(
                    firstVersion: firstVersion, record: draft, freed: freed,
                    sync: sync(for: durability), isFull: isFull(draft), memory: &memory,
                    pagesAhead: ahead?.pages, pool: database.pageMemory)
            }
            precondition(ahead == nil, "a transaction that wrote ahead has a group of its own")
            open.join(
                draft, freed: freed, sync: sync(for: durability), isFull: isFull(draft),
                memory: &memory, replaced: freedFromHead)
            return open
        }
    }

    private func sync(for durability: CommitDurability?) -> CommitGroup.Sync {
        guard let durability else { return .withLaterGroup }
        if durability == .full || file.isInMemory { return .beforeReturning }
        return database.writerState.holdsMuchForSync(in: file) ? .soon : .later
    }

    /// Before the group can be taken, so that nobody sees a version whose record is to come.
    private func recordChanges() {
        guard let (writer, changes) = changesToRecord else { return }
        database.changeLog.append(
            RecordedTransaction(version: writeVersion, writer: writer, changes: changes))
    }

    /// Extents of a transaction that always fit in the record of a group that is not full.
    private static let fewExtents = 64

    /// Free pages that spare the checkpoint of a file without gaps the growth of the file.
    private static let pagesForCheckpoint: UInt64 = 2

    /// Whether this transaction may need more of a record than an open group leaves. It has a group
    /// of its own then, made when all before it are in the file, where a checkpoint of the free map
    /// looks for them.
    private var isLarge: Bool {
        ahead != nil || database.writerState.freeSpace!.allocatedPages > UInt64(Self.fewExtents)
            || database.writerState.freeSpace!.freedExtents.count > Self.fewExtents
    }

    /// The record that makes this transaction, and the group that it joins, a version, and what they
    /// freed of versions before. The transaction becomes a finished one of the free map. `open`: the
    /// group's record so far.
    private func draftRecord(
        joining open: CommitRecord?, _ durability: CommitDurability?
    ) throws(StorageError) -> (CommitRecord, freed: [FreedExtent]) {
        let newest = record?.sequence ?? 0
        let (ring, sequence) = slots(joining: open, after: newest)
        var checkpoint = record?.checkpoint ?? .none
        var checkpointSequence = record?.checkpointSequence ?? 0
        // Who rebuilds the map from a checkpoint and the records since finds no number missing.
        let passesSlotsOver = sequence > newest + 1
        let isCheckpointDue =
            passesSlotsOver || extensionPage ?? 0 != 0
            || sequence - checkpointSequence > ring.maximumCheckpointAge
        var page = open?.place.page ?? 0
        var chain = open?.chain ?? record?.chainOfNext ?? RecordChain()
        if open == nil {
            if !isCheckpointDue, durability == .full, ahead == nil { page = takePageForRecord() }
            try freeRecords(of: &chain, before: checkpointSequence)
        }
        var log = database.writerState.finishTransaction(version: writeVersion)
        var isListed = isListable(pages(of: log))
        var list = isListed ? pages(of: log) : []
        let recordExtent = Extent(start: page, count: 1)
        if page != 0 { list.remove(recordExtent) }
        let needsCheckpoint =
            isCheckpointDue
            || !CommitRecord.fits(pageList: list, log: log, version: writeVersion)
        if page != 0, needsCheckpoint || !isListed {
            database.writerState.freeSpace!.dropRecordPage(page)
            log.allocated.remove(recordExtent)
            list.remove(recordExtent)
            page = 0
        }
        if leavesNoTail {
            database.writerState.freeSpace!.shrinkToUse(
                keeping: needsCheckpoint ? Self.pagesForCheckpoint : 0, version: writeVersion)
        }
        if needsCheckpoint {
            checkpoint = try writeCheckpoint(sequence: sequence)
            checkpointSequence = sequence
            log = database.writerState.freeSpace!.groupLog()
            isListed =
                isListable(pages(of: log))
                && CommitRecord.fits(pageList: pages(of: log), log: nil, version: writeVersion)
            list = isListed ? pages(of: log) : []
        }
        var draft = CommitRecord(
            version: writeVersion, sequence: sequence,
            commitID: open?.commitID ?? database.writerState.commitIDs.next(),
            durableFloor: sequence - 1, pageCount: database.writerState.freeSpace!.pageCount,
            root: root, livePages: database.writerState.freeSpace!.livePages,
            checkpoint: checkpoint, checkpointSequence: checkpointSequence, pageListHash: 0,
            pagesWereSynced: !isListed,
            place: page != 0 ? .page(page) : ring.place(of: sequence), ring: ring,
            lists: CommitRecord.Lists(
                inlineRoots: inlineRoots, pageList: list,
                log: CommitRecord.fits(pageList: list, log: log, version: writeVersion)
                    ? log : nil,
                chain: chain))
        setWindows(of: &draft, after: open ?? record)
        database.writerState.freeSpace!.checkInvariants()
        return (draft, log.freed)
    }

    /// The ring and the number of the group's record. `open`: that record so far, if there is one.
    private func slots(
        joining open: CommitRecord?, after newest: UInt64
    ) -> (CommitRing, sequence: UInt64) {
        if let open {
            giveBackExtension()
            return (open.ring, open.sequence)
        }
        let ring = record?.ring ?? file.ring
        return extendRing(next: database.coordinator.sequence(after: newest, in: ring))
    }

    /// The pages that the group wrote: all that it allocated, but for commit slots.
    private func pages(of log: FreeSpaceLog) -> [Extent] {
        var extents = log.allocated
        if let page = extensionPage, page != 0 {
            extents.remove(Extent(start: page, count: file.ring.extensionPageCount))
        }
        return extents
    }

    /// The page behind what the transaction wrote, if its record may be there; else 0.
    private func takePageForRecord() -> UInt64 {
        guard let record, database.coordinator.mayPutRecordAmongPages(after: record.sequence),
            let page = database.writerState.freeSpace!.pageForRecord, record.window.contains(page),
            record.chain.hasRoom(for: page, version: writeVersion)
        else { return 0 }
        let taken = database.writerState.freeSpace!.allocate(1)
        precondition(taken == page, "a commit record would not be behind its pages")
        return page
    }

    /// A record in its slot opens the window that the one before has announced, and announces another.
    /// `before`: the record of the group before, or of the open one so far.
    private func setWindows(of draft: inout CommitRecord, after before: CommitRecord?) {
        (draft.slotID, draft.earlierSlotID) = (before?.slotID ?? 0, before?.earlierSlotID ?? 0)
        (draft.window, draft.nextWindow) = (before?.window ?? .none, before?.nextWindow ?? .none)
        guard !draft.place.isPage, draft.slotID != draft.commitID else { return }
        (draft.slotID, draft.earlierSlotID) = (draft.commitID, draft.slotID)
        draft.window = draft.nextWindow
        guard file.mayHoldRecordsAmongPages, draft.ring.hasAllSlots, !writesInBulk,
            let piece = database.writerState.freeSpace!.pieceForNextRecord(),
            !draft.nextWindow.hasRoom(behind: piece.start)
        else { return }
        draft.nextWindow = RecordWindow(start: piece.start)
    }

    /// Frees records that nobody looks for any more: those before the newest checkpoint, once that is
    /// durable. (Recovery goes back to the durable floor of the newest record that it finds, and from there
    /// to the checkpoint before it.)
    private func freeRecords(
        of chain: inout RecordChain, before checkpointSequence: UInt64
    ) throws(StorageError) {
        guard !chain.entries.isEmpty,
            checkpointSequence <= database.coordinator.durableSequence
        else { return }
        for entry in chain.removeEntries(before: checkpointSequence) {
            let extent = Extent(start: entry.page, count: 1)
            guard database.writerState.freeSpace!.freeOld(extent, birth: entry.version) else {
                throw file.damage(entry.page, "it holds a commit record and is free at once")
            }
        }
    }

    private func isListable(_ pages: [Extent]) -> Bool {
        // Nothing keeps the seals of what was written ahead.
        ahead == nil && listedBytes(pages) <= Self.largestListedBytes
    }

    private func listedBytes(_ extents: [Extent]) -> UInt64 {
        file.offset(of: extents.reduce(0) { $0 + $1.count })
    }

    /// Whether no transaction may join a group with this record: it has a checkpoint, which
    /// describes its newest version and no later one, or uses more than half of what a record has
    /// room for.
    private func isFull(_ draft: CommitRecord) -> Bool {
        draft.checkpointSequence == draft.sequence || draft.pagesWereSynced
            || listedBytes(draft.pageList) > Self.largestListedBytes / 2
            || 2 * draft.listByteCount > CommitRecord.listCapacity
    }
}
