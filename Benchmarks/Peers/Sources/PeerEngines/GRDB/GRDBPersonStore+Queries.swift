import BenchmarkKit
import Foundation
import GRDB

extension GRDBPersonStore {
    // MARK: Queries over all persons

    /// Runs two requests, because SQLite uses an index for a single aggregate only.
    func rangeOfAges() throws -> ClosedRange<Int>? {
        try reader.read { database in
            guard
                let least = try Person.select(min(PersonColumns.age), as: Int.self)
                    .fetchOne(database),
                let greatest = try Person.select(max(PersonColumns.age), as: Int.self)
                    .fetchOne(database)
            else { return nil }
            return least...greatest
        }
    }

    func averageAge() throws -> Double? {
        try reader.read {
            try Person.select(average(PersonColumns.age), as: Double.self).fetchOne($0)
        }
    }

    func groupsByAge() throws -> [AgeGroup] {
        let (age, birthdate) = (PersonColumns.age, PersonColumns.birthdate)
        let request = Person.select(age, GRDB.count(age), max(birthdate))
            .group(age).order(age)
        return try reader.read { database in
            try Row.fetchAll(database, request).map {
                AgeGroup(age: $0[0], count: $0[1], latestBirthdate: $0[2])
            }
        }
    }

    /// Avoids LIKE, which ignores case.
    func count(nameContaining text: String) throws -> Int {
        try reader.read {
            try Person.filter(sql: "instr(name, ?) > 0", arguments: [text]).fetchCount($0)
        }
    }

    func count(where condition: PersonCondition) throws -> Int {
        let (name, age) = (PersonColumns.name, PersonColumns.age)
        let birthdate = PersonColumns.birthdate
        let prefix = condition.namePrefix
        let isYoung =
            age < condition.ageBelow && birthdate >= condition.birthdates.lowerBound
            && birthdate < condition.birthdates.upperBound
        let hasPrefix = name >= prefix && name < prefix + "\u{10FFFF}"
        return try reader.read { try Person.filter(isYoung || hasPrefix).fetchCount($0) }
    }

    func namesInOrder(first count: Int) throws -> [String] {
        try reader.read {
            try Person.select(PersonColumns.name, as: String.self).order(PersonColumns.name)
                .limit(count).fetchAll($0)
        }
    }

    func checksum(ageBelow limit: Int) throws -> Int {
        try reader.read { database in
            var sum = 0
            let persons = try Person.filter(PersonColumns.age < limit).fetchCursor(database)
            while let person = try persons.next() {
                sum &+= person.name.byteSum &+ Self.seconds(person) &+ person.age
            }
            return sum
        }
    }

    func checksumFromOldest() throws -> Int {
        try reader.read { database in
            var checksum = OrderedChecksum()
            let persons = try Person.order(PersonColumns.birthdate, PersonColumns.name)
                .fetchCursor(database)
            while let person = try persons.next() {
                var name = person.name
                name.withUTF8 {
                    checksum.add(UnsafeRawBufferPointer($0), Self.seconds(person), person.age)
                }
            }
            return checksum.value
        }
    }

    // MARK: Indexed lookups

    func person(indexedNumber number: Int) throws -> (birthdate: Int, age: Int)? {
        try requireIndexedNumber()
        return try values {
            try Person.filter(sql: "number = ?", arguments: [number]).fetchOne($0)
        }
    }

    func person(typedNumber number: Int) throws -> (birthdate: Int, age: Int)? {
        try requireIndexedNumber()
        return try values { try Person.filter(PersonColumns.number == number).fetchOne($0) }
    }

    func sum(indexedNumbers numbers: [Int]) throws -> Int {
        try sum(Person.filter(numbers.contains(PersonColumns.number)))
    }

    func sum(indexedNumbersIn range: ClosedRange<Int>) throws -> Int {
        try sum(Person.filter(range.contains(PersonColumns.number)))
    }

    private func sum(_ request: QueryInterfaceRequest<Person>) throws -> Int {
        try requireIndexedNumber()
        return try reader.read { database in
            var sum = 0
            let persons = try request.fetchCursor(database)
            while let person = try persons.next() {
                sum &+= Self.seconds(person) &+ person.age
            }
            return sum
        }
    }

    private func requireIndexedNumber() throws {
        guard layout == .indexedNumber else { throw missingKey("index of numbers", layout) }
    }

    // MARK: Refreshed queries

    func young(ageBelow limit: Int) throws -> YoungPersons {
        guard layout == .integerKey else { throw missingKey("integer key", layout) }
        let request = Person.filter(PersonColumns.age < limit)
            .select(GRDB.count(PersonColumns.number), max(PersonColumns.number))
        return try reader.read { database in
            guard let row = try Row.fetchOne(database, request) else {
                return YoungPersons(count: 0, lastNumber: nil)
            }
            return YoungPersons(count: row[0], lastNumber: row[1])
        }
    }

    func setAges(below limit: Int, to age: Int) throws {
        try pool.write { database in
            _ = try Person.filter(PersonColumns.age < limit)
                .updateAll(database, PersonColumns.age.set(to: age))
        }
    }
}
