import Foundation
import Glibc
import RealmSwift
import ToolSupport

/// Opening a file with many persons, up to the first person read.
enum OpenWorkload {
    static let workload = Workload.persons(
        "open", "opens a file and reads a person; the first open stands apart", run
    ).with {
        // The work of an open depends on the addresses at which the system maps the file: the
        // instructions of two counts of the same opens differ by almost 1 %.
        $0.countedOperations = nil
    }

    /// A class of its own, so that the process's first open is that of an almost empty file.
    final class OpenedFirst: Object {
        @Persisted var value: Int
    }

    private static func run(_ core: CoreCase, _ file: PersonsFile) throws -> CaseOutcome {
        let path = try file.path(core)
        core.progress(fraction: 0)
        let isRealmAPI = core.hasControls && core.engine.layer == .api
        let discovery = isRealmAPI ? try discoverClasses(in: core.environment) : nil
        let first = try open(path, core, file)
        var result = CaseResult(core.benchmarkCase)
        let repetitions = core.options.count ?? 200
        var allocations = AllocationMeasurement(core.environment.allocations)
        try MeasuredRegion.run {
            try measure(&result, repetitions) { try open(path, core, file) }
        }
        result.fill(allocations.finish(operations: repetitions))
        result.measure("class_discovery_us", discovery.map { Double($0) / 1000 })
        result.measure("first_open_us", Double(first) / 1000)
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        result.fill(try core.open(path, file.layout).size())
        guard isRealmAPI else { return CaseOutcome(results: [result]) }
        var control = CaseResult.control("bare-file", beside: core.benchmarkCase)
        try measure(&control, repetitions) { try mapBareFile(path) }
        return CaseOutcome(results: [result, control])
    }

    /// Measures repeated opens; `body` opens once and returns the elapsed nanoseconds.
    private static func measure(
        _ result: inout CaseResult, _ repetitions: Int, _ body: () throws -> UInt64
    ) throws {
        var latency = LatencyRecorder()
        var total: UInt64 = 0
        var rates: [Double] = []
        rates.reserveCapacity(repetitions)
        for _ in 0..<repetitions {
            let elapsed = max(1, try body())
            latency.record(elapsed)
            total += elapsed
            rates.append(1e9 / Double(elapsed))
        }
        result.operations = repetitions
        result.elapsedSeconds = Double(total) / 1e9
        result.interval = ThroughputInterval(ratesOfEqualCounts: rates)
        result.latency = latency.summary()
    }

    /// Opens the file, reads one person, and releases the store, which closes the file.
    private static func open(
        _ path: String, _ core: CoreCase, _ file: PersonsFile
    ) throws -> UInt64 {
        let start = monotonicNanoseconds()
        let store = try core.open(path, file.layout)
        let person = try store.person(number: 0)
        let elapsed = PlantedDelay.end(of: start) - start
        guard person?.age == PersonValues(number: 0, seed: core.seed).age else {
            throw BenchmarkError(.caseFailed, "The person 0 is missing.")
        }
        return elapsed
    }

    /// Runs the control, which opens and maps the same file, reads its first byte, unmaps and
    /// closes it.
    private static func mapBareFile(_ path: String) throws -> UInt64 {
        let start = monotonicNanoseconds()
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0,
            let address = mmap(nil, Int(status.st_size), PROT_READ, MAP_SHARED, descriptor, 0),
            address != MAP_FAILED
        else {
            throw BenchmarkError(
                .internalError,
                "The control row cannot map '\(path)': \(String(cString: strerror(errno))).")
        }
        let first = address.load(as: UInt8.self)
        munmap(address, Int(status.st_size))
        close(descriptor)
        let elapsed = monotonicNanoseconds() - start
        guard first == 0x89 else {
            throw BenchmarkError(.caseFailed, "'\(path)' is not a database file.")
        }
        return elapsed
    }

    /// Times the process's first open, which discovers all classes and creates an empty file.
    private static func discoverClasses(in environment: CaseEnvironment) throws -> UInt64 {
        let path = environment.directory + "/first.realm"
        let start = monotonicNanoseconds()
        let realm = try Realm(configuration: Realm.Configuration(path: path))
        let isEmpty = realm.isEmpty
        let elapsed = monotonicNanoseconds() - start
        guard isEmpty else { throw BenchmarkError(.caseFailed, "A new file is not empty.") }
        return elapsed
    }
}
