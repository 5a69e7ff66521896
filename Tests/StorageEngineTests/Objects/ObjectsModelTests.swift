import Foundation
import Testing
import ToolSupport

@testable import StorageEngine

/// Random operations on tables, links and lists, compared with dictionaries, through commits,
/// rollbacks and reopening.
@Suite struct ObjectsModelTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func tablesBehaveLikeDictionaries(seed: UInt64) throws {
        _ = try ModelCourse(
            directory: TestDirectory(), seed: seed, rounds: 40, steps: 0..<120
        ).run(ObjectModel())
    }

    @Test func objectsWiderThanAPageKeepTheirValues() throws {
        let directory = TestDirectory()
        let database = try Database.open(path: directory.path + "/wide.db")
        let connection = try Connection(database)
        let columns = (0..<60).map {
            ColumnDefinition(name: "c\($0)", type: $0 % 2 == 0 ? .int : .string, isOptional: true)
        }
        try connection.beginWrite()
        try connection.createTables([TableDefinition(name: "Wide", columns: columns)])
        let table = try #require(try connection.table(named: "Wide"))
        func text(_ object: Int, _ column: Int) -> String {
            String(repeating: "\(object)-\(column)/", count: 1 + (object * 7 + column) % 60)
        }
        for object in 0..<400 {
            let key = try table.insert(UnsafeBufferPointer(start: nil, count: 0))
            for column in 0..<60 {
                if column % 2 == 0 {
                    try table.set(column, of: key, to: .integer(Int64(object * 1_000_003 + column)))
                } else {
                    var value = text(object, column)
                    try value.withUTF8 {
                        try table.set(column, of: key, to: .bytes(UnsafeRawBufferPointer($0)))
                    }
                }
            }
            if object % 50 == 49 {
                try connection.commit()
                try connection.beginWrite()
            }
        }
        try connection.commit()
        #expect(try connection.verify() == [])
        for object in stride(from: 0, to: 400, by: 7) {
            for column in 0..<60 {
                let value = try table.value(column, of: ObjectKey(rawValue: Int64(object)))
                if column % 2 == 0 {
                    guard case .integer(let v) = value else { throw TestFailure("not an integer") }
                    #expect(v == Int64(object * 1_000_003 + column))
                } else {
                    guard case .bytes(let v) = value else { throw TestFailure("not bytes") }
                    #expect(String(decoding: v, as: UTF8.self) == text(object, column))
                }
            }
        }
    }

    @Test func longValuesLiveOnPagesOfTheirOwnAndAreFreed() throws {
        let directory = TestDirectory()
        let database = try Database.open(path: directory.path + "/long.db")
        let connection = try Connection(database)
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(name: "Blob", columns: [ColumnDefinition(name: "data", type: .data)])
        ])
        try connection.commit()
        let table = try #require(try connection.table(named: "Blob"))
        let limit = Pager.maximumValueBytes
        for length in [0, 1, 511, 512, 513, 4000, 4032, 4033, 100_000, limit] {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try connection.beginWrite()
            let key = try bytes.withUnsafeBytes { data in
                try withUnsafePointer(to: Scalar.bytes(data)) {
                    try table.insert(UnsafeBufferPointer(start: $0, count: 1))
                }
            }
            try connection.commit()
            guard case .bytes(let read) = try table.value(0, of: key) else {
                throw TestFailure("not bytes")
            }
            #expect(read.elementsEqual(bytes))
            try connection.beginWrite()
            try table.delete(key)
            try connection.commit()
        }
        #expect(try connection.verify() == [])
        let tooLong = [UInt8](repeating: 0, count: limit + 1)
        try connection.beginWrite()
        #expect {
            try tooLong.withUnsafeBytes { data in
                try withUnsafePointer(to: Scalar.bytes(data)) {
                    _ = try table.insert(UnsafeBufferPointer(start: $0, count: 1))
                }
            }
        } throws: { ($0 as? StorageError)?.code == .valueTooLarge }
        connection.rollback()
    }
}

/// Three tables as dictionaries: people with integer keys, dogs with string keys and an owner, and
/// notes without a key.
private struct ObjectModel: DatabaseModel {
    struct Person: Equatable {
        var id: Int64
        var name: String
        var age: Int64?
        var dogs: [Int64] = []
        var words: [String?] = []
    }

    struct Dog: Equatable {
        var tag: String?
        var owner: Int64?
        var weight: Double
    }

    var people: [Int64: Person] = [:]
    var dogs: [Int64: Dog] = [:]
    var nextID: Int64 = 0

    static let definitions = [
        TableDefinition(
            name: "Person",
            columns: [
                ColumnDefinition(name: "id", type: .int, isPrimaryKey: true),
                ColumnDefinition(name: "name", type: .string, isIndexed: true),
                ColumnDefinition(name: "age", type: .int, isOptional: true, isIndexed: true),
                ColumnDefinition(name: "dogs", type: .link, collection: .list, linkTarget: "Dog"),
                ColumnDefinition(
                    name: "words", type: .string, collection: .list, isOptional: true),
            ]),
        TableDefinition(
            name: "Dog",
            columns: [
                ColumnDefinition(name: "tag", type: .string, isOptional: true, isPrimaryKey: true),
                ColumnDefinition(
                    name: "owner", type: .link, isOptional: true, linkTarget: "Person"),
                ColumnDefinition(name: "weight", type: .double),
            ]),
    ]

    mutating func begin(_ connection: Connection) throws {
        try connection.createTables(Self.definitions)
    }

    mutating func step(_ connection: Connection, _ random: inout SeededGenerator) throws {
        let personTable = try connection.table(named: "Person")!
        let dogTable = try connection.table(named: "Dog")!
        switch random.next(below: 18) {
        case 16: try deleteSome(personTable, dogTable, &random)
        case 17: try deleteAll(personTable, dogTable, &random)
        case 0...3: try addPerson(personTable, &random)
        case 4...6: try addDog(dogTable, &random)
        case 7: try deletePerson(personTable, &random)
        case 8: try deleteDog(dogTable, &random)
        case 9: try changePerson(personTable, &random)
        case 10: try changeOwner(dogTable, &random)
        case 11...13: try changeDogs(personTable, &random)
        default: try changeWords(personTable, &random)
        }
    }

    private func text(_ random: inout SeededGenerator) -> String {
        let lengths = [0, 3, 8, 40, 300, 700, 9000]
        let length = lengths[random.next(below: random.next(below: 20) == 0 ? 7 : 5)]
        return String(
            decoding: (0..<length).map { _ in UInt8(97 + random.next(below: 26)) },
            as: UTF8.self)
    }

    private mutating func addPerson(_ table: Table, _ random: inout SeededGenerator) throws {
        let id = random.next(below: 3) == 0 ? Int64(random.next(below: 500)) - 250 : nextID + 1000
        nextID += 1
        let name = text(&random)
        let age: Int64? = random.next(below: 3) == 0 ? nil : Int64(bitPattern: random.next())
        let isNew = !people.values.contains { $0.id == id }
        do {
            let key = try insert(
                table, [.integer(id), .string(name), age.map { .integer($0) } ?? .null])
            #expect(isNew)
            people[key.rawValue] = Person(id: id, name: name, age: age)
        } catch let error as StorageError {
            #expect(error.code == .duplicateKey && !isNew)
        }
    }

    private mutating func addDog(_ table: Table, _ random: inout SeededGenerator) throws {
        let tag: String? =
            random.next(below: 10) == 0
            ? nil
            : random.next(below: 8) == 0
                ? String(repeating: "x", count: 250) + text(&random)
                : "dog\(random.next(below: 3000))"
        let owner = people.keys.sorted().randomElement(using: &random)
        let weight = Double(random.next(below: 100)) / Double(1 + random.next(below: 2))
        let isNew = !dogs.values.contains { $0.tag == tag }
        do {
            let key = try insert(
                table,
                [
                    tag.map { .string($0) } ?? .null, owner.map { .integer($0) } ?? .null,
                    .double(weight),
                ])
            #expect(isNew)
            dogs[key.rawValue] = Dog(tag: tag, owner: owner, weight: weight)
        } catch let error as StorageError {
            #expect(error.code == .duplicateKey && !isNew)
        }
    }

    private mutating func deletePerson(_ table: Table, _ random: inout SeededGenerator) throws {
        guard let key = people.keys.sorted().randomElement(using: &random) else { return }
        try table.delete(ObjectKey(rawValue: key))
        forgetPerson(key)
    }

    private mutating func deleteDog(_ table: Table, _ random: inout SeededGenerator) throws {
        guard let key = dogs.keys.sorted().randomElement(using: &random) else { return }
        try table.delete(ObjectKey(rawValue: key))
        forgetDog(key)
    }

    /// Deletes some objects together, named in any order, with unknown keys and duplicate keys
    /// among them.
    private mutating func deleteSome(
        _ personTable: Table, _ dogTable: Table, _ random: inout SeededGenerator
    ) throws {
        let isOfPeople = random.next(below: 2) == 0
        let existing = isOfPeople ? people.keys.sorted() : dogs.keys.sorted()
        let share = 1 + random.next(below: 8)
        var chosen = existing.filter { _ in random.next(below: 8) < share }
        if random.next(below: 2) == 0 { chosen = Array(chosen.prefix(20)) }
        for key in chosen { isOfPeople ? forgetPerson(key) : forgetDog(key) }
        chosen += [1 << 40, -1] + chosen.prefix(2)
        if random.next(below: 2) == 0 { chosen.shuffle(using: &random) }
        let table = isOfPeople ? personTable : dogTable
        try table.delete(chosen.map(ObjectKey.init(rawValue:)))
    }

    private mutating func deleteAll(
        _ personTable: Table, _ dogTable: Table, _ random: inout SeededGenerator
    ) throws {
        guard random.next(below: 12) == 0 else { return }
        if random.next(below: 2) == 0 {
            for key in people.keys.sorted() { forgetPerson(key) }
            try personTable.deleteAll()
        } else {
            for key in dogs.keys.sorted() { forgetDog(key) }
            try dogTable.deleteAll()
        }
    }

    private mutating func forgetPerson(_ key: Int64) {
        people[key] = nil
        for dog in dogs.keys where dogs[dog]!.owner == key { dogs[dog]!.owner = nil }
    }

    private mutating func forgetDog(_ key: Int64) {
        dogs[key] = nil
        for person in people.keys { people[person]!.dogs.removeAll { $0 == key } }
    }

    private mutating func changePerson(_ table: Table, _ random: inout SeededGenerator) throws {
        guard let key = people.keys.sorted().randomElement(using: &random) else { return }
        if random.next(below: 2) == 0 {
            var name = text(&random)
            people[key]!.name = name
            try name.withUTF8 {
                try table.set(
                    1, of: ObjectKey(rawValue: key), to: .bytes(UnsafeRawBufferPointer($0)))
            }
        } else {
            let age: Int64? = random.next(below: 4) == 0 ? nil : Int64(random.next(below: 1 << 20))
            people[key]!.age = age
            try table.set(
                2, of: ObjectKey(rawValue: key), to: age.map { .integer($0) } ?? .null)
        }
    }

    private mutating func changeOwner(_ table: Table, _ random: inout SeededGenerator) throws {
        guard let key = dogs.keys.sorted().randomElement(using: &random) else { return }
        let owner =
            random.next(below: 4) == 0 ? nil : people.keys.sorted().randomElement(using: &random)
        dogs[key]!.owner = owner
        try table.set(
            1, of: ObjectKey(rawValue: key), to: owner.map { .integer($0) } ?? .null)
    }

    private mutating func changeDogs(_ table: Table, _ random: inout SeededGenerator) throws {
        // A few people get most dogs, so that some lists outgrow their row.
        let sorted = people.keys.sorted()
        guard
            let person = random.next(below: 2) == 0
                ? sorted.first : sorted.randomElement(using: &random)
        else { return }
        let list = table.list(3, of: ObjectKey(rawValue: person))
        let count = people[person]!.dogs.count
        let choice = random.next(below: 10)
        if choice < 6 || count == 0 {
            guard let dog = dogs.keys.sorted().randomElement(using: &random) else { return }
            let index = choice < 4 ? count : random.next(below: count + 1)
            people[person]!.dogs.insert(dog, at: index)
            if choice < 2 {
                try list.append(.integer(dog))
            } else {
                try list.insert(.integer(dog), at: index)
            }
        } else if choice == 6 {
            let index = random.next(below: count)
            people[person]!.dogs.remove(at: index)
            try list.remove(at: index)
        } else if choice == 7 {
            guard let dog = dogs.keys.sorted().randomElement(using: &random) else { return }
            let index = random.next(below: count)
            people[person]!.dogs[index] = dog
            try list.set(.integer(dog), at: index)
        } else if choice == 8 {
            let (from, to) = (random.next(below: count), random.next(below: count))
            people[person]!.dogs.insert(people[person]!.dogs.remove(at: from), at: to)
            try list.move(from: from, to: to)
        } else if random.next(below: 10) == 0 {
            people[person]!.dogs = []
            try list.removeAll()
        }
    }

    private mutating func changeWords(_ table: Table, _ random: inout SeededGenerator) throws {
        guard let person = people.keys.sorted().randomElement(using: &random) else { return }
        let list = table.list(4, of: ObjectKey(rawValue: person))
        let count = people[person]!.words.count
        if random.next(below: 4) > 0 || count == 0 {
            var word: String? = random.next(below: 5) == 0 ? nil : text(&random)
            let index = random.next(below: count + 1)
            people[person]!.words.insert(word, at: index)
            if word == nil {
                try list.insert(.null, at: index)
            } else {
                try word!.withUTF8 {
                    try list.insert(.bytes(UnsafeRawBufferPointer($0)), at: index)
                }
            }
        } else {
            let index = random.next(below: count)
            people[person]!.words.remove(at: index)
            try list.remove(at: index)
        }
    }

    private enum Value {
        case null
        case integer(Int64)
        case double(Double)
        case string(String)
    }

    private func insert(_ table: Table, _ values: [Value]) throws -> ObjectKey {
        var owned = values.map { value -> [UInt8] in
            if case .string(let text) = value { Array(text.utf8) } else { [] }
        }
        return try owned.withUnsafeMutableBufferPointer { buffers in
            var scalars: [Scalar] = []
            for (index, value) in values.enumerated() {
                switch value {
                case .null: scalars.append(.null)
                case .integer(let v): scalars.append(.integer(v))
                case .double(let v): scalars.append(.double(v))
                case .string:
                    let copy = UnsafeMutableRawBufferPointer.allocate(
                        byteCount: buffers[index].count, alignment: 1)
                    copy.copyBytes(from: buffers[index])
                    scalars.append(.bytes(UnsafeRawBufferPointer(copy)))
                }
            }
            defer {
                for case .bytes(let bytes) in scalars { bytes.deallocate() }
            }
            return try scalars.withUnsafeBufferPointer { try table.insert($0) }
        }
    }

    // MARK: Comparison

    func check(_ connection: Connection) throws {
        let personTable = try connection.table(named: "Person")!
        let dogTable = try connection.table(named: "Dog")!
        #expect(try personTable.count() == people.count)
        #expect(try dogTable.count() == dogs.count)
        for (position, key) in people.keys.sorted().enumerated() {
            let person = people[key]!
            #expect(try personTable.key(at: position).rawValue == key)
            #expect(try personTable.position(of: ObjectKey(rawValue: key)) == position)
            #expect(try personTable.find(primaryKey: .integer(person.id))?.rawValue == key)
            #expect(try read(personTable, key) == person)
        }
        for (position, key) in dogs.keys.sorted().enumerated() {
            let dog = dogs[key]!
            #expect(try dogTable.key(at: position).rawValue == key)
            #expect(try readDog(dogTable, key) == dog)
            var tag = dog.tag ?? ""
            let found = try tag.withUTF8 {
                try dogTable.find(
                    primaryKey: dog.tag == nil ? .null : .bytes(UnsafeRawBufferPointer($0)))
            }
            #expect(found?.rawValue == key)
        }
        #expect(try personTable.find(primaryKey: .integer(-9999)) == nil)
    }

    private func string(_ scalar: Scalar) -> String? {
        if case .bytes(let bytes) = scalar { String(decoding: bytes, as: UTF8.self) } else { nil }
    }

    private func integer(_ scalar: Scalar) -> Int64? {
        if case .integer(let value) = scalar { value } else { nil }
    }

    private func read(_ table: Table, _ key: Int64) throws -> Person {
        let key = ObjectKey(rawValue: key)
        var person = Person(
            id: integer(try table.value(0, of: key))!, name: string(try table.value(1, of: key))!,
            age: integer(try table.value(2, of: key)))
        try table.list(3, of: key).forEach {
            person.dogs.append(integer($0)!)
            return true
        }
        let words = table.list(4, of: key)
        for index in 0..<(try words.count()) {
            person.words.append(string(try words.value(at: index)))
            #expect(try words.value(ifAt: index)?.isIdentical(to: words.value(at: index)) == true)
        }
        for index in [-1, person.words.count] { #expect(try words.value(ifAt: index) == nil) }
        return person
    }

    private func readDog(_ table: Table, _ key: Int64) throws -> Dog {
        let key = ObjectKey(rawValue: key)
        guard case .double(let weight) = try table.value(2, of: key) else {
            throw TestFailure("not a double")
        }
        return Dog(
            tag: string(try table.value(0, of: key)), owner: integer(try table.value(1, of: key)),
            weight: weight)
    }
}
