import Glibc

/// The system calls that the engine makes, by the names that fault specifications use.
package enum SystemCall: String, CaseIterable, Sendable {
    case open, close, stat, fstat, lseek
    case pread, pwrite, pwritev
    case fdatasync, fsync, ftruncate, fallocate
    case syncFileRange = "sync_file_range"
    case mmap, munmap, madvise
    case lock
    case unlink, rename
    case mkdir, chown, chmod
    case memfd = "memfd_create"
    /// No call of the system: a transaction takes pages of its file, which needs the disk only where
    /// the file has none left. Here so that a disk can be full at any page.
    case takePages = "take_pages"

    /// Whether a crash before or after this call may leave different bytes behind. Faults that name
    /// no call, such as `kill-before:17`, count these calls only.
    package var changesFiles: Bool {
        switch self {
        case .pwrite, .pwritev, .fdatasync, .fsync, .ftruncate, .fallocate, .unlink, .rename: true
        case .open, .close, .stat, .fstat, .lseek, .pread, .syncFileRange, .mmap, .munmap, .madvise,
            .lock, .memfd, .mkdir, .chown, .chmod, .takePages:
            false
        }
    }
}

/// A system call that failed, and how. `errno` is never EINTR.
package struct SystemFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package var call: SystemCall
    package var errno: Int32

    package init(call: SystemCall, errno: Int32) {
        self.call = call
        self.errno = errno
    }

    /// Whether the file system does not know the call: what it would have done has to be done by
    /// others.
    package var isUnsupported: Bool { errno == EOPNOTSUPP || errno == ENOSYS }

    package var description: String {
        "\(call.rawValue) failed: \(String(cString: strerror(errno)))"
    }
}
