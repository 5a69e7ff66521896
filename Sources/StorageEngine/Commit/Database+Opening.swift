import Glibc

extension Database {
    /// Tells the files that this process has open apart, so that all callers share one `Database`
    /// for each file.
    struct Identity: Hashable {
        var device: UInt64
        var inode: UInt64
        var memoryIdentifier: String?
        var isReadOnly: Bool
    }

    struct OpenDatabase {
        weak var database: Database?
        /// Held while opening, so that two threads do not open one file twice. One lock for each
        /// file, because opening may wait for another process.
        let openingLock = FairLock()
        /// How many threads hold the lock or wait for it.
        var openers = 0
    }

    /// The files that this process has open, or is about to open.
    struct OpenTable {
        var entries: [Identity: OpenDatabase] = [:]
        /// With more entries than this, those of closed databases are removed. Twice as many as
        /// were left the last time, so that opening a file does not take longer the more files are
        /// open.
        private var mostEntries = Self.leastEntries

        private static let leastEntries = 16

        mutating func addOpener(_ identity: Identity) -> FairLock {
            if entries.count > mostEntries {
                entries = entries.filter { $0.value.database != nil || $0.value.openers > 0 }
                mostEntries = max(2 * entries.count, Self.leastEntries)
            }
            entries[identity, default: OpenDatabase()].openers += 1
            return entries[identity]!.openingLock
        }
    }

    private static let tableOfProcess = ProcessLocal { Locked(OpenTable()) }
    private static var openDatabases: Locked<OpenTable> { tableOfProcess.value }

    /// Opens a database file, or returns the one that this process has open.
    ///
    /// The first opener of all processes recovers the newest version; the others join it.
    ///
    /// - Throws: `.fileNotFound`, `.permissionDenied`, `.fileAccess`, `.notADatabase`,
    ///   `.unsupportedFormat`, `.wrongKey`, `.damaged`, `.incompatibleLockFile`, `.tooManyReaders`,
    ///   `.outOfDiskSpace`, `.addressSpaceExhausted`; `.invalidArgument` for a page size or a
    ///   length of key that does not exist.
    public static func open(
        path: String, options: Options = Options()
    ) throws(StorageError) -> Database {
        if options.inMemory {
            let identity = Identity(
                device: 0, inode: 0, memoryIdentifier: path, isReadOnly: options.readOnly)
            return try openOnce(identity) { () throws(StorageError) in
                try openInMemory(path, options)
            }
        }
        try FileCipher.checkLength(of: options.encryptionKey, path: path)
        return try withDescriptor(path, options) {
            (descriptor, status, isTakenOver) throws(StorageError) in
            let identity = Identity(status, isReadOnly: options.readOnly)
            let database = try openOnce(identity) { () throws(StorageError) in
                let database = try openUnshared(location(of: path), descriptor, with: options)
                isTakenOver = true
                return database
            }
            // Later openers in this process must supply the right key too.
            if !isTakenOver {
                _ = try database.file.header.cipher(key: options.encryptionKey, path: path)
            }
            return database
        }
    }

    /// Calls `body` with a descriptor of the file. Repeats that with the new file if this fails and
    /// the file was replaced meanwhile, as compaction does.
    private static func withDescriptor(
        _ path: String, _ options: Options,
        _ body: (Int32, System.FileStatus, _ isTakenOver: inout Bool) throws(StorageError) ->
            Database
    ) throws(StorageError) -> Database {
        while true {
            let (descriptor, status) = try openDescriptor(path, options)
            var isTakenOver = false
            // Closed only after the path was looked at: until then no other file gets this inode.
            defer { if !isTakenOver { System.close(descriptor) } }
            do throws(StorageError) {
                return try body(descriptor, status, &isTakenOver)
            } catch {
                guard Identity(status, isReadOnly: options.readOnly).isGone(from: path),
                    !planted(.failsBesideCompaction)
                else { throw error }
            }
        }
    }

    /// Returns the path of the file: the path itself, or the target of a symbolic link there. Side
    /// files lie beside the target, because all users of the file share them, whichever path they
    /// use.
    static func location(of path: String) -> String {
        guard let entry = try? System.status(path: path, followsLinks: false),
            entry.isSymbolicLink
        else { return path }
        return (try? System.realPath(path)) ?? path
    }

    /// Returns the database that is open already, or the result of `open`. One thread at a time for
    /// each identity.
    private static func openOnce(
        _ identity: Identity, _ open: () throws(StorageError) -> Database
    ) throws(StorageError) -> Database {
        try whileNobodyOpens(identity) { present throws(StorageError) in
            if let present { return present }
            let database = try open()
            // A child that was forked meanwhile has another table, without an entry.
            openDatabases.withLock { $0.entries[identity]?.database = database }
            return database
        }
    }

    /// Calls `body` with the database if the process has it open; no other thread opens it
    /// meanwhile.
    static func whileNobodyOpens<Result, Failure: Error>(
        _ identity: Identity, _ body: (Database?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let openDatabases = openDatabases
        let openingLock = openDatabases.withLock { $0.addOpener(identity) }
        defer { openDatabases.withLock { $0.entries[identity]!.openers -= 1 } }
        return try openingLock.withLock { () throws(Failure) in
            try body(openDatabases.withLock { $0.entries[identity]!.database })
        }
    }

    /// Whether this process has the file open, under any path.
    package static func isOpen(path: String) -> Bool {
        guard let status = try? System.status(path: path) else { return false }
        return openDatabases.withLock { table in
            [true, false].contains { isReadOnly in
                table.entries[Identity(status, isReadOnly: isReadOnly)].map {
                    $0.database != nil || $0.openers > 0
                } ?? false
            }
        }
    }

    /// The databases of a file that this process has open, under any path: one that writes, and
    /// one that only reads.
    package static func opened(at path: String) -> [Database] {
        guard let status = try? System.status(path: path) else { return [] }
        return openDatabases.withLock { table in
            [false, true].compactMap { isReadOnly in
                table.entries[Identity(status, isReadOnly: isReadOnly)]?.database
            }
        }
    }

    /// Opens a file once more although the process has it open, as another process would. For
    /// tests.
    package static func openUnregistered(
        path: String, options: Options = Options()
    ) throws(StorageError) -> Database {
        try withDescriptor(path, options) {
            (descriptor, _, isTakenOver) throws(StorageError) in
            let database = try openUnshared(location(of: path), descriptor, with: options)
            isTakenOver = true
            return database
        }
    }

    // MARK: Descriptors

    /// Opens the file at the path, or creates one. Anything but a regular file is refused without
    /// waiting for the other end of it.
    static func openDescriptor(
        _ path: String, _ options: Options
    ) throws(StorageError) -> (Int32, System.FileStatus) {
        let descriptor: Int32
        do {
            descriptor = try openForUse(path, options)
        } catch {
            throw openFailure(error, path)
        }
        do throws(StorageError) {
            let status = try StorageError.converting(.open, path: path) {
                () throws(SystemFailure) in try System.status(descriptor)
            }
            guard status.isRegularFile else { throw notRegularFile(status, path) }
            return (descriptor, status)
        } catch {
            System.close(descriptor)
            throw error
        }
    }

    private static func openForUse(
        _ path: String, _ options: Options
    ) throws(SystemFailure) -> Int32 {
        // Non-blocking, because opening a FIFO or a device may wait without end.
        let flags = (options.readOnly ? O_RDONLY : O_RDWR) | O_NONBLOCK | O_NOCTTY
        do {
            return try System.open(path, flags: flags)
        } catch {
            guard error.errno == ENOENT, options.createIfMissing, !options.readOnly else {
                throw error
            }
        }
        // Without `O_EXCL`, so that a symbolic link that leads nowhere leads to the new file: its
        // target may have been removed by the name of the link.
        return try System.open(path, flags: flags | O_CREAT)
    }

    private static func openFailure(_ failure: SystemFailure, _ path: String) -> StorageError {
        let error = StorageError(failure, .open, path: path)
        guard failure.errno == ENOENT,
            let entry = try? System.status(path: path, followsLinks: false), entry.isSymbolicLink
        else { return error }
        return StorageError(
            error.code, path: path,
            message: "Failed to open file at path '\(path)': it is a symbolic link that leads "
                + "to no file. Remove the link, or make the directory or file that it names",
            systemError: error.systemError)
    }

    private static func notRegularFile(
        _ status: System.FileStatus, _ path: String
    ) -> StorageError {
        if status.isDirectory {
            return StorageError(SystemFailure(call: .open, errno: EISDIR), .open, path: path)
        }
        let kind = status.isFIFO ? "a FIFO" : status.isSocket ? "a socket" : "a device"
        return StorageError(
            .fileAccess, path: path,
            message: "Failed to open file at path '\(path)': it is \(kind), not a regular file",
            systemError: EINVAL)
    }

    // MARK: Files

    /// Takes over the descriptor only when it succeeds.
    static func openUnshared(
        _ path: String, _ descriptor: Int32, with options: Options
    ) throws(StorageError) -> Database {
        var coordinator: Coordinator?
        do throws(StorageError) {
            let (opened, role) = try Coordinator.open(
                path: path, dataFile: descriptor, readOnly: options.readOnly)
            coordinator = opened
            switch role {
            case .soleOpener: return try recover(path, descriptor, with: options, by: opened)
            case .joined: return try join(path, descriptor, with: options, by: opened)
            }
        } catch {
            coordinator?.releaseFinal()
            throw error
        }
    }

    private static func recover(
        _ path: String, _ descriptor: Int32, with options: Options, by coordinator: Coordinator
    ) throws(StorageError) -> Database {
        var header = try readHeader(path, descriptor)
        let isNew = header == nil || header!.isUnfinished
        if isNew {
            guard options.createIfMissing, !options.readOnly else {
                let way = options.readOnly ? "without readOnly" : "with createIfMissing"
                throw StorageError(
                    .notADatabase, path: path,
                    message: "Failed to open Realm file at path '\(path)': it is empty. Open it "
                        + "\(way) to make a new Realm, or restore it from a backup.")
            }
            header = try create(path, descriptor, with: options)
        }
        let cipher = try header!.cipher(key: options.encryptionKey, path: path)
        if !options.readOnly, !isNew { try upgrade(&header!, path, of: descriptor) }
        let file = PageFile(
            descriptor: descriptor, path: path, header: header!, cipher: cipher,
            problemOfNode: Node.problem(ofStored:),
            mostDecryptedBytes: options.mostDecryptedBytes,
            smallestReservation: options.smallestReservation)
        let recovery = Recovery(file: file)
        let outcome = try recovery.findNewestVersion()
        let version = outcome.record?.version ?? 0
        // A process that may only read cannot sync: the next writer makes the version durable
        // first.
        let isDurable = !(outcome.needsSync && options.readOnly)
        if outcome.needsSync, isDurable, !planted(.adoptsWithoutSync) {
            try recovery.makeDurable(outcome)
        } else if outcome.needsSync, !outcome.unsynced.areInPlace {
            throw StorageError(
                .permissionDenied, path: path,
                message: "Realm file at path '\(path)' was not closed before the system stopped. "
                    + "Open it once without readOnly, so that it can be recovered.")
        }
        if let record = outcome.record { try file.map(pageCount: record.pageCount) }
        let place = try place(path, descriptor, with: options)
        try coordinator.finishRecovery(
            version: version, sequence: outcome.record?.sequence ?? 0,
            recordPage: outcome.record?.place.page ?? 0, ring: outcome.record?.ring,
            isDurable: isDurable)
        if coordinator.readsUnshared,
            try recovery.findNewestVersion().record?.commitID != outcome.record?.commitID
        {
            throw StorageError(
                .permissionDenied, path: path,
                message: "Realm file at path '\(path)' was written by another process while it "
                    + "was being opened; open it again")
        }
        return Database(
            file: file, coordinator: coordinator, isReadOnly: options.readOnly,
            newestRecord: outcome.record, place: place, slotDamage: outcome.slotDamage,
            largestPrivateBytes: options.largestPrivateBytes)
    }

    private static func place(
        _ path: String, _ descriptor: Int32, with options: Options
    ) throws(StorageError) -> FilePlace? {
        options.readOnly ? nil : try FilePlace(descriptor: descriptor, path: path)
    }

    private static func join(
        _ path: String, _ descriptor: Int32, with options: Options, by coordinator: Coordinator
    ) throws(StorageError) -> Database {
        guard var header = try readHeader(path, descriptor), !header.isUnfinished else {
            throw StorageError(
                .damaged, path: path,
                message: "Realm file at path '\(path)' is damaged: its header has gone while "
                    + "another process has it open. Restore it from a backup.", page: 0)
        }
        let cipher = try header.cipher(key: options.encryptionKey, path: path)
        if !options.readOnly { try upgrade(&header, path, of: descriptor) }
        let file = PageFile(
            descriptor: descriptor, path: path, header: header, cipher: cipher,
            problemOfNode: Node.problem(ofStored:),
            mostDecryptedBytes: options.mostDecryptedBytes,
            smallestReservation: options.smallestReservation)
        return Database(
            file: file, coordinator: coordinator, isReadOnly: options.readOnly,
            newestRecord: nil, place: try place(path, descriptor, with: options),
            largestPrivateBytes: options.largestPrivateBytes)
    }

    /// Returns the header; nil where a file is empty, or was left by the first steps of its
    /// creation.
    private static func readHeader(
        _ path: String, _ descriptor: Int32
    ) throws(StorageError) -> FileHeader? {
        let start = try firstBlock(path, descriptor)
        if start.isEmpty { return nil }
        if start.allSatisfy({ $0 == 0 }) {
            let size = try StorageError.converting(.read, path: path) {
                () throws(SystemFailure) in try System.size(descriptor)
            }
            if FileHeader.isBeingCreated(start, fileSize: size) || planted(.takesZerosForNewFile) {
                return nil
            }
        }
        let header = start.prefix(FileHeader.size).withUnsafeBytes { bytes in
            Result { () throws(StorageError) in try FileHeader(bytes, path: path) }
        }
        return try header.get()
    }

    /// Returns the first block of a file, or less if the file is shorter.
    static func firstBlock(
        _ path: String, _ descriptor: Int32
    ) throws(StorageError) -> ArraySlice<UInt8> {
        var block = [UInt8](repeating: 0, count: Int(FileHeader.blockSize))
        let count = block.withUnsafeMutableBytes { buffer in
            Result { () throws(SystemFailure) in
                try System.read(descriptor, into: buffer, at: 0)
            }
        }
        switch count {
        case .success(let count): return block.prefix(count)
        case .failure(let failure): throw StorageError(failure, .read, path: path)
        }
    }

    /// Makes a file of an earlier format one of the present format, before anything is written that
    /// the earlier one does not have. The header is one sector, so it names the one or the other,
    /// and all that is in the file means the same in both. Other processes that have the file open
    /// use this version of the library, because others have another layout of `.lock`.
    private static func upgrade(
        _ header: inout FileHeader, _ path: String, of descriptor: Int32
    ) throws(StorageError) {
        guard header.upgrade() else { return }
        let file = PageFile(
            descriptor: descriptor, path: path, header: header,
            problemOfNode: Node.problem(ofStored:))
        if !planted(.upgradesInMemory) { try file.write(header.encode(), at: 0) }
        if !planted(.upgradesUnsynced) { try file.sync() }
    }

    // MARK: Creation

    /// Creates a file in five steps; only the last makes it a database.
    ///
    /// 1. Give it a length that files of zeros do not have, and sync.
    /// 2. Write the header with the flag "unfinished", and sync.
    /// 3. Allocate the first pages and fill everything behind the header with zeros.
    /// 4. Sync, also the directory.
    /// 5. Write the header without the flag, and sync.
    ///
    /// Interrupted before 1 ends, the file is empty, or it is zeros and has that length; before 2
    /// ends, it has that length, and may have the flag. Between 2 and 5 it carries the flag. The
    /// next opener creates all these files anew. It does so with no other file of zeros, which may
    /// have been a database: a new one in its place would hide that. The header is one sector, so a
    /// write of it in 2 or 5 is not torn.
    private static func create(
        _ path: String, _ descriptor: Int32, with options: Options
    ) throws(StorageError) -> FileHeader {
        guard FileHeader.pageSizes.contains(options.pageSize) else {
            throw StorageError(
                .invalidArgument, path: path,
                message: "A page size of \(options.pageSize) bytes is not possible; choose 4096, "
                    + "8192 or 16384.")
        }
        var header = FileHeader(
            pageSize: options.pageSize, fileID: (.random(in: 0 ... .max), .random(in: 0 ... .max)),
            isUnfinished: true)
        header.choose(format: options.formatVersion)
        if let key = options.encryptionKey, !options.inMemory {
            try header.encrypt(key: key, path: path)
        }
        let file = PageFile(
            descriptor: descriptor, path: path, header: header,
            problemOfNode: Node.problem(ofStored:), isInMemory: options.inMemory)
        if !options.inMemory {
            do { try System.truncate(descriptor, to: FileHeader.newFileSize) } catch {
                throw file.failure(error, .resize)
            }
            try file.sync()
        }
        try file.write(header.encode(), at: 0)
        try file.sync()
        let pages = PageFile.initialBytes(header) >> file.pageShift
        let length = file.offset(of: pages)
        do throws(SystemFailure) {
            try System.allocate(descriptor, offset: 0, length: length)
        } catch {
            // Where the file system cannot allocate, writing zeros below finds a full disk.
            guard error.isUnsupported else { throw file.failure(error, .resize) }
        }
        try file.fillWithZeros(
            from: FileHeader.blockSize, length: length - FileHeader.blockSize)
        if !options.inMemory {
            try file.sync()
            do {
                try System.syncDirectory(StorageError.directory(of: path))
            } catch {
                throw file.failure(error, .sync)
            }
        }
        header.isUnfinished = false
        try file.write(header.encode(), at: 0)
        try file.sync()
        return header
    }

    // MARK: Unshared files

    /// Creates a file for this caller alone: no lock file, no entry in the table of open files, and
    /// access by `permissions`. When this throws, there is no file.
    static func createUnshared(
        path: String, options: Options, permissions: mode_t
    ) throws(StorageError) -> Database {
        try FileCipher.checkLength(of: options.encryptionKey, path: path)
        let descriptor = try StorageError.converting(.open, path: path) {
            () throws(SystemFailure) in
            try System.open(
                path, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: permissions)
        }
        do throws(StorageError) {
            let header = try create(path, descriptor, with: options)
            let file = try PageFile(
                descriptor: descriptor, path: path, header: header,
                cipher: header.cipher(key: options.encryptionKey, path: path),
                problemOfNode: Node.problem(ofStored:))
            let coordinator = try Coordinator.unshared(path: path, dataFile: descriptor)
            try coordinator.finishRecovery(version: 0, sequence: 0)
            return Database(
                file: file, coordinator: coordinator, isReadOnly: false, newestRecord: nil)
        } catch {
            System.close(descriptor)
            try? System.unlink(path)
            throw error
        }
    }

    // MARK: In memory

    private static func openInMemory(
        _ identifier: String, _ options: Options
    ) throws(StorageError) -> Database {
        let descriptor: Int32
        do {
            descriptor = try System.memoryFile(name: "realm")
        } catch {
            throw StorageError(error, .open, path: identifier)
        }
        do throws(StorageError) {
            let header = try create(identifier, descriptor, with: options)
            let file = PageFile(
                descriptor: descriptor, path: identifier, header: header,
                problemOfNode: Node.problem(ofStored:), isInMemory: true)
            let coordinator = try Coordinator.inMemory(name: identifier)
            try coordinator.finishRecovery(version: 0, sequence: 0)
            return Database(
                file: file, coordinator: coordinator, isReadOnly: options.readOnly,
                newestRecord: nil)
        } catch {
            System.close(descriptor)
            throw error
        }
    }
}

extension Database.Identity {
    init(_ status: System.FileStatus, isReadOnly: Bool) {
        self.init(device: status.device, inode: status.inode, isReadOnly: isReadOnly)
    }

    /// Whether the path does not lead to this file any more.
    func isGone(from path: String) -> Bool {
        guard let present = try? System.status(path: path) else { return true }
        return present.device != device || present.inode != inode
    }
}
