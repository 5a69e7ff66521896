extension Database {
    /// Rewrites a file packed, if nobody has it open: the same objects under the same keys, without
    /// free space. The file takes its place in one step; who opens it meanwhile waits.
    ///
    /// `isWorthIt` is asked first unless this process has the file open: given the bytes of the
    /// file, exactly, and how many of them are in use. Until the old file goes, the new one takes
    /// space beside it, in the directory `.management`. What a process that was
    /// killed has left there is removed by the next one that compacts.
    ///
    /// Returns whether the file was compacted: false if it is open in this process or in another
    /// one, whatever `isWorthIt` says; if there is none; or if the file has several names (hard
    /// links).
    ///
    /// - Throws: what ``open(path:options:)`` throws; `.damaged` for what cannot be read;
    ///   `.outOfDiskSpace`, `.fileAccess`, `.permissionDenied`. The path leads to the file as it
    ///   was, or, if only the last sync failed, to the new one.
    public static func compact(
        path: String, options: Options = Options(),
        if isWorthIt: (_ fileBytes: UInt64, _ usedBytes: UInt64) throws -> Bool = { _, _ in true }
    ) throws -> Bool {
        try compact(path: path, options: options, if: isWorthIt) { _ in }
    }

    /// `opened` is called with the database as it was.
    private static func compact(
        path: String, options: Options,
        if isWorthIt: (_ fileBytes: UInt64, _ usedBytes: UInt64) throws -> Bool,
        opened: (Database) -> Void
    ) throws -> Bool {
        try replace(path: path, options: options) { database in
            opened(database)
            let pager = try Pager(database: database)
            try pager.beginRead()
            return try isWorthIt(try database.fileSize, pager.usedBytes)
        } by: { database, newPath in
            try DatabaseCopy.write(
                Connection(database), toNewFile: newPath, encryptionKey: options.encryptionKey)
        }
    }

    /// Opens a database file like ``open(path:options:)``, having compacted it first if `isWorthIt`
    /// says so and nothing is in the way.
    ///
    /// Whatever keeps the file from being compacted keeps nobody from opening it: another process
    /// that compacts it at the same time, a full disk, a directory that cannot be written to, a
    /// damaged page that only a copy would have come upon. The file as it is serves as well, and
    /// may have to: what is to be deleted to make room can only be deleted once it is open. What
    /// keeps it from being opened is thrown.
    public static func open(
        path: String, options: Options = Options(),
        compactingIf isWorthIt: (_ fileBytes: UInt64, _ usedBytes: UInt64) -> Bool
    ) throws(StorageError) -> Database {
        var damage: SlotDamage?
        do {
            _ = try compact(path: path, options: options, if: isWorthIt) { damage = $0.slotDamage }
        } catch {
            if planted(.failsWithCompaction), let error = error as? StorageError { throw error }
        }
        let database = try open(path: path, options: options)
        database.takeOver(damage)
        return database
    }
}
