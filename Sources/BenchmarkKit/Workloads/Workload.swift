/// A benchmark case with everything needed to repeat it.
struct BenchmarkCase: Codable, Sendable {
    var identifier: CaseIdentifier
    /// The layer that the case measures. `api` is the public API, which applications use; `engine`
    /// is the storage engine underneath; `none` is no database.
    var layer: String
    var options: CaseOptions
    /// The reason why the case cannot run, as a sentence; nil if it can.
    var unsupported: String?
    /// The values that `--sweep` gave the case, as in `threads=4;payload=100`; empty without a
    /// sweep.
    var sweep = ""

    /// The name that is unique within a run; cases of a sweep may share their identifier.
    var name: String {
        sweep.isEmpty ? identifier.description : "\(identifier) \(sweep)"
    }

    /// The unique name as part of names of files and folders.
    var fileName: String {
        let plain = identifier.description.replacing("/", with: "-")
        return sweep.isEmpty ? plain : plain + "-" + sweep.replacing(";", with: "-")
    }

    /// Whether the counts of the case can repeat exactly. With relaxed durability the timing of a
    /// background sync decides which pages the next commit may overwrite and sync. Several writers
    /// join each other's commits by chance.
    var canRepeat: Bool { options.threads == 1 && identifier.durability == .full }

    /// Whether another run of the same build counts the same syncs, write calls, bytes, pages,
    /// sizes, allocations and digest. True for one durable writer of the embedded engine with an
    /// amount of work that does not depend on time, if the workload declares it.
    var isDeterministic: Bool {
        guard unsupported == nil, canRepeat, identifier.engine == "realm",
            let workload = try? WorkloadCatalogue.workload(named: identifier.workload)
        else { return false }
        return workload.isDeterministic(self)
    }

    /// The environment variables of the processes that run and verify the case.
    var processEnvironment: [String: String] {
        FileEncryption.environment(isEncrypted: identifier.isEncrypted)
    }

    /// Whether the case runs in the program described by `SystemAllocatorProgram`.
    func usesSystemAllocator() throws -> Bool {
        try WorkloadCatalogue.workload(named: identifier.workload)
            .usesSystemAllocator(identifier.strategy)
    }

    /// Returns the database that the case measures.
    func engine() throws -> any BenchmarkEngine {
        let name = identifier.engine
        let layers = EngineLayer(rawValue: layer).map { [$0] } ?? [.api, .engine]
        for layer in layers {
            if let found = try EngineCatalogue.engine(named: name, layer: layer) { return found }
        }
        throw BenchmarkError(.usage, "The engine \(name) has no layer '\(layer)'.")
    }
}

/// The environment of a case: its directories, its allocation counters and its progress channel.
struct CaseEnvironment: Sendable {
    /// The directory for this case alone, empty at the start and removed by the caller.
    var directory: String
    /// The directory shared by the cases of a run, for fixtures that are costly to create and then
    /// only read.
    var fixtures: String
    var allocations: AllocationProbe?
    /// The function that reports the progress to the user.
    var progress: @Sendable (ProgressUpdate) -> Void
}

/// The progress of a case.
struct ProgressUpdate: Codable, Sendable {
    /// The current phase: `running`, `preparing` or `closing`.
    var phase: String
    /// The completed fraction, from 0 to 1; nil if unknown.
    var fraction: Double?
    var secondsLeft: Double?
    var operationsPerSecond: Double?
}

/// The outcome of a case.
struct CaseOutcome: Codable, Sendable {
    var results: [CaseResult]
    var timeline: [TimelinePoint] = []
    /// The growth of the file and the versions that readers pinned.
    var growth: [GrowthPoint] = []
    /// The histograms of the first row.
    var histograms: [HistogramKind: HistogramData] = [:]
    /// Whether the case failed because its disk was full.
    var isDiskFull = false
    /// The contents that a fresh process has to verify before the case counts.
    var verification: VerificationRequest?
}

/// One sample of the course of a run.
struct TimelinePoint: Codable, Equatable, Sendable {
    var elapsed: Double
    var operations: Int
    var fileBytes: Int
    var residentBytes: Int
}

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
