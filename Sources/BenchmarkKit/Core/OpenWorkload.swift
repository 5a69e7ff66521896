import Foundation
import RealmSwift

/// Opening a file that has many objects, up to the first object read.
enum OpenWorkload: Workload {
    static let name = "open"
    static let summary = "opens a file and reads its first object; the first open stands apart"
    static let strategies = [(name: "api", summary: "Realm(configuration:)")]
    static let defaultSize = 1_000_000

    /// A class of its own, so that the first open of the process is that of an almost empty file.
    final class OpenedFirst: Object {
        @Persisted var value: Int
    }

    /// The file is made by another process, so that this one opens it for its first time.
    static let isPreparedApart = true

    static func prepare(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws {
        _ = try PersonsFixture.path(
            size: benchmarkCase.identifier.size, seed: benchmarkCase.options.seed,
            in: environment)
    }

    static func run(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
        -> CaseOutcome
    {
        let seed = benchmarkCase.options.seed
        let size = benchmarkCase.identifier.size
        let path = try PersonsFixture.path(size: size, seed: seed, in: environment)
        environment.progress(ProgressUpdate(phase: "running"))
        let discovery = try discoverClasses(in: environment)
        let first = try open(path)
        var latency = LatencyRecorder()
        var total: UInt64 = 0
        let repetitions = benchmarkCase.options.count ?? 200
        var rates: [Double] = []
        for _ in 0..<repetitions {
            let elapsed = try open(path)
            latency.record(elapsed)
            total += elapsed
            rates.append(1e9 / Double(elapsed))
        }
        var result = CaseResult(benchmarkCase)
        result.operations = repetitions
        result.elapsedSeconds = Double(total) / 1e9
        result.interval = ThroughputInterval(samples: rates)
        result.latency = latency.summary()
        result.fileBytes = fileSize(path)
        result.measure("class_discovery_us", Double(discovery) / 1000)
        result.measure("first_open_us", Double(first) / 1000)
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        return CaseOutcome(results: [result])
    }

    /// The process's first open: discovers all classes, and creates an empty file.
    private static func discoverClasses(in environment: CaseEnvironment) throws -> UInt64 {
        let url = URL(fileURLWithPath: environment.directory + "/first.realm")
        let start = monotonicNanoseconds()
        let realm = try Realm(configuration: Realm.Configuration(fileURL: url))
        let isEmpty = realm.isEmpty
        let elapsed = monotonicNanoseconds() - start
        guard isEmpty else { throw BenchmarkError(.caseFailed, "A new file is not empty.") }
        return elapsed
    }

    /// Opens, reads one object, and lets go of the Realm, which closes the file.
    private static func open(_ path: String) throws -> UInt64 {
        let start = monotonicNanoseconds()
        let realm = try PersonsFixture.open(path)
        let person = realm.object(ofType: KeyedPerson.self, forPrimaryKey: 0)
        let elapsed = monotonicNanoseconds() - start
        guard person != nil else { throw BenchmarkError(.caseFailed, "The person 0 is missing.") }
        return elapsed
    }
}
