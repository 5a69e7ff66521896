import CMeasurement
import StorageEngine

/// The measured part of a case, without its preparation and its checks. Every workload runs what it
/// measures inside, in one part or in several:
///
///     let found = try MeasuredRegion.run { try lookUp(keys) }
///
/// It passes through a C function with a fixed name, which callgrind counts within
/// (`InstructionCount`), and adds up what it costs the process. Each case has a process of its own,
/// so the sums are those of the case.
enum MeasuredRegion {
    private struct Total {
        var costs = ProcessCosts()
        /// 0 before the first region.
        var threadsMax = 0
    }

    private static let total = Locked(Total())

    /// Runs `body` on the calling thread and returns what it returns. Regions of one thread must
    /// not nest: callgrind would stop counting at the inner one. With regions on several threads at
    /// once, the costs count what they share twice.
    @discardableResult
    static func run<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var result: Result<Value, Failure>?
        note(threads: ProcessStatus.threadCount())
        var costs = ProcessCosts()
        costs.resume()
        enter { result = Result(catching: body) }
        costs.pause()
        note(threads: ProcessStatus.threadCount())
        total.withLock { $0.costs.add(costs) }
        guard let result else { preconditionFailure("The measured region did not run its body.") }
        return try result.get()
    }

    /// Runs `body` as the measured region of the case that `row` is of; a control's work is no part
    /// of it, and just runs.
    static func run<Failure: Error>(
        for row: CaseResult, _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        if row.identifier.engine == "control" { try body() } else { try run(body) }
    }

    /// Tells how many threads were seen while the case was measured: at the ends of regions, and by
    /// the sampler, which does not count itself.
    static func note(threads: Int) {
        total.withLock { $0.threadsMax = max($0.threadsMax, threads) }
    }

    /// Fills in what the regions of this process came to, where the workload did not say itself.
    static func fill(_ result: inout CaseResult) {
        let total = total.withLock { $0 }
        guard total.threadsMax > 0 else { return }
        if result.pageFaults == nil { total.costs.fill(&result) }
        if result.threadsMax == nil { result.threadsMax = total.threadsMax }
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
