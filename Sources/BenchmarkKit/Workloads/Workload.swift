/// A family of cases. Everything about one workload is in one file.
protocol Workload: SendableMetatype {
    static var name: String { get }
    static var summary: String { get }
    /// The strategies and what each does, in the order of reports.
    static var strategies: [(name: String, summary: String)] { get }
    /// The size if neither the suite nor the command line sets one.
    static var defaultSize: Int { get }
    /// Returns the layer of the engine that a strategy uses; `any` means the highest layer that the
    /// engine has.
    static func layer(of strategy: String) -> String
    /// Returns the features that a strategy requires of the engine; nil for a workload of the
    /// embedded engine only.
    static func features(of strategy: String) -> [EngineFeature]?
    static func size(for options: CaseOptions, asked: Int?) throws -> Int
    /// Returns why a strategy is not implemented, as a sentence; nil if it is.
    static func reason(against strategy: String) -> String?
    /// Returns the number of threads or processes if neither the suite nor the command line sets
    /// one.
    static func defaultThreads(of strategy: String) -> Int
    /// Whether a strategy runs in the program without jemalloc (`SystemAllocatorProgram`).
    static func usesSystemAllocator(_ strategy: String) -> Bool
    /// Whether all counts of the case repeat exactly. Asked only of cases with one thread.
    static func isDeterministic(_ benchmarkCase: BenchmarkCase) -> Bool
    /// The number of operations while instructions are counted, unless the command line sets it;
    /// nil for a workload whose instruction counts do not repeat within 0.5 %.
    static var countedOperations: Int? { get }
    /// Whether all strategies produce the same result; false if each does different work.
    static var strategiesDoTheSameWork: Bool { get }
    /// Whether `prepare` has to run in another process than `run`.
    static var isPreparedApart: Bool { get }
    static func prepare(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
    /// Runs the case on the main thread of a process of its own.
    static func run(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
        -> CaseOutcome
}

extension Workload {
    static var strategiesDoTheSameWork: Bool { true }
    static var isPreparedApart: Bool { false }
    static func prepare(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws {}
    static func layer(of strategy: String) -> String { strategy }
    static func features(of strategy: String) -> [EngineFeature]? { nil }
    static func reason(against strategy: String) -> String? { nil }
    static func defaultThreads(of strategy: String) -> Int { 1 }
    static func usesSystemAllocator(_ strategy: String) -> Bool { false }
    static func isDeterministic(_ benchmarkCase: BenchmarkCase) -> Bool { false }
    static var countedOperations: Int? { InstructionCount.operations }
    static func size(for options: CaseOptions, asked: Int?) throws -> Int { asked ?? defaultSize }
}
