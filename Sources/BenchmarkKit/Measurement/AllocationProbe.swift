/// A source of allocation counts. The library links no allocator of its own; an executable whose
/// allocator has counters supplies a probe. Without one the allocation columns stay empty.
public struct AllocationProbe: Sendable {
    /// The allocations and bytes so far.
    public struct Reading: Sendable {
        /// The bytes allocated by the calling thread.
        public var threadBytes: UInt64
        /// The bytes freed by the calling thread.
        public var threadFreedBytes: UInt64
        /// The allocations by the calling thread.
        public var allocations: UInt64

        public init(threadBytes: UInt64, threadFreedBytes: UInt64, allocations: UInt64) {
            self.threadBytes = threadBytes
            self.threadFreedBytes = threadFreedBytes
            self.allocations = allocations
        }
    }

    public var allocatorName: String
    /// The function that reads the counters. It is called on the measured thread before and after
    /// the measured region, and is too slow to be called inside.
    public var read: @Sendable () -> Reading

    public init(allocatorName: String, read: @escaping @Sendable () -> Reading) {
        self.allocatorName = allocatorName
        self.read = read
    }
}

/// The allocations per operation of one thread in a measured region, which may consist of several
/// parts. All methods are called on that thread.
struct AllocationMeasurement {
    private let probe: AllocationProbe?
    private var start: AllocationProbe.Reading?
    private var allocations: UInt64 = 0
    private var bytes: UInt64 = 0
    private var freedBytes: UInt64 = 0

    /// Creates a measurement that is counting.
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

    /// The bytes that this thread allocated minus those that it freed, valid after `finish`. Nil
    /// without a probe.
    var keptBytes: Double? { probe.map { _ in Double(bytes) - Double(freedBytes) } }

    /// Stops counting and returns the values per operation; nil without a probe.
    mutating func finish(operations: Int) -> (allocations: Double, bytes: Double)? {
        if PlantedCost.current == .allocation {
            if start == nil { resume() }
            PlantedCost.allocate(operations: operations)
        }
        pause()
        guard probe != nil, operations > 0 else { return nil }
        return (Double(allocations) / Double(operations), Double(bytes) / Double(operations))
    }
}
