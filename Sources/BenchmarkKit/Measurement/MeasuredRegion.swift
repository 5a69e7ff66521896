import CMeasurement
import Glibc
import Synchronization

/// The measured part of a case, without its preparation and its checks. Every workload runs what it
/// measures inside, in one part or in several:
///
///     let found = try MeasuredRegion.run { try lookUp(keys) }
///
/// It passes through a C function with a fixed name, which callgrind counts within
/// (`InstructionCount`), and adds up what the kernel did for the process meanwhile. Each case has a
/// process of its own, so the sums are those of the case.
public enum MeasuredRegion {
    private static let total = Mutex(ResourceUsage())

    /// What the kernel did for the process in all regions that ended so far.
    public static var usage: ResourceUsage { total.withLock { $0 } }

    /// Runs `body` on the calling thread and returns what it returns. Regions of one thread must
    /// not nest; with regions on several threads at once, `usage` counts what they share twice.
    @discardableResult
    public static func run<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var result: Result<Value, Failure>?
        let before = ResourceUsage.sinceStart()
        enter { result = Result(catching: body) }
        let after = ResourceUsage.sinceStart()
        total.withLock { $0.add(from: before, to: after) }
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

    /// Tells how many threads were seen running while the case was measured.
    static func note(threads: Int) {
        total.withLock { $0.threadsMax = max($0.threadsMax, threads) }
    }

    /// Instructions of Swift in here count as part of the region: a few dozen each time.
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

/// What the kernel did for the process: shown beside times, for it explains them, and never gated,
/// for it depends on what else the machine does.
public struct ResourceUsage: Codable, Equatable, Sendable {
    /// Minor ones (a page was mapped) and major ones (it was read from the disk).
    public var pageFaults = 0
    /// Voluntary ones (a thread waited) and involuntary ones (it was put aside).
    public var contextSwitches = 0
    /// The most threads of the process that were seen at the beginning or end of a region or by
    /// the sampler, which does not count itself; 0 before the first region.
    public var threadsMax = 0

    public init() {}

    /// Of all threads since the process began.
    static func sinceStart() -> ResourceUsage {
        var counted = rusage()
        getrusage(RUSAGE_SELF.rawValue, &counted)
        var usage = ResourceUsage()
        usage.pageFaults = counted.ru_minflt + counted.ru_majflt
        usage.contextSwitches = counted.ru_nvcsw + counted.ru_nivcsw
        usage.threadsMax = ProcessStatus.threadCount()
        return usage
    }

    mutating func add(from before: ResourceUsage, to after: ResourceUsage) {
        pageFaults += after.pageFaults - before.pageFaults
        contextSwitches += after.contextSwitches - before.contextSwitches
        threadsMax = max(threadsMax, before.threadsMax, after.threadsMax)
    }
}

extension CaseResult {
    /// Leaves the figures empty where the workload ran no region.
    mutating func fill(_ usage: ResourceUsage) {
        guard usage.threadsMax > 0 else { return }
        pageFaults = usage.pageFaults
        contextSwitches = usage.contextSwitches
        threadsMax = max(threadsMax ?? 0, usage.threadsMax)
    }
}
