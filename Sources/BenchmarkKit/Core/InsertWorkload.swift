import Foundation
import RealmSwift
import StorageEngine

/// Bulk insert of persons without a key, in durable transactions.
enum InsertWorkload: Workload {
    static let name = "insert"
    static let summary = "bulk insert of persons (name, birth date, age), no key"
    static let strategies = insertStrategies
    static let defaultSize = 1_000_000

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

/// One bulk insert: whichever the layer, the same values in transactions of the same size.
private final class InsertRun {
    private let benchmarkCase: BenchmarkCase
    private let environment: CaseEnvironment
    private let isKeyed: Bool
    private let path: String
    private var generator: PersonGenerator
    private var latency = LatencyRecorder()
    private var syncTimes = LatencyRecorder()
    private var rates: [Double] = []
    private var pages = 0
    private var commits = 0
    private var timeline: [TimelinePoint] = []

    private var size: Int { benchmarkCase.identifier.size }
    private var batchSize: Int { benchmarkCase.options.batchSize }

    init(_ benchmarkCase: BenchmarkCase, _ environment: CaseEnvironment, isKeyed: Bool) {
        self.benchmarkCase = benchmarkCase
        self.environment = environment
        self.isKeyed = isKeyed
        path = environment.directory + "/persons.realm"
        generator = PersonGenerator(seed: benchmarkCase.options.seed)
    }

    func run() throws -> CaseOutcome {
        let before = SystemCounters.current
        ProcessStatus.resetPeakResidentBytes()
        let allocations: (allocations: Double, bytes: Double)?
        let elapsed: UInt64
        switch benchmarkCase.identifier.strategy {
        case "api": (elapsed, allocations) = try insertThroughAPI()
        default: (elapsed, allocations) = try insertThroughEngine()
        }
        let counted = SystemCounters.current - before
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
        try fill(&result, counted)
        return CaseOutcome(
            results: [result], timeline: timeline,
            verification: .table(
                TableExpectation(
                    path: path, table: isKeyed ? "KeyedPerson" : "Person",
                    columns: ["name", "birthdate", "age"], rows: size,
                    digest: result.digest ?? "")))
    }

    private func fill(_ result: inout CaseResult, _ counted: SystemCounters) throws {
        result.measure("commits", Double(commits))
        result.syncsPerCommit = Double(counted.syncs) / Double(commits)
        result.bytesWrittenPerCommit = Double(counted.bytesWritten) / Double(commits)
        result.measure(
            "write_calls_per_commit", Double(counted.writeCalls) / Double(commits))
        if pages > 0 { result.pagesWrittenPerCommit = Double(pages) / Double(commits) }
        var logical = 0
        var digest = ResultDigest()
        var repeated = PersonGenerator(seed: benchmarkCase.options.seed)
        for _ in 0..<size {
            let person = repeated.next()
            logical += person.logicalBytes + (isKeyed ? 8 : 0)
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
            let statistics = try connection.commit()
            pages += statistics.pages
            syncTimes.record(statistics.syncNanoseconds)
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
    private func measured(_ insert: (Int) throws -> Void) throws -> (UInt64, (Double, Double)?) {
        let allocations = AllocationMeasurement(environment.allocations)
        let start = monotonicNanoseconds()
        var last = start
        var inserted = 0
        var sampledAt = start
        while inserted < size {
            let count = min(batchSize, size - inserted)
            try insert(count)
            let now = monotonicNanoseconds()
            latency.record(now - last, count: UInt64(count))
            rates.append(Double(count) / seconds(from: last, to: now))
            last = now
            inserted += count
            commits += 1
            guard now - sampledAt > 100_000_000 else { continue }
            sampledAt = now
            sample(inserted, elapsed: seconds(from: start, to: now))
        }
        return (last - start, allocations.finish(operations: size))
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
