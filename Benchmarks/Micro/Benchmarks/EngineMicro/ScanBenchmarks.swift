import Benchmark
import Foundation
import StorageEngine

/// Registers the benchmarks of scans over single columns of a table of 100,000 rows in memory. The
/// packing of the columns determines their speed.
func scanBenchmarks() {
    measure("count-small-integers-of-100000-rows") { benchmark in
        try withTable { table in
            let isYoung = try table.predicate(0, .compare(.less, .integer(30)))
            benchmark.startMeasurement()
            blackHole(try table.count(where: isYoung))
            benchmark.stopMeasurement()
        }
    }

    measure("count-doubles-of-100000-rows") { benchmark in
        try withTable { table in
            let isLow = try table.predicate(1, .compare(.less, .double(1000)))
            benchmark.startMeasurement()
            blackHole(try table.count(where: isLow))
            benchmark.stopMeasurement()
        }
    }

    measure("count-prefixes-of-100000-rows") { benchmark in
        try withTable { table in
            var prefix = "name 12"
            let hasPrefix = try prefix.withUTF8 {
                try table.predicate(2, .hasPrefix(UnsafeRawBufferPointer($0)))
            }
            benchmark.startMeasurement()
            blackHole(try table.count(where: hasPrefix))
            benchmark.stopMeasurement()
        }
    }

    measure("sum-small-integers-of-100000-rows") { benchmark in
        try withTable { table in
            benchmark.startMeasurement()
            blackHole(try table.sum(0).integer)
            benchmark.stopMeasurement()
        }
    }

    measure("first-100-of-100000-rows") { benchmark in
        try withTable { table in
            benchmark.startMeasurement()
            blackHole(try table.firstKeys(100, sortedBy: 1))
            benchmark.stopMeasurement()
        }
    }

    measure("sort-100000-rows") { benchmark in
        try withTable { table in
            benchmark.startMeasurement()
            blackHole(try table.keys(sortedBy: 1))
            benchmark.stopMeasurement()
        }
    }
}

/// The table of all scans, in a database that lives as long as its connection.
///
/// Unsafe is justified because the benchmarks of an executable run one after the other.
nonisolated(unsafe) private var scanned: (connection: Connection, table: Table)?

private func withTable(_ body: (Table) throws -> Void) throws {
    let (_, table) = try scanned ?? makeTable()
    try body(table)
}

private func makeTable() throws -> (connection: Connection, table: Table) {
    let connection = try Connection(
        Database.open(
            path: "scans-\(UUID().uuidString)", options: Database.Options(inMemory: true)))
    try connection.beginWrite()
    try connection.createTables([
        TableDefinition(
            name: "Row",
            columns: [
                ColumnDefinition(name: "small", type: .int),
                ColumnDefinition(name: "double", type: .double),
                ColumnDefinition(name: "name", type: .string),
            ])
    ])
    guard let table = try connection.table(named: "Row") else {
        preconditionFailure("The table was not created.")
    }
    for number in 0..<100_000 {
        var name = "name \(number * 7919 % 100_000)"
        try name.withUTF8 { name in
            try withUnsafeTemporaryAllocation(of: Scalar.self, capacity: 3) { row in
                row.initializeElement(at: 0, to: .integer(Int64(number * 31 % 100)))
                row.initializeElement(at: 1, to: .double(Double(number * 7919 % 100_000) / 3))
                row.initializeElement(at: 2, to: .bytes(UnsafeRawBufferPointer(name)))
                _ = try table.insert(UnsafeBufferPointer(row))
            }
        }
    }
    try connection.commit()
    scanned = (connection, table)
    return (connection, table)
}
