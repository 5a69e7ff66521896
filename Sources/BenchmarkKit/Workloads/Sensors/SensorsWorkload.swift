import Foundation
import ToolSupport

/// The reference application: sensors whose readings are written at a high rate. Each sensor keeps
/// its last 10,000 readings, the number ever written, and a checksum of them.
enum SensorsWorkload: Workload {
    static let name = "sensors"
    static let summary =
        "readings of air-quality sensors, appended to their sensor; the oldest are deleted"
    static let defaultSize = 5 * SensorAccount.capacity

    /// The strategies that write in one process.
    static let strategyTypes: [any WriterStrategy.Type] = [
        CurrentThreadStrategy.self, MainQueueStrategy.self, ConcurrentQueueStrategy.self,
        DedicatedThreadStrategy.self, BatchedStrategy.self,
    ]

    /// The strategies that lack a feature of the API, with the reason why they cannot run.
    private static let missing: [(name: String, summary: String, reason: String)] = [
        (
            "async", "each reading is written by writeAsync, and again with grouped commits",
            "Asynchronous writes are still to come."
        ),
        (
            "actor", "a Realm isolated to an actor, one transaction a reading",
            "Realms isolated to an actor are still to come."
        ),
    ]

    static var strategies: [(name: String, summary: String)] {
        strategyTypes.map { ($0.name, $0.summary) }
            + [(ProcessesRun.strategy, ProcessesRun.summary)]
            + missing.map { ($0.name, $0.summary) }
    }

    static func layer(of strategy: String) -> String { "any" }

    static func features(of strategy: String) -> [EngineFeature]? {
        strategy == ProcessesRun.strategy ? [.sensors, .severalProcesses] : [.sensors]
    }

    static func reason(against strategy: String) -> String? {
        missing.first { $0.name == strategy }?.reason
    }

    static func defaultThreads(of strategy: String) -> Int {
        strategy == ProcessesRun.strategy ? 2 : 1
    }

    static func isDeterministic(_ benchmarkCase: BenchmarkCase) -> Bool {
        // A single writer takes every reading in the order of production.
        let strategy = benchmarkCase.identifier.strategy
        let type = strategyTypes.first { $0.name == strategy }
        return benchmarkCase.options.count != nil && benchmarkCase.options.warmup == 0
            && type?.hasOneWriter(producers: 1) == true
    }

    /// Returns the largest number of readings kept.
    static func size(for options: CaseOptions, asked: Int?) throws -> Int {
        let sensors = try options.sensors ?? source(of: options).sensorCount
        return sensors * SensorAccount.capacity
    }

    static func run(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
        -> CaseOutcome
    {
        let strategy = benchmarkCase.identifier.strategy
        if strategy == ProcessesRun.strategy {
            return try ProcessesRun(benchmarkCase, environment).run()
        }
        guard let type = strategyTypes.first(where: { $0.name == strategy }) else {
            throw BenchmarkError(.usage, "No strategy '\(strategy)' of sensors.")
        }
        return try SensorsRun(benchmarkCase, type, environment).run()
    }

    static func source(of options: CaseOptions) throws -> ReadingFeed.Source {
        switch options.input {
        case "synthetic": return .synthetic
        case let path?: return .recording(try Recording.load(path: path))
        case nil: return .recording(try Recording.load(path: ResourceLocator.recording().path))
        }
    }
}

extension ReadingFeed.Source {
    /// The default number of sensors.
    var sensorCount: Int {
        switch self {
        case .recording(let recording): recording.sensors.count
        case .synthetic: 5
        }
    }
}
