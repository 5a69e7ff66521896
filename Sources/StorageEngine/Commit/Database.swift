import Glibc

/// One open database file. All connections of a process to a file share one of these.
///
/// Any thread may use it. It is closed when nobody refers to it any more.
// Unchecked because of `writerState`, which only the holder of the write lock touches, and of the
// coordinator, which is safe to share by its own account.
public final class Database: @unchecked Sendable {
    /// How to open a database.
    public struct Options: Sendable {
        /// Creates the file where it is missing or empty; otherwise that is an error.
        public var createIfMissing: Bool
        /// Write transactions throw `.readOnly`.
        public var readOnly: Bool
        /// Keeps the database in memory, shared by everyone in this process who opens one of the
        /// same path with this option; it ends with the last of them.
        public var inMemory: Bool
        /// For new files: 4096, 8192 or 16384 bytes.
        public var pageSize: Int

        public init(
            createIfMissing: Bool = true, readOnly: Bool = false, inMemory: Bool = false,
            pageSize: Int = 4096
        ) {
            self.createIfMissing = createIfMissing
            self.readOnly = readOnly
            self.inMemory = inMemory
            self.pageSize = pageSize
        }
    }

    /// The path by which it was opened first; the identifier of a database in memory.
    public let path: String
    public let isReadOnly: Bool
    let file: PageFile
    let coordinator: Coordinator

    /// The newest version's record that this process has seen. Saves reading the slot.
    private let newestRecord: Locked<CommitRecord?>
    /// Touched by the holder of the write lock only.
    var writerState = WriterState()
    /// What transactions of this process did, while somebody observes it.
    let changeLog = ChangeLog()

    init(
        path: String, file: PageFile, coordinator: Coordinator, isReadOnly: Bool,
        newestRecord: CommitRecord?
    ) {
        self.path = path
        self.file = file
        self.coordinator = coordinator
        self.isReadOnly = isReadOnly
        self.newestRecord = Locked(newestRecord)
    }

    deinit {
        // A forked child has no descriptors to close, and its parent goes on using the rest.
        if coordinator.isForked { return }
        // Nothing can be reported here. What was committed is durable; without the marker the
        // next opener checks the newest commit.
        if (try? coordinator.close()) == true {
            if !coordinator.isPoisoned { try? writeCleanCloseMarker() }
            coordinator.releaseFinal()
        }
        System.close(file.descriptor)
    }

    /// The newest version is durable, because every commit is before it is published.
    private func writeCleanCloseMarker() throws(StorageError) {
        let version = coordinator.visibleVersion
        guard version > 0, coordinator.durableVersion >= version,
            let record = try record(of: version)
        else { return }
        let marker = CleanCloseMarker(version: version, commitID: record.commitID)
        try file.write(marker.encode(file.header), at: FileHeader.markerOffset)
    }

    /// The record of a version, or nil where its slot holds another by now: then newer versions
    /// exist.
    func record(of version: UInt64) throws(StorageError) -> CommitRecord? {
        if let known = newestRecord.withLock({ $0 }), known.version == version { return known }
        guard let record = try file.readRecord(slot: CommitRecord.slot(of: version)),
            record.version == version
        else { return nil }
        rememberRecord(record)
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
    }

    /// Where the file's bytes are.
    public struct Statistics: Sendable {
        public var newestVersion: UInt64
        public var pageSize: Int
        public var fileBytes: UInt64
        /// Reachable from the newest version, and the checkpoint of the free map.
        public var liveBytes: UInt64
        /// Free for the next write transaction.
        public var freeBytes: UInt64
        /// Freed, but not before every reader has left the versions that reach it.
        public var waitingBytes: UInt64
        /// One for each reader, the oldest version first. Those before the newest keep space from
        /// being reused.
        public var pinnedVersions: [PinnedVersion]
    }

    /// Takes the write lock for a moment, and clears the pins of processes that died.
    public func statistics() throws(StorageError) -> Statistics {
        try coordinator.checkNotForked()
        coordinator.clearDeadProcesses()
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
            defer { coordinator.unlockAfterWriting() }
            record = try newestConsistentRecord()
            let space = try writerState.catchUp(with: record, in: self)
            statistics.freeBytes = file.offset(of: space.free)
            statistics.waitingBytes = file.offset(of: space.waiting)
        }
        statistics.newestVersion = record?.version ?? 0
        statistics.fileBytes = try file.size()
        statistics.liveBytes = file.offset(of: record?.livePages ?? 0)
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

// MARK: The write lock

extension Database {
    /// Waits for the write lock, and makes sure that the visible version is durable and that
    /// nothing of a later one is left in the file.
    ///
    /// A writer that was killed may have left a complete record of the version after the visible
    /// one. It must be gone, durably, before any page is written: such a record may vouch for its
    /// pages without listing them ("pages were synced before"), and those pages are free.
    func lockForWriting() throws(StorageError) {
        let previous = try coordinator.lockForWriting()
        let version = coordinator.visibleVersion
        // A process that only reads may have recovered a version that it could not make durable.
        guard previous == .died || coordinator.durableVersion < version else { return }
        do throws(StorageError) {
            var outcome = Recovery.Outcome(
                needsSync: true, abandonedSlots: [CommitRecord.slot(of: version + 1)])
            if coordinator.durableVersion < version {
                guard let record = try record(of: version),
                    let pages = try Recovery(file: file).intactPages(of: record)
                else { throw missingRecord(version) }
                outcome.record = record
                outcome.listedPages = pages
            }
            try Recovery(file: file).makeDurable(outcome)
            coordinator.publishDurable(version: version)
        } catch {
            coordinator.poison()
            coordinator.unlockAfterWriting()
            throw error
        }
    }
}
