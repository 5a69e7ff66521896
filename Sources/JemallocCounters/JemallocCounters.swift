import BenchmarkKit
import CJemalloc

/// The counters of jemalloc. An executable that links this module has jemalloc serve the whole
/// process.
public enum JemallocCounters {
    /// Nil if this jemalloc was built without statistics.
    public static func probe() -> AllocationProbe? {
        guard number("thread.allocated") != nil, number(smallRequests) != nil else { return nil }
        return AllocationProbe(allocatorName: "jemalloc") {
            // A thread's cache counts its own requests until it is flushed; statistics are those
            // of the last epoch.
            mallctl("thread.tcache.flush", nil, nil, nil, 0)
            var epoch: UInt64 = 1
            mallctl("epoch", nil, nil, &epoch, MemoryLayout<UInt64>.size)
            return AllocationProbe.Reading(
                threadBytes: number("thread.allocated") ?? 0,
                allocations: (number(smallRequests) ?? 0) + (number(largeRequests) ?? 0))
        }
    }

    /// 4096 stands for all arenas (`MALLCTL_ARENAS_ALL`).
    private static let smallRequests = "stats.arenas.4096.small.nrequests"
    private static let largeRequests = "stats.arenas.4096.large.nrequests"

    private static func number(_ name: String) -> UInt64? {
        var value: UInt64 = 0
        var size = MemoryLayout<UInt64>.size
        guard mallctl(name, &value, &size, nil, 0) == 0 else { return nil }
        return value
    }
}
