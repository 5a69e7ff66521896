import Glibc

/// One call that changed a file, with all that is needed to repeat it on another file. From an
/// ordered list of these, tests build the images that a power loss could leave.
package struct SystemTraceEvent: Equatable, Sendable {
    package enum Change: Equatable, Sendable {
        /// The bytes that were actually written; a short write is recorded as short.
        case write(offset: UInt64, bytes: [UInt8])
        /// The same, and these bytes are durable, but no others.
        case writeSynced(offset: UInt64, bytes: [UInt8])
        case truncate(size: UInt64)
        case allocate(offset: UInt64, length: UInt64, System.Allocation)
        /// Everything written to the file before the call began is durable.
        case sync
        /// A sync failed. Earlier writes to the file that are not yet durable never will be, unless
        /// they are repeated, because the system considers them written.
        case failedSync
        /// Everything done before to the entries of the directory is durable.
        case syncDirectory
        case unlink
        case rename(newPath: String)
    }

    /// The path by which the file was opened; nil if it was opened before the interceptor was
    /// installed.
    package var path: String?
    /// The descriptor; -1 for calls on paths.
    package var descriptor: Int32
    package var change: Change
    /// The number of events in the trace when this one was added.
    package var position: Int
    /// The number of events when the call began. Other threads may have added some in between.
    package var begun: Int

    /// Creates the event of a failed sync.
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
        case .pwrite, .pwritev, .writeSynced:
            var bytes: [UInt8] = []
            bytes.reserveCapacity(result)
            for buffer in context.buffers where bytes.count < result {
                let part = UnsafeRawBufferPointer(
                    start: buffer.iov_base, count: min(buffer.iov_len, result - bytes.count))
                bytes.append(contentsOf: part)
            }
            change =
                context.call == .writeSynced
                ? .writeSynced(offset: context.offset, bytes: bytes)
                : .write(offset: context.offset, bytes: bytes)
        case .ftruncate: change = .truncate(size: context.offset)
        case .fallocate:
            change = .allocate(
                offset: context.offset, length: context.length, context.allocation)
        case .fdatasync: change = .sync
        case .fsync: change = .syncDirectory
        case .unlink: change = .unlink
        case .rename: change = .rename(newPath: context.newPath ?? "")
        case .open, .close, .stat, .fstat, .lseek, .pread, .syncFileRange, .mmap, .munmap, .madvise,
            .lock, .memfd, .mkdir, .chown, .chmod, .takePages, .wake:
            return nil
        }
    }
}
