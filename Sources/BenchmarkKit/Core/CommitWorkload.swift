import Foundation
import StorageEngine

/// Durable commits of one row each, through the storage engine, in turns with the bare disk.
enum CommitWorkload: Workload {
    static let name = "commit"
    static let summary = "one row a durable commit, in turns with the same writes without database"
    static let strategies = [(name: "engine", summary: "Table.insert and Connection.commit")]
    static let defaultSize = 1

    static func isDeterministic(_ benchmarkCase: BenchmarkCase) -> Bool {
        benchmarkCase.options.count != nil
    }

    private static let block = 200
    private static let columns = ["sequence", "date", "value"]

    static func run(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
        -> CaseOutcome
    {
        let path = environment.directory + "/commit.realm"
        let options = benchmarkCase.options
        let connection = try Connection(Database.open(path: path))
        let table = try createTable(connection)
        let control = try BareDisk(directory: environment.directory)
        var measured = CommitMeasurement(seed: options.seed)
        try measured.commits(block, connection, table)
        measured.forgetTimes()
        var allocations = AllocationMeasurement(environment.allocations)
        allocations.pause()
        while measured.elapsedSeconds < options.seconds || options.count != nil {
            let left = (options.count ?? .max) - measured.operations
            if left <= 0 { break }
            allocations.resume()
            try measured.commits(min(block, left), connection, table)
            allocations.pause()
            try control.replay(measured.shapes)
            environment.progress(measured.progress(of: options))
        }
        let allocated = allocations.finish(operations: measured.operations)
        var result = CaseResult(benchmarkCase)
        result.batchSize = 1
        measured.fill(&result)
        result.allocationsPerOperation = allocated?.allocations
        result.allocatedBytesPerOperation = allocated?.bytes
        let statistics = try connection.database.statistics()
        result.fileBytes = Int(statistics.fileBytes)
        result.liveBytes = Int(statistics.liveBytes)
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        let controlResult = control.result(beside: benchmarkCase)
        if let own = result.throughput, let bare = controlResult.throughput {
            result.measure("ratio_to_control", own / bare)
        }
        return CaseOutcome(
            results: [result, controlResult],
            verification: .table(
                TableExpectation(
                    path: path, table: "Reading", columns: columns, rows: measured.rows,
                    digest: measured.digest.text)))
    }

    private static func createTable(_ connection: Connection) throws -> Table {
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Reading",
                columns: [
                    ColumnDefinition(name: columns[0], type: .int),
                    ColumnDefinition(name: columns[1], type: .date),
                    ColumnDefinition(name: columns[2], type: .double),
                ])
        ])
        try connection.commit()
        guard let table = try connection.table(named: "Reading") else {
            throw BenchmarkError(.caseFailed, "The table 'Reading' was not created.")
        }
        return table
    }
}

/// Commits single rows and keeps account of what they cost.
private struct CommitMeasurement {
    private var generator: SeededGenerator
    private var latency = LatencyRecorder()
    private var lockWait = LatencyRecorder()
    private var work = LatencyRecorder()
    private var syncTimes = LatencyRecorder()
    private var commitTimes = LatencyRecorder()
    private var elapsed: UInt64 = 0
    private var rates: [Double] = []
    private var pages = 0, bytes = 0, writeCalls = 0, syncs = 0
    private(set) var operations = 0
    /// All rows ever written, those of the warm-up included.
    private(set) var rows = 0
    private(set) var digest = ResultDigest()
    /// Of the commits of the last block.
    private(set) var shapes: [CommitShape] = []

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    var elapsedSeconds: Double { Double(elapsed) / 1e9 }

    mutating func commits(_ count: Int, _ connection: Connection, _ table: Table) throws {
        shapes.removeAll(keepingCapacity: true)
        let start = monotonicNanoseconds()
        for _ in 0..<count {
            let statistics = try commitOne(connection, table)
            shapes.append(
                CommitShape(writeCalls: statistics.writeCalls, bytes: statistics.bytes))
        }
        let end = monotonicNanoseconds()
        elapsed += end - start
        operations += count
        rates.append(Double(count) / seconds(from: start, to: end))
    }

    func progress(of options: CaseOptions) -> ProgressUpdate {
        let fraction =
            options.count.map { Double(operations) / Double($0) }
            ?? elapsedSeconds / options.seconds
        // The control's turns take about as long again.
        return ProgressUpdate(
            phase: "running", fraction: min(1, fraction),
            secondsLeft: fraction > 0
                ? max(0, elapsedSeconds * 2 * (1 - fraction) / fraction) : nil,
            operationsPerSecond: rates.last)
    }

    private mutating func commitOne(_ connection: Connection, _ table: Table) throws
        -> CommitStatistics
    {
        let values: (Scalar, Scalar, Scalar) = (
            .integer(Int64(rows)), .double(Double(rows) * 3600),
            .double(generator.nextUnit() * 100)
        )
        let start = monotonicNanoseconds()
        try connection.beginWrite()
        let begun = monotonicNanoseconds()
        try withUnsafeTemporaryAllocation(of: Scalar.self, capacity: 3) { row in
            row.initializeElement(at: 0, to: values.0)
            row.initializeElement(at: 1, to: values.1)
            row.initializeElement(at: 2, to: values.2)
            _ = try table.insert(UnsafeBufferPointer(row))
        }
        let worked = monotonicNanoseconds()
        let statistics = try connection.commit()
        let durable = monotonicNanoseconds()
        latency.record(durable - start)
        lockWait.record(begun - start)
        work.record(worked - begun)
        commitTimes.record(durable - worked)
        syncTimes.record(statistics.syncNanoseconds)
        pages += statistics.pages
        bytes += statistics.bytes
        writeCalls += statistics.writeCalls
        syncs += statistics.syncs
        rows += 1
        var row = ResultDigest.Row()
        row.combine(values.0)
        row.combine(values.1)
        row.combine(values.2)
        digest.add(row)
        return statistics
    }

    /// Ends the warm-up.
    mutating func forgetTimes() {
        latency.reset()
        lockWait.reset()
        work.reset()
        syncTimes.reset()
        commitTimes.reset()
        elapsed = 0
        rates = []
        (pages, bytes, writeCalls, syncs, operations) = (0, 0, 0, 0, 0)
    }

    func fill(_ result: inout CaseResult) {
        let commits = Double(operations)
        result.operations = operations
        result.elapsedSeconds = elapsedSeconds
        result.interval = ThroughputInterval(samples: rates)
        result.latency = latency.summary()
        result.lockWaitP99 = lockWait.percentile(99)
        result.syncP99 = syncTimes.percentile(99)
        guard operations > 0 else { return }
        result.syncsPerCommit = Double(syncs) / commits
        result.bytesWrittenPerCommit = Double(bytes) / commits
        result.pagesWrittenPerCommit = Double(pages) / commits
        // Three values of 8 bytes.
        result.writeAmplification = Double(bytes) / (commits * 24)
        result.measure("commits", commits)
        result.writeCallsPerCommit = Double(writeCalls) / commits
        result.measure("commit_p50_us", commitTimes.percentile(50))
        result.measure("commit_p99_us", commitTimes.percentile(99))
        result.measure("lock_wait_p50_us", lockWait.percentile(50))
        result.measure("work_p50_us", work.percentile(50))
        result.measure("work_p99_us", work.percentile(99))
        result.measure("sync_p50_us", syncTimes.percentile(50))
    }
}
