/// What the write transactions of one process share for one file: the write lock, the free map
/// between two transactions, the queue of commits, and memory.
///
/// Any thread may take the lock. Everything else is for its holder, unless it says otherwise.
// Unchecked because of the variables, which only the holder of the write lock touches.
final class Writer: @unchecked Sendable {
    let file: PageFile
    let coordinator: Coordinator
    let records: CommitRecords
    /// Transactions of this process that have finished and are not on disk yet. For any thread.
    let commits: CommitQueue
    /// Memory for private copies. For any thread.
    let memory: PageMemoryPool
    /// What transactions of this process did, while somebody observes it. For any thread.
    let changeLog: ChangeLog
    /// Makes durable what was committed without waiting for the disk. For any thread.
    let backgroundSync: BackgroundSync

    // Accesses are not checked: a small commit has twenty, and none of them calls what makes
    // another.

    /// The free map; nil while a transaction owns it, and where it must be read from the file.
    @exclusivity(unchecked) private var map: FreeMap?
    /// When the end of the file is freed, and how far live pages have moved away from there.
    @exclusivity(unchecked) var tailRelease = TailRelease()
    @exclusivity(unchecked) var commitIDs = CommitIDs()
    /// Whether commits are expected to carry their changes. For any thread.
    let changesPolicy = ChangesPolicy()
    /// Whether the writer before was killed, and nobody has cleaned up after it.
    private var isCleaningDue = false

    /// `place`: where the file lies; nil for one in memory, and where nothing is written.
    init(
        _ file: PageFile, _ coordinator: Coordinator, records: CommitRecords,
        place: FilePlace?
    ) {
        self.file = file
        self.coordinator = coordinator
        self.records = records
        memory = PageMemoryPool(pageSize: file.pageSize)
        changeLog = ChangeLog()
        backgroundSync = BackgroundSync(file: file, coordinator: coordinator)
        commits = CommitQueue(
            GroupWriter(
                file, coordinator, records: records, backgroundSync: backgroundSync,
                changesPolicy: changesPolicy, place: place),
            changeLog)
    }

    // MARK: The free map

    /// Takes the map out, brought to the version of `record`. Give it back with ``keep(_:)``;
    /// otherwise the next transaction reads it anew.
    func takeMap(of record: CommitRecord?) throws(StorageError) -> FreeMap {
        if var known = map.take(), try known.advance(to: record, in: file) { return known }
        return try FreeMap.read(of: record, in: file)
    }

    /// Keeps the map for the next transaction.
    func keep(_ newMap: consuming FreeMap) { map = consume newMap }

    /// A copy of the free space between two transactions; nil where the map is not here. For tests.
    var space: FreeSpace? { map?.space }

    /// Makes the next transaction read the map from the file. For tests.
    func forgetMap() { map = nil }

    /// Makes free what waits, and cuts the file, if the map in memory is of the newest version.
    /// For the last user of the file.
    func reclaimBeforeClosing(_ record: CommitRecord) throws(StorageError) {
        guard var known = map.take(), known.version == record.version else { return }
        try known.reclaim(visible: record.version, below: record, in: file, readBy: coordinator)
    }

    // MARK: The write lock

    /// Waits for the write lock, until a transaction may join the open group or open one.
    ///
    /// - Throws: `.readOnly`, `.usedAfterFork`, `.outcomeUnknown` after a failed sync, `.damaged`,
    ///   `.fileAccess`.
    func lock() throws(StorageError) {
        var previous = try coordinator.lockForWriting()
        if coordinator.shouldLetOtherProcessesWrite {
            commits.drain()
            previous = try coordinator.letOtherProcessesWrite()
        }
        if isCleaningDue { previous = .died }
        isCleaningDue = false
        commits.waitUntilJoinable()
        try cleanUp(after: previous)
    }

    /// Waits for the write lock, until a transaction can begin without further waiting.
    ///
    /// - Throws: what ``lock()`` throws.
    func lockToBeginAtOnce() throws(StorageError) {
        try lock()
        if !mayBeginAtOnce { commits.drain() }
    }

    /// Takes the write lock if a transaction can begin at once; otherwise returns false.
    ///
    /// - Throws: what ``lock()`` throws.
    func tryLock() throws(StorageError) -> Bool {
        guard let previous = try coordinator.tryLockForWriting() else { return false }
        if previous == .died || isCleaningDue {
            // Left to a thread that may wait. The process keeps its lock until then, because a
            // writer of another process would find that nobody has died.
            isCleaningDue = true
            coordinator.handOverToNextWriter()
            return false
        }
        if coordinator.needsRecovery || coordinator.shouldLetOtherProcessesWrite || !mayBeginAtOnce
        {
            unlock()
            return false
        }
        return true
    }

    private var mayBeginAtOnce: Bool { commits.mayBeginAtOnce(hasMap: map != nil) }

    /// Releases the lock of a transaction that has not joined a group.
    func unlock() {
        coordinator.handOverToNextWriter()
        commits.didFinishGroup()
    }

    /// Returns what the next transaction is based on. Waits until all groups are on disk where the
    /// transaction could not begin on one that is not.
    func takeHead() -> CommitQueue.Head {
        var head = commits.takeHead()
        let isMapLost = head.mapIsLost || map == nil
        if isMapLost || head.hasPagesAhead {
            // The map is read anew from what is in the file, and not all pages are in memory.
            commits.drain()
            head = commits.takeHead()
            if isMapLost || head.mapIsLost { map = nil }
        }
        return head
    }

    /// Makes sure that nothing of a version that was never published is left in the file, and that
    /// a version which was adopted by a process that could only read is durable.
    ///
    /// A writer that was killed may have left a complete record of the commit after the visible
    /// one. It must be gone, durably, before any page is written: such a record may vouch for its
    /// pages without listing them ("pages were synced before"), and those pages are free.
    private func cleanUp(after previous: Coordinator.PreviousWriter) throws(StorageError) {
        guard previous == .died || coordinator.needsRecovery else { return }
        do throws(StorageError) {
            let version = coordinator.visibleVersion
            let record = version > 0 ? try records.record(of: version) : nil
            guard version == 0 || record != nil else { throw records.missing(version) }
            // Not the visible sequence number: a process that died while publishing left the number
            // of an abandoned record there.
            let sequence = record?.sequence ?? 0
            let ring = record?.ring ?? file.ring
            coordinator.withdrawSequence(to: sequence, ring)
            let recovery = Recovery(file: file)
            var outcome = Recovery.Outcome(
                needsSync: true,
                abandoned: try recovery.slotsOfRecords(after: sequence, in: ring))
            if let record {
                outcome.abandoned += try file.recordsAmongPages(after: record).map(\.place)
            }
            if planted(.keepsAbandonedRecord), !coordinator.needsRecovery { outcome.abandoned = [] }
            if coordinator.needsRecovery, let record {
                guard let unsynced = try recovery.unsynced(of: record)
                else { throw records.missing(version) }
                outcome.record = record
                outcome.unsynced = unsynced
            }
            try recovery.makeDurable(outcome)
            try coordinator.checkNotPoisoned()
            coordinator.finishDelayedRecovery()
        } catch {
            coordinator.poison()
            unlock()
            throw error
        }
    }
}
