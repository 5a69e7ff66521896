/// How allocations are counted. The library links no allocator of its own; an executable that
/// links one with counters supplies this, others leave it out and the columns stay empty.
public struct AllocationProbe: Sendable {
    /// Allocations and bytes so far.
    public struct Reading: Sendable {
        /// Bytes allocated by the calling thread.
        public var threadBytes: UInt64
        /// Bytes freed by the calling thread.
        public var threadFreedBytes: UInt64
        /// Allocations by the calling thread, and by those that share its part of the heap.
        public var allocations: UInt64

        public init(threadBytes: UInt64, threadFreedBytes: UInt64, allocations: UInt64) {
            self.threadBytes = threadBytes
            self.threadFreedBytes = threadFreedBytes
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

/// Allocations per operation of one thread in a measured region, which may be in several parts.
/// All calls on that thread.
struct AllocationMeasurement {
    private let probe: AllocationProbe?
    private var start: AllocationProbe.Reading?
    private var allocations: UInt64 = 0
    private var bytes: UInt64 = 0
    private var freedBytes: UInt64 = 0

    /// Starts counting.
    init(_ probe: AllocationProbe?) {
        self.probe = probe
        start = probe?.read()
    }

    /// Stops counting until `resume`.
    mutating func pause() {
        guard let start, let end = probe?.read() else { return }
        allocations += end.allocations &- start.allocations
        bytes += end.threadBytes &- start.threadBytes
        freedBytes += end.threadFreedBytes &- start.threadFreedBytes
        self.start = nil
    }

    mutating func resume() { start = probe?.read() }

    /// Bytes that were allocated and not freed again, as far as this thread did either; after
    /// `finish`. Nil without a counting allocator.
    var keptBytes: Double? { probe.map { _ in Double(bytes) - Double(freedBytes) } }

    /// Stops counting; nil without a counting allocator.
    mutating func finish(operations: Int) -> (allocations: Double, bytes: Double)? {
        pause()
        guard probe != nil, operations > 0 else { return nil }
        return (Double(allocations) / Double(operations), Double(bytes) / Double(operations))
    }
}
