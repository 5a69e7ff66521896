extension Database {
    /// Is told how much is done, and about how much there is to do: bytes of copies, pages of
    /// verifications. It ends them by an error of the code `.interrupted`: then nothing is changed.
    package typealias Progress = (_ done: UInt64, _ all: UInt64) throws(StorageError) -> Void

    /// Rewrites a file in packed form, with the same objects under the same keys and without free
    /// space, if it is not open anywhere. The new file replaces the old one atomically. Opening the
    /// file waits meanwhile.
    ///
    /// `isWorthIt` is asked first, unless this process has the file open. It is given the exact
    /// size of the file in bytes and how many of them are in use. Until the old file is removed,
    /// the new one takes space beside it, in the directory `.management`. What a killed process has
    /// left there is removed by the next compaction.
    ///
    /// Returns whether the file was compacted. The result is false if it is open in this process or
    /// another one, whatever `isWorthIt` returns; if it does not exist; or if it has several names
    /// (hard links).
    ///
    /// - Throws: what ``open(path:options:)`` throws; `.damaged` for what cannot be read;
    ///   `.outOfDiskSpace`, `.fileAccess`, `.permissionDenied`. The path then leads to the old
    ///   file, or, if only the last sync failed, to the new one.
    public static func compact(
        path: String, options: Options = Options(),
        if isWorthIt: (_ fileBytes: UInt64, _ usedBytes: UInt64) throws(StorageError) -> Bool = {
            _, _ in true
        }
    ) throws(StorageError) -> Bool {
        try rewrite(
            path: path, options: options, encryptionKey: options.encryptionKey, if: isWorthIt,
            progress: nil
        ) { _ in }
    }

    /// Rewrites a file in packed form like ``compact(path:options:if:)``, and encrypts it with
    /// `encryptionKey`, or leaves it plain without one. `options` has the present key. So a file is
    /// encrypted, decrypted, or gets another key, in place.
    ///
    /// The disk may still hold what the old file consisted of. `progress` is told on the calling
    /// thread how many bytes of how many, about, are written.
    ///
    /// Returns whether the file was rewritten, as `compact` does.
    ///
    /// - Throws: what `compact` throws; `.interrupted` if `progress` does, and the file is as it
    ///   was.
    package static func rewrite(
        path: String, options: Options, encryptionKey: [UInt8]?,
        progress: Progress? = nil
    ) throws(StorageError) -> Bool {
        try rewrite(
            path: path, options: options, encryptionKey: encryptionKey, if: { _, _ in true },
            progress: progress
        ) { _ in }
    }

    /// `opened` is called with the database before it is rewritten.
    private static func rewrite(
        path: String, options: Options, encryptionKey: [UInt8]?,
        if isWorthIt: (_ fileBytes: UInt64, _ usedBytes: UInt64) throws(StorageError) -> Bool,
        progress: Progress?, opened: (Database) -> Void
    ) throws(StorageError) -> Bool {
        try replace(path: path, options: options) { database throws(StorageError) in
            opened(database)
            let pager = try Pager(database: database)
            try pager.beginRead()
            return try isWorthIt(try database.fileSize, pager.usedBytes)
        } by: { database, newPath throws(StorageError) in
            try DatabaseCopy.write(
                Connection(database), toNewFile: newPath, encryptionKey: encryptionKey,
                progress: progress)
        }
    }

    /// Opens a database file like ``open(path:options:)``, after compacting it if `isWorthIt` says
    /// so and nothing prevents it.
    ///
    /// An error of the compaction does not prevent opening: another process that compacts the file
    /// at the same time, a full disk, a directory that cannot be written to, or a damaged page that
    /// only a copy would have read. The uncompacted file is just as usable, and opening it may be
    /// the only way to delete objects and make room. Only errors of opening itself are thrown.
    public static func open(
        path: String, options: Options = Options(),
        compactingIf isWorthIt: (_ fileBytes: UInt64, _ usedBytes: UInt64) -> Bool
    ) throws(StorageError) -> Database {
        var damage: SlotDamage?
        do throws(StorageError) {
            _ = try rewrite(
                path: path, options: options, encryptionKey: options.encryptionKey, if: isWorthIt,
                progress: nil
            ) { damage = $0.records.slotDamage }
        } catch {
            if planted(.failsWithCompaction) { throw error }
        }
        let database = try open(path: path, options: options)
        database.records.add(damage)
        return database
    }
}
