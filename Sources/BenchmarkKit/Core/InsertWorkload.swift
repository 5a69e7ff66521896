import Foundation
@_spi(Measurement) import RealmSwift
import StorageEngine

/// Bulk insert of persons without a key, in durable transactions.
enum InsertWorkload: Workload {
    static let name = "insert"
    static let summary = "bulk insert of persons (name, birth date, age), no key"
    static let strategies = insertStrategies
    static let defaultSize = 1_000_000
    static func isDeterministic(_ benchmarkCase: BenchmarkCase) -> Bool { true }

    static func size(for options: CaseOptions, asked: Int?) -> Int {
        options.count ?? asked ?? defaultSize
    }

    static func run(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
        -> CaseOutcome
    {
        try InsertRun(benchmarkCase, environment, isKeyed: false).run()
    }
}

/// The same with an integer primary key.
enum InsertKeyedWorkload: Workload {
    static let name = "insert-int-key"
    static let summary = "bulk insert of persons with an integer primary key"
    static let strategies = insertStrategies
    static let defaultSize = 1_000_000
    static func isDeterministic(_ benchmarkCase: BenchmarkCase) -> Bool { true }

    static func size(for options: CaseOptions, asked: Int?) -> Int {
        options.count ?? asked ?? defaultSize
    }

    static func run(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
        -> CaseOutcome
    {
        try InsertRun(benchmarkCase, environment, isKeyed: true).run()
    }
}

private let insertStrategies = [
    (name: "api", summary: "Realm.add of new objects, --batch-size a transaction"),
    (name: "engine", summary: "Table.insert of the storage engine, --batch-size a transaction"),
]

/// One bulk insert: whichever the layer, the same values in transactions of the same size, in turns
/// with the same bytes written without a database.
private final class InsertRun {
    /// Transactions before the control row gets its turn.
    private static let block = 20

    private let benchmarkCase: BenchmarkCase
    private let environment: CaseEnvironment
    private let isKeyed: Bool
    private let path: String
    private var generator: PersonGenerator
    private let control: BareDisk
    private var latency = LatencyRecorder()
    private var syncTimes = LatencyRecorder()
    private var rates: [Double] = []
    private var shapes: [CommitShape] = []
    /// Of the transactions alone, without the control's turns.
    private var counted: SystemCounters
    private var pages = 0
    private var commits = 0
    private var timeline: [TimelinePoint] = []

    private var size: Int { benchmarkCase.identifier.size }
    private var batchSize: Int { benchmarkCase.options.batchSize }

    init(_ benchmarkCase: BenchmarkCase, _ environment: CaseEnvironment, isKeyed: Bool)
        throws
    {
        self.benchmarkCase = benchmarkCase
        self.environment = environment
        self.isKeyed = isKeyed
        path = environment.directory + "/persons.realm"
        generator = PersonGenerator(seed: benchmarkCase.options.seed)
        control = try BareDisk(directory: environment.directory)
        let now = SystemCounters.current
        counted = now - now
        shapes.reserveCapacity(Self.block)
    }

    func run() throws -> CaseOutcome {
        ProcessStatus.resetPeakResidentBytes()
        let allocations: (allocations: Double, bytes: Double)?
        let elapsed: UInt64
        switch benchmarkCase.identifier.strategy {
        case "api": (elapsed, allocations) = try insertThroughAPI()
        default: (elapsed, allocations) = try insertThroughEngine()
        }
        let peak = ProcessStatus.peakResidentBytes()
        environment.progress(ProgressUpdate(phase: "closing"))
        var result = CaseResult(benchmarkCase)
        result.batchSize = batchSize
        result.operations = size
        result.elapsedSeconds = Double(elapsed) / 1e9
        result.interval = ThroughputInterval(samples: rates)
        result.latency = latency.summary()
        result.syncP99 = syncTimes.percentile(99)
        result.allocationsPerOperation = allocations?.allocations
        result.allocatedBytesPerOperation = allocations?.bytes
        result.peakResidentBytes = peak
        if control.elapsedNanoseconds > 0 {
            result.measure(
                "ratio_to_control", Double(control.elapsedNanoseconds) / Double(elapsed))
        }
        try fill(&result)
        return CaseOutcome(
            results: [result] + controlResults(), timeline: timeline,
            verification: .table(
                TableExpectation(
                    path: path, table: isKeyed ? "KeyedPerson" : "Person",
                    columns: ["name", "birthdate", "age"], rows: size,
                    digest: result.digest ?? "")))
    }

    private func fill(_ result: inout CaseResult) throws {
        result.measure("commits", Double(commits))
        result.syncsPerCommit = Double(counted.syncs) / Double(commits)
        result.bytesWrittenPerCommit = Double(counted.bytesWritten) / Double(commits)
        result.writeCallsPerCommit = Double(counted.writeCalls) / Double(commits)
        result.pagesWrittenPerCommit = Double(pages) / Double(commits)
        var logical = 0
        var digest = ResultDigest()
        var repeated = PersonGenerator(seed: benchmarkCase.options.seed)
        for _ in 0..<size {
            let person = repeated.next()
            logical += person.logicalBytes(isKeyed ? .integerKey : .unkeyed)
            var row = ResultDigest.Row()
            row.combine(person)
            digest.add(row)
        }
        result.digest = digest.text
        result.writeAmplification = Double(counted.bytesWritten) / Double(logical)
        let statistics = try Database.open(path: path).statistics()
        result.fileBytes = Int(statistics.fileBytes)
        result.liveBytes = Int(statistics.liveBytes)
        result.measure("file_bytes_per_object", Double(statistics.fileBytes) / Double(size))
        result.measure("payload_bytes_per_object", Double(logical) / Double(size))
    }

    // MARK: Controls

    private func controlResults() -> [CaseResult] {
        let strategy = benchmarkCase.identifier.strategy
        let disk = control.result(
            beside: benchmarkCase, strategy: strategy + "-bare-disk", operations: size)
        return strategy == "api" ? [disk, constructionResult()] : [disk]
    }

    /// Making the same objects without adding them to a Realm.
    private func constructionResult() -> CaseResult {
        var result = CaseResult.control("api-unmanaged", beside: benchmarkCase)
        var generator = PersonGenerator(seed: benchmarkCase.options.seed)
        var timer = BatchTimer(batchSize: 1000)
        for _ in 0..<min(1000, max(1, size / 1000)) {
            for _ in 0..<1000 {
                let values = generator.next()
                let person: Object = isKeyed ? KeyedPerson(values) : Person(values)
                withExtendedLifetime(person) {}
            }
            timer.endBatch()
        }
        timer.fill(&result)
        result.peakResidentBytes = nil
        return result
    }

    // MARK: The two layers

    private func insertThroughAPI() throws -> (UInt64, (Double, Double)?) {
        let type: Object.Type = isKeyed ? KeyedPerson.self : Person.self
        let realm = try Realm(configuration: personsConfiguration(path: path, type))
        return try measured { count in
            try realm.write {
                for _ in 0..<count {
                    let values = generator.next()
                    if isKeyed { realm.add(KeyedPerson(values)) } else { realm.add(Person(values)) }
                }
            }
            guard let statistics = realm.lastCommitStatistics else {
                throw BenchmarkError(.caseFailed, "A commit left no statistics.")
            }
            return statistics
        }
    }

    private func insertThroughEngine() throws -> (UInt64, (Double, Double)?) {
        let connection = try Connection(Database.open(path: path))
        var columns = [
            ColumnDefinition(name: "name", type: .string),
            ColumnDefinition(name: "birthdate", type: .date),
            ColumnDefinition(name: "age", type: .int),
        ]
        if isKeyed {
            columns.insert(
                ColumnDefinition(name: "number", type: .int, isPrimaryKey: true), at: 0)
        }
        let name = isKeyed ? "KeyedPerson" : "Person"
        try connection.beginWrite()
        try connection.createTables([TableDefinition(name: name, columns: columns)])
        try connection.commit()
        guard let table = try connection.table(named: name) else {
            throw BenchmarkError(.caseFailed, "The table '\(name)' was not created.")
        }
        return try measured { count in
            try connection.beginWrite()
            for _ in 0..<count { try insert(generator.next(), into: table) }
            return try connection.commit()
        }
    }

    private func insert(_ person: PersonValues, into table: Table) throws {
        var name = person.name
        try name.withUTF8 { bytes in
            try withUnsafeTemporaryAllocation(of: Scalar.self, capacity: 4) { row in
                let date = person.birthdateAsDate.timeIntervalSinceReferenceDate
                row.initializeElement(at: 0, to: .integer(Int64(person.number)))
                row.initializeElement(at: 1, to: .bytes(UnsafeRawBufferPointer(bytes)))
                row.initializeElement(at: 2, to: .double(date))
                row.initializeElement(at: 3, to: .integer(Int64(person.age)))
                let columns = isKeyed ? row[...] : row[1...]
                _ = try table.insert(UnsafeBufferPointer(rebasing: columns))
            }
        }
    }

    /// Inserts everything in transactions, `insert` being one; times each.
    private func measured(_ insert: (Int) throws -> CommitStatistics) throws
        -> (UInt64, (Double, Double)?)
    {
        var allocations = AllocationMeasurement(environment.allocations)
        var elapsed: UInt64 = 0
        var inserted = 0
        var sampledAt: UInt64 = 0
        while inserted < size {
            let before = SystemCounters.current
            for _ in 0..<Self.block where inserted < size {
                let count = min(batchSize, size - inserted)
                elapsed += try time(count, insert)
                inserted += count
            }
            let done = SystemCounters.current - before
            counted.syncs += done.syncs
            counted.writeCalls += done.writeCalls
            counted.bytesWritten += done.bytesWritten
            allocations.pause()
            try control.replay(shapes)
            shapes.removeAll(keepingCapacity: true)
            if elapsed - sampledAt > 100_000_000 {
                sampledAt = elapsed
                sample(inserted, elapsed: Double(elapsed) / 1e9)
            }
            allocations.resume()
        }
        return (elapsed, allocations.finish(operations: size))
    }

    /// One transaction; returns its nanoseconds.
    private func time(_ count: Int, _ insert: (Int) throws -> CommitStatistics) throws -> UInt64 {
        let start = monotonicNanoseconds()
        let statistics = try insert(count)
        let elapsed = monotonicNanoseconds() - start
        latency.record(elapsed, count: UInt64(count))
        rates.append(Double(count) * 1e9 / Double(elapsed))
        syncTimes.record(statistics.syncNanoseconds)
        pages += statistics.pages
        commits += 1
        shapes.append(CommitShape(writeCalls: statistics.writeCalls, bytes: statistics.bytes))
        return elapsed
    }

    private func sample(_ inserted: Int, elapsed: Double) {
        timeline.append(
            TimelinePoint(
                elapsed: elapsed, operations: inserted, fileBytes: fileSize(path) ?? 0,
                residentBytes: ProcessStatus.residentBytes()))
        let fraction = Double(inserted) / Double(size)
        environment.progress(
            ProgressUpdate(
                phase: "running", fraction: fraction,
                secondsLeft: elapsed * (1 - fraction) / fraction,
                operationsPerSecond: Double(inserted) / elapsed))
    }
}
