import Benchmark
import Foundation
@_spi(Benchmarks) import StorageEngine

/// Registers the benchmarks of trees, the map of free pages and commits, with databases in memory.
func databaseBenchmarks() {
    measure(
        "one-commit-of-one-row-in-memory",
        counted: [Counted.pagesWritten, Counted.bytesWritten, Counted.writeCalls]
    ) { benchmark in
        let (connection, table) = try makeTable(keyed: false)
        for number in 0..<10 {
            try connection.beginWrite()
            try insert(number, into: table, keyed: false)
            _ = try connection.commit()
        }
        benchmark.startMeasurement()
        try connection.beginWrite()
        try insert(10, into: table, keyed: false)
        let cost = try connection.commit()
        benchmark.stopMeasurement()
        benchmark.measurement(Counted.pagesWritten, cost.pages)
        benchmark.measurement(Counted.bytesWritten, Int(cost.bytes))
        benchmark.measurement(Counted.writeCalls, cost.writeCalls)
    }

    measure(
        "append-1000-rows-to-a-table", counted: [Counted.pagesWritten, Counted.liveBytes]
    ) { benchmark in
        let (connection, table) = try makeTable(keyed: false)
        benchmark.startMeasurement()
        try connection.beginWrite()
        for number in 0..<1000 { try insert(number, into: table, keyed: false) }
        let cost = try connection.commit()
        benchmark.stopMeasurement()
        benchmark.measurement(Counted.pagesWritten, cost.pages)
        benchmark.measurement(
            Counted.liveBytes, Int(try connection.database.statistics().liveBytes))
    }

    measure(
        "insert-1000-string-keys-out-of-order", counted: [Counted.pagesWritten, Counted.liveBytes]
    ) { benchmark in
        let (connection, table) = try makeTable(keyed: true)
        benchmark.startMeasurement()
        try connection.beginWrite()
        for number in 0..<1000 { try insert(number * 7919 % 1000, into: table, keyed: true) }
        let cost = try connection.commit()
        benchmark.stopMeasurement()
        benchmark.measurement(Counted.pagesWritten, cost.pages)
        benchmark.measurement(
            Counted.liveBytes, Int(try connection.database.statistics().liveBytes))
    }

    measure("find-1000-string-keys") { benchmark in
        let (connection, table) = try makeTable(keyed: true)
        try connection.beginWrite()
        for number in 0..<1000 { try insert(number, into: table, keyed: true) }
        _ = try connection.commit()
        benchmark.startMeasurement()
        for number in 0..<1000 {
            let found = try withKey(number) { try table.find(primaryKey: .bytes($0)) }
            precondition(found != nil, "a key is missing")
        }
        benchmark.stopMeasurement()
        withExtendedLifetime(connection) {}
    }

    measure("allocate-and-free-1000-pages", counted: [Counted.fileBytes]) { benchmark in
        let database = try openInMemory()
        let pages = try EngineParts.Pages(of: database)
        benchmark.startMeasurement()
        for _ in 0..<10 {
            let allocated = try (0..<100).map { _ in try pages.allocate() }
            for page in allocated { try pages.free(page) }
        }
        benchmark.stopMeasurement()
        benchmark.measurement(Counted.fileBytes, Int(try database.fileSize))
        pages.rollback()
    }
}

/// Opens a database in memory with a unique name, which ends with its last connection.
private func openInMemory() throws -> Database {
    try Database.open(
        path: "micro-\(UUID().uuidString)", options: Database.Options(inMemory: true))
}

private func makeTable(keyed: Bool) throws -> (Connection, Table) {
    let connection = try Connection(openInMemory())
    try connection.beginWrite()
    try connection.createTables([
        TableDefinition(
            name: "Row",
            columns: [
                ColumnDefinition(name: "key", type: keyed ? .string : .int, isPrimaryKey: keyed),
                ColumnDefinition(name: "value", type: .double),
            ])
    ])
    _ = try connection.commit()
    guard let table = try connection.table(named: "Row") else {
        preconditionFailure("The table was not created.")
    }
    return (connection, table)
}

private func insert(_ number: Int, into table: Table, keyed: Bool) throws {
    try withKey(number) { key in
        try withUnsafeTemporaryAllocation(of: Scalar.self, capacity: 2) { row in
            row.initializeElement(at: 0, to: keyed ? .bytes(key) : .integer(Int64(number)))
            row.initializeElement(at: 1, to: .double(Double(number) / 3))
            _ = try table.insert(UnsafeBufferPointer(row))
        }
    }
}

/// Passes a key to `body`. All keys have the same length, and their order is that of the numbers.
private func withKey<Result>(
    _ number: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
) rethrows -> Result {
    var key = "key \(100_000 + number)"
    return try key.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
}
