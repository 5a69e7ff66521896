import Foundation
import ToolSupport

/// The first reads of a file that is not in the page cache, in a fresh process: from opening the
/// file to the answer.
struct ColdReads: Sendable {
    /// Reads from the store. Returns the number of operations and the digest of what was read.
    /// Operations that are timed singly are recorded in `latency`.
    let read:
        @Sendable (_ store: any PersonStore, _ core: CoreCase, _ latency: inout LatencyRecorder)
            throws -> (operations: Int, digest: String)
    /// Returns the digest computed without a database.
    let expect: @Sendable (PersonsOracle, CoreCase) throws -> String
    /// Whether a count decides how much is read.
    var isCounted = true

    static let lookups: ColdReads = {
        @Sendable func keys(_ core: CoreCase) -> [Int] {
            var generator = SeededGenerator(seed: core.seed)
            return (0..<(core.options.count ?? 1000)).map { _ in generator.next(below: core.size) }
        }
        return ColdReads(
            read: { store, core, latency in
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
            },
            expect: { oracle, core in
                let sum = try keys(core).reduce(UInt64(0)) { sum, key in
                    let person = oracle.person(key)
                    return sum &+ (try Lookups.term((person.birthdate, person.age), key))
                }
                return ResultDigest.text(of: sum)
            })
    }()

    static func pass(_ question: PassQuestion) -> ColdReads {
        ColdReads(
            read: { store, core, _ in (core.size, try question.ask(store).digest) },
            expect: { oracle, _ in question.expect(oracle).digest }, isCounted: false)
    }
}

extension Workload {
    static func cold(
        _ name: String, _ summary: String, _ cold: ColdReads, needs features: [EngineFeature] = []
    ) -> Workload {
        persons(name, summary, needs: features) { core, file in try run(cold, core, file) }
            .with { if !cold.isCounted { $0.options.remove(.count) } }
    }

    private static func run(
        _ cold: ColdReads, _ core: CoreCase, _ file: PersonsFile
    ) throws -> CaseOutcome {
        let read = cold.read
        let path = try file.path(core)
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try FolderFiles.dropFromPageCache(below: folder)
        core.progress(fraction: 0)
        var latency = LatencyRecorder()
        var result = CaseResult(core.benchmarkCase)
        var opened: UInt64 = 0
        let start = monotonicNanoseconds()
        let (store, found) = try MeasuredRegion.run {
            let store = try core.open(path, file.layout)
            opened = monotonicNanoseconds()
            return (store, try read(store, core, &latency))
        }
        result.elapsedSeconds = seconds(from: start, to: monotonicNanoseconds())
        result.operations = found.operations
        result.latency = latency.summary()
        result.digest = found.digest
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        result.measure("first_open_us", Double(opened - start) / 1000)
        result.fill(try store.size())
        let oracle = file.fixture(of: core).oracle()
        guard try cold.expect(oracle, core) == found.digest else {
            throw BenchmarkError(.caseFailed, "The cold reads gave a wrong answer.")
        }
        return CaseOutcome(results: [result])
    }
}
