import Foundation
import ToolSupport

/// The compaction of a file that was changed at random before. One operation is one person copied.
enum CompactWorkload {
    static let workload = Workload.persons(
        "compact", "a packed copy of a file that was changed at random before", needs: [.copies],
        on: .aged, run)

    private static func run(_ core: CoreCase, _ file: PersonsFile) throws -> CaseOutcome {
        let fixture = file.fixture(of: core)
        core.progress(fraction: 0)
        var bytesBefore = 0
        var timer = BatchTimer(batchSize: core.size)
        var extraBytes = 0
        let rounds = core.options.count.map { max(1, $0 / core.size) } ?? 1
        var allocations = AllocationMeasurement(core.environment.allocations)
        allocations.pause()
        var io = IOMeasurement(core.engine)
        for round in 0..<rounds {
            let store = try core.open(freshSource(core, fixture), file.layout)
            bytesBefore = try store.size().fileBytes
            let watch = SpaceWatch(core.environment.directory)
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
            // The store closes here, outside the measured region.
            withExtendedLifetime(store) {}
            try copied.get()
            core.progress(fraction: Double(round + 1) / Double(rounds))
        }
        var result = CaseResult(core.benchmarkCase)
        timer.fill(&result)
        result.latency = nil
        result.fill(allocations.finish(operations: timer.operations))
        result.fill(io, commits: rounds, pages: nil, logicalBytes: 0)
        let after = try core.open(core.databasePath, file.layout).size()
        result.fill(after)
        result.measure("bytes_before", Double(bytesBefore))
        result.measure("bytes_after", Double(after.fileBytes))
        result.measure("extra_bytes_max", Double(extraBytes))
        let contents = fixture.oracle().contents()
        result.digest = contents.digest
        return try CaseOutcome(
            results: [result], verification: core.expectation(contents, file.layout))
    }

    /// Prepares an empty folder for the copy and a fresh copy of the source, since some engines
    /// compact the source itself. Returns the path of the source.
    private static func freshSource(_ core: CoreCase, _ fixture: PersonsFixture) throws -> String {
        let folder = core.environment.directory + "/source"
        for used in [folder, core.databaseFolder] {
            try? FileManager.default.removeItem(atPath: used)
        }
        try FolderFiles.make(core.databaseFolder)
        try FolderFiles.copy(fixture.make(in: core.environment), to: folder)
        try FolderFiles.sync(below: folder)
        return folder + "/" + PersonsFixture.fileName
    }

    /// A thread that samples the disk space of a folder, which contains the source and the copy.
    private final class SpaceWatch {
        private let thread: BackgroundThread<Int>

        init(_ folder: String) {
            let before = FolderFiles.diskBytes(below: folder)
            thread = BackgroundThread(name: "space") { isStopped in
                var most = 0
                repeat {
                    most = max(most, FolderFiles.diskBytes(below: folder))
                    Thread.sleep(forTimeInterval: 0.005)
                } while !isStopped()
                return max(most, FolderFiles.diskBytes(below: folder)) - before
            }
        }

        /// Stops the thread and returns the largest growth in bytes.
        func stop() throws -> Int { try thread.finish() }
    }
}
