import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct BareDiskTests {
    @Test func theBareDiskWritesWhatItIsTold() throws {
        let folder = try TemporaryFolder()
        let disk = try BareDisk(directory: folder.path)
        try disk.replay([
            CommitShape(writeCalls: 2, bytes: 20_480), CommitShape(writeCalls: 1, bytes: 4096),
        ])
        let result = disk.result(
            beside: BenchmarkCase(
                identifier: CaseIdentifier(workload: "commit", strategy: "engine", size: 1),
                layer: "engine", options: CaseOptions()))
        #expect(result.operations == 2)
        #expect(result.identifier.description == "commit/bare-disk/full/plain/1/control")
        #expect(try #require(result.throughput) > 0)
    }
}

@Suite struct BareGroupsTests {
    @Test func recordsShareGroups() throws {
        let folder = try TemporaryFolder()
        let groups = try BareGroups(directory: folder.path, recordBytes: 300)
        let workers = WorkerThreads<Int>(count: 8, name: "writer") { _, start in
            guard start.wait() else { return nil }
            for _ in 0..<50 { try groups.commit() }
            return 50
        }
        workers.waitUntilReady()
        #expect(try workers.run().reduce(0, +) == 400)
        // At most one record of each thread is in a group, because each thread waits for its own
        // record before the next one.
        #expect((50...400).contains(groups.groups))
    }
}
