import Foundation
import ToolSupport

/// The reference application: sensors whose readings are written at a high rate. Each sensor keeps
/// its last 10,000 readings, the number ever written, and a checksum of them.
enum SensorsWorkload {
    static let name = "sensors"
    static let workload = Workload(
        name: name,
        summary:
            "readings of air-quality sensors, appended to their sensor; the oldest are deleted",
        strategies: strategies, defaultSize: 5 * SensorAccount.capacity,
        sizeOfOptions: { options in
            // The largest number of readings kept.
            let sensors = try options.sensors ?? source(of: options).sensorCount
            return sensors * SensorAccount.capacity
        },
        options: [
            .count, .seconds, .sensors, .threads, .payload, .rate, .seed, .warmup, .input,
        ],
        // Nothing is drawn in a replay of a recording.
        idleOptions: { $0.payload == 0 && $0.input != "synthetic" ? [.seed] : [] },
        isDeterministic: isDeterministic, preparation: prepare, body: run)

    /// The strategies that write in one process.
    static let strategyTypes: [any WriterStrategy.Type] = [
        CurrentThreadStrategy.self, MainQueueStrategy.self, ConcurrentQueueStrategy.self,
        DedicatedThreadStrategy.self, BatchedStrategy.self, AsyncStrategy.self,
        GroupedAsyncStrategy.self, ActorStrategy.self,
    ]

    private static let strategies =
        strategyTypes.map {
            Workload.Strategy(
                name: $0.name, summary: $0.summary, layer: "any",
                features: $0.isAsynchronous ? nil : [.sensors],
                furtherOptions: $0 == BatchedStrategy.self ? [.batchSize] : [])
        } + [
            Workload.Strategy(
                name: ProcessesRun.strategy, summary: ProcessesRun.summary, layer: "any",
                features: [.sensors, .severalProcesses], threads: 2)
        ]

    private static func isDeterministic(_ benchmarkCase: BenchmarkCase) -> Bool {
        // A single writer takes every reading in the order of production.
        let strategy = benchmarkCase.identifier.strategy
        let type = strategyTypes.first { $0.name == strategy }
        return benchmarkCase.options.count != nil && benchmarkCase.options.warmup == 0
            && type?.hasOneWriter(producers: 1) == true
    }

    private static func prepare(
        _ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment
    ) throws {
        guard case .recording(let recording) = try source(of: benchmarkCase.options) else { return }
        try PreparedRecording.write(recording, to: environment.directory)
    }

    private static func run(
        _ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment
    ) throws -> CaseOutcome {
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
