import Glibc

/// Conversion of the operating system's error numbers to errors of the engine, all in one place.
extension StorageError {
    /// What the engine was doing to a file when a system call failed.
    package enum Operation: Sendable {
        case open, read, write, sync, resize, map, lock, remove, rename

        /// The verb for "Failed to … at path …".
        fileprivate var verb: String {
            switch self {
            case .open: "open file"
            case .read: "read file"
            case .write: "write file"
            case .sync: "sync file"
            case .resize: "resize file"
            case .map: "map file"
            case .lock: "lock file"
            case .remove: "remove file"
            case .rename: "rename file"
            }
        }
    }

    /// Creates the error for a failed system call on the file at `path`.
    ///
    /// Where the error number is ambiguous, this looks at the file system: ENOENT and ENOTDIR often
    /// refer to the parent of the path. A failed sync may have made some writes durable, so it
    /// always becomes ``Code/outcomeUnknown``.
    package init(_ failure: SystemFailure, _ operation: Operation, path: String) {
        let (code, reason) = Self.explanation(failure, operation, path: path)
        self.init(
            code, path: path,
            message: "Failed to \(operation.verb) at path '\(path)': \(reason)",
            systemError: failure.errno)
    }

    private static func explanation(
        _ failure: SystemFailure, _ operation: Operation, path: String
    ) -> (Code, String) {
        if operation == .sync || failure.call == .fdatasync {
            return (
                .outcomeUnknown,
                "\(text(failure.errno)); whether the last changes are durable is not known"
            )
        }
        switch failure.errno {
        case ENOENT:
            return parentExists(path)
                ? (.fileNotFound, text(ENOENT)) : (.fileNotFound, "parent directory does not exist")
        case ENOTDIR: return (.fileAccess, "parent path is not a directory")
        case EISDIR: return (.fileAccess, "the path is a directory")
        case ENXIO where failure.call == .open:
            return (.fileAccess, "it is a socket or a device, not a regular file")
        case EACCES, EPERM, EROFS: return (.permissionDenied, text(failure.errno))
        case EEXIST: return (.fileExists, text(EEXIST))
        case ENOSPC, EDQUOT: return (.outOfDiskSpace, text(failure.errno))
        case ENOMEM where [.mmap, .munmap, .madvise].contains(failure.call):
            return (.addressSpaceExhausted, exhaustedMemory)
        case EMFILE:
            return (.fileAccess, text(EMFILE) + descriptorLimit)
        case ENFILE:
            return (
                .fileAccess,
                text(ENFILE) + ": all processes together have as many files open as the system "
                    + "allows (fs.file-max)"
            )
        default: return (.fileAccess, text(failure.errno))
        }
    }

    private static var descriptorLimit: String {
        let limit = System.descriptorLimit.map { ": this process may have \($0) open" } ?? ""
        return limit + ", and each Realm file takes some. Raise the limit (ulimit -n), or close "
            + "files"
    }

    /// Says which resource for mappings is used up: mappings, address space or memory. The system
    /// has one error number for all three.
    private static var exhaustedMemory: String {
        // Changing a mapping can split it, so a few mappings must be free for a call to succeed.
        // The limit thus counts as reached slightly below it.
        if let count = System.mappingCount, let limit = System.mappingLimit, count + 16 >= limit {
            return "this process has \(count) memory mappings, and the system allows \(limit). "
                + "Raise the limit (sysctl vm.max_map_count), or close files"
        }
        if let limit = System.addressSpaceLimit {
            let inUse = System.addressSpaceInUse.map { ", of which \($0) are in use" } ?? ""
            return "no address space is left to map it: this process may use \(limit) bytes"
                + "\(inUse). Raise the limit (ulimit -v), or close files"
        }
        return "no address space or memory is left to map it"
    }

    private static func text(_ number: Int32) -> String { String(cString: strerror(number)) }

    private static func parentExists(_ path: String) -> Bool {
        guard let parent = try? System.status(path: directory(of: path)) else { return false }
        return parent.isDirectory
    }

    /// Returns the directory that holds the entry for `path`.
    package static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

extension StorageError {
    /// Runs `body` and converts the failure of a system call to the error for `path`.
    @inline(__always)
    package static func converting<Result>(
        _ operation: Operation, path: String,
        _ body: () throws(SystemFailure) -> Result
    ) throws(StorageError) -> Result {
        do {
            return try body()
        } catch {
            throw StorageError(error, operation, path: path)
        }
    }
}
