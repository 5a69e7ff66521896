/// What the writers of one process keep between transactions: the free map, as of a version.
struct WriterState {
    var freeSpace: FreeSpace?
    /// The version that `freeSpace` describes.
    var freeSpaceVersion: UInt64 = 0
    /// The sequence number of that version's record.
    var freeSpaceSequence: UInt64 = 0
    /// As of the last look at the readers, see ``reclaim(visible:below:joining:in:)``.
    private(set) var pinned = PinnedVersions()
    /// Through which version what was freed had been looked at then.
    private var reclaimedThrough: UInt64 = 0
    /// Pages that were free then but for the versions that a loss of power may lead back to.
    private var pagesForRecovery: UInt64 = 0
    /// When the end of the file is given back.
    var tailRelease = TailRelease()
    var commitIDs = CommitIDs()

    /// Brings the free map to `record`'s version: repeats the commits of other processes since, or
    /// starts from the checkpoint.
    mutating func catchUp(
        with record: CommitRecord?, in database: Database
    ) throws(StorageError) {
        do throws(StorageError) {
            try reach(record, in: database)
            if let record { try forgetLostGrowth(since: record, in: database.file) }
        } catch {
            freeSpace = nil
            throw error
        }
    }

    /// Makes free what no reader reaches any more and no crash leads back to, and cuts the file
    /// where the newest version, `record`, and this map end. `visible` is the visible version, or
    /// was a moment ago.
    ///
    /// Transactions of one group look at the readers once, unless a version has become reusable
    /// since: the scan of the pins is longer than many a transaction. `isJoining`: whether there is
    /// an open group.
    mutating func reclaim(
        visible: UInt64, below record: CommitRecord?, joining isJoining: Bool = false,
        in database: Database
    ) throws(StorageError) {
        guard freeSpace!.waitingPages > 0 || freeSpace!.uncutSince != nil else {
            pagesForRecovery = 0
            return
        }
        if isJoining, visible <= reclaimedThrough { return }
        reclaimedThrough = visible
        // After that is known: a pin that is missed now is on that version or a newer one.
        let coordinator = database.coordinator
        coordinator.collectPinnedVersions(into: &pinned.versions)
        if planted(.reusesPinnedPages) { pinned.versions.removeAll() }
        var durable = visible
        if !planted(.reusesByVisibleVersion) {
            durable = coordinator.addVersionsOfRecovery(to: &pinned.versions)
        }
        guard freeSpace!.reclaim(through: visible, pinned: pinned) else {
            freeSpace = nil
            throw database.file.damage(0, "a page is free twice")
        }
        pagesForRecovery =
            durable < visible
            ? freeSpace!.waiting.pageCount(heldOnlyBy: durable...visible - 1, pinned: pinned) : 0
        if let record {
            cutFile(
                to: max(record.pageCount, freeSpace!.pageCount), ifSince: min(visible, durable),
                in: database.file)
        }
    }

    /// The transaction becomes `version`, of the open group. Returns what that group did so far.
    mutating func finishTransaction(version: UInt64) -> FreeSpaceLog {
        // Here, and not by the caller: the map would be copied for the second call.
        freeSpace!.finishTransaction(version: version)
        return freeSpace!.groupLog()
    }

    // MARK: What waits for a sync

    /// A quarter of what a file may have beyond what is live and what readers reach: 16 MiB, or a
    /// quarter of that (`docs/design.md`, "Free space").
    private static let muchWaitingBytes: UInt64 = 4 << 20
    private static let muchWaitingShare: UInt64 = 16

    /// Freed, and not free before a newer version is durable.
    private var pagesWaitingForSync: UInt64 { freeSpace!.pendingPages + pagesForRecovery }

    /// Whether so much was freed, and is not free before a newer version is durable, that one should
    /// be made so at once.
    func holdsMuchForSync(in file: PageFile) -> Bool {
        file.offset(of: pagesWaitingForSync)
            > max(
                Self.muchWaitingBytes,
                file.offset(of: freeSpace!.livePages) / Self.muchWaitingShare)
    }

    /// Whether a transaction should wait for that before it begins, because the file might grow by
    /// what it writes otherwise.
    func shouldWaitForSync(in file: PageFile) -> Bool {
        holdsMuchForSync(in: file) && freeSpace!.freePages < pagesWaitingForSync
    }

    private mutating func reach(
        _ record: CommitRecord?, in database: Database
    ) throws(StorageError) {
        let file = database.file
        guard let record else {
            if freeSpace != nil, freeSpaceVersion == 0 { return }
            freeSpace = FreeSpace(
                firstPage: file.firstPage, pageCount: try file.size() >> file.pageShift)
            (freeSpaceVersion, freeSpaceSequence) = (0, 0)
            return
        }
        if freeSpace != nil, freeSpaceVersion == record.version { return }
        let missed = record.sequence - min(freeSpaceSequence, record.sequence)
        if freeSpace != nil, freeSpaceSequence < record.sequence,
            missed <= record.ring.maximumCheckpointAge,
            try replay(through: record, in: database)
        {
            return
        }
        try loadCheckpoint(of: record, in: database)
        // Logs are checked against what is free, not against what waits: that is looked at once.
        guard try replay(through: record, in: database), freeSpace!.invariantsHold(),
            freeSpace!.pageCount == record.pageCount,
            freeSpace!.isInUse(record.ring.extensionExtent)
        else { throw damaged(record, in: database) }
    }

    /// False where a record is missing, has no log, or does not fit: the map is then undefined.
    private mutating func replay(
        through newest: CommitRecord, in database: Database
    ) throws(StorageError) -> Bool {
        let sequences = freeSpaceSequence + 1..<newest.sequence + 1
        guard
            let steps = try database.file.freeSpaceSteps(
                of: sequences, before: newest, inMemory: [newest])
        else { return false }
        for step in steps {
            guard freeSpace!.replay(step) else { return false }
            freeSpaceVersion = step.version
        }
        freeSpaceSequence = newest.sequence
        return true
    }

    private mutating func loadCheckpoint(
        of record: CommitRecord, in database: Database
    ) throws(StorageError) {
        let file = database.file
        guard !record.checkpoint.isNone else {
            freeSpace = FreeSpace(firstPage: file.firstPage, pageCount: file.firstPage)
            (freeSpaceVersion, freeSpaceSequence) = (0, 0)
            return
        }
        try file.map(pageCount: record.pageCount)
        let chain = try CheckpointChain(
            newest: record.checkpoint, of: record.bounds, in: file)
        guard
            let map = chain.map(
                firstPage: file.firstPage, maximumPageCount: CommitRecord.maximumPageCount)
        else { throw damaged(record, in: database) }
        freeSpace = map
        (freeSpaceVersion, freeSpaceSequence) =
            (record.checkpoint.birth, record.checkpointSequence)
    }

    private func damaged(_ record: CommitRecord, in database: Database) -> StorageError {
        database.file.damage(
            record.checkpoint.page, "the map of free pages cannot be rebuilt from it")
    }
}

extension PageFile {
    /// What the records of these sequence numbers say of the free space; nil where one of them is
    /// missing, or has no log. `newest` knows where they are, or is one of them; `inMemory`: records
    /// that may not be in the file yet.
    func freeSpaceSteps(
        of sequences: Range<UInt64>, before newest: CommitRecord, inMemory: [CommitRecord]
    ) throws(StorageError) -> [FreeSpaceStep]? {
        var steps: [FreeSpaceStep] = []
        for sequence in sequences {
            var record = inMemory.first { $0.sequence == sequence }
            if record == nil { record = try readRecord(at: newest.place(of: sequence)) }
            guard let record, record.sequence == sequence, let step = record.freeSpaceStep,
                step.version > steps.last?.version ?? 0
            else { return nil }
            steps.append(step)
        }
        return steps
    }
}
