import Foundation
import Testing

@testable import BenchmarkKit
@testable import PeerEngines
@testable import ToolSupport

extension PeerTests {
    @Suite struct CompactTests {
        /// Names and contents of all files.
        private func files(below folder: String) throws -> [String: Data] {
            try FolderFiles.paths(below: folder).reduce(into: [:]) {
                $0[$1] = try Data(contentsOf: URL(fileURLWithPath: $1))
            }
        }

        /// Other cases read the file, and every round has to find it as it was made.
        @Test(arguments: Peer.supporting(.copies))
        func theSharedFileStaysAsItWas(_ peer: Peer) throws {
            let folder = try TemporaryFolder()
            var options = CaseOptions()
            options.count = 900
            let benchmarkCase = try #require(
                try WorkloadCatalogue.makeCase(
                    workload: "compact", strategy: peer.engine.layer.rawValue,
                    engine: peer.engine.name, size: 300, options: options))
            let (directory, fixtures) = (folder.path + "/case", folder.path + "/fixtures")
            for path in [directory, fixtures] { try FolderFiles.make(path) }
            let environment = CaseEnvironment(
                directory: directory, fixtures: fixtures, allocations: nil, progress: { _ in })
            try CompactWorkload.workload.prepare(benchmarkCase, in: environment)
            let before = try files(below: fixtures)
            let outcome = try CompactWorkload.workload.run(benchmarkCase, in: environment)
            #expect(outcome.results[0].operations == 900)
            #expect(try #require(outcome.results[0].measure("extra_bytes_max")) > 0)
            #expect(try #require(outcome.verification).problems() == [])
            #expect(try files(below: fixtures) == before)
        }
    }
}
