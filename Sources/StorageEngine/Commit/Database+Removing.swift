import CRealmSystem
import Glibc

/// Removing a database file that is not open, with its side files.
///
/// 1. Look what the path leads to. Anything but a database file is refused.
/// 2. Lock the file like a sole user, or give up, because the file is open. Openers wait for the
///    lock from now on.
/// 3. Remove the side files, each by its name, then the file, and sync the directory.
/// 4. Release the lock. Openers that waited see that the path does not lead to this file any more.
///    They open the file that is there by now, or make a new one (`OpenRequest`).
///
/// `.lock` stays: it holds no data, and other processes may be waiting for its locks.
///
/// After a kill or a power loss at any step, the file is complete or gone.
extension Database {
    /// Removes the file at a path, or the one that a symbolic link there leads to, and the side
    /// files of this library but for `.lock`. Nothing else is removed.
    ///
    /// Returns whether there was a file.
    ///
    /// - Parameters:
    ///   - path: Where the file is.
    ///   - identifier: The ``identifier`` of the file that is meant; nil for whatever file is
    ///     there. Another one is left alone, and the result is false.
    /// - Throws: `.alreadyOpen` if any process has it open; `.notADatabase` for a file that does
    ///   not begin like a database, and is not empty; `.fileAccess` for a directory or a device;
    ///   `.permissionDenied`. Nothing was removed then, or, if the system refuses to, no more than
    ///   side files.
    public static func remove(
        path: String, ifIdentifiedAs identifier: UInt64? = nil
    ) throws(StorageError) -> Bool {
        while true {
            let location = location(of: path)
            guard let status = try statusOfFile(location, path) else {
                try StorageError.converting(.remove, path: path) { () throws(SystemFailure) in
                    try SideFiles.removeManagement(of: location)
                }
                return false
            }
            if isOpen(path: location) { throw inUse(path) }
            let identity = Identity(status, isReadOnly: false)
            switch try remove(location, identity, ifIdentifiedAs: identifier, path: path) {
            case .removed: return true
            case .leftAlone: return false
            case .replaced: break
            }
        }
    }

    private enum Removal {
        case removed
        /// Another process has replaced or removed the file meanwhile.
        case replaced
        /// Another file was meant.
        case leftAlone
    }

    /// Returns nil where there is no file. `path`, here and below: the path that the caller gave,
    /// for errors.
    private static func statusOfFile(
        _ location: String, _ path: String
    ) throws(StorageError) -> System.FileStatus? {
        let status: System.FileStatus
        do throws(SystemFailure) { status = try System.status(path: location) } catch {
            if error.errno == ENOENT || error.errno == ENOTDIR { return nil }
            throw StorageError(error, .remove, path: path)
        }
        if status.isDirectory {
            throw StorageError(SystemFailure(call: .unlink, errno: EISDIR), .remove, path: path)
        }
        if !status.isRegularFile { throw noDatabase(path, "it is no regular file") }
        return status
    }

    /// Removes the file with that identity, if it is the one that is meant.
    private static func remove(
        _ location: String, _ identity: Identity, ifIdentifiedAs identifier: UInt64?, path: String
    ) throws(StorageError) -> Removal {
        guard let (descriptor, isWritable) = try openForRemoval(location, path) else {
            return .replaced
        }
        // Before a lock is taken, so that no forked child keeps it.
        guard realm_close_in_forked_child(descriptor) else {
            System.close(descriptor)
            throw OpenRequest.tooManyDatabases(path)
        }
        defer {
            realm_keep_in_forked_child(descriptor)
            System.close(descriptor)
        }
        // A process that is just being started has the locks of the one that starts it, until it
        // runs its program.
        let end = System.monotonicNanoseconds + longestStart
        var isAlone = try lock(descriptor, isWritable, at: path)
        while !isAlone, System.monotonicNanoseconds < end {
            System.sleep(nanoseconds: 1_000_000)
            isAlone = try lock(descriptor, isWritable, at: path)
        }
        guard isAlone else { throw inUse(path) }
        let present = try? System.status(path: location)
        guard let present, Identity(present, isReadOnly: false) == identity else {
            return .replaced
        }
        guard try holdsDatabase(descriptor, present.size, at: path) else {
            throw noDatabase(path, "it does not begin with the signature of one")
        }
        if let identifier {
            let start = present.size == 0 ? [] : Array(try firstBlock(path, descriptor))
            if FileHeader.identifier(start) != identifier { return .leftAlone }
        }
        try StorageError.converting(.remove, path: path) { () throws(SystemFailure) in
            try removeNote(of: location)
            try SideFiles.removeManagement(of: location)
            try System.unlink(location)
        }
        try StorageError.converting(.sync, path: path) { () throws(SystemFailure) in
            try System.syncDirectory(StorageError.directory(of: location))
        }
        return .removed
    }

    /// For how long a file may seem to be in use while a process is being started, in nanoseconds.
    private static let longestStart: UInt64 = 200_000_000

    /// Locks a file like a sole user. Returns false if it is in use.
    private static func lock(
        _ descriptor: Int32, _ isWritable: Bool, at path: String
    ) throws(StorageError) -> Bool {
        try StorageError.converting(.lock, path: path) { () throws(SystemFailure) in
            if isWritable {
                return try System.tryLock(descriptor, .exclusive, on: LockRanges.usingAndSharing)
            }
            // A process that may only read the file cannot keep others out, so it looks whether any
            // of them, with the same rights or with more, has a lock.
            guard try System.tryLock(descriptor, .shared, on: LockRanges.usingAndSharing) else {
                return false
            }
            return try !System.isLockedByOther(descriptor, LockRanges.usingAndSharing)
        }
    }

    /// Returns nil if the file is gone, or a link has replaced it.
    private static func openForRemoval(
        _ location: String, _ path: String
    ) throws(StorageError) -> (descriptor: Int32, isWritable: Bool)? {
        let flags = O_NONBLOCK | O_NOFOLLOW
        do throws(SystemFailure) {
            do throws(SystemFailure) {
                return (try System.open(location, flags: O_RDWR | flags), true)
            } catch {
                guard [EACCES, EPERM, EROFS].contains(error.errno) else { throw error }
                return (try System.open(location, flags: O_RDONLY | flags), false)
            }
        } catch {
            if error.errno == ENOENT || error.errno == ELOOP { return nil }
            throw StorageError(error, .remove, path: path)
        }
    }

    private static func removeNote(of path: String) throws(SystemFailure) {
        let note = SideFiles.note(of: path)
        guard let status = try? System.status(path: note, followsLinks: false), !status.isDirectory
        else { return }
        try SideFiles.ignoring(ENOENT) { () throws(SystemFailure) in try System.unlink(note) }
    }

    /// Whether a file is a database, perhaps damaged or not completely created.
    private static func holdsDatabase(
        _ descriptor: Int32, _ size: UInt64, at path: String
    ) throws(StorageError) -> Bool {
        if size == 0 { return true }
        let start = try firstBlock(path, descriptor)
        return FileHeader.hasSignature(start) || FileHeader.isBeingCreated(start, fileSize: size)
    }

    // MARK: Errors

    private static func inUse(_ path: String) -> StorageError {
        StorageError(
            .alreadyOpen, path: path,
            message: "Cannot delete files of an open Realm: '\(path)' is still in use. Close it in "
                + "all processes first.")
    }

    private static func noDatabase(_ path: String, _ reason: String) -> StorageError {
        StorageError(
            .notADatabase, path: path,
            message: "Failed to remove file at path '\(path)': it is not a Realm file, because "
                + "\(reason). Nothing was removed. Check the path.")
    }
}
