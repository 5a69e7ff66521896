import Dispatch
import Glibc

/// Copies what a connection sees, uncommitted changes included, into a new file, tree by tree and
/// leaf by leaf. The copy has full leaves and no free pages, whatever the state of the source.
/// Object keys stay the same.
///
/// The copy is written in transactions of bounded size. While one transaction of an encrypted copy
/// is sealed and written, the next one is prepared. The trees are built from their leaves upwards
/// and become reachable when they are complete. The file gets its name once all of them are
/// complete and durable.
final class DatabaseCopy {
    /// A transaction ends after this many bytes of leaves, which bounds the memory that a copy
    /// takes.
    private static let bytesPerTransaction = 2 << 20

    let source: Connection
    let target: Connection
    /// Writes the branches of the copied trees.
    let writer: TreeWriter
    /// Reads values on overflow pages.
    let longValues: PassingRuns
    /// Reads leaves of the source ahead of the walk.
    let prefetcher: LeafPrefetcher?
    private var bytesInTransaction = 0
    private var writtenBytes: UInt64 = 0
    private let progress: Database.Progress?
    /// Seals and writes the transactions of the copy, one after another. Nil for a plain copy,
    /// which has nothing to encrypt and is written faster by the copying thread itself. Nil also in
    /// a forked child, where dispatch queues do not run.
    private let writing: DispatchQueue?
    /// Limits what may still be read from the source.
    var budget: RowBudget

    /// Who may read and write a copy.
    enum Access {
        /// Whoever may do so with the source.
        case ofSource
        /// The rights of any new file of this user. If not everybody may read the source, nobody
        /// else may read the copy.
        case ofNewFile
    }

    static func write(
        _ source: Connection, toPath path: String, encryptionKey: [UInt8]?,
        access: Access = .ofSource, progress: Database.Progress? = nil
    ) throws(StorageError) {
        try source.database.checkNotForked()
        if (try? System.status(path: path)) != nil {
            throw StorageError(
                SystemFailure(call: .rename, errno: EEXIST), .write, path: path)
        }
        let temporary = SideFiles.temporaryCopy(of: path)
        try write(
            source, toNewFile: temporary, encryptionKey: encryptionKey, access: access,
            progress: progress)
        do throws(StorageError) {
            try StorageError.converting(.rename, path: path) { () throws(SystemFailure) in
                if access == .ofSource { try setAccess(temporary, like: source) }
                try System.rename(temporary, to: path)
                try System.syncDirectory(StorageError.directory(of: path))
            }
        } catch {
            try? System.unlink(temporary)
            throw error
        }
    }

    /// Gives the copy the access rights of the source.
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

    /// Writes a new file that no other process can know of or read, and closes it, so that it has a
    /// clean-close marker. When this returns, the file is durable, except for its name. When this
    /// throws, the file does not exist.
    static func write(
        _ source: Connection, toNewFile path: String, encryptionKey: [UInt8]?,
        access: Access = .ofSource, progress: Database.Progress? = nil
    ) throws(StorageError) {
        let options = Database.Options(
            pageSize: source.pager.pageSize, encryptionKey: encryptionKey)
        let permissions = try permissions(of: source, access)
        let database = try Database.createUnshared(
            path: path, options: options, permissions: permissions)
        do {
            let copy = DatabaseCopy(
                source: source, target: try Connection(database), progress: progress)
            // Even after an error, no queue may still write or read when this returns.
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

    /// The permissions with which a copy begins.
    private static func permissions(
        of source: Connection, _ access: Access
    ) throws(StorageError) -> mode_t {
        let file = source.database.file
        // A database in memory has no access rights of its own, so the copy gets those of any new
        // file.
        if file.isInMemory { return 0o644 }
        guard access == .ofNewFile else { return 0o600 }
        let status = try StorageError.converting(.open, path: source.database.path) {
            () throws(SystemFailure) in try System.status(file.descriptor)
        }
        return status.permissions & 0o004 == 0 ? 0o600 : 0o644
    }

    private init(source: Connection, target: Connection, progress: Database.Progress?) {
        self.progress = progress
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

    private func run() throws(StorageError) {
        try source.removeDeletedRows()
        try source.catchUpIndexes()
        target.pager.writesInBulk = true
        try target.beginWrite()
        // Collections in mixed values keep their identities, which contain versions. Continuing
        // from the newest version of the source keeps the identities of later collections distinct.
        target.pager.beginVersions(after: source.pager.newestVersion)
        target.pager.reserve(pages: source.pager.reachedPages)
        let (schema, columns) = source.schema.withoutPlainRemoved()
        try target.storeSchema(schema)
        for index in source.schema.tables.indices {
            try copy(source.table(index), to: target.table(index), columns: columns[index])
        }
        target.pager.leaveNoTail()
        let version = try target.commit().version
        // The transaction wrote at least the root of the last tree, so it was not empty and did
        // sync.
        precondition(
            target.database.coordinator.durableVersion >= version, "a copy ends without a sync")
    }

    /// Copies a table. One whose class was removed stays without objects if none of them can have
    /// links or be referred to (`SchemaMigration.removeTable`).
    ///
    /// `columns` are the positions in the old table of the columns of the new one.
    private func copy(_ old: Table, to new: Table, columns: [Int]) throws(StorageError) {
        if old.stored.isRemoved, !old.stored.hasLinks { return }
        // Columns that the new table lacks have no trees.
        for ((id, role), (newID, _)) in zip(old.stored.trees, new.stored.trees) {
            if let (map, _) = old.map(of: role) {
                try copyMap(map, id, to: newID)
            } else {
                try copyObjects(of: old, to: new, columns: columns)
            }
        }
    }

    /// Counts bytes written, and ends the transaction when it is large enough. Only the last
    /// version has to be durable.
    func count(_ bytes: Int) throws(StorageError) {
        bytesInTransaction += bytes
        guard bytesInTransaction >= Self.bytesPerTransaction else { return }
        writtenBytes += UInt64(bytesInTransaction)
        bytesInTransaction = 0
        try progress?(writtenBytes, source.pager.usedBytes)
        try target.commitBehind(on: writing)
    }

    /// Makes a complete tree, and the number stored with the old one, a part of the copy.
    func adopt(
        _ root: TreeRoot, _ treeID: UInt32, copyOf oldID: UInt32
    ) throws(StorageError) {
        let state = try target.forest.state(treeID)
        state.pointee.root = root
        state.pointee.extra = try source.forest.state(oldID).pointee.extra
        state.pointee.isDirty = true
    }
}

extension Connection {
    /// Writes a packed copy of what this connection sees, uncommitted changes included, to a new
    /// file. The copy is encrypted if `encryptionKey`, a key of 64 bytes, is given; otherwise it is
    /// plain.
    ///
    /// - Throws: `.fileExists` if there is a file at `path`.
    public func writeCopy(toPath path: String, encryptionKey: [UInt8]? = nil) throws(StorageError) {
        try DatabaseCopy.write(self, toPath: path, encryptionKey: encryptionKey)
    }

    /// The same, which tells `progress` on the calling thread how far it is.
    ///
    /// - Throws: `.interrupted` if `progress` does, and there is no copy.
    package func writeCopy(
        toPath path: String, encryptionKey: [UInt8]?, progress: Database.Progress?
    ) throws(StorageError) {
        try DatabaseCopy.write(
            self, toPath: path, encryptionKey: encryptionKey, progress: progress)
    }

    /// Writes such a copy for this user to write to, with the rights of any new file, while the
    /// source may be read-only and of another user. If not everybody may read the source, nobody
    /// else may read the copy.
    ///
    /// - Throws: `.fileExists` if there is a file at `path`.
    package func writeOwnCopy(
        toPath path: String, encryptionKey: [UInt8]?
    ) throws(StorageError) {
        try DatabaseCopy.write(
            self, toPath: path, encryptionKey: encryptionKey, access: .ofNewFile)
    }
}
