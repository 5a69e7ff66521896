/// The map of free pages of one version, and what is known of the readers that hold pages back.
///
/// A write transaction owns it while it is open; between two transactions the process's ``Writer``
/// keeps it. It cannot be copied, so nothing looks at a map that a transaction is changing.
struct FreeMap: ~Copyable {
    var space: FreeSpace
    /// The version that `space` describes, without the open transaction.
    private(set) var version: UInt64
    /// The sequence number of that version's record.
    private(set) var sequence: UInt64

    /// The pinned versions at the last look, see ``reclaim(visible:below:joining:in:readBy:)``.
    private(set) var pinned = PinnedVersions()
    /// The visible version at that time.
    private var reclaimedThrough: UInt64 = 0
    /// Pages that only the versions after a durable one held back then: a power loss may lead back
    /// to those.
    private var pagesForRecovery: UInt64 = 0

    private init(_ space: FreeSpace, version: UInt64, sequence: UInt64) {
        self.space = space
        self.version = version
        self.sequence = sequence
    }

    // MARK: Reaching a version

    /// Reads the map of a version, whose record is in the file, from its checkpoint and the records
    /// since. Without a record: the map of a file without a version.
    ///
    /// - Throws: `.damaged`, `.fileAccess`.
    static func read(
        of record: CommitRecord?, in file: PageFile
    ) throws(StorageError) -> FreeMap {
        guard let record else {
            let pageCount = try file.size() >> file.pageShift
            return FreeMap(
                FreeSpace(firstPage: file.firstPage, pageCount: pageCount), version: 0,
                sequence: 0)
        }
        var map = try checkpoint(of: record, in: file)
        // Logs are checked against what is free, not against what waits, so that is looked at once,
        // at the end.
        guard try map.replay(through: record, in: file), map.space.invariantsHold(),
            map.space.pageCount == record.pageCount,
            map.space.isInUse(record.ring.extensionExtent)
        else { throw damaged(record, in: file) }
        try map.forgetLostGrowth(since: record, in: file)
        return map
    }

    /// Brings the map to a version by repeating the commits of other processes since. Returns false
    /// where that is not possible: the map is then undefined, and must be read anew.
    mutating func advance(
        to record: CommitRecord?, in file: PageFile
    ) throws(StorageError) -> Bool {
        guard let record else { return version == 0 }
        if version != record.version {
            guard sequence < record.sequence,
                record.sequence - sequence <= record.ring.maximumCheckpointAge,
                try replay(through: record, in: file)
            else { return false }
        }
        try forgetLostGrowth(since: record, in: file)
        return true
    }

    /// Returns false where a record is missing, has no log, or does not fit. The map is then
    /// undefined.
    private mutating func replay(
        through newest: CommitRecord, in file: PageFile
    ) throws(StorageError) -> Bool {
        let steps = try file.freeSpaceSteps(
            of: sequence + 1..<newest.sequence + 1, before: newest, inMemory: [newest])
        guard let steps else { return false }
        for step in steps {
            guard space.replay(step) else { return false }
            version = step.version
        }
        sequence = newest.sequence
        return true
    }

    private static func checkpoint(
        of record: CommitRecord, in file: PageFile
    ) throws(StorageError) -> FreeMap {
        guard !record.checkpoint.isNone else {
            return FreeMap(
                FreeSpace(firstPage: file.firstPage, pageCount: file.firstPage), version: 0,
                sequence: 0)
        }
        try file.map(pageCount: record.pageCount)
        let chain = try CheckpointChain(
            newest: record.checkpoint, of: record.bounds, in: file)
        let space = chain.map(
            firstPage: file.firstPage, maximumPageCount: CommitRecord.maximumPageCount)
        guard let space else { throw damaged(record, in: file) }
        return FreeMap(
            space, version: record.checkpoint.birth, sequence: record.checkpointSequence)
    }

    private static func damaged(_ record: CommitRecord, in file: PageFile) -> StorageError {
        file.damage(record.checkpoint.page, "the map of free pages cannot be rebuilt from it")
    }

    // MARK: Reclaiming

    /// Makes free what no reader reaches any more and no power loss leads back to, and cuts the
    /// file where the newest version, `record`, and this map end. `visible` is the visible version,
    /// or was a moment ago.
    ///
    /// Transactions of one group look at the readers once, unless a version has become reusable
    /// since: the scan of the pins is longer than many a transaction. `isJoining`: whether there is
    /// an open group.
    ///
    /// - Throws: `.damaged`. The map is then undefined, and must be read anew.
    mutating func reclaim(
        visible: UInt64, below record: CommitRecord?, joining isJoining: Bool = false,
        in file: PageFile, readBy coordinator: Coordinator
    ) throws(StorageError) {
        guard space.waitingPages > 0 || space.uncutSince != nil else {
            pagesForRecovery = 0
            return
        }
        if isJoining, visible <= reclaimedThrough { return }
        reclaimedThrough = visible
        // Only after `visible` is known: a pin that is missed now is on that version or a newer
        // one.
        coordinator.collectPinnedVersions(into: &pinned.versions)
        if planted(.reusesPinnedPages) { pinned.versions.removeAll() }
        var durable = visible
        if !planted(.reusesByVisibleVersion) {
            durable = coordinator.addVersionsOfRecovery(to: &pinned.versions)
        }
        guard space.reclaim(through: visible, pinned: pinned) else {
            throw file.damage(0, "a page is free twice")
        }
        pagesForRecovery =
            durable < visible
            ? space.waiting.pageCount(heldOnlyBy: durable...visible - 1, pinned: pinned) : 0
        if let record {
            cutFile(
                to: max(record.pageCount, space.pageCount), ifSince: min(visible, durable),
                in: file)
        }
    }

    // MARK: Transactions

    /// Makes the open transaction a version of the open group. Returns what that group did so far.
    mutating func finishTransaction(as version: UInt64) -> FreeSpaceLog {
        space.finishTransaction(version: version)
        return space.groupLog()
    }

    /// Says which version the map describes, after ``finishTransaction(as:)``.
    mutating func describes(_ record: CommitRecord) {
        version = record.version
        sequence = record.sequence
    }

    // MARK: Space that waits for a sync

    /// A quarter of what a file may have beyond its live pages and what readers reach: 16 MiB, or a
    /// quarter of the live pages (`docs/design.md`, "Free space").
    private static let syncBudgetBytes: UInt64 = 4 << 20
    private static let syncBudgetShare: UInt64 = 16

    /// Pages that were freed, and become free only once a newer version is durable.
    private var pagesWaitingForSync: UInt64 { space.pendingPages + pagesForRecovery }

    /// Whether so many pages wait for a newer version to be durable that it should be synced at
    /// once.
    func exceedsSyncBudget(in file: PageFile) -> Bool {
        file.offset(of: pagesWaitingForSync)
            > max(
                Self.syncBudgetBytes,
                file.offset(of: space.livePages) / Self.syncBudgetShare)
    }

    /// Whether a transaction should wait for that sync before it begins, because otherwise the file
    /// might grow by what the transaction writes.
    func shouldWaitForSync(in file: PageFile) -> Bool {
        exceedsSyncBudget(in: file) && space.freePages < pagesWaitingForSync
    }
}

extension PageFile {
    /// Returns what the records with these sequence numbers say of the free space; nil where one of
    /// them is missing or has no log. `newest` knows where they are, or is one of them. `inMemory`:
    /// records that may not be in the file yet.
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
