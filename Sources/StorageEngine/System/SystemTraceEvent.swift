import Glibc

/// One call that changed a file, with all that is needed to repeat it on another file: from an
/// ordered list of these, tests build the images that a power loss could leave.
package struct SystemTraceEvent: Equatable, Sendable {
    package enum Change: Equatable, Sendable {
        /// The bytes that were really written; a short write is recorded as short.
        case write(offset: UInt64, bytes: [UInt8])
        case truncate(size: UInt64)
        case allocate(offset: UInt64, length: UInt64, System.Allocation)
        /// Everything written to the file before the call began is durable.
        case sync
        /// A sync failed: what was written to the file before and is not durable never will be, unless
        /// it is written again. The system holds it for written.
        case failedSync
        /// Everything done to the entries of the directory before is durable.
        case syncDirectory
        case unlink
        case rename(newPath: String)
    }

    /// The path by which the file was opened; nil when that was before the interceptor was
    /// installed.
    package var path: String?
    /// -1 for calls on paths.
    package var descriptor: Int32
    package var change: Change
    /// How many events the trace had when this one was added to it.
    package var position: Int
    /// How many it had when the call began: other threads may have added some in between.
    package var begun: Int

    /// A sync that failed.
    init(failedSyncOf descriptor: Int32, path: String?, position: Int, begun: Int) {
        (self.path, self.descriptor, self.position, self.begun) = (
            path, descriptor, position, begun
        )
        change = .failedSync
    }

    init?(
        _ context: SystemCallContext, path: String?, result: Int, position: Int, begun: Int
    ) {
        self.path = path
        self.position = position
        self.begun = begun
        descriptor = context.descriptor
        switch context.call {
        case .pwrite, .pwritev:
            var bytes: [UInt8] = []
            bytes.reserveCapacity(result)
            for buffer in context.buffers where bytes.count < result {
                let part = UnsafeRawBufferPointer(
                    start: buffer.iov_base, count: min(buffer.iov_len, result - bytes.count))
                bytes.append(contentsOf: part)
            }
            change = .write(offset: context.offset, bytes: bytes)
        case .ftruncate: change = .truncate(size: context.offset)
        case .fallocate:
            change = .allocate(
                offset: context.offset, length: context.length, context.allocation)
        case .fdatasync: change = .sync
        case .fsync: change = .syncDirectory
        case .unlink: change = .unlink
        case .rename: change = .rename(newPath: context.newPath ?? "")
        case .open, .close, .stat, .fstat, .lseek, .pread, .syncFileRange, .mmap, .munmap, .madvise,
            .lock, .memfd, .mkdir, .chown, .chmod, .takePages:
            return nil
        }
    }
}
