import Glibc

/// One open database file. All connections of a process to a file share one of these.
///
/// Any thread may use it. It is closed when nothing refers to it any more.
public final class Database: Sendable {
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
        /// Bytes of an encrypted file that are kept decrypted for all connections, if not a share
        /// of the machine's memory. For tests, which have small files. The first opener decides.
        package var mostDecryptedBytes: Int?
        /// Address space of a small file, if not as much as usual. For tests, which have no larger
        /// files. The first opener decides.
        package var smallestReservation: Int?
        /// Memory that the private copies of a transaction may take before they are written ahead,
        /// if not as much as usual. For tests, which have small transactions. The first opener
        /// decides.
        package var largestPrivateBytes: Int?
        /// Format of a file that is created, if not the present one. For tests of what users of
        /// older files are promised.
        package var formatVersion = FileHeader.formatVersion
        /// The formats of files that can be opened; the last one is the present one.
        package static let formatVersions =
            FileHeader.earlierFormatVersion...FileHeader.formatVersion

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
    public var path: String { file.path }
    public let isReadOnly: Bool
    let file: PageFile
    let coordinator: Coordinator
    let records: CommitRecords
    let writer: Writer
    /// Private copies of a transaction beyond this are written ahead; those of a database in memory
    /// never are.
    let largestPrivateBytes: Int
    /// Takes over the syncs of other processes; nil where no other process can have the file open.
    private let syncWatch: SyncWatch?

    init(
        file: PageFile, coordinator: Coordinator, isReadOnly: Bool,
        newestRecord: CommitRecord?, place: FilePlace? = nil, slotDamage: SlotDamage? = nil,
        largestPrivateBytes: Int? = nil
    ) {
        self.file = file
        self.coordinator = coordinator
        self.isReadOnly = isReadOnly
        records = CommitRecords(
            file, coordinator, newest: newestRecord, slotDamage: slotDamage)
        writer = Writer(file, coordinator, records: records, place: place)
        self.largestPrivateBytes =
            file.isInMemory ? .max : largestPrivateBytes ?? Pager.largestPrivateBytes
        syncWatch =
            coordinator.isShared ? SyncWatch.add(writer.backgroundSync, coordinator) : nil
    }

    deinit {
        // A forked child has no descriptors to close, and its parent goes on using the rest.
        if coordinator.isForked { return }
        syncWatch?.remove(writer.backgroundSync)
        // Nothing can be reported here. Without the marker the next opener checks the newest
        // commits.
        let isDurable = (try? writer.backgroundSync.stop()) != nil
        if (try? coordinator.close()) == true {
            if isDurable, !coordinator.isPoisoned { try? finishFile() }
            coordinator.releaseFinal()
        }
        System.close(file.descriptor)
    }

    /// Leaves the file in the state that the next opener is fastest with. What was committed is
    /// durable, and no other process uses the file.
    private func finishFile() throws(StorageError) {
        let version = coordinator.visibleVersion
        guard version > 0, coordinator.survivingVersion >= version,
            let record = try records.record(of: version)
        else { return }
        if coordinator.durableVersion < version {
            // The marker vouches for the pages.
            if !planted(.marksUnsyncedChanges) { try file.sync() }
            coordinator.publishDurable(version: version, sequence: record.sequence)
        }
        try writer.reclaimBeforeClosing(record)
        try file.write(CleanCloseMarker(record))
    }

    /// What transactions of this process did, while somebody observes it.
    var changeLog: ChangeLog { writer.changeLog }

    /// What verification reports of damage that was found when this process recovered the file.
    package var openingProblem: String? {
        records.slotDamage.map { "When the file was opened: \($0.description)" }
    }

    /// What users of the file should be told: commits may be missing because commit records are
    /// damaged. Returned once; nil when there is nothing to tell, or it was returned before.
    /// `Connection.verify` reports it as long as the database is open.
    public func takeOpeningWarning() -> String? {
        records.takeUnreportedDamage().map { "Realm at path '\(path)': \($0.description)" }
    }

    /// Throws `.usedAfterFork` in a forked child of the process that opened the database.
    package func checkNotForked() throws(StorageError) { try coordinator.checkNotForked() }
}

// MARK: For tools

extension Database {
    /// The version of the file's format.
    public var formatVersion: Int { Int(file.header.formatVersion) }

    public var isEncrypted: Bool { file.cipher != nil }

    /// A random number that tells the file from others, also from those that were at its path
    /// before, and that will be there.
    public var identifier: UInt64 { file.header.fileSeed }

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
        /// How long it has been pinned.
        public var age: Duration
        /// Whether it is pinned for a frozen Realm, which does not move to newer versions.
        public var isFrozen = false
        /// Freed bytes that this version alone keeps from being reused: they become free when all
        /// its readers have left it and all others stay. 0 for the newest version, and in a
        /// database that was opened for reading only.
        public var heldBytes: UInt64 = 0
    }

    /// Where the file's bytes are.
    public struct Statistics: Sendable {
        public var newestVersion: UInt64
        public var pageSize: Int
        public var fileBytes: UInt64
        /// Bytes that the newest version reaches, and those of the checkpoint of the free map.
        /// (Commit records among the pages, some dozens, are neither live nor free.)
        public var liveBytes: UInt64
        /// Bytes that are free for the next write transaction.
        public var freeBytes: UInt64
        /// Freed bytes that pinned versions still reach, or that a power loss may lead back to:
        /// those of the last few dozen commits.
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
                    processName: System.processName($0.processID), age: $0.age,
                    isFrozen: $0.isFrozen)
            })
        let record: CommitRecord?
        if isReadOnly {
            record = try records.newestRecord()
        } else {
            record = try withFreeMap { map, record in
                statistics.addSpace(map, file)
                return record
            }
        }
        statistics.newestVersion = record?.version ?? 0
        statistics.fileBytes = try file.size()
        if let record {
            // A malicious file may say that it has fewer live pages than commit records.
            let pages = record.livePages - min(record.recordPages(), record.livePages)
            statistics.liveBytes = file.offset(of: pages)
        }
        return statistics
    }

    /// Calls `body` with the map of the newest version, while nobody else writes. What readers that
    /// have gone had held back is free in it.
    func withFreeMap<Answer>(
        _ body: (borrowing FreeMap, CommitRecord?) throws(StorageError) -> Answer
    ) throws(StorageError) -> Answer {
        try writer.lock()
        defer { writer.unlock() }
        writer.commits.drain()
        let record = try records.newestRecord()
        var map = try writer.takeMap(of: record)
        try map.reclaim(
            visible: record?.version ?? 0, below: record, in: file, readBy: coordinator)
        let answer = try body(map, record)
        writer.keep(map)
        return answer
    }
}

extension Database.Statistics {
    fileprivate mutating func addSpace(_ map: borrowing FreeMap, _ file: PageFile) {
        freeBytes = file.offset(of: map.space.freePages)
        waitingBytes = file.offset(of: map.space.waitingPages)
        for index in pinnedVersions.indices {
            let version = pinnedVersions[index].version
            let pages = map.space.waiting.pageCount(
                heldOnlyBy: version...version, pinned: map.pinned)
            pinnedVersions[index].heldBytes = file.offset(of: pages)
        }
    }
}
