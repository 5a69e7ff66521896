import Dispatch
import Glibc

/// Copies what a connection sees, uncommitted changes included, into a new file, tree by tree and
/// leaf by leaf, so that the copy has full leaves and no free pages, whatever became of the source.
/// Object keys stay the same.
///
/// The copy is written in transactions of bounded size: while one of an encrypted copy is sealed and
/// written, the next one is made. The trees in it are built from their leaves upwards and become
/// reachable when they are whole; the file gets its name when all of them are, and durable.
final class DatabaseCopy {
    /// A transaction ends after so many bytes of leaves: this bounds the memory that a copy takes.
    private static let bytesPerTransaction = 2 << 20

    let source: Connection
    let target: Connection
    /// Knows how branches are written.
    let writer: TreeWriter
    /// Reads values that have pages of their own.
    let longValues: PassingRuns
    /// Reads leaves of the source before they are packed.
    let prefetcher: LeafPrefetcher?
    private var bytesInTransaction = 0
    /// Seals and writes what was made, one transaction after the other. Nil for a plain copy, which
    /// has nothing to encrypt: there the copying thread writes faster than another one would. Nil
    /// also in a forked child, where queues do nothing.
    private let writing: DispatchQueue?
    /// What may still be read from the source.
    var budget: RowBudget

    static func write(
        _ source: Connection, toPath path: String, encryptionKey: [UInt8]?
    ) throws {
        try source.database.checkNotForked()
        if (try? System.status(path: path)) != nil {
            throw StorageError(
                SystemFailure(call: .rename, errno: EEXIST), .write, path: path)
        }
        let temporary = SideFiles.temporaryCopy(of: path)
        try write(source, toNewFile: temporary, encryptionKey: encryptionKey)
        do throws(StorageError) {
            try StorageError.converting(.rename, path: path) { () throws(SystemFailure) in
                try setAccess(temporary, like: source)
                try System.rename(temporary, to: path)
                try System.syncDirectory(StorageError.directory(of: path))
            }
        } catch {
            try? System.unlink(temporary)
            throw error
        }
    }

    /// What the source may be read by, the copy may be.
    private static func setAccess(
        _ path: String, like source: Connection
    ) throws(SystemFailure) {
        let file = source.database.file
        if file.isInMemory { return }
        let descriptor = try System.open(path, flags: O_RDONLY)
        defer { System.close(descriptor) }
        let present = try System.status(descriptor)
        var wanted = try System.status(file.descriptor)
        wanted.owner = present.owner
        try System.setAccess(descriptor, from: present, to: wanted)
    }

    /// Writes a file that nobody else knows of, nor may read, and closes it, so that its
    /// clean-close marker goes with it. When this returns it is durable, but for its name; when it
    /// throws, there is none.
    static func write(
        _ source: Connection, toNewFile path: String, encryptionKey: [UInt8]?
    ) throws {
        let options = Database.Options(
            pageSize: source.pager.pageSize, encryptionKey: encryptionKey)
        // What is in memory has no access of its own: the copy gets that of any new file.
        let permissions: mode_t = source.database.file.isInMemory ? 0o644 : 0o600
        let database = try Database.createUnshared(
            path: path, options: options, permissions: permissions)
        do {
            let copy = DatabaseCopy(source: source, target: try Connection(database))
            // After an error, too, nothing is written or read any more when this returns.
            defer {
                copy.writing?.sync {}
                copy.prefetcher?.finish()
            }
            try copy.run()
        } catch {
            try? System.unlink(path)
            throw error
        }
    }

    private init(source: Connection, target: Connection) {
        self.source = source
        self.target = target
        let isEncrypted = target.database.file.cipher != nil
        writing =
            isEncrypted && !System.isForkedChild ? DispatchQueue(label: "realm.copy") : nil
        writer = TreeWriter(pager: target.pager, layoutStamp: target.layoutStamp)
        budget = RowBudget(source.pager)
        longValues = PassingRuns(source.pager)
        prefetcher = LeafPrefetcher(source.pager)
    }

    private func run() throws {
        try source.catchUpIndexes()
        target.pager.writesInBulk = true
        try target.beginWrite()
        // Collections in mixed values keep their identities, which contain versions: one that is
        // made later gets another one.
        target.pager.beginVersions(after: source.pager.newestVersion)
        target.pager.reserve(pages: source.pager.reachedPages)
        try target.storeSchema(source.schema)
        for index in source.schema.tables.indices {
            try copy(source.table(index), to: target.table(index))
        }
        target.pager.leavesNoTail = true
        let version = try target.commit().version
        // It had the root of the last tree to write, so it was not empty.
        precondition(
            target.database.coordinator.durableVersion >= version, "a copy ends without a sync")
    }

    private func copy(_ old: Table, to new: Table) throws {
        for (id, role) in old.stored.trees {
            if let (map, _) = old.map(of: role) {
                try copyMap(map, id)
            } else {
                try copyObjects(of: old, to: new)
            }
        }
    }

    /// Counts what was written, and ends the transaction when that is enough for one. The version
    /// need not be durable before the last one is.
    func count(_ bytes: Int) throws {
        bytesInTransaction += bytes
        guard bytesInTransaction >= Self.bytesPerTransaction else { return }
        bytesInTransaction = 0
        try target.commitBehind(on: writing)
    }

    /// Makes a tree that is whole, and what belongs to it, a part of the copy.
    func adopt(_ root: TreeRoot, _ treeID: UInt32) throws {
        let state = try target.forest.state(treeID)
        state.pointee.root = root
        state.pointee.extra = try source.forest.state(treeID).pointee.extra
        state.pointee.isDirty = true
    }
}

extension Connection {
    /// Writes a packed copy of what this connection sees, uncommitted changes included, to a new
    /// file, encrypted with a key of 64 bytes of its own, or plain.
    ///
    /// - Throws: `.fileExists` if there is a file at `path`.
    public func writeCopy(toPath path: String, encryptionKey: [UInt8]? = nil) throws {
        try DatabaseCopy.write(self, toPath: path, encryptionKey: encryptionKey)
    }
}
