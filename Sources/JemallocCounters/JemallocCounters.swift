import BenchmarkKit
import CJemalloc

/// The counters of jemalloc. An executable that links this module has jemalloc serve the whole
/// process.
public enum JemallocCounters {
    /// Nil if this jemalloc was built without statistics.
    public static func probe() -> AllocationProbe? {
        guard let counters = Counters(), counters.requests() != nil else { return nil }
        return AllocationProbe(allocatorName: "jemalloc", read: counters.read)
    }

    /// The places of the counters, looked up once: a name that is passed to C as a `String` would
    /// allocate, between two of the counters that are being read.
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

        /// Allocates nothing.
        func read() -> AllocationProbe.Reading {
            // A thread's cache counts its own requests until it is flushed; statistics are those
            // of the last epoch.
            flush.call()
            epoch.write(1)
            return AllocationProbe.Reading(
                threadBytes: allocated.number() ?? 0, threadFreedBytes: deallocated.number() ?? 0,
                allocations: requests() ?? 0)
        }

        /// Allocations from the arena of the calling thread. There are four arenas a core, and a
        /// new thread gets one that nobody has as long as there is one: what a thread that only
        /// watches the run allocates does not count.
        func requests() -> UInt64? {
            var own: UInt32 = 0
            guard arena.read(&own), let small = small.number(ofArena: own),
                let large = large.number(ofArena: own)
            else { return nil }
            return small + large
        }
    }

    /// What jemalloc looks up by name, by the numbers that stand for the parts of the name.
    private struct Place: Sendable {
        /// The most parts of a name.
        private typealias Parts = (Int, Int, Int, Int, Int, Int)
        /// Which part is the number of an arena, in `stats.arenas.0.small.nrequests`.
        private static let arenaPart = 2

        private var parts: Parts = (0, 0, 0, 0, 0, 0)
        private var count = 6

        /// Nil if there is nothing of this name.
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
