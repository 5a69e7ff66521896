import ToolSupport

/// The options set on the command line; nil keeps the value of the suite.
struct OptionOverrides: Equatable, Sendable {
    var engines: [String]?
    var durabilities: [Durability]?
    var isEncrypted = false
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
    var seed: UInt64?
    var warmup: Double?
    var input: String?
    /// The options whose values change from case to case.
    var sweeps: [Sweep] = []

    /// Returns the options of a case that takes all options.
    func applied(to original: CaseOptions) -> CaseOptions {
        applied(to: original, taking: Set(CaseOption.allCases), countIsSize: false)
    }

    /// Returns the options of a case that takes some options and ignores the others.
    ///
    /// - Parameter countIsSize: Whether the count of the case is its size, so that a size that is
    ///   given replaces the count of the suite.
    func applied(
        to original: CaseOptions, taking taken: Set<CaseOption>, countIsSize: Bool
    ) -> CaseOptions {
        var options = original
        func value<Value>(_ option: CaseOption, _ value: Value?) -> Value? {
            taken.contains(option) ? value : nil
        }
        if let seconds = value(.seconds, seconds) {
            options.seconds = seconds
            options.count = nil
        }
        if countIsSize, value(.size, size) != nil { options.count = nil }
        if let count = value(.count, count) { options.count = count }
        if let sensors = value(.sensors, sensors) { options.sensors = sensors }
        if let batchSize = value(.batchSize, batchSize) { options.batchSize = batchSize }
        if let threads = value(.threads, threads) { options.threads = threads }
        if let payload = value(.payload, payload) { options.payload = payload }
        if let rate = value(.rate, rate) { options.rate = rate }
        if let observers = value(.observers, observers) { options.observers = observers }
        if let changes = value(.changes, changes) { options.changes = changes }
        if let seed = value(.seed, seed) { options.seed = seed }
        if let warmup = value(.warmup, warmup) { options.warmup = warmup }
        if let input = value(.input, input) { options.input = input }
        return options
    }

    /// Sets one option by its name on the command line.
    mutating func set(_ name: String, to text: String) throws {
        switch name {
        case "engine":
            try Self.checkEngine(text)
            engines = [text]
        case "durability": durabilities = [try Self.durability(text)]
        case "size":
            let number: Int = try Self.number(text, name)
            guard (1...1_000_000_000).contains(number) else {
                throw BenchmarkError(.usage, "The size must be from 1 to 1000000000.")
            }
            size = number
        case "seconds": seconds = try Self.number(text, name)
        case "count": count = try Self.number(text, name)
        case "sensors": sensors = try Self.number(text, name)
        case "batch-size": batchSize = try Self.number(text, name)
        case "threads": threads = try Self.number(text, name)
        case "payload": payload = try Self.number(text, name)
        case "rate": rate = try Self.number(text, name)
        case "observers": observers = try Self.number(text, name)
        case "changes": changes = try Self.number(text, name)
        case "seed": seed = try Self.number(text, name)
        case "warmup": warmup = try Self.number(text, name)
        default:
            throw BenchmarkError(
                .usage, NameSuggestion.message(kind: "option", name: name, among: Sweep.names))
        }
        if let problem = applied(to: CaseOptions()).problem {
            throw BenchmarkError(.usage, "--\(problem.option) \(problem.reason)")
        }
    }

    /// Returns these overrides with the settings of one point of the sweeps.
    func setting(_ point: Sweep.Point) throws -> OptionOverrides {
        var overrides = self
        overrides.sweeps = []
        for (name, value) in point.settings { try overrides.set(name, to: value) }
        return overrides
    }

    static func durability(_ name: String) throws -> Durability {
        guard let durability = Durability(rawValue: name) else {
            throw BenchmarkError(
                .usage,
                NameSuggestion.message(
                    kind: "durability", name: name, among: Durability.allCases.map(\.rawValue)))
        }
        return durability
    }

    static func checkEngine(_ name: String) throws {
        let known = EngineCatalogue.names
        if known.contains(name) { return }
        let peers = PeerDescription.all.map(\.name)
        if peers.contains(name) {
            throw BenchmarkError(
                .usage,
                "The engine '\(name)' is not in this program; realm-bench-peers has it: "
                    + "scripts/bench --peers.")
        }
        throw BenchmarkError(
            .usage, NameSuggestion.message(kind: "engine", name: name, among: known + peers))
    }

    private static func number<Number: LosslessStringConvertible>(
        _ text: String, _ name: String
    ) throws -> Number {
        guard let number = Number(text) else {
            throw BenchmarkError(.usage, "'\(text)' is not a number for --\(name).")
        }
        return number
    }
}
