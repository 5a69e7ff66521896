import CMeasurement
import StorageEngine
import ToolSupport

/// The scan speed of a column of 8-byte values larger than the caches, compared with the memory
/// bandwidth. The values are random, so that they cannot be packed more tightly.
enum ColumnScanWorkload {
    static let workload = Workload(
        name: "scan-column",
        summary: "counts by one column of 8-byte values that is larger than the caches",
        strategies: [
            Workload.Strategy(
                name: "3-properties", summary: "of a table with 3 columns", layer: "engine"),
            Workload.Strategy(
                name: "30-properties",
                summary: "of a table with 30 columns, the others are not read", layer: "engine"),
        ],
        // The number of values, 64 MB together.
        defaultSize: 8_000_000, preparation: prepare, body: run)

    private static let passes = 20
    private static let rowsOfTransaction = 10_000

    private static func prepare(
        _ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment
    ) throws {
        let core = try CoreCase(benchmarkCase, environment)
        try core.makeDatabaseFolder()
        let connection = try Connection(
            Database.open(path: core.databasePath, options: .ofCase))
        let columns = core.strategy == "30-properties" ? 30 : 3
        let table = try RealmTablePersonStore.table(connection, definition(columns: columns))
        var source = SeededGenerator(seed: core.seed)
        for first in stride(from: 0, to: core.size, by: rowsOfTransaction) {
            try connection.beginWrite()
            for number in first..<min(first + rowsOfTransaction, core.size) {
                try insert(source.value(), number, into: table, columns: columns)
            }
            try connection.commit(core.durability.ofCommit)
        }
    }

    private static func definition(columns: Int) -> TableDefinition {
        TableDefinition(
            name: "Measurement",
            columns: (0..<columns).map { ColumnDefinition(name: "value\($0)", type: .int) })
    }

    /// Inserts a row. The first value is the scanned one; each other value takes one byte.
    private static func insert(
        _ value: Int64, _ number: Int, into table: Table, columns: Int
    ) throws {
        try withUnsafeTemporaryAllocation(of: Scalar.self, capacity: columns) { row in
            row.initializeElement(at: 0, to: .integer(value))
            for column in 1..<columns {
                row.initializeElement(at: column, to: .integer(Int64(number &* column & 127)))
            }
            _ = try table.insert(UnsafeBufferPointer(row))
        }
    }

    private static func run(
        _ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment
    ) throws -> CaseOutcome {
        let core = try CoreCase(benchmarkCase, environment)
        let connection = try Connection(
            Database.open(path: core.databasePath, options: .ofCase))
        guard let table = try connection.table(named: "Measurement") else {
            throw BenchmarkError(.caseFailed, "The file has no table 'Measurement'.")
        }
        core.progress(fraction: 0)
        var source = SeededGenerator(seed: core.seed)
        let values = (0..<core.size).map { _ in source.value() }
        let limit = Int64.max / 4
        let isBelow = try table.predicate(0, .compare(.less, .integer(limit)))
        var count = CaseResult(benchmarkCase)
        let distribution = try measure(
            &count, core, expected: values.count { $0 < limit }, environment.allocations
        ) { try table.count(where: isBelow) }
        count.digest = ResultDigest.text(of: UInt64(values.count { $0 < limit }))
        count.fill(StoreSize(try connection.database.statistics()))
        var control = CaseResult.control(
            "\(core.strategy)-memory", beside: benchmarkCase)
        _ = try measure(
            &control, core, expected: values.reduce(0) { $0 &+ Int($1) }, nil
        ) { sum(values) }
        control.peakResidentBytes = nil
        return CaseOutcome(results: [count, control], histograms: [.latency: distribution])
    }

    /// Measures passes after one warm-up pass. Every pass must give the expected count.
    private static func measure(
        _ result: inout CaseResult, _ core: CoreCase, expected: Int, _ probe: AllocationProbe?,
        _ pass: () throws -> Int
    ) throws -> HistogramData {
        var isRight = try pass() == expected
        let passes = core.options.count.map { max(1, $0 / core.size) } ?? passes
        var allocations = AllocationMeasurement(probe)
        var timer = BatchTimer(batchSize: core.size)
        try MeasuredRegion.run(for: result) {
            for _ in 0..<passes {
                if try pass() != expected { isRight = false }
                timer.endBatch()
            }
        }
        let allocated = allocations.finish(operations: timer.operations)
        guard isRight else {
            throw BenchmarkError(.caseFailed, "A pass gave a wrong answer.")
        }
        timer.fill(&result)
        result.fill(allocated)
        return timer.distribution
    }

    /// Runs the control: the sum of the same bytes in a plain array. The compiler vectorises a sum
    /// better than comparisons, so that the memory is the only limit.
    @inline(never)
    private static func sum(_ values: [Int64]) -> Int {
        values.withUnsafeBufferPointer { values in
            var sum: Int64 = 0
            for value in values { sum &+= value }
            realm_bench_forget_memory()
            return Int(sum)
        }
    }
}

extension SeededGenerator {
    /// Returns a value of all 64 bits, which no narrower integer can hold.
    fileprivate mutating func value() -> Int64 { Int64(bitPattern: next()) }
}
