/// Replacing a file that is not open by another one.
///
/// 1. Make sure that no thread of this process opens the file or has it open.
/// 2. Open it as usual, with recovery if needed. Ask whether to go on.
/// 3. Become its sole user. Openers wait for the lock on the data file from now on.
/// 4. Write the other file into the directory `.management` beside it, durably, with the same owner
///    and permissions.
/// 5. Rename it, and sync the directory.
/// 6. Close the old file, and with it the lock. Openers that waited see that the path leads to
///    another file now, and open that one (`OpenRequest`).
///
/// After a kill or a power loss before 5, the file is as it was, and the next replacement removes
/// the files in `.management`. During 5, also if the sync fails, the path leads to the old file or
/// to the new one, and each is complete.
extension Database {
    /// Replaces the file, if `condition` says so, by the file that `write` writes to the path it is
    /// given. Files that `write` opens must be closed when it returns.
    ///
    /// Returns false, and changes nothing, if this process or another one has the file open, if
    /// there is none, or if the file has several names, of which only one would lead to the new
    /// one.
    ///
    /// - Throws: what `open` throws; `.outOfDiskSpace`, `.fileAccess`, `.permissionDenied` where
    ///   the new file cannot be written; what the two functions throw.
    static func replace(
        path: String, options: Options, if condition: (Database) throws(StorageError) -> Bool,
        by write: (Database, _ newPath: String) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        if options.inMemory || options.readOnly { return false }
        guard let status = try? System.status(path: path), status.isRegularFile, status.size > 0,
            status.linkCount == 1
        else { return false }
        let identity = Identity(status, isReadOnly: false)
        return try whileNobodyOpens(identity) { present throws(StorageError) in
            if present != nil { return false }
            let (descriptor, opened) = try openDescriptor(path, options)
            guard Identity(opened, isReadOnly: false) == identity else {
                System.close(descriptor)
                return false
            }
            let database: Database
            do throws(StorageError) {
                database = try openUnshared(location(of: path), descriptor, with: options)
            } catch {
                System.close(descriptor)
                throw error
            }
            guard try condition(database) else { return false }
            return try database.replace(status, write)
        }
    }

    private func replace(
        _ status: System.FileStatus, _ write: (Database, String) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        guard try coordinator.becomeSoleUser() || planted(.compactsOpenFile) else { return false }
        let target = try StorageError.converting(.open, path: path) { () throws(SystemFailure) in
            try System.realPath(path)
        }
        let directory = try StorageError.converting(
            .open, path: SideFiles.management(of: target)
        ) { () throws(SystemFailure) in try SideFiles.prepareManagement(of: target) }
        let replacement = directory + "/" + SideFiles.packedCopy
        defer { SideFiles.clearManagement(of: target) }
        try write(self, replacement)
        try StorageError.converting(.rename, path: path) { () throws(SystemFailure) in
            try System.setAccess(replacement, like: status)
            try System.replace(target, by: replacement)
            if planted(.forgetsDirectory) { return }
            try System.syncDirectory(StorageError.directory(of: target))
        }
        return true
    }
}
