import CMeasurement
import StorageEngine
import ToolSupport

/// The measured part of a case, without its preparation and its checks. Every workload runs its
/// measured work inside, in one part or in several:
///
///     let found = try MeasuredRegion.run { try lookUp(keys) }
///
/// A region passes through a C function with a fixed name, inside which callgrind counts
/// (`InstructionCount`), and accumulates its costs to the process. Each case has a process of its
/// own, so the sums are those of the case.
enum MeasuredRegion {
    private struct Total {
        var costs = ProcessCosts()
        /// The largest number of threads seen; 0 before the first region.
        var threadsMax = 0
        /// When the regions were, in nanoseconds; nil unless that is asked for.
        var spans: [ClosedRange<UInt64>]?
    }

    private static let total = Locked(Total())

    /// Runs `body` on the calling thread and returns its result. Regions on one thread must not
    /// nest, because callgrind would stop counting at the inner one. Regions on several threads at
    /// once count the process-wide costs of their common time more than once.
    @discardableResult
    static func run<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var result: Result<Value, Failure>?
        note(threads: ProcessStatus.threadCount())
        var costs = ProcessCosts()
        costs.resume()
        let start = monotonicNanoseconds()
        enter { result = Result(catching: body) }
        let end = monotonicNanoseconds()
        costs.pause()
        note(threads: ProcessStatus.threadCount())
        total.withLock {
            $0.costs.add(costs)
            $0.spans?.append(start...end)
        }
        guard let result else { preconditionFailure("The measured region did not run its body.") }
        return try result.get()
    }

    /// Runs `body` as a measured region if `row` is that of the case. The work of a control is not
    /// part of the region and just runs.
    static func run<Failure: Error>(
        for row: CaseResult, _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        if row.identifier.engine == "control" { try body() } else { try run(body) }
    }

    /// Keeps from now on when the regions were.
    static func recordSpans() { total.withLock { $0.spans = [] } }

    /// When the regions were, since ``recordSpans()``.
    static var spans: [ClosedRange<UInt64>] { total.withLock { $0.spans ?? [] } }

    /// Notes a number of threads seen while the case was measured. It is called at both ends of a
    /// region and by the sampler, which excludes its own thread.
    static func note(threads: Int) {
        total.withLock { $0.threadsMax = max($0.threadsMax, threads) }
    }

    /// Fills in the costs of all regions of this process, where the workload has not set them. Then
    /// runs what `selftest` has planted.
    static func fill(_ result: inout CaseResult) {
        let total = total.withLock { $0 }
        guard total.threadsMax > 0 else { return }
        if result.pageFaults == nil { total.costs.fill(&result) }
        if result.threadsMax == nil { result.threadsMax = total.threadsMax }
        if PlantedCost.current == .instructions {
            run { PlantedCost.loop(operations: result.operations) }
        }
    }

    private static func enter(_ body: () -> Void) {
        withoutActuallyEscaping(body) { body in
            var entry = Entry(body: body)
            withUnsafeMutablePointer(to: &entry) { context in
                realm_bench_measured_region(
                    { $0?.assumingMemoryBound(to: Entry.self).pointee.body() }, context)
            }
        }
    }

    private struct Entry {
        let body: () -> Void
    }
}
