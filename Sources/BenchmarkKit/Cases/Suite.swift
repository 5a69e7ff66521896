import Foundation

/// A named list of cases, kept as JSON in `Benchmarks/Suites`.
struct Suite: Codable, Equatable, Sendable {
    var name: String
    var description: String
    var cases: [Entry]

    /// Strategies of one workload with their options; an option left out has its usual value.
    struct Entry: Codable, Equatable, Sendable {
        var workload: String
        /// Nil means all strategies of the workload.
        var strategies: [String]?
        /// Nil means the embedded engine.
        var engines: [String]?
        /// Nil means full durability.
        var durabilities: [Durability]?
        var size: Int?
        var seconds: Double?
        var count: Int?
        var sensors: Int?
        var batchSize: Int?
        var threads: Int?
        var payload: Int?
        var warmup: Double?
        var input: String?
    }

    /// `name` is that of a suite in `Benchmarks/Suites`, or the path of a JSON file.
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

    /// The cases in order, each once. What the command line sets wins over the suite.
    func expanded(overriding overrides: OptionOverrides) throws -> [BenchmarkCase] {
        var seen: Set<String> = []
        return try cases.flatMap { entry -> [BenchmarkCase] in
            let workload = try WorkloadCatalogue.workload(named: entry.workload)
            let options = overrides.applied(to: entry.options(for: workload))
            let strategies = entry.strategies ?? workload.strategies.map { $0.name }
            let engines = overrides.engines ?? entry.engines ?? ["realm"]
            let durabilities = overrides.durabilities ?? entry.durabilities ?? [.full]
            return try durabilities.flatMap { durability in
                try strategies.flatMap { strategy in
                    try engines.compactMap { engine in
                        try WorkloadCatalogue.makeCase(
                            workload: entry.workload, strategy: strategy, engine: engine,
                            durability: durability, isEncrypted: overrides.isEncrypted,
                            size: entry.size, options: options)
                    }
                }
            }
        }.filter { seen.insert($0.identifier.description).inserted }
    }
}

extension Suite.Entry {
    func options(for workload: any Workload.Type) -> CaseOptions {
        var options = CaseOptions()
        if let threads = workload.defaultThreads { options.threads = threads }
        if let seconds { options.seconds = seconds }
        if let batchSize { options.batchSize = batchSize }
        if let threads { options.threads = threads }
        if let payload { options.payload = payload }
        if let warmup { options.warmup = warmup }
        options.count = count
        options.sensors = sensors
        options.input = input
        return options
    }
}

/// Options given on the command line; nil leaves what the suite says.
struct OptionOverrides: Equatable, Sendable {
    var engines: [String]?
    var durabilities: [Durability]?
    var isEncrypted = false
    var seconds: Double?
    var count: Int?
    var sensors: Int?
    var batchSize: Int?
    var threads: Int?
    var payload: Int?
    var seed: UInt64?
    var warmup: Double?
    var input: String?

    func applied(to original: CaseOptions) -> CaseOptions {
        var options = original
        if let seconds {
            options.seconds = seconds
            options.count = nil
        }
        if let count { options.count = count }
        if let sensors { options.sensors = sensors }
        if let batchSize { options.batchSize = batchSize }
        if let threads { options.threads = threads }
        if let payload { options.payload = payload }
        if let seed { options.seed = seed }
        if let warmup { options.warmup = warmup }
        if let input { options.input = input }
        return options
    }
}
