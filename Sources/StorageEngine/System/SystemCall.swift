import Glibc

/// The system calls that the engine makes, by the names that fault specifications use.
package enum SystemCall: String, CaseIterable, Sendable {
    case open, close, stat, fstat, lseek
    case pread, pwrite, pwritev
    /// `pwritev2` with `RWF_DSYNC`.
    case writeSynced = "pwritev2"
    case fdatasync, fsync, ftruncate, fallocate
    case syncFileRange = "sync_file_range"
    case mmap, munmap, madvise
    case lock
    case unlink, rename
    case mkdir, chown, chmod
    case memfd = "memfd_create"
    /// Not a system call: a transaction takes pages of its file, which needs the disk only if the
    /// file has none left. It lets tests simulate a full disk at any page.
    case takePages = "take_pages"
    /// Wakes sleepers of other processes. A process that dies before it may leave them asleep.
    case wake = "futex_wake"

    /// Whether a crash before this call may leave other bytes behind than one after it. Faults that
    /// name no call, such as `kill-before:17`, count only these calls.
    package var changesFiles: Bool {
        switch self {
        case .pwrite, .pwritev, .writeSynced, .fdatasync, .fsync, .ftruncate, .fallocate, .unlink,
            .rename:
            true
        case .open, .close, .stat, .fstat, .lseek, .pread, .syncFileRange, .mmap, .munmap, .madvise,
            .lock, .memfd, .mkdir, .chown, .chmod, .takePages, .wake:
            false
        }
    }
}

/// A failed system call and its error number. `errno` is never EINTR.
package struct SystemFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package var call: SystemCall
    package var errno: Int32

    package init(call: SystemCall, errno: Int32) {
        self.call = call
        self.errno = errno
    }

    /// Whether the file system does not support the call, so that the caller must achieve its
    /// effect otherwise.
    package var isUnsupported: Bool { errno == EOPNOTSUPP || errno == ENOSYS }

    package var description: String {
        "\(call.rawValue) failed: \(String(cString: strerror(errno)))"
    }
}
