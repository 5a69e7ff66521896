import Foundation
import RealmSwift
import StorageEngine

/// The reference application: sensors whose readings are written at great speed. Each keeps its
/// last 10,000 readings, the number of those ever written, and a checksum over them.
enum SensorsWorkload: Workload {
    static let name = "sensors"
    static let summary =
        "readings of air-quality sensors, appended to their sensor; the oldest are deleted"
    static let defaultSize = 5 * SensorAccount.capacity

    static let strategyTypes: [any WriterStrategy.Type] = [
        CurrentThreadStrategy.self, MainQueueStrategy.self, ConcurrentQueueStrategy.self,
        DedicatedThreadStrategy.self, BatchedStrategy.self,
    ]

    static var strategies: [(name: String, summary: String)] {
        strategyTypes.map { ($0.name, $0.summary) }
    }

    static func layer(of strategy: String) -> String { "any" }

    /// The readings that are kept at most.
    static func size(for options: CaseOptions, asked: Int?) throws -> Int {
        let sensors = try options.sensors ?? source(of: options).sensorCount
        return sensors * SensorAccount.capacity
    }

    static func run(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
        -> CaseOutcome
    {
        guard
            let type = strategyTypes.first(where: { $0.name == benchmarkCase.identifier.strategy })
        else {
            throw BenchmarkError(
                .usage, "No strategy '\(benchmarkCase.identifier.strategy)' of sensors.")
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
    /// Sensors when nobody asks for a number.
    var sensorCount: Int {
        switch self {
        case .recording(let recording): recording.sensors.count
        case .synthetic: 5
        }
    }
}
