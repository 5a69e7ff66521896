import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct BaselineStoreTests {
    private func baseline(_ key: TimedKey) throws -> Baseline {
        let fields = [
            "case_id": "a/b/full/plain/1/realm", "engine": "realm", "status": "ok", "seed": "1",
            "operations": "1", "digest": "d", "deterministic": "true", "file_bytes": "4096",
        ]
        let header = RunReport(
            runId: "r", startedAt: RunReport.now(), arguments: [], suite: "s", seed: 1,
            machine: RunReport.Machine(
                processor: key.processor, cores: key.cores,
                architecture: key.counted.architecture,
                pageSizeBytes: key.counted.pageSizeBytes, fileSystem: key.fileSystem),
            toolchain: RunReport.Toolchain(
                swift: key.counted.swift, configuration: key.counted.configuration))
        let run = RunFolder(path: "r", header: header, rows: [RunRow(CSVRow(fields))])
        return try Baseline(name: "counted", from: [run])
    }

    private func key(_ architecture: String) -> TimedKey {
        TimedKey(
            counted: CountedKey(
                architecture: architecture, pageSizeBytes: 4096, swift: "6.3.1",
                configuration: "release"),
            processor: "A (R) Processor", cores: 2, fileSystem: "ext4")
    }

    private func code(_ body: () throws -> Void) -> (BenchmarkError.Code?, String) {
        do {
            try body()
            return (nil, "")
        } catch let error as BenchmarkError {
            return (error.code, error.message)
        } catch { return (.internalError, "\(error)") }
    }

    @Test func aBaselineIsFoundUnderItsKeyOnly() throws {
        let folder = try TemporaryFolder()
        let store = try BaselineStore(path: folder.path)
        let none = code { _ = try store.load("counted", for: key("x86_64").counted) }
        #expect(none.0 == .noBaseline)
        let saved = try baseline(key("x86_64"))
        #expect(try store.save(saved).hasSuffix("x86_64-4096-swift-6.3.1-release/counted.json"))
        let read = try store.load("counted", for: key("x86_64").counted)
        #expect(read.rows == saved.rows)
        let other = code { _ = try store.load("counted", for: key("aarch64").counted) }
        #expect(other.0 == .notComparable)
        #expect(other.1.contains("x86_64") && other.1.contains("aarch64"))
        #expect(code { _ = try store.load("x", for: key("x86_64").counted) }.0 == .noBaseline)
        #expect(code { _ = try store.load("../x", for: key("x86_64").counted) }.0 == .usage)
    }

    @Test func anOlderLayoutIsRefused() throws {
        let folder = try TemporaryFolder()
        let store = try BaselineStore(path: folder.path)
        var old = try baseline(key("x86_64"))
        old.schemaVersion -= 1
        _ = try store.save(old)
        let outcome = code { _ = try store.load("counted", for: old.key.counted) }
        #expect(outcome.0 == .notComparable)
        #expect(outcome.1.contains("schema version"))
    }

    @Test func pointsOfASweepKeepTheirOwnFigures() throws {
        let folder = try TemporaryFolder()
        let directory = try RunFolderWriter(parent: folder.path)
        try directory.write(
            RunReport(
                runId: directory.context.runIdentifier, startedAt: RunReport.now(), arguments: [],
                suite: "s", seed: 1, gitRevision: nil))
        var result = CaseResult.empty()
        result.elapsedSeconds = 1
        for point in 1...2 {
            result.sweep = "payload=\(point)"
            for run in 1...2 {
                result.operations = 10 * point + run
                try directory.append(sample: result, run: run)
            }
            try directory.append(result)
        }
        let rows = try RunFolder(path: directory.path).metricRows()
        #expect(rows.map(\.throughputSamples) == [[11, 12], [21, 22]])
    }

    @Test func noiseFloorsHaveTheKeyOfTimes() throws {
        let folder = try TemporaryFolder()
        let store = try BaselineStore(path: folder.path)
        let row = NoiseFloors.Row(floor: 0.01, runs: 10, options: "count=1")
        var noise = NoiseFloors(key: key("x86_64"), rows: ["a/otherModule_1": row])
        _ = try store.save(noise)
        #expect(try store.noiseFloors(for: key("x86_64")) == noise)
        // A later measurement is added to the stored floors.
        _ = try store.merge(["b": row], for: key("x86_64"))
        noise.rows["b"] = row
        #expect(try store.noiseFloors(for: key("x86_64")) == noise)
        var moved = key("x86_64")
        moved.cores = 4
        #expect(code { _ = try store.noiseFloors(for: moved) }.0 == .noBaseline)
        #expect(try store.all().isEmpty)
    }

    @Test func aFloorHoldsForTheSameWorkOnly() throws {
        var benchmarkCase = try #require(
            try WorkloadCatalogue.makeCase(
                workload: "count", strategy: "engine", engine: "realm", durability: .full,
                isEncrypted: false, size: 100, options: CaseOptions()))
        let options = benchmarkCase.options.fingerprint
        func gating(floor: Double = 0.01, runs: Int = 10) -> NoiseFloors.Gating {
            let row = NoiseFloors.Row(
                floor: floor, runs: runs, options: options)
            return NoiseFloors(
                key: key("x86_64"), rows: [benchmarkCase.identifier.description: row]
            ).gating(of: benchmarkCase, by: TimedPolicy())
        }
        #expect(gating() == .gated(floor: 0.01))
        #expect(gating(floor: 0.05).reason?.contains("above 4.0 %") == true)
        let more = TimedPolicy().runs + 1
        #expect(gating(runs: more).reason?.contains("\(more) processes") == true)
        benchmarkCase.options.batchSize = 7
        #expect(gating().reason?.contains("other work") == true)
        #expect(gating().reason?.contains("batchSize=7") == true)
        let empty = NoiseFloors(key: key("x86_64"), rows: [:])
        #expect(empty.gating(of: benchmarkCase, by: TimedPolicy()).floor == nil)
    }
}
