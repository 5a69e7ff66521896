import BenchmarkKit

/// Persons in a table of SQLite.
///
/// The integer key is the row id. Persons with a string key are in a table without row ids, ordered
/// by name, so that a lookup descends one tree.
final class SQLitePersonStore: PersonStore {
    let layout: PersonLayout
    let connection: SQLiteConnection
    private let statements: Statements
    let queries: Queries

    init(path: String, _ layout: PersonLayout, _ settings: SQLiteSettings) throws {
        self.layout = layout
        connection = try SQLiteConnection(
            path: path, settings, schema: Self.schema(layout))
        statements = try Statements(connection, layout)
        queries = try Queries(connection, layout)
    }

    private static func schema(_ layout: PersonLayout) -> [String] {
        let values = "birthdate INTEGER NOT NULL, age INTEGER NOT NULL"
        let table = "CREATE TABLE IF NOT EXISTS person"
        return switch layout {
        case .unkeyed: ["\(table) (name TEXT NOT NULL, \(values))"]
        case .integerKey: ["\(table) (number INTEGER PRIMARY KEY, name TEXT NOT NULL, \(values))"]
        case .stringKey: ["\(table) (name TEXT PRIMARY KEY NOT NULL, \(values)) WITHOUT ROWID"]
        case .indexed:
            [
                "\(table) (name TEXT NOT NULL, \(values))",
                "CREATE INDEX IF NOT EXISTS person_age ON person (age)",
            ]
        case .indexedNumber:
            [
                "\(table) (number INTEGER NOT NULL, name TEXT NOT NULL, \(values))",
                "CREATE INDEX IF NOT EXISTS person_number ON person (number)",
            ]
        }
    }

    /// Whether the number has a column of its own.
    private static func hasNumber(_ layout: PersonLayout) -> Bool {
        layout == .integerKey || layout == .indexedNumber
    }

    var lastCommit: CommitCost? { nil }

    func insert(_ persons: ArraySlice<PersonValues>) throws {
        let insert = statements.insert
        try connection.write {
            for person in persons {
                insert.bind(person.birthdate, at: 2)
                insert.bind(person.age, at: 3)
                if Self.hasNumber(layout) { insert.bind(person.number, at: 4) }
                try insert.withText(person.name, at: 1) { try insert.run() }
            }
        }
    }

    // MARK: Reading

    func person(number: Int) throws -> (birthdate: Int, age: Int)? {
        guard let find = statements.findNumber else { throw missingKey("integer key", layout) }
        try connection.read()
        find.bind(number, at: 1)
        return try values(find)
    }

    func person(name: String) throws -> (birthdate: Int, age: Int)? {
        guard let find = statements.findName else { throw missingKey("string key", layout) }
        try connection.read()
        return try find.withText(name, at: 1) { try values(find) }
    }

    func values(_ find: SQLiteStatement) throws -> (birthdate: Int, age: Int)? {
        guard try find.step() else { return nil }
        defer { find.reset() }
        return (find.integer(0), find.integer(1))
    }

    func count(ageBelow limit: Int) throws -> Int {
        try connection.read()
        statements.countAge.bind(limit, at: 1)
        return try statements.countAge.runForInteger()
    }

    func count(namePrefix: String) throws -> Int {
        try connection.read()
        guard let end = TextRange.end(ofPrefix: namePrefix) else {
            return try statements.countAll.runForInteger()
        }
        let count = statements.countName
        return try count.withText(namePrefix, at: 1) {
            try end.withUnsafeBufferPointer {
                count.bind(text: $0, at: 2)
                return try count.runForInteger()
            }
        }
    }

    func count(birthdateIn range: Range<Int>) throws -> Int {
        try connection.read()
        statements.countDate.bind(range.lowerBound, at: 1)
        statements.countDate.bind(range.upperBound, at: 2)
        return try statements.countDate.runForInteger()
    }

    func sumOfAges() throws -> Int {
        try connection.read()
        return try statements.sum.runForInteger()
    }

    func names(sortedByAge count: Int) throws -> [String] {
        try connection.read()
        var names: [String] = []
        statements.sort.bind(count, at: 1)
        while try statements.sort.step() { names.append(statements.sort.text(0)) }
        return names
    }

    func forEach(_ body: (_ name: String, _ birthdate: Int, _ age: Int) -> Void) throws {
        try connection.read()
        let all = statements.all
        while try all.step() { body(all.text(0), all.integer(1), all.integer(2)) }
    }

    func checksum() throws -> Int {
        try connection.read()
        var sum = 0
        let all = statements.all
        while try all.step() {
            for byte in all.bytes(0) { sum &+= Int(byte) }
            sum &+= all.integer(1) &+ all.integer(2)
        }
        return sum
    }

    // MARK: Updates

    func updateAllAges(adding: Int) throws {
        statements.updateAll.bind(adding, at: 1)
        try connection.write { try statements.updateAll.run() }
    }

    func updateAge(number: Int, to age: Int) throws {
        guard let update = statements.update else { throw missingKey("integer key", layout) }
        update.bind(age, at: 1)
        update.bind(number, at: 2)
        try connection.write { try update.run() }
    }

    func delete(numbers: [Int]) throws {
        guard let delete = statements.delete else { throw missingKey("integer key", layout) }
        try connection.write {
            for number in numbers {
                delete.bind(number, at: 1)
                try delete.run()
            }
        }
    }

    func deleteOddAges() throws { try connection.write { try statements.deleteOdd.run() } }

    // MARK: The file

    func copy(to path: String) throws { try connection.copy(to: path) }
    func size() throws -> StoreSize { try connection.size() }
    func problems() throws -> [String] { try connection.problems() }
    func refresh() throws { try connection.endReading() }
    func pin() throws { try connection.pin() }
}

extension SQLitePersonStore {
    /// Statements that are prepared once; those for keys are nil in layouts without one.
    struct Statements {
        let insert, countAge, countName, countAll, countDate, sum, sort, all: SQLiteStatement
        let updateAll, deleteOdd: SQLiteStatement
        let findNumber, findName, update, delete: SQLiteStatement?

        init(_ connection: SQLiteConnection, _ layout: PersonLayout) throws {
            let prepare = connection.prepare
            let isKeyed = layout == .integerKey
            insert = try prepare(
                SQLitePersonStore.hasNumber(layout)
                    ? "INSERT INTO person (name, birthdate, age, number) VALUES (?1, ?2, ?3, ?4)"
                    : "INSERT INTO person (name, birthdate, age) VALUES (?1, ?2, ?3)")
            countAll = try prepare("SELECT count(*) FROM person")
            countAge = try prepare("SELECT count(*) FROM person WHERE age < ?1")
            countName = try prepare("SELECT count(*) FROM person WHERE name >= ?1 AND name < ?2")
            countDate = try prepare(
                "SELECT count(*) FROM person WHERE birthdate >= ?1 AND birthdate < ?2")
            sum = try prepare("SELECT sum(age) FROM person")
            sort = try prepare("SELECT name FROM person ORDER BY age, name LIMIT ?1")
            all = try prepare("SELECT name, birthdate, age FROM person")
            updateAll = try prepare("UPDATE person SET age = (age + ?1) % 100")
            deleteOdd = try prepare("DELETE FROM person WHERE age % 2 = 1")
            findNumber =
                isKeyed
                ? try prepare("SELECT birthdate, age FROM person WHERE number = ?1") : nil
            findName =
                layout == .stringKey
                ? try prepare("SELECT birthdate, age FROM person WHERE name = ?1") : nil
            update =
                isKeyed ? try prepare("UPDATE person SET age = ?1 WHERE number = ?2") : nil
            delete = isKeyed ? try prepare("DELETE FROM person WHERE number = ?1") : nil
        }
    }
}
