import CRealmSystem
import Glibc

/// The only interface between the engine and the operating system.
///
/// Every function here repeats its call when a signal interrupts it, continues short reads and
/// writes, and throws ``SystemFailure`` on any other failure. Tests intercept all of them with a
/// ``SystemInterceptor``. Without one, a call costs one additional load and one predictable branch.
package enum System {
    /// What the engine needs to know about a file.
    package struct FileStatus: Equatable, Sendable {
        package var size: UInt64
        package var inode: UInt64
        package var device: UInt64
        package var isDirectory: Bool
        package var isRegularFile: Bool
        package var isSymbolicLink: Bool
        package var isFIFO: Bool
        package var isSocket: Bool
        /// The number of names of the file.
        package var linkCount: UInt64
        package var permissions: mode_t
        package var owner: uid_t
        package var group: gid_t
    }

    /// Makes one call, repeating it while signals interrupt it. `path` and `descriptor` let
    /// interceptors restrict themselves to the files for which they were installed.
    @inline(__always)
    static func perform(
        _ call: SystemCall, path: String? = nil, descriptor: Int32 = -1, _ body: () -> Int
    ) throws(SystemFailure) -> Int {
        while true {
            let result =
                realm_interceptor() == 0
                ? body()
                : intercept(SystemCallContext(call, path: path, descriptor: descriptor), body)
            if result >= 0 { return result }
            let code = errno
            if code != EINTR { throw SystemFailure(call: call, errno: code) }
        }
    }

    @inline(never)
    static func intercept(_ context: SystemCallContext, _ body: () -> Int) -> Int {
        SystemInterceptor.intercept(context) { _ in body() }
    }

    // MARK: Files

    /// Opens a file. `O_CLOEXEC` is always added.
    package static func open(
        _ path: String, flags: Int32, permissions: mode_t = 0o644
    ) throws(SystemFailure) -> Int32 {
        let descriptor = try perform(.open, path: path) {
            Int(Glibc.open(path, flags | O_CLOEXEC, permissions))
        }
        return Int32(truncatingIfNeeded: descriptor)
    }

    /// Closes a descriptor. Linux releases it even if the call reports an error, so the call is
    /// neither repeated nor throws. Anything that must be durable was synced before.
    package static func close(_ descriptor: Int32) {
        if realm_interceptor() == 0 {
            _ = Glibc.close(descriptor)
        } else {
            _ = intercept(SystemCallContext(.close, path: nil, descriptor: descriptor)) {
                Int(Glibc.close(descriptor))
            }
        }
    }

    package static func status(_ descriptor: Int32) throws(SystemFailure) -> FileStatus {
        var status = Glibc.stat()
        _ = try perform(.fstat, descriptor: descriptor) { Int(Glibc.fstat(descriptor, &status)) }
        return FileStatus(status)
    }

    /// Returns the length of a file.
    ///
    /// Seeks to the end, which changes no offset that the engine uses, rather than calling `fstat`.
    /// Since Linux 6.13, querying a file's modification time makes the next write update it,
    /// however soon that comes. A file system without a journal then writes the inode with every
    /// sync (one more write in sequence, 40 us).
    package static func size(_ descriptor: Int32) throws(SystemFailure) -> UInt64 {
        UInt64(
            try perform(.lseek, descriptor: descriptor) {
                Int(Glibc.lseek(descriptor, 0, SEEK_END))
            })
    }

    /// Returns the status of the file that a path leads to, or, if `followsLinks` is false, of a
    /// symbolic link at the path itself.
    package static func status(
        path: String, followsLinks: Bool = true
    ) throws(SystemFailure) -> FileStatus {
        var status = Glibc.stat()
        let flags = followsLinks ? 0 : AT_SYMLINK_NOFOLLOW
        _ = try perform(.stat, path: path) {
            Int(Glibc.fstatat(AT_FDCWD, path, &status, flags))
        }
        return FileStatus(status)
    }

    /// The identity of a file, and the number of its names.
    package struct FileIdentity: Equatable, Sendable {
        package var device: UInt64
        package var inode: UInt64
        package var linkCount: UInt32
    }

    /// Identifies an open file. Cheaper than its status, and without the effect on its next write
    /// that ``size(_:)`` describes.
    package static func identity(_ descriptor: Int32) throws(SystemFailure) -> FileIdentity {
        var identity = realm_file_identity()
        _ = try perform(.fstat, descriptor: descriptor) {
            Int(realm_identify_open(descriptor, &identity))
        }
        return FileIdentity(identity)
    }

    /// Identifies the file that a path leads to.
    package static func identity(path: String) throws(SystemFailure) -> FileIdentity {
        var identity = realm_file_identity()
        _ = try perform(.stat, path: path) {
            // A string argument would be copied, which allocates. Commits make this call now
            // and then, so that their allocations would depend on timing.
            path.withCString { Int(realm_identify(AT_FDCWD, $0, &identity)) }
        }
        return FileIdentity(identity)
    }

    package static func truncate(_ descriptor: Int32, to size: UInt64) throws(SystemFailure) {
        _ = try perform(
            SystemCallContext(.ftruncate, descriptor: descriptor, offset: size)
        ) { Int(Glibc.ftruncate(descriptor, off_t(size))) }
    }

    /// What `allocate` does with a range.
    package enum Allocation: Int32, Sendable {
        /// Allocates and extends the file where needed.
        case extend = 0
        /// Allocates without changing the size of the file (FALLOC_FL_KEEP_SIZE).
        case keepSize = 1
        /// Frees the blocks; the range reads as zeros (FALLOC_FL_PUNCH_HOLE, KEEP_SIZE).
        case punchHole = 3
    }

    /// Calls `fallocate(2)` itself, never the C library's emulation by writing.
    package static func allocate(
        _ descriptor: Int32, offset: UInt64, length: UInt64, allocation: Allocation = .extend
    ) throws(SystemFailure) {
        _ = try perform(
            SystemCallContext(
                .fallocate, descriptor: descriptor, offset: offset, length: length,
                allocation: allocation)
        ) { Int(realm_fallocate(descriptor, allocation.rawValue, Int64(offset), Int64(length))) }
    }

    /// Announces that a transaction is about to take pages of a file. Fails only if a test requests
    /// it.
    @inline(__always)
    static func takePages(_ descriptor: Int32) throws(SystemFailure) {
        if realm_interceptor() == 0 { return }
        _ = try perform(.takePages, descriptor: descriptor) { 0 }
    }

    /// Starts writing the contents of a file to the disk. This makes nothing durable.
    package static func beginWriteback(_ descriptor: Int32) throws(SystemFailure) {
        _ = try perform(.syncFileRange, descriptor: descriptor) {
            Int(realm_begin_writeback(descriptor))
        }
    }

    /// Makes the contents of a file, and its size, durable.
    package static func syncData(_ descriptor: Int32) throws(SystemFailure) {
        realm_count_sync()
        _ = try perform(.fdatasync, descriptor: descriptor) { Int(Glibc.fdatasync(descriptor)) }
    }

    /// Makes the entries of a directory durable, after a file was created, renamed or removed.
    package static func syncDirectory(_ path: String) throws(SystemFailure) {
        let descriptor = try open(path, flags: O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        _ = try perform(.fsync, path: path, descriptor: descriptor) {
            Int(Glibc.fsync(descriptor))
        }
    }

    package static func unlink(_ path: String) throws(SystemFailure) {
        _ = try perform(.unlink, path: path) { Int(Glibc.unlink(path)) }
    }

    /// Removes an empty directory.
    package static func removeDirectory(_ path: String) throws(SystemFailure) {
        _ = try perform(.unlink, path: path) { Int(Glibc.rmdir(path)) }
    }

    /// Creates a directory unless it exists.
    package static func makeDirectory(_ path: String) throws(SystemFailure) {
        do {
            _ = try perform(.mkdir, path: path) { Int(Glibc.mkdir(path, 0o777)) }
        } catch {
            guard error.errno == EEXIST else { throw error }
        }
    }

    /// Renames a file. Fails with EEXIST if a file of the new name exists.
    package static func rename(
        _ path: String, to newPath: String
    ) throws(SystemFailure) {
        _ = try perform(
            SystemCallContext(.rename, path: path, newPath: newPath)
        ) { Int(realm_rename_no_replace(path, newPath)) }
    }

    /// Replaces a file atomically by another one, which takes its name.
    package static func replace(
        _ replacedPath: String, by path: String
    ) throws(SystemFailure) {
        _ = try perform(
            SystemCallContext(.rename, path: path, newPath: replacedPath)
        ) { Int(Glibc.rename(path, replacedPath)) }
    }

    /// Gives a file the owner and the permissions of another one.
    package static func setAccess(_ path: String, like status: FileStatus) throws(SystemFailure) {
        let present = try self.status(path: path)
        if present.owner != status.owner || present.group != status.group {
            _ = try perform(.chown, path: path) {
                Int(Glibc.chown(path, status.owner, status.group))
            }
        }
        _ = try perform(.chmod, path: path) { Int(Glibc.chmod(path, status.permissions)) }
    }

    /// Gives an open file of this user the owner, group and permissions of `wanted`, as far as the
    /// user may: only a privileged user can give a file to another user, or to a group of which it
    /// is no member. If the group cannot be set, the file's group gets no access. `present` is the
    /// file's current status.
    package static func setAccess(
        _ descriptor: Int32, from present: FileStatus, to wanted: FileStatus
    ) throws(SystemFailure) {
        var permissions = wanted.permissions
        if present.owner != wanted.owner || present.group != wanted.group {
            if try !give(descriptor, to: wanted.owner, group: wanted.group),
                present.group != wanted.group,
                try !give(descriptor, to: present.owner, group: wanted.group)
            {
                permissions &= ~0o070
            }
        }
        if present.permissions == permissions { return }
        _ = try perform(.chmod, descriptor: descriptor) {
            Int(Glibc.fchmod(descriptor, permissions))
        }
    }

    /// Changes owner and group. Returns false if that is not permitted.
    private static func give(
        _ descriptor: Int32, to owner: uid_t, group: gid_t
    ) throws(SystemFailure) -> Bool {
        do {
            _ = try perform(.chown, descriptor: descriptor) {
                Int(Glibc.fchown(descriptor, owner, group))
            }
            return true
        } catch {
            guard error.errno == EPERM else { throw error }
            return false
        }
    }

    /// Returns the path without symbolic links.
    package static func realPath(_ path: String) throws(SystemFailure) -> String {
        var resolved: String?
        _ = try perform(.stat, path: path) {
            guard let found = Glibc.realpath(path, nil) else { return -1 }
            resolved = String(cString: found)
            free(found)
            return 0
        }
        return resolved!
    }

    /// Creates an anonymous file in memory.
    package static func memoryFile(name: String) throws(SystemFailure) -> Int32 {
        Int32(truncatingIfNeeded: try perform(.memfd) { Int(realm_memfd_create(name)) })
    }

    /// Makes a call of which a trace records more than the descriptor; otherwise like the other
    /// `perform`.
    @inline(__always)
    private static func perform(
        _ context: @autoclosure () -> SystemCallContext, _ body: () -> Int
    ) throws(SystemFailure) -> Int {
        while true {
            let result = realm_interceptor() == 0 ? body() : intercept(context(), body)
            if result >= 0 { return result }
            let code = errno
            if code != EINTR { throw SystemFailure(call: context().call, errno: code) }
        }
    }
}

extension System.FileIdentity {
    fileprivate init(_ identity: realm_file_identity) {
        device = identity.device
        inode = identity.inode
        linkCount = identity.link_count
    }
}

extension System.FileStatus {
    init(_ status: stat) {
        size = UInt64(status.st_size)
        inode = UInt64(status.st_ino)
        device = UInt64(status.st_dev)
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        isRegularFile = status.st_mode & S_IFMT == S_IFREG
        isSymbolicLink = status.st_mode & S_IFMT == S_IFLNK
        isFIFO = status.st_mode & S_IFMT == S_IFIFO
        isSocket = status.st_mode & S_IFMT == S_IFSOCK
        linkCount = UInt64(status.st_nlink)
        permissions = status.st_mode & 0o7777
        owner = status.st_uid
        group = status.st_gid
    }
}
