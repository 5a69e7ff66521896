import BenchmarkKit
import Foundation
import GRDB

/// Persons as GRDB records.
final class GRDBPersonStore<Person: PersonRecord>: PersonStore {
    /// The number of keys in one DELETE statement; SQLite limits the parameters of a statement.
    private static var keysPerStatement: Int { 1000 }

    let layout: PersonLayout
    private let lease: GRDBDatabase.Lease
    private var snapshot: DatabaseSnapshot?

    init(path: String, _ layout: PersonLayout, _ durability: Durability) throws {
        self.layout = layout
        lease = try GRDBDatabase.lease(path, durability) { database in
            try Person.createTable(database)
            if layout == .indexed {
                try database.create(
                    index: "person_age", on: Person.databaseTableName, columns: ["age"],
                    options: .ifNotExists)
            }
            if layout == .indexedNumber {
                try database.create(
                    index: "person_number", on: Person.databaseTableName, columns: ["number"],
                    options: .ifNotExists)
            }
        }
    }

    var pool: DatabasePool { lease.database.pool }
    var reader: any DatabaseReader { snapshot ?? pool }

    var lastCommit: CommitCost? { nil }

    func insert(_ persons: ArraySlice<PersonValues>) throws {
        try pool.write { database in
            for person in persons { try Person(person).insert(database) }
        }
    }

    // MARK: Reading

    func person(number: Int) throws -> (birthdate: Int, age: Int)? {
        guard layout == .integerKey else { throw missingKey("integer key", layout) }
        return try values { try Person.fetchOne($0, key: number) }
    }

    func person(name: String) throws -> (birthdate: Int, age: Int)? {
        guard layout == .stringKey else { throw missingKey("string key", layout) }
        return try values { try Person.fetchOne($0, key: name) }
    }

    func values(_ find: (Database) throws -> Person?) throws
        -> (birthdate: Int, age: Int)?
    {
        guard let person = try reader.read(find) else { return nil }
        return (Self.seconds(person), person.age)
    }

    static func seconds(_ person: Person) -> Int {
        Int(person.birthdate.timeIntervalSince1970)
    }

    func count(ageBelow limit: Int) throws -> Int {
        try reader.read { try Person.filter(PersonColumns.age < limit).fetchCount($0) }
    }

    /// Avoids LIKE, which ignores case and therefore uses no index.
    func count(namePrefix: String) throws -> Int {
        let end = namePrefix + "\u{10FFFF}"
        let name = PersonColumns.name
        return try reader.read {
            try Person.filter(name >= namePrefix && name < end).fetchCount($0)
        }
    }

    func count(birthdateIn range: Range<Int>) throws -> Int {
        let birthdate = PersonColumns.birthdate
        return try reader.read {
            try Person
                .filter(birthdate >= range.lowerBound && birthdate < range.upperBound)
                .fetchCount($0)
        }
    }

    func sumOfAges() throws -> Int {
        try reader.read {
            try Person.select(GRDB.sum(PersonColumns.age), as: Int.self).fetchOne($0) ?? 0
        }
    }

    func names(sortedByAge count: Int) throws -> [String] {
        try reader.read {
            try Person.select(PersonColumns.name, as: String.self)
                .order(PersonColumns.age, PersonColumns.name)
                .limit(count).fetchAll($0)
        }
    }

    func forEach(_ body: (_ name: String, _ birthdate: Int, _ age: Int) -> Void) throws {
        try reader.read { database in
            let persons = try Person.fetchCursor(database)
            while let person = try persons.next() {
                body(person.name, Self.seconds(person), person.age)
            }
        }
    }

    func checksum() throws -> Int {
        var sum = 0
        try forEach { name, birthdate, age in
            sum &+= name.byteSum &+ birthdate &+ age
        }
        return sum
    }

    // MARK: Updates

    func updateAllAges(adding: Int) throws {
        try pool.write {
            try $0.execute(
                sql: "UPDATE person SET age = (age + ?) % 100", arguments: [adding])
        }
    }

    func updateAge(number: Int, to age: Int) throws {
        guard layout == .integerKey else { throw missingKey("integer key", layout) }
        try pool.write { database in
            var person = try Person.find(database, key: number)
            try person.updateChanges(database) { $0.age = age }
        }
    }

    func delete(numbers: [Int]) throws {
        guard layout == .integerKey else { throw missingKey("integer key", layout) }
        try pool.write { database in
            for first in stride(from: 0, to: numbers.count, by: Self.keysPerStatement) {
                let last = min(first + Self.keysPerStatement, numbers.count)
                try Person.deleteAll(database, keys: numbers[first..<last])
            }
        }
    }

    func deleteOddAges() throws {
        try pool.write { _ = try Person.filter(sql: "age % 2 = 1").deleteAll($0) }
    }

    // MARK: The file

    func copy(to path: String) throws { try pool.vacuum(into: path) }
    func size() throws -> StoreSize { try lease.database.size() }
    func problems() throws -> [String] { try lease.database.problems() }
    func refresh() throws { snapshot = nil }
    func pin() throws { snapshot = try pool.makeSnapshot() }
}
