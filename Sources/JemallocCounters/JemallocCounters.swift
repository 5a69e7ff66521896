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
        private let flush, epoch, arena, newArena, allocated, deallocated, small, large: Place
        /// The number of arenas that jemalloc gives to threads by itself.
        private let sharedArenas: UInt32

        init?() {
            guard let flush = Place("thread.tcache.flush"), let epoch = Place("epoch"),
                let arena = Place("thread.arena"), let newArena = Place("arenas.create"),
                let sharedArenas: UInt32 = Place("opt.narenas")?.read(),
                let allocated = Place("thread.allocated"),
                let deallocated = Place("thread.deallocated"),
                let small = Place("stats.arenas.0.small.nrequests"),
                let large = Place("stats.arenas.0.large.nrequests")
            else { return nil }
            self.flush = flush
            self.epoch = epoch
            self.arena = arena
            self.newArena = newArena
            self.sharedArenas = sharedArenas
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
            _ = epoch.write(UInt64(1))
            return AllocationProbe.Reading(
                threadBytes: allocated.read() ?? 0, threadFreedBytes: deallocated.read() ?? 0,
                allocations: requests() ?? 0)
        }

        /// Returns the number of allocations of the calling thread, counted from any moment before
        /// its first call.
        ///
        /// jemalloc counts requests by arena, not by thread. A thread therefore gets an arena of
        /// its own here. In a shared one, jemalloc's own allocations count as well: it takes the
        /// cache of every new thread from arena 0, where the main thread is.
        func requests() -> UInt64? {
            guard let own = ownArena(), let small: UInt64 = small.read(ofArena: own),
                let large: UInt64 = large.read(ofArena: own)
            else { return nil }
            return small + large
        }

        /// Returns the calling thread's arena, which no other thread uses.
        private func ownArena() -> UInt32? {
            guard let present: UInt32 = arena.read() else { return nil }
            if present >= sharedArenas { return present }
            guard let created: UInt32 = newArena.read(), arena.write(created) else { return nil }
            // The statistics of an arena exist from the next epoch.
            return epoch.write(UInt64(1)) ? created : nil
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

        func write<Value: FixedWidthInteger>(_ value: Value) -> Bool {
            var value = value
            return withParts {
                mallctlbymib($0, count, nil, nil, &value, MemoryLayout<Value>.size)
            } == 0
        }

        func read<Value: FixedWidthInteger>() -> Value? {
            var value: Value = 0
            var size = MemoryLayout<Value>.size
            return withParts { mallctlbymib($0, count, &value, &size, nil, 0) } == 0 ? value : nil
        }

        func read<Value: FixedWidthInteger>(ofArena arena: UInt32) -> Value? {
            var place = self
            withUnsafeMutableBytes(of: &place.parts) {
                $0.assumingMemoryBound(to: Int.self)[Self.arenaPart] = Int(arena)
            }
            return place.read()
        }

        private func withParts<Result>(_ body: (UnsafePointer<Int>) -> Result) -> Result {
            withUnsafeBytes(of: parts) {
                body($0.assumingMemoryBound(to: Int.self).baseAddress.unsafelyUnwrapped)
            }
        }
    }
}
