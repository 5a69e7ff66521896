import Glibc

/// One open database file. All connections of a process to a file share one of these.
///
/// Any thread may use it. It is closed when nobody refers to it any more.
// Unchecked because of `writerState`, which only the holder of the write lock touches, of
// `unsyncedRuns` and `place`, which only the thread touches that writes a group, and of the
// coordinator, which is safe to share by its own account.
public final class Database: @unchecked Sendable {
    /// How to open a database.
    public struct Options: Sendable {
        /// Bytes of an encryption key.
        public static let encryptionKeySize = FileCipher.userKeySize

        /// Creates the file where it is missing or empty; otherwise that is an error.
        public var createIfMissing: Bool
        /// Write transactions throw `.readOnly`.
        public var readOnly: Bool
        /// Keeps the database in memory, shared by everyone in this process who opens one of the
        /// same path with this option; it ends with the last of them.
        public var inMemory: Bool
        /// For new files: 4096, 8192 or 16384 bytes.
        public var pageSize: Int
        /// 64 bytes that only users of the file know; nil for a plain file. A file is opened with
        /// the key that it was created with. Databases in memory ignore it.
        public var encryptionKey: [UInt8]?
        /// How much of an encrypted file is kept decrypted for all connections, if not a share of
        /// the machine's memory: for tests, which have small files. As whoever opens it first says.
        package var mostDecryptedBytes: Int?
        /// How much address space a small file gets, if not as much as usual: for tests, which have
        /// no larger ones. As whoever opens it first says.
        package var smallestReservation: Int?
        /// How much memory the private copies of a transaction may take before they are written
        /// ahead, if not as much as usual: for tests, which have small transactions. As whoever
        /// opens it first says.
        package var largestPrivateBytes: Int?
        /// Of a file that is created, if not the present format: for tests of what is promised to those
        /// who have older files.
        package var formatVersion = FileHeader.formatVersion

        public init(
            createIfMissing: Bool = true, readOnly: Bool = false, inMemory: Bool = false,
            pageSize: Int = 4096, encryptionKey: [UInt8]? = nil
        ) {
            self.createIfMissing = createIfMissing
            self.readOnly = readOnly
            self.inMemory = inMemory
            self.pageSize = pageSize
            self.encryptionKey = encryptionKey
        }
    }

    /// The path by which it was opened first; the identifier of a database in memory.
    public let path: String
    public let isReadOnly: Bool
    let file: PageFile
    let coordinator: Coordinator

    /// The newest version's record that this process has seen. Saves reading the slot.
    private let newestRecord: Locked<CommitRecord?>
    /// Touched by the holder of the write lock only, which is why accesses are not checked: there are
    /// twenty in a small commit, and none calls what makes another.
    @exclusivity(unchecked) var writerState = WriterState()
    /// What the newest record that this process wrote vouches for. Touched by whoever writes a group,
    /// one after the other: accesses are not checked, as above.
    @exclusivity(unchecked) var unsyncedRuns = UnsyncedRuns()
    /// Where the file lies; nil for one in memory, and where nothing is written. Touched by whoever
    /// writes a group, as above.
    @exclusivity(unchecked) var place: FilePlace?
    /// What was found when this process recovered the file.
    private let openingDamage: Locked<(damage: SlotDamage?, isSaid: Bool)>
    /// Transactions of this process that have finished and are not on disk yet.
    let commits = CommitQueue()
    let pageMemory: PageMemoryPool
    /// Private copies of a transaction beyond this are written ahead; those in memory never are.
    let largestPrivateBytes: Int
    /// Makes durable what was committed without waiting for the disk.
    let backgroundSync: BackgroundSync
    /// Takes over the syncs of other processes; nil where no other process can have the file open.
    private let syncWatch: SyncWatch?
    /// What transactions of this process did, while somebody observes it.
    let changeLog = ChangeLog()

    init(
        path: String, file: PageFile, coordinator: Coordinator, isReadOnly: Bool,
        newestRecord: CommitRecord?, place: FilePlace? = nil, slotDamage: SlotDamage? = nil,
        largestPrivateBytes: Int? = nil
    ) {
        self.path = path
        self.file = file
        self.coordinator = coordinator
        self.isReadOnly = isReadOnly
        self.newestRecord = Locked(newestRecord)
        self.place = place
        self.largestPrivateBytes =
            file.isInMemory ? .max : largestPrivateBytes ?? Pager.largestPrivateBytes
        openingDamage = Locked((slotDamage, false))
        pageMemory = PageMemoryPool(pageSize: file.pageSize)
        backgroundSync = BackgroundSync(file: file, coordinator: coordinator)
        syncWatch = coordinator.isShared ? SyncWatch.add(backgroundSync, coordinator) : nil
    }

    deinit {
        // A forked child has no descriptors to close, and its parent goes on using the rest.
        if coordinator.isForked { return }
        syncWatch?.remove(backgroundSync)
        // Nothing can be reported here. Without the marker the next opener checks the newest
        // commits.
        let isDurable = (try? backgroundSync.stop()) != nil
        if (try? coordinator.close()) == true {
            if isDurable, !coordinator.isPoisoned { try? finishFile() }
            coordinator.releaseFinal()
        }
        System.close(file.descriptor)
    }

    /// Leaves the file as the next one who opens it would like it. What was committed is durable,
    /// and nobody else uses the file.
    private func finishFile() throws(StorageError) {
        let version = coordinator.visibleVersion
        guard version > 0, coordinator.durableVersion >= version,
            let record = try record(of: version)
        else { return }
        if writerState.freeSpace != nil, writerState.freeSpaceVersion == version {
            try writerState.reclaim(visible: version, below: record, in: self)
        }
        try file.write(CleanCloseMarker(record))
    }

    /// What was found to be damaged when this process recovered the file, if it still could be opened.
    var slotDamage: SlotDamage? { openingDamage.withLock { $0.damage } }

    /// What verification says of it.
    package var openingProblem: String? {
        slotDamage.map { "When the file was opened: \($0.description)" }
    }

    /// A file that another one has taken the place of was found damaged.
    func takeOver(_ damage: SlotDamage?) {
        openingDamage.withLock { if $0.damage == nil { $0.damage = damage } }
    }

    /// What users of the file should be told: commits may be missing because commit records are
    /// damaged. Once; nil when there is nothing to tell, or it was said. `Connection.verify` tells it as
    /// long as the database is open.
    public func takeOpeningWarning() -> String? {
        openingDamage.withLock {
            guard let damage = $0.damage, !$0.isSaid else { return nil }
            $0.isSaid = true
            return "Realm at path '\(path)': \(damage.description)"
        }
    }

    /// Throws `.usedAfterFork` in a forked child of the process that opened the database.
    package func checkNotForked() throws(StorageError) { try coordinator.checkNotForked() }

    /// The record of a version, or nil where its place holds something else by now: then newer
    /// versions exist.
    func record(of version: UInt64) throws(StorageError) -> CommitRecord? {
        if let known = newestRecord.withLock({ $0 }), known.version == version { return known }
        let record = try file.readRecord(of: version, newestIn: coordinator)
        if let record { rememberRecord(record) }
        return record
    }

    func rememberRecord(_ record: CommitRecord) {
        newestRecord.withLock {
            if ($0?.version ?? 0) <= record.version { $0 = record }
        }
    }
}

// MARK: What tools ask

extension Database {
    /// Bytes of the file now, free space included.
    public var fileSize: UInt64 {
        get throws(StorageError) { try file.size() }
    }

    /// A version that some connection of some process reads.
    public struct PinnedVersion: Sendable, Equatable {
        public var version: UInt64
        public var processID: UInt32
        /// The name of the program that the process runs; nil where the system does not tell, as of
        /// a process in another container.
        public var processName: String?
        /// Since when it has been pinned.
        public var age: Duration
        /// Freed bytes that this version alone keeps from being reused: they become free when all
        /// its readers have left it and everybody else stays. 0 for the newest version, and in a
        /// database that was opened for reading only.
        public var heldBytes: UInt64 = 0
    }

    /// Where the file's bytes are.
    public struct Statistics: Sendable {
        public var newestVersion: UInt64
        public var pageSize: Int
        public var fileBytes: UInt64
        /// Reachable from the newest version, and the checkpoint of the free map. (Commit records among
        /// the pages, some dozens, are neither live nor free.)
        public var liveBytes: UInt64
        /// Free for the next write transaction.
        public var freeBytes: UInt64
        /// Freed, but still reached by versions that are pinned.
        public var waitingBytes: UInt64
        /// One for each reader, the oldest version first. A version before the newest keeps what it
        /// reaches from being reused.
        public var pinnedVersions: [PinnedVersion]
    }

    /// Takes the write lock for a moment, clears the pins of processes that died, and makes free
    /// what readers that have gone had held back; the end of the file is cut if only they held it.
    public func statistics() throws(StorageError) -> Statistics {
        try coordinator.checkNotForked()
        coordinator.clearDeadProcesses()
        coordinator.clearUnsharedReaders()
        var statistics = Statistics(
            newestVersion: 0, pageSize: file.pageSize, fileBytes: 0, liveBytes: 0, freeBytes: 0,
            waitingBytes: 0,
            pinnedVersions: coordinator.pinnedVersions().map {
                PinnedVersion(
                    version: $0.version, processID: $0.processID,
                    processName: System.processName($0.processID), age: $0.age)
            })
        let record: CommitRecord?
        if isReadOnly {
            record = try newestConsistentRecord()
        } else {
            try lockForWriting()
            defer { unlockAfterWriting() }
            commits.drain(GroupWriter(database: self))
            record = try newestConsistentRecord()
            try writerState.catchUp(with: record, in: self)
            try writerState.reclaim(
                visible: record?.version ?? 0, below: record, in: self)
            statistics.addSpace(writerState, file)
        }
        statistics.newestVersion = record?.version ?? 0
        statistics.fileBytes = try file.size()
        if let record {
            // At most, in a file made to harm.
            let pages = record.livePages - min(record.recordPages(), record.livePages)
            statistics.liveBytes = file.offset(of: pages)
        }
        return statistics
    }

    private func newestConsistentRecord() throws(StorageError) -> CommitRecord? {
        while true {
            let version = coordinator.visibleVersion
            if version == 0 { return nil }
            if let record = try record(of: version) { return record }
            guard coordinator.visibleVersion != version else { throw missingRecord(version) }
        }
    }

    func missingRecord(_ version: UInt64) -> StorageError {
        StorageError(
            .damaged, path: path,
            message: "Realm at path '\(path)' is damaged: the commit record of version \(version) "
                + "is not valid. Restore the file from a backup.")
    }
}

extension Database.Statistics {
    fileprivate mutating func addSpace(_ writerState: WriterState, _ file: PageFile) {
        let space = writerState.freeSpace!
        freeBytes = file.offset(of: space.freePages)
        waitingBytes = file.offset(of: space.waitingPages)
        for index in pinnedVersions.indices {
            let version = pinnedVersions[index].version
            let pages = space.waiting.pageCount(
                heldOnlyBy: version...version, pinned: writerState.pinned)
            pinnedVersions[index].heldBytes = file.offset(of: pages)
        }
    }
}

// MARK: The write lock

extension Database {
    /// Waits for the write lock, until a transaction may join the open group or open one.
    func lockForWriting() throws(StorageError) {
        var previous = try coordinator.lockForWriting()
        let writer = GroupWriter(database: self)
        if coordinator.shouldLetOtherProcessesWrite {
            commits.drain(writer)
            previous = try coordinator.letOtherProcessesWrite()
        }
        commits.waitUntilJoinable(writer)
        try cleanUp(after: previous)
    }

    /// Ends writing without having joined a group.
    func unlockAfterWriting() {
        coordinator.handOverToNextWriter()
        GroupWriter(database: self).didFinishGroup()
    }

    /// Makes sure that nothing of a version that was never published is left in the file, and that
    /// what a process adopted that could only read is durable.
    ///
    /// A writer that was killed may have left a complete record of the commit after the visible
    /// one. It must be gone, durably, before any page is written: such a record may vouch for its
    /// pages without listing them ("pages were synced before"), and those pages are free.
    private func cleanUp(after previous: Coordinator.PreviousWriter) throws(StorageError) {
        guard previous == .died || coordinator.needsRecovery else { return }
        do throws(StorageError) {
            let version = coordinator.visibleVersion
            let record = version > 0 ? try record(of: version) : nil
            guard version == 0 || record != nil else { throw missingRecord(version) }
            // Not the visible sequence number: who died publishing left that of an abandoned record.
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
                else { throw missingRecord(version) }
                outcome.record = record
                outcome.unsynced = unsynced
            }
            try recovery.makeDurable(outcome)
            try coordinator.checkNotPoisoned()
            coordinator.finishDelayedRecovery()
        } catch {
            coordinator.poison()
            unlockAfterWriting()
            throw error
        }
    }
}
