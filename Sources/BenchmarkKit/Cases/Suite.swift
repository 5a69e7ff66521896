import Foundation
import ToolSupport

/// A named list of cases, stored as JSON in `Benchmarks/Suites`.
struct Suite: Codable, Equatable, Sendable {
    var name: String
    var description: String
    /// The workloads that the file describes itself.
    var models: [ModelDescription]?
    var cases: [Entry]

    /// Strategies of one workload with their options; an omitted option has its default value.
    struct Entry: Codable, Equatable, Sendable {
        var workload: String
        /// The strategies; nil means all strategies of the workload.
        var strategies: [String]?
        /// The databases; nil means the embedded engine.
        var engines: [String]?
        /// The durabilities; nil means full durability.
        var durabilities: [Durability]?
        /// Whether files are encrypted, for each variant; nil means plain files only.
        var encrypted: [Bool]?
        var size: Int?
        var seconds: Double?
        var count: Int?
        var sensors: Int?
        var batchSize: Int?
        var threads: Int?
        var payload: Int?
        var rate: Double?
        var observers: Int?
        var changes: Int?
        var warmup: Double?
        var input: String?
    }

    /// Loads a suite; `name` is one of ``available()`` or the path of a JSON file.
    static func load(_ name: String) throws -> Suite {
        if name.hasSuffix(".json") { return try load(file: URL(fileURLWithPath: name)) }
        let names = try available()
        guard names.contains(name) else {
            throw BenchmarkError(
                .usage, NameSuggestion.message(kind: "suite", name: name, among: names))
        }
        if let own = OwnWorkloads.all {
            // The gate compares rows of this engine only.
            let hasOthers = name == "default"
            return Suite(
                name: name,
                description: hasOthers
                    ? "every workload with its own number of operations"
                    : "the same, without other databases",
                cases: own.map {
                    let others = hasOthers ? $0.besides.map(\.engine.name) : []
                    return Entry(
                        workload: $0.name, engines: ["realm"] + others, count: $0.count)
                })
        }
        let directory = try ResourceLocator.suitesDirectory()
        return try load(file: directory.appendingPathComponent("\(name).json"))
    }

    /// The names of the suites: those of `Benchmarks/Suites`; in a user's package, those that the
    /// commands take by default.
    static func available() throws -> [String] {
        if OwnWorkloads.all != nil { return ["default", "counted", "timed"] }
        let directory = try ResourceLocator.suitesDirectory()
        return try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { $0.hasSuffix(".json") }
            .map { String($0.dropLast(5)) }
            .sorted()
    }

    static func load(file: URL) throws -> Suite {
        let data: Data
        do { data = try Data(contentsOf: file) } catch {
            throw BenchmarkError(
                .usage,
                "The suite '\(file.path)' cannot be read: "
                    + "\(error.fileProblem)")
        }
        do {
            try SuiteFormat.checkKeys(data)
            let suite = try decoder.decode(Suite.self, from: data)
            try suite.registerModels()
            return suite
        } catch let error as BenchmarkError {
            throw BenchmarkError(error.code, "The suite '\(file.path)': \(error.message)")
        } catch {
            throw BenchmarkError(
                .usage,
                "The suite '\(file.path)' is not valid: \(DecodingProblem.text(of: error)).")
        }
    }

    /// Makes the models workloads of this program.
    private func registerModels() throws {
        let models = models ?? []
        for (index, model) in models.enumerated() {
            if let problem = model.problem() { throw BenchmarkError(.usage, problem) }
            let isKnown = WorkloadCatalogue.ofProgram.contains { $0.name == model.name }
            if isKnown || models[..<index].contains(where: { $0.name == model.name }) {
                throw BenchmarkError(.usage, "there is another workload named '\(model.name)'.")
            }
        }
        ModelWorkloads.register(models)
    }

    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    /// Returns the cases in order, each once. With sweeps, the whole suite is repeated for each of
    /// their points. Options of the command line take precedence over the suite.
    ///
    /// A case is repeated only for the swept options that change it, and its
    /// ``BenchmarkCase/sweep`` names only these.
    func expanded(overriding overrides: OptionOverrides) throws -> [BenchmarkCase] {
        for (index, entry) in cases.enumerated() {
            if let problem = try entry.problem() {
                throw BenchmarkError(
                    .usage,
                    "Case \(index + 1) of the suite '\(name)' (\(entry.workload)): \(problem)")
            }
        }
        var seen: [String: CaseOptions] = [:]
        return try Sweep.points(of: overrides.sweeps).flatMap { point in
            let settings = try overrides.setting(point)
            return try cases.flatMap { try $0.expanded(overriding: settings) }.map {
                var benchmarkCase = $0
                benchmarkCase.sweep = point.heeded(by: try $0.heededOptions()).text
                return benchmarkCase
            }
        }.filter { benchmarkCase in
            let former = seen.updateValue(benchmarkCase.options, forKey: benchmarkCase.name)
            // Options of the command line may make cases of the suite equal.
            if overrides == OptionOverrides(), former != nil {
                throw BenchmarkError(
                    .usage, "The suite '\(name)' has the case \(benchmarkCase.name) twice.")
            }
            return former == nil
        }
    }
}

extension Suite.Entry {
    /// Returns the cases in nested order: durabilities, strategies, engines, then plain and
    /// encrypted.
    fileprivate func expanded(overriding overrides: OptionOverrides) throws -> [BenchmarkCase] {
        let catalogued = try WorkloadCatalogue.workload(named: workload)
        let strategies = try strategies(of: catalogued)
        let engines = overrides.engines ?? engines ?? ["realm"]
        for engine in engines { try OptionOverrides.checkEngine(engine) }
        let encrypted = overrides.isEncrypted ? [true] : encrypted ?? [false]
        return try (overrides.durabilities ?? durabilities ?? [.full]).flatMap { durability in
            try strategies.flatMap { strategy in
                let taken = catalogued.options.union(strategy.furtherOptions)
                let options = overrides.applied(
                    to: options(), taking: taken, countIsSize: catalogued.countIsSize)
                return try engines.flatMap { engine in
                    try encrypted.compactMap { isEncrypted in
                        try WorkloadCatalogue.makeCase(
                            workload: workload, strategy: strategy.name, engine: engine,
                            durability: durability, isEncrypted: isEncrypted,
                            size: (taken.contains(.size) ? overrides.size : nil) ?? size,
                            options: options)
                    }
                }
            }
        }
    }

    private func strategies(of workload: Workload) throws -> [Workload.Strategy] {
        try strategies?.map { try workload.requiredStrategy(named: $0) } ?? workload.strategies
    }

    /// The first setting without effect, as a sentence; nil if each has one.
    fileprivate func problem() throws -> String? {
        let catalogued = try WorkloadCatalogue.workload(named: workload)
        let lists: [(String, Int?)] = [
            ("strategies", strategies?.count), ("engines", engines?.count),
            ("durabilities", durabilities?.count), ("encrypted", encrypted?.count),
        ]
        for (key, count) in lists where count == 0 { return "'\(key)' is an empty list." }
        let ways = try strategies(of: catalogued)
        func allHeeded(with values: CaseOptions) -> Set<CaseOption> {
            ways.reduce(into: []) {
                $0.formUnion(catalogued.heededOptions(of: $1, with: values))
            }
        }
        let heeded = allHeeded(with: options())
        guard let idle = given.first(where: { !heeded.contains($0) }) else { return nil }
        var uncounted = options()
        uncounted.count = nil
        let others = allHeeded(with: uncounted).contains(idle) ? " beside 'count'" : ""
        let keys = heeded.subtracting([.seed]).map(\.suiteKey).sorted().joined(separator: ", ")
        return "'\(idle.suiteKey)' has no effect\(others). What has: \(keys)."
    }

    /// The options that the entry sets.
    private var given: [CaseOption] {
        let set: [(CaseOption, Bool)] = [
            (.size, size != nil), (.seconds, seconds != nil), (.count, count != nil),
            (.sensors, sensors != nil), (.batchSize, batchSize != nil),
            (.threads, threads != nil), (.payload, payload != nil), (.rate, rate != nil),
            (.observers, observers != nil), (.changes, changes != nil),
            (.warmup, warmup != nil), (.input, input != nil),
        ]
        return set.filter(\.1).map(\.0)
    }

    func options() -> CaseOptions {
        var options = CaseOptions()
        if let seconds { options.seconds = seconds }
        if let batchSize { options.batchSize = batchSize }
        if let threads { options.threads = threads }
        if let payload { options.payload = payload }
        if let warmup { options.warmup = warmup }
        options.count = count
        options.rate = rate
        options.sensors = sensors
        options.observers = observers
        options.changes = changes
        options.input = input
        return options
    }
}
