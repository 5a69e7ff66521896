/// One case with everything it needs to be repeated.
struct BenchmarkCase: Codable, Sendable {
    var identifier: CaseIdentifier
    /// `api`: through the public API, the way an application would. `engine`: through the storage
    /// engine directly. `none`: no database.
    var layer: String
    var options: CaseOptions
    /// Why the case cannot run, in a sentence; nil if it can.
    var unsupported: String?
    /// The values that `--sweep` gave it, as in `threads=4;payload=100`; empty without.
    var sweep = ""

    /// What makes it one of a run: cases of a sweep may share their identifier.
    var name: String {
        sweep.isEmpty ? identifier.description : "\(identifier) \(sweep)"
    }

    /// The same for names of files and folders.
    var fileName: String {
        let plain = identifier.description.replacing("/", with: "-")
        return sweep.isEmpty ? plain : plain + "-" + sweep.replacing(";", with: "-")
    }

    /// Whether what is counted can repeat at all. With relaxed durability a background sync decides,
    /// by time, what the next commit may overwrite and syncs; several writers join each other's
    /// commits by chance.
    var canRepeat: Bool { options.threads == 1 && identifier.durability == .full }

    /// Whether a second run of the same build counts the same: syncs, write calls, bytes, pages,
    /// sizes, allocations, digest. True for one durable writer of the embedded engine and an
    /// amount of work that time does not change, where the workload says so.
    var isDeterministic: Bool {
        guard unsupported == nil, canRepeat, identifier.engine == "realm",
            let workload = try? WorkloadCatalogue.workload(named: identifier.workload)
        else { return false }
        return workload.isDeterministic(self)
    }

    /// What the processes that run and prove the case find in their environment.
    var processEnvironment: [String: String] {
        FileEncryption.environment(isEncrypted: identifier.isEncrypted)
    }

    /// Whether its process is one of `SystemAllocatorProgram`.
    func usesSystemAllocator() throws -> Bool {
        try WorkloadCatalogue.workload(named: identifier.workload)
            .usesSystemAllocator(identifier.strategy)
    }

    /// The database that the case is about.
    func engine() throws -> any BenchmarkEngine {
        let name = identifier.engine
        let layers = EngineLayer(rawValue: layer).map { [$0] } ?? [.api, .engine]
        for layer in layers {
            if let found = try EngineCatalogue.engine(named: name, layer: layer) { return found }
        }
        throw BenchmarkError(.usage, "The engine \(name) has no layer '\(layer)'.")
    }
}

/// What a case runs in: where its files go, how it tells of its progress, what counts for it.
struct CaseEnvironment: Sendable {
    /// A directory of the case's own, empty at the start, removed by the caller.
    var directory: String
    /// Shared by the cases of a run: files that are costly to make and only read afterwards.
    var fixtures: String
    var allocations: AllocationProbe?
    /// Operations so far, shown to the person who waits.
    var progress: @Sendable (ProgressUpdate) -> Void
}

/// How far a case is.
struct ProgressUpdate: Codable, Sendable {
    /// What is going on: `running`, `preparing`, `closing`.
    var phase: String
    /// 0 to 1; nil if unknown.
    var fraction: Double?
    var secondsLeft: Double?
    var operationsPerSecond: Double?
}

/// What a case gives back.
struct CaseOutcome: Codable, Sendable {
    var results: [CaseResult]
    var timeline: [TimelinePoint] = []
    /// How the file grew, and who pinned what.
    var growth: [GrowthPoint] = []
    /// Of the first row.
    var histograms: [HistogramKind: HistogramData] = [:]
    /// The case failed because there was no space left for its files.
    var isDiskFull = false
    /// What a fresh process has to prove before the case counts.
    var verification: VerificationRequest?
}

/// One sample of a run's course.
struct TimelinePoint: Codable, Equatable, Sendable {
    var elapsed: Double
    var operations: Int
    var fileBytes: Int
    var residentBytes: Int
}

/// A family of cases. Everything about one lies in its own file.
protocol Workload: SendableMetatype {
    static var name: String { get }
    static var summary: String { get }
    /// Strategy names and what each does, in the order of reports.
    static var strategies: [(name: String, summary: String)] { get }
    /// Size when neither suite nor command line says.
    static var defaultSize: Int { get }
    /// The layer of the engine that a strategy uses; `any` for the highest that the engine has.
    static func layer(of strategy: String) -> String
    /// What a strategy asks of the engine; nil for a workload of the embedded engine only.
    static func features(of strategy: String) -> [EngineFeature]?
    static func size(for options: CaseOptions, asked: Int?) throws -> Int
    /// Why a strategy does not exist yet, in a sentence; nil if it does.
    static func reason(against strategy: String) -> String?
    /// Threads, or processes, when neither suite nor command line says.
    static func defaultThreads(of strategy: String) -> Int
    /// Whether a strategy runs in the program that links no jemalloc (`SystemAllocatorProgram`).
    static func usesSystemAllocator(_ strategy: String) -> Bool
    /// Whether all that is counted repeats exactly; only asked of cases with one thread.
    static func isDeterministic(_ benchmarkCase: BenchmarkCase) -> Bool
    /// Operations while instructions are counted, unless the command line says; nil for a workload
    /// whose instructions do not repeat within 0.5 %.
    static var countedOperations: Int? { get }
    /// Whether all strategies come to the same result; false where each is a job of its own.
    static var strategiesDoTheSameWork: Bool { get }
    /// Whether `prepare` has to run in another process than `run`.
    static var isPreparedApart: Bool { get }
    static func prepare(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
    /// Runs on the main thread of a process of its own.
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
