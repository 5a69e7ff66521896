import BenchmarkKit
import CJemalloc

/// The counters of jemalloc. In an executable that links this module, jemalloc serves the whole
/// process.
public enum JemallocCounters {
    /// Returns a probe; nil if this jemalloc was built without statistics.
    public static func probe() -> AllocationProbe? {
        guard let counters = Counters(), counters.requests() != nil else { return nil }
        return AllocationProbe(allocatorName: "jemalloc", read: counters.read)
    }

    /// The counters by their looked-up identifiers. Looking up a name on every read would pass a
    /// Swift `String` to C, which allocates between two counters.
    private struct Counters: Sendable {
        private let flush, epoch, arena, allocated, deallocated, small, large: Place

        init?() {
            guard let flush = Place("thread.tcache.flush"), let epoch = Place("epoch"),
                let arena = Place("thread.arena"), let allocated = Place("thread.allocated"),
                let deallocated = Place("thread.deallocated"),
                let small = Place("stats.arenas.0.small.nrequests"),
                let large = Place("stats.arenas.0.large.nrequests")
            else { return nil }
            self.flush = flush
            self.epoch = epoch
            self.arena = arena
            self.allocated = allocated
            self.deallocated = deallocated
            self.small = small
            self.large = large
        }

        /// Reads the counters without allocating.
        func read() -> AllocationProbe.Reading {
            // The thread's cache keeps its own requests until it is flushed, and the statistics are
            // those of the last epoch.
            flush.call()
            epoch.write(1)
            return AllocationProbe.Reading(
                threadBytes: allocated.number() ?? 0, threadFreedBytes: deallocated.number() ?? 0,
                allocations: requests() ?? 0)
        }

        /// Returns the number of allocations from the calling thread's arena. There are four arenas
        /// for each core, and a new thread gets an unused one while there is one. The allocations
        /// of a thread that only observes the run are therefore not counted.
        func requests() -> UInt64? {
            var own: UInt32 = 0
            guard arena.read(&own), let small = small.number(ofArena: own),
                let large = large.number(ofArena: own)
            else { return nil }
            return small + large
        }
    }

    /// A counter of jemalloc, identified by the numbers of its name's parts (a management
    /// information base).
    private struct Place: Sendable {
        /// The largest number of parts of a name.
        private typealias Parts = (Int, Int, Int, Int, Int, Int)
        /// The part that holds the arena's number, as in `stats.arenas.0.small.nrequests`.
        private static let arenaPart = 2

        private var parts: Parts = (0, 0, 0, 0, 0, 0)
        private var count = 6

        /// Looks up a name; nil if jemalloc does not know it.
        init?(_ name: StaticString) {
            let code = withUnsafeMutableBytes(of: &parts) { parts in
                name.utf8Start.withMemoryRebound(
                    to: CChar.self, capacity: name.utf8CodeUnitCount
                ) {
                    mallctlnametomib(
                        $0, parts.assumingMemoryBound(to: Int.self).baseAddress, &count)
                }
            }
            if code != 0 { return nil }
        }

        func call() { _ = withParts { mallctlbymib($0, count, nil, nil, nil, 0) } }

        func write(_ value: UInt64) {
            var value = value
            _ = withParts {
                mallctlbymib($0, count, nil, nil, &value, MemoryLayout<UInt64>.size)
            }
        }

        func read<Value: FixedWidthInteger>(_ value: inout Value) -> Bool {
            var size = MemoryLayout<Value>.size
            return withParts { mallctlbymib($0, count, &value, &size, nil, 0) } == 0
        }

        func number() -> UInt64? {
            var value: UInt64 = 0
            return read(&value) ? value : nil
        }

        func number(ofArena arena: UInt32) -> UInt64? {
            var place = self
            withUnsafeMutableBytes(of: &place.parts) {
                $0.assumingMemoryBound(to: Int.self)[Self.arenaPart] = Int(arena)
            }
            return place.number()
        }

        private func withParts<Result>(_ body: (UnsafePointer<Int>) -> Result) -> Result {
            withUnsafeBytes(of: parts) {
                body($0.assumingMemoryBound(to: Int.self).baseAddress.unsafelyUnwrapped)
            }
        }
    }
}
