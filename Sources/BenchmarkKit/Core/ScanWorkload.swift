import RealmSwift
import StorageEngine

/// Scans of all persons: how many are younger than 30.
enum ScanWorkload: Workload {
    static let name = "scan"
    static let summary = "counts the persons younger than 30 among all"
    static let strategies = [
        (name: "api", summary: "iterates over Results and reads a property of each object"),
        (name: "engine", summary: "visits the leaves and reads their packed column"),
    ]
    static let defaultSize = 1_000_000
    static func isDeterministic(_ benchmarkCase: BenchmarkCase) -> Bool { true }

    private static let limit = 30
    private static let passes = 20

    static func run(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
        -> CaseOutcome
    {
        let size = benchmarkCase.identifier.size
        let path = try PersonsFixture.path(
            size: size, seed: benchmarkCase.options.seed, in: environment)
        environment.progress(ProgressUpdate(phase: "running"))
        let scan =
            benchmarkCase.identifier.strategy == "api"
            ? try apiScan(path) : try engineScan(path)
        let expected = try scan()
        var allocations = AllocationMeasurement(environment.allocations)
        var timer = BatchTimer(batchSize: size)
        try MeasuredRegion.run {
            for _ in 0..<passes {
                guard try scan() == expected else {
                    throw BenchmarkError(.caseFailed, "Two scans of one version differ.")
                }
                timer.endBatch()
            }
        }
        let allocated = allocations.finish(operations: timer.operations)
        var result = CaseResult(benchmarkCase)
        timer.fill(&result)
        result.measure("pass_p50_us", timer.batchMedian)
        result.allocationsPerOperation = allocated?.allocations
        result.allocatedBytesPerOperation = allocated?.bytes
        var row = ResultDigest.Row()
        row.combine(expected)
        var digest = ResultDigest()
        digest.add(row)
        result.digest = digest.text
        return CaseOutcome(results: [result])
    }

    private static func apiScan(_ path: String) throws -> () throws -> Int {
        let realm = try PersonsFixture.open(path)
        return {
            var count = 0
            for person in realm.objects(KeyedPerson.self) where person.age < limit { count += 1 }
            return count
        }
    }

    private static func engineScan(_ path: String) throws -> () throws -> Int {
        let connection = try Connection(Database.open(path: path))
        guard let table = try connection.table(named: "KeyedPerson") else {
            throw BenchmarkError(.caseFailed, "The table 'KeyedPerson' is missing.")
        }
        let age = try TableExpectation.column(named: "age", of: table)
        let identifier = table.columnID(age)
        return {
            var count = 0
            try withExtendedLifetime(connection) {
                try table.forEachLeaf { leaf, _ in
                    count += try younger(in: leaf, of: table, column: age, id: identifier)
                    return true
                }
            }
            return count
        }
    }

    private static func younger(in leaf: Node, of table: Table, column: Int, id: UInt16) throws
        -> Int
    {
        var count = 0
        let index = leaf.columnIndex(ofID: id, expected: column)
        guard index >= 0, !leaf.isSpilled(index) else {
            for row in 0..<leaf.rowCount {
                let value = try table.value(column, at: RowLocation(leaf: leaf, row: row))
                if case .integer(let age) = value, age < limit { count += 1 }
            }
            return count
        }
        let packed = leaf.packedData(index)
        // Ages of 0 to 99 are packed into bytes; another width takes the general way.
        if packed.width == 8 {
            let bound = UInt8(clamping: Int64(limit) - packed.base)
            let ages = packed.data.assumingMemoryBound(to: UInt8.self)
            for row in 0..<leaf.rowCount {
                count &+= Int(unsafeBitCast(ages[row] < bound, to: UInt8.self))
            }
        } else {
            for row in 0..<leaf.rowCount {
                count &+= Int(unsafeBitCast(leaf.integer(index, row) < limit, to: UInt8.self))
            }
        }
        return count
    }
}
