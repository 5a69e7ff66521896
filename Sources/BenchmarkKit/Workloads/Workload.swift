/// A family of cases: what is done, in which ways, and how a case is prepared and run. The table
/// `WorkloadCatalogue.all` lists them.
struct Workload: Sendable {
    typealias Preparation = @Sendable (BenchmarkCase, CaseEnvironment) throws -> Void
    typealias Body = @Sendable (BenchmarkCase, CaseEnvironment) throws -> CaseOutcome

    /// One way in which the work is done.
    struct Strategy: Sendable {
        let name: String
        let summary: String
        /// The layer of the engine that the strategy uses; `any` means the highest layer that the
        /// engine has.
        var layer: String
        /// The features that the strategy requires of the engine; nil for a strategy of the
        /// embedded engine only.
        var features: [EngineFeature]?
        /// The number of threads or processes if neither the suite nor the command line sets one.
        var threads = 1
        /// The options that change the work of this strategy, beside ``Workload/options``.
        var furtherOptions: Set<CaseOption> = []
        /// Whether the strategy runs in the program without jemalloc (`SystemAllocatorProgram`).
        var usesSystemAllocator = false
        /// The databases of a user's package that the strategy measures beside the embedded engine.
        var ownEngines: [String] = []
    }

    let name: String
    let summary: String
    /// The strategies in the order of reports.
    var strategies: [Strategy]
    /// The size if neither the suite nor the command line sets one.
    var defaultSize = 1_000_000
    /// Whether `--count` is the size, because the operations are the objects of the case.
    var countIsSize = false
    /// Returns the size, if the options other than `--count` determine it.
    var sizeOfOptions: (@Sendable (CaseOptions) throws -> Int)?
    /// The options that change the work of every strategy. Any other is refused.
    var options: Set<CaseOption> = [.size, .count, .seed]
    /// Returns those of the options that change nothing beside the others.
    var idleOptions: @Sendable (CaseOptions) -> Set<CaseOption> = { _ in [] }
    /// Whether all counts of a case repeat exactly. Asked only of cases with one thread.
    var isDeterministic: @Sendable (BenchmarkCase) -> Bool = Workload.always
    /// The number of operations while instructions are counted, unless the command line sets it;
    /// nil for a workload whose instruction counts do not repeat within 0.5 %.
    var countedOperations: Int? = InstructionCount.operations
    /// Whether all strategies produce the same result; false if each does different work.
    var strategiesDoTheSameWork = true
    /// Whether engines describe the same result in other ways, so that its digests differ.
    var resultDependsOnEngine = false
    /// Whether transactions of another size leave another result.
    var resultDependsOnBatchSize = false
    /// The preparation of a case, which runs in another process than the case itself, so that it
    /// does not affect the memory of the case; nil if there is nothing to prepare.
    var preparation: Preparation?
    /// Runs the case on the main thread of a process of its own.
    let body: Body

    static let always: @Sendable (BenchmarkCase) -> Bool = { _ in true }
    static let never: @Sendable (BenchmarkCase) -> Bool = { _ in false }
    static let ifCounted: @Sendable (BenchmarkCase) -> Bool = { $0.options.count != nil }

    /// Returns the workload with a change.
    func with(_ change: (inout Workload) -> Void) -> Workload {
        var changed = self
        change(&changed)
        return changed
    }

    func strategy(named name: String) -> Strategy? { strategies.first { $0.name == name } }

    func size(for options: CaseOptions, asked: Int?) throws -> Int {
        if let sizeOfOptions { return try sizeOfOptions(options) }
        return (countIsSize ? options.count : nil) ?? asked ?? defaultSize
    }

    func prepare(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws {
        try preparation?(benchmarkCase, environment)
    }

    func run(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
        -> CaseOutcome
    {
        try body(benchmarkCase, environment)
    }
}

extension [Workload.Strategy] {
    /// The layers of an engine, for workloads that are written once for all engines.
    static func layers(_ features: [EngineFeature], threads: Int = 1) -> Self {
        [
            Workload.Strategy(
                name: "api", summary: "through objects, the way an application does",
                layer: "api", features: features, threads: threads),
            Workload.Strategy(
                name: "engine",
                summary: "through the interface that lies closest to the storage",
                layer: "engine", features: features, threads: threads),
        ]
    }
}

extension Workload {
    /// A workload written once for all engines, against the stores that they open. Its strategies
    /// are the layers of an engine.
    static func core(
        _ name: String, _ summary: String, needs features: [EngineFeature], threads: Int = 1,
        _ run: @escaping @Sendable (CoreCase) throws -> CaseOutcome
    ) -> Workload {
        Workload(
            name: name, summary: summary, strategies: .layers(features, threads: threads)
        ) { try run(CoreCase($0, $1)) }
    }
}
