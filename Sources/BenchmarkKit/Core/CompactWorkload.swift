import Foundation
import Synchronization

/// A packed copy of a file that was changed at random before. One operation is one person copied.
enum CompactWorkload: FixtureWorkload {
    static let name = "compact"
    static let summary = "a packed copy of a file that was changed at random before"
    static let features: [EngineFeature] = [
        .persons, .integerKeys, .updates, .deletes, .copies,
    ]
    static let isAged = true

    static func run(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
        -> CaseOutcome
    {
        let core = try CoreCase(benchmarkCase, environment)
        let store = try core.open(path(core), layout)
        core.progress(fraction: 0)
        let before = try store.size()
        var timer = BatchTimer(batchSize: core.size)
        var extraBytes = 0
        let rounds = core.options.count.map { max(1, $0 / core.size) } ?? 1
        var allocations = AllocationMeasurement(environment.allocations)
        allocations.pause()
        var io = IOMeasurement(core.engine)
        for round in 0..<rounds {
            try emptyFolder(core)
            let watch = SpaceWatch(core.databaseFolder)
            allocations.resume()
            io.resume()
            timer.beginBatch()
            let copied = Result {
                try MeasuredRegion.run { try store.copy(to: core.databasePath) }
            }
            timer.endBatch()
            io.pause()
            allocations.pause()
            extraBytes = max(extraBytes, try watch.stop())
            try copied.get()
            core.progress(fraction: Double(round + 1) / Double(rounds))
        }
        var result = CaseResult(benchmarkCase)
        timer.fill(&result)
        result.latency = nil
        result.fill(allocations.finish(operations: timer.operations))
        result.fill(io, commits: rounds, pages: nil, logicalBytes: 0)
        let after = try core.open(core.databasePath, layout).size()
        result.fill(after)
        result.measure("bytes_before", Double(before.fileBytes))
        result.measure("bytes_after", Double(after.fileBytes))
        result.measure("extra_bytes_max", Double(extraBytes))
        let contents = core.fixture(layout, isAged: isAged).oracle().contents()
        result.digest = contents.digest
        return CaseOutcome(
            results: [result], verification: core.expectation(contents, layout))
    }

    private static func emptyFolder(_ core: CoreCase) throws {
        try? FileManager.default.removeItem(atPath: core.databaseFolder)
        try CaseRunner.makeDirectory(core.databaseFolder)
    }

    /// Watches from a thread of its own what a folder takes on the disk.
    private final class SpaceWatch {
        private let isStopped: StopFlag
        private let workers: WorkerThreads<Int>

        private final class StopFlag: Sendable { let value = Atomic<Bool>(false) }

        init(_ folder: String) {
            let flag = StopFlag()
            isStopped = flag
            workers = WorkerThreads(count: 1, name: "space") { _, _ in
                var most = 0
                repeat {
                    most = max(most, FolderFiles.diskBytes(below: folder))
                    Thread.sleep(forTimeInterval: 0.005)
                } while !flag.value.load(ordering: .relaxed)
                return max(most, FolderFiles.diskBytes(below: folder))
            }
        }

        /// The most bytes that there were at a time.
        func stop() throws -> Int {
            isStopped.value.store(true, ordering: .relaxed)
            return try workers.run()[0]
        }
    }
}
