import BenchmarkKit
import CJemalloc

/// The counters of jemalloc. An executable that links this module has jemalloc serve the whole
/// process.
public enum JemallocCounters {
    /// Nil if this jemalloc was built without statistics.
    public static func probe() -> AllocationProbe? {
        guard number("thread.allocated") != nil, requests() != nil else { return nil }
        return AllocationProbe(allocatorName: "jemalloc") {
            // A thread's cache counts its own requests until it is flushed; statistics are those
            // of the last epoch.
            mallctl("thread.tcache.flush", nil, nil, nil, 0)
            var epoch: UInt64 = 1
            mallctl("epoch", nil, nil, &epoch, MemoryLayout<UInt64>.size)
            return AllocationProbe.Reading(
                threadBytes: number("thread.allocated") ?? 0,
                threadFreedBytes: freedBytes(),
                allocations: requests() ?? 0)
        }
    }

    /// Allocations from the arena of the calling thread. There are four arenas a core, and a new
    /// thread gets one that nobody has as long as there is one: what a thread that only watches
    /// the run allocates does not count.
    private static func requests() -> UInt64? {
        var arena: UInt32 = 0
        var size = MemoryLayout<UInt32>.size
        guard mallctl("thread.arena", &arena, &size, nil, 0) == 0,
            let small = number("stats.arenas.\(arena).small.nrequests"),
            let large = number("stats.arenas.\(arena).large.nrequests")
        else { return nil }
        return small + large
    }

    /// Of the calling thread. A `StaticString`, because passing a `String` to C allocates, between
    /// two of the counters that are being read.
    private static func freedBytes() -> UInt64 {
        let name: StaticString = "thread.deallocated"
        var value: UInt64 = 0
        var size = MemoryLayout<UInt64>.size
        _ = name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount) {
            mallctl($0, &value, &size, nil, 0)
        }
        return value
    }

    private static func number(_ name: String) -> UInt64? {
        var value: UInt64 = 0
        var size = MemoryLayout<UInt64>.size
        guard mallctl(name, &value, &size, nil, 0) == 0 else { return nil }
        return value
    }
}
