import Foundation
import ToolSupport

/// A named list of cases, stored as JSON in `Benchmarks/Suites`.
struct Suite: Codable, Equatable, Sendable {
    var name: String
    var description: String
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
        var observers: Int?
        var changes: Int?
        var warmup: Double?
        var input: String?
    }

    /// Loads a suite; `name` is that of a suite in `Benchmarks/Suites` or the path of a JSON file.
    static func load(_ name: String) throws -> Suite {
        if name.hasSuffix(".json") { return try load(file: URL(fileURLWithPath: name)) }
        let directory = try ResourceLocator.suitesDirectory()
        let names = try available()
        guard names.contains(name) else {
            throw BenchmarkError(
                .usage, NameSuggestion.message(kind: "suite", name: name, among: names))
        }
        return try load(file: directory.appendingPathComponent("\(name).json"))
    }

    static func available() throws -> [String] {
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
                    + "\((error as NSError).localizedDescription)")
        }
        do { return try decoder.decode(Suite.self, from: data) } catch {
            throw BenchmarkError(.usage, "The suite '\(file.path)' is not valid: \(error)")
        }
    }

    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    /// Returns the cases in order, each once. With sweeps, the whole suite is repeated for each of
    /// their points. Options of the command line take precedence over the suite.
    func expanded(overriding overrides: OptionOverrides) throws -> [BenchmarkCase] {
        var seen: Set<String> = []
        return try Sweep.points(of: overrides.sweeps).flatMap { point in
            let settings = try overrides.setting(point)
            return try cases.flatMap { try $0.expanded(overriding: settings) }.map {
                var benchmarkCase = $0
                benchmarkCase.sweep = point.text
                return benchmarkCase
            }
        }.filter { seen.insert($0.name).inserted }
    }
}

extension Suite.Entry {
    /// Returns the cases in nested order: durabilities, strategies, engines, then plain and
    /// encrypted.
    fileprivate func expanded(overriding overrides: OptionOverrides) throws -> [BenchmarkCase] {
        let catalogued = try WorkloadCatalogue.workload(named: workload)
        let options = overrides.applied(to: options())
        let strategies = strategies ?? catalogued.strategies.map { $0.name }
        let engines = overrides.engines ?? engines ?? ["realm"]
        for engine in engines { try OptionOverrides.checkEngine(engine) }
        let encrypted = overrides.isEncrypted ? [true] : encrypted ?? [false]
        return try (overrides.durabilities ?? durabilities ?? [.full]).flatMap { durability in
            try strategies.flatMap { strategy in
                try engines.flatMap { engine in
                    try encrypted.compactMap { isEncrypted in
                        try WorkloadCatalogue.makeCase(
                            workload: workload, strategy: strategy, engine: engine,
                            durability: durability, isEncrypted: isEncrypted,
                            size: overrides.size ?? size, options: options)
                    }
                }
            }
        }
    }

    func options() -> CaseOptions {
        var options = CaseOptions()
        if let seconds { options.seconds = seconds }
        if let batchSize { options.batchSize = batchSize }
        if let threads { options.threads = threads }
        if let payload { options.payload = payload }
        if let warmup { options.warmup = warmup }
        options.count = count
        options.sensors = sensors
        options.observers = observers
        options.changes = changes
        options.input = input
        return options
    }
}
