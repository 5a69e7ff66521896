import Foundation
import ToolSupport

/// The first reads of a file that is not in the page cache, in a fresh process: from opening the
/// file to the answer.
protocol ColdWorkload: FixtureWorkload {
    /// Reads from the store. Returns the number of operations and the digest of what was read.
    /// Operations that are timed singly are recorded in `latency`.
    static func read(
        _ store: any PersonStore, _ core: CoreCase, _ latency: inout LatencyRecorder
    ) throws -> (operations: Int, digest: String)
    static func digest(of oracle: PersonsOracle, _ core: CoreCase) throws -> String
}

extension ColdWorkload {
    static func run(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
        -> CaseOutcome
    {
        let core = try CoreCase(benchmarkCase, environment)
        let path = try Self.path(core)
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try FolderFiles.dropFromPageCache(below: folder)
        core.progress(fraction: 0)
        var latency = LatencyRecorder()
        var result = CaseResult(benchmarkCase)
        var opened: UInt64 = 0
        let start = monotonicNanoseconds()
        let (store, found) = try MeasuredRegion.run {
            let store = try core.open(path, layout)
            opened = monotonicNanoseconds()
            return (store, try Self.read(store, core, &latency))
        }
        result.elapsedSeconds = seconds(from: start, to: monotonicNanoseconds())
        result.operations = found.operations
        result.latency = latency.summary()
        result.digest = found.digest
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        result.measure("first_open_us", Double(opened - start) / 1000)
        result.fill(try store.size())
        let oracle = fixture(of: core).oracle()
        guard try digest(of: oracle, core) == found.digest else {
            throw BenchmarkError(.caseFailed, "The cold reads gave a wrong answer.")
        }
        return CaseOutcome(results: [result])
    }
}

enum LookupColdWorkload: ColdWorkload {
    static let name = "lookup-cold"
    static let summary = "opening and the first 1,000 lookups (--count) with a cold page cache"
    static let features: [EngineFeature] = [.persons, .integerKeys]

    private static func keys(_ core: CoreCase) -> [Int] {
        var generator = SeededGenerator(seed: core.seed)
        return (0..<(core.options.count ?? 1000)).map { _ in generator.next(below: core.size) }
    }

    static func read(
        _ store: any PersonStore, _ core: CoreCase, _ latency: inout LatencyRecorder
    ) throws -> (operations: Int, digest: String) {
        let keys = keys(core)
        var sum: UInt64 = 0
        var last = monotonicNanoseconds()
        for key in keys {
            sum &+= try Lookups.term(store.person(number: key), key)
            let now = monotonicNanoseconds()
            latency.record(now - last)
            last = now
        }
        return (keys.count, ResultDigest.text(of: sum))
    }

    static func digest(of oracle: PersonsOracle, _ core: CoreCase) throws -> String {
        let sum = try keys(core).reduce(UInt64(0)) { sum, key in
            let person = oracle.person(key)
            return sum &+ (try Lookups.term((person.birthdate, person.age), key))
        }
        return ResultDigest.text(of: sum)
    }
}

enum CountColdWorkload: ColdWorkload {
    static let name = "count-cold"
    static let summary = "opening and one count of those younger than 30 with a cold page cache"
    static let features = CountWorkload.features

    static func read(
        _ store: any PersonStore, _ core: CoreCase, _ latency: inout LatencyRecorder
    ) throws -> (operations: Int, digest: String) {
        (core.size, try CountWorkload.answer(of: store).digest)
    }

    static func digest(of oracle: PersonsOracle, _ core: CoreCase) -> String {
        CountWorkload.answer(of: oracle).digest
    }
}
