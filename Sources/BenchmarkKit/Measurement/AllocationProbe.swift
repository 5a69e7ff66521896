/// How allocations are counted. The library links no allocator of its own; an executable that
/// links one with counters supplies this, others leave it out and the columns stay empty.
public struct AllocationProbe: Sendable {
    /// Allocations and bytes so far.
    public struct Reading: Sendable {
        /// Bytes allocated by the calling thread.
        public var threadBytes: UInt64
        /// Allocations of all threads that flushed their counters; the calling thread has.
        public var allocations: UInt64

        public init(threadBytes: UInt64, allocations: UInt64) {
            self.threadBytes = threadBytes
            self.allocations = allocations
        }
    }

    public var allocatorName: String
    /// Read on the worker thread, before and after the measured region; too slow for inside it.
    public var read: @Sendable () -> Reading

    public init(allocatorName: String, read: @escaping @Sendable () -> Reading) {
        self.allocatorName = allocatorName
        self.read = read
    }
}

/// Allocations per operation of one measured region on one thread.
struct AllocationMeasurement {
    private let probe: AllocationProbe?
    private let start: AllocationProbe.Reading?

    init(_ probe: AllocationProbe?) {
        self.probe = probe
        start = probe?.read()
    }

    /// On the same thread as `init`.
    func finish(operations: Int) -> (allocations: Double, bytes: Double)? {
        guard let probe, let start, operations > 0 else { return nil }
        let end = probe.read()
        return (
            Double(end.allocations &- start.allocations) / Double(operations),
            Double(end.threadBytes &- start.threadBytes) / Double(operations)
        )
    }
}
