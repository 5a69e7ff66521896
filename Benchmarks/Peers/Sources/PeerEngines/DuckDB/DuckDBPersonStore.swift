import BenchmarkKit
import CDuckDB
import ToolSupport

/// Persons in a table of DuckDB, which is stored by columns. Every query is a transaction of its
/// own and sees the newest version.
final class DuckDBPersonStore: PersonStore {
    let layout: PersonLayout
    private let connection: DuckDBConnection
    let statements: Statements

    init(path: String, _ layout: PersonLayout, threads: Int) throws {
        self.layout = layout
        let number = layout == .integerKey ? ", number BIGINT PRIMARY KEY" : ""
        connection = try DuckDBConnection(
            path, threads: threads,
            schema: """
                CREATE TABLE IF NOT EXISTS person (
                    name VARCHAR NOT NULL, birthdate BIGINT NOT NULL, age INTEGER NOT NULL\(number)
                )
                """)
        statements = try Statements(connection, layout)
    }

    func insert(_ persons: ArraySlice<PersonValues>) throws {
        let functions = connection.functions
        try connection.append(to: "person") { appender in
            for person in persons {
                var name = person.name
                let isNameAppended = name.withUTF8 { bytes in
                    bytes.withMemoryRebound(to: CChar.self) {
                        functions.append_varchar_length(
                            appender, $0.baseAddress, UInt64($0.count)) == 0
                    }
                }
                guard isNameAppended,
                    functions.append_int64(appender, Int64(person.birthdate)) == 0,
                    functions.append_int32(appender, Int32(person.age)) == 0,
                    layout != .integerKey
                        || functions.append_int64(appender, Int64(person.number)) == 0,
                    functions.appender_end_row(appender) == 0
                else { return false }
            }
            return true
        }
    }

    func person(number: Int) throws -> (birthdate: Int, age: Int)? {
        guard let find = statements.findNumber else { throw missingKey("integer key", layout) }
        try find.bind(number)
        var found: (birthdate: Int, age: Int)?
        try find.forEachChunk { found = ($0.integers(0)[0], Int($0.shortIntegers(1)[0])) }
        return found
    }

    // MARK: The file

    func size() throws -> StoreSize { connection.lease.database.size() }

    /// Does nothing, because every query sees the newest version.
    func refresh() throws {}

    /// Statements that are prepared once; that for a key is nil in a layout without one.
    struct Statements {
        let countAge, countName, countDate, countContaining, countCondition: DuckDBStatement
        let sum, ages, average, groups, sort, sortByName, young, all, fromOldest: DuckDBStatement
        let findNumber, countYoung: DuckDBStatement?

        init(_ connection: DuckDBConnection, _ layout: PersonLayout) throws {
            let prepare = connection.prepare
            let (count, values) = ("SELECT count(*) FROM person", "SELECT name, birthdate, age")
            // Ranges take less time than starts_with.
            let hasPrefix = { (index: Int) in "name >= $\(index) AND name < $\(index + 1)" }
            let isBorn = { (index: Int) in "birthdate >= $\(index) AND birthdate < $\(index + 1)" }
            countAge = try prepare("\(count) WHERE age < $1")
            countName = try prepare("\(count) WHERE \(hasPrefix(1))")
            countDate = try prepare("\(count) WHERE \(isBorn(1))")
            countContaining = try prepare("\(count) WHERE contains(name, $1)")
            countCondition = try prepare(
                "\(count) WHERE age < $1 AND \(isBorn(2)) OR \(hasPrefix(4))")
            sum = try prepare("SELECT sum(age)::BIGINT FROM person")
            ages = try prepare("SELECT min(age), max(age) FROM person")
            average = try prepare("SELECT avg(age) FROM person")
            groups = try prepare(
                "SELECT age, count(*), max(birthdate) FROM person GROUP BY age ORDER BY age")
            sort = try prepare("SELECT name FROM person ORDER BY age, name LIMIT $1")
            sortByName = try prepare("SELECT name FROM person ORDER BY name LIMIT $1")
            young = try prepare("\(values) FROM person WHERE age < $1")
            all = try prepare("\(values) FROM person")
            fromOldest = try prepare("\(values) FROM person ORDER BY birthdate, name")
            guard layout == .integerKey else {
                (findNumber, countYoung) = (nil, nil)
                return
            }
            findNumber = try prepare("SELECT birthdate, age FROM person WHERE number = $1")
            countYoung = try prepare("SELECT count(*), max(number) FROM person WHERE age < $1")
        }
    }
}
