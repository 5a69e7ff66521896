import Foundation
import Testing

@testable import BenchmarkKit
@testable import PeerEngines

extension PeerTests {
    /// The workload `notify` proves that each observer is told of each commit.
    @Suite struct ObserverTests {
        private func row(
            _ strategy: String, engine: String, in folder: TemporaryFolder
        ) throws -> CaseOutcome {
            var options = CaseOptions()
            options.count = 10
            if strategy == "queue-100000-changes" { options.changes = 150 }
            let benchmarkCase = try #require(
                try WorkloadCatalogue.makeCase(
                    of: NotifyWorkload.workload, strategy: strategy, engine: engine, size: 150,
                    options: options))
            try #require(benchmarkCase.unsupported == nil)
            let directory = "\(folder.path)/\(engine)-\(strategy)"
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
            let environment = CaseEnvironment(
                directory: directory, fixtures: folder.path, allocations: nil, progress: { _ in })
            try NotifyWorkload.workload.prepare(benchmarkCase, in: environment)
            return try NotifyWorkload.workload.run(benchmarkCase, in: environment)
        }

        @Test(arguments: NotifyWorkload.ways.filter(\.isCommon).map(\.name))
        func observersOfGRDBAreToldOfTheSameCommits(strategy: String) throws {
            _ = Peer.all
            let folder = try TemporaryFolder()
            let outcomes = try ["realm", "grdb"].map {
                try row(strategy, engine: $0, in: folder)
            }
            let rows = outcomes.map(\.results[0])
            #expect(rows.map(\.operations) == [10, 10])
            #expect(rows[0].digest == rows[1].digest)
            #expect(try outcomes.allSatisfy { try $0.verification?.problems() == [] })
            // Only rows of the embedded engine have a control beside them.
            #expect(outcomes.map(\.results.count) == [2, 1])
        }

        @Test func whatOnlyTheEmbeddedEngineHasGivesNoRowOfOthers() throws {
            _ = Peer.all
            for (engine, strategies) in [
                ("grdb", ["refresh", "thread", "actor", "process"]), ("lmdb", ["queue"]),
            ] {
                for strategy in strategies {
                    let benchmarkCase = try WorkloadCatalogue.makeCase(
                        of: NotifyWorkload.workload, strategy: strategy, engine: engine,
                        size: 100, options: CaseOptions())
                    #expect(benchmarkCase == nil, "\(engine) \(strategy)")
                }
            }
        }
    }
}
