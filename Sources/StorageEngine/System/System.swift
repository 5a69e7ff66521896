import CRealmSystem
import Glibc

/// The one seam between the engine and the operating system.
///
/// Every function here repeats its call when a signal interrupts it, continues reads and writes
/// that came short, and throws ``SystemFailure`` otherwise. Tests intercept all of them with a
/// ``SystemInterceptor``; without one, a call costs one load and one predictable branch more.
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
        /// Names that lead to it.
        package var linkCount: UInt64
        package var permissions: mode_t
        package var owner: uid_t
        package var group: gid_t
    }

    /// Makes one call until no signal interrupts it. `path` and `descriptor` let interceptors see
    /// only the files they were installed for.
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

    /// Opens a file; `O_CLOEXEC` is always added.
    package static func open(
        _ path: String, flags: Int32, permissions: mode_t = 0o644
    ) throws(SystemFailure) -> Int32 {
        let descriptor = try perform(.open, path: path) {
            Int(Glibc.open(path, flags | O_CLOEXEC, permissions))
        }
        return Int32(truncatingIfNeeded: descriptor)
    }

    /// Closes a descriptor. Linux has released it even when the call reports an error, so nothing
    /// is repeated and nothing is thrown: what must be durable was synced before.
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

    /// Bytes of a file.
    ///
    /// By seeking to the end, which moves nothing that the engine uses, rather than by `fstat`:
    /// since Linux 6.13, asking for the time of a file's last change makes the next write take a
    /// new one, however soon it comes, and a file system without a journal then writes the inode
    /// with every sync (one more write in sequence, 40 us).
    package static func size(_ descriptor: Int32) throws(SystemFailure) -> UInt64 {
        UInt64(
            try perform(.lseek, descriptor: descriptor) {
                Int(Glibc.lseek(descriptor, 0, SEEK_END))
            })
    }

    /// Of the file that a path leads to, or of the symbolic link itself that lies there.
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

    /// What a file is, and how many names lead to it.
    package struct FileIdentity: Equatable, Sendable {
        package var device: UInt64
        package var inode: UInt64
        package var linkCount: UInt32
    }

    /// Of an open file. Cheaper than its status, and without a consequence for its next write: see
    /// ``size(_:)``.
    package static func identity(_ descriptor: Int32) throws(SystemFailure) -> FileIdentity {
        var identity = realm_file_identity()
        _ = try perform(.fstat, descriptor: descriptor) {
            Int(realm_identify_open(descriptor, &identity))
        }
        return FileIdentity(identity)
    }

    /// Of the file that a path leads to.
    package static func identity(path: String) throws(SystemFailure) -> FileIdentity {
        var identity = realm_file_identity()
        _ = try perform(.stat, path: path) {
            // As an argument it would be copied; commits ask at times, so that time would decide
            // what they allocate.
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
        /// Gives the blocks back; the range reads as zeros (FALLOC_FL_PUNCH_HOLE, KEEP_SIZE).
        case punchHole = 3
    }

    /// `fallocate(2)` itself, never the C library's emulation by writing.
    package static func allocate(
        _ descriptor: Int32, offset: UInt64, length: UInt64, _ allocation: Allocation = .extend
    ) throws(SystemFailure) {
        _ = try perform(
            SystemCallContext(
                .fallocate, descriptor: descriptor, offset: offset, length: length,
                allocation: allocation)
        ) { Int(realm_fallocate(descriptor, allocation.rawValue, Int64(offset), Int64(length))) }
    }

    /// A transaction is about to take pages of a file: fails if a test says so.
    @inline(__always)
    static func takePages(_ descriptor: Int32) throws(SystemFailure) {
        if realm_interceptor() == 0 { return }
        _ = try perform(.takePages, descriptor: descriptor) { 0 }
    }

    /// Begins to write the contents of a file to the disk. Nothing is durable by that.
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

    /// Makes the entries of a directory durable: after creating, renaming or removing a file.
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

    /// Removes a directory that is empty.
    package static func removeDirectory(_ path: String) throws(SystemFailure) {
        _ = try perform(.unlink, path: path) { Int(Glibc.rmdir(path)) }
    }

    /// Makes a directory unless there is one.
    package static func makeDirectory(_ path: String) throws(SystemFailure) {
        do {
            _ = try perform(.mkdir, path: path) { Int(Glibc.mkdir(path, 0o777)) }
        } catch {
            guard error.errno == EEXIST else { throw error }
        }
    }

    /// Renames a file; EEXIST if there is one of the new name.
    package static func rename(
        _ path: String, to newPath: String
    ) throws(SystemFailure) {
        _ = try perform(
            SystemCallContext(.rename, path: path, newPath: newPath)
        ) { Int(realm_rename_no_replace(path, newPath)) }
    }

    /// Gives a file the name of another one, which goes, in one step.
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
    /// user may: only a privileged one gives a file away, or to a group that it is not in. Where
    /// the group stays another one, it gets no access. `present` is the file's status.
    package static func setAccess(
        _ descriptor: Int32, from present: FileStatus, to wanted: FileStatus
    ) throws(SystemFailure) {
        var permissions = wanted.permissions
        if present.owner != wanted.owner || present.group != wanted.group {
            if try !give(descriptor, to: wanted.owner, wanted.group), present.group != wanted.group,
                try !give(descriptor, to: present.owner, wanted.group)
            {
                permissions &= ~0o070
            }
        }
        if present.permissions == permissions { return }
        _ = try perform(.chmod, descriptor: descriptor) {
            Int(Glibc.fchmod(descriptor, permissions))
        }
    }

    /// False where that is not permitted.
    private static func give(
        _ descriptor: Int32, to owner: uid_t, _ group: gid_t
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

    /// The path without symbolic links.
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

    /// An anonymous file in memory.
    package static func memoryFile(name: String) throws(SystemFailure) -> Int32 {
        Int32(truncatingIfNeeded: try perform(.memfd) { Int(realm_memfd_create(name)) })
    }

    /// As above, for calls of which a trace records more than the descriptor.
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
