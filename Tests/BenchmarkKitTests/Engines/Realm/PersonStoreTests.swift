import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

/// Tests of both layers of the embedded engine against plain Swift.
@Suite struct PersonStoreTests {
    static let engines: [any BenchmarkEngine] = [RealmObjectEngine(), RealmTableEngine()]
    static let layers = [EngineLayer.api, .engine]

    static func engine(_ layer: EngineLayer) -> any BenchmarkEngine {
        engines.first { $0.layer == layer }!
    }

    static func persons(
        _ count: Int, seed: UInt64 = 7, names: PersonNames = .numbers
    ) -> [PersonValues] {
        var generator = PersonGenerator(seed: seed, names: names)
        return (0..<count).map { _ in generator.next() }
    }

    private func open(
        _ layer: EngineLayer, _ layout: PersonLayout, in folder: TemporaryFolder
    ) throws -> any PersonStore {
        try Self.engine(layer).openPersons(at: folder.path + "/persons", layout, .full)
    }

    private func contents(_ store: any PersonStore) throws -> [String: [Int]] {
        var found: [String: [Int]] = [:]
        try store.forEach { found[$0] = [$1, $2] }
        return found
    }

    private func contents(_ persons: [PersonValues]) -> [String: [Int]] {
        Dictionary(uniqueKeysWithValues: persons.map { ($0.name, [$0.birthdate, $0.age]) })
    }

    static let layouts: [PersonLayout] = [
        .unkeyed, .integerKey, .stringKey, .indexed, .indexedNumber,
    ]

    @Test(arguments: layers, layouts)
    func whatWasInsertedIsThere(layer: EngineLayer, layout: PersonLayout) throws {
        try insertAndRead(Self.persons(700), layer, layout)
    }

    @Test(arguments: layers, layouts)
    func randomNamesAreThere(layer: EngineLayer, layout: PersonLayout) throws {
        try insertAndRead(Self.persons(700, names: .letters), layer, layout)
    }

    private func insertAndRead(
        _ persons: [PersonValues], _ layer: EngineLayer, _ layout: PersonLayout
    ) throws {
        let folder = try TemporaryFolder()
        let store = try open(layer, layout, in: folder)
        try store.insert(persons[..<300])
        try store.insert(persons[300...])
        #expect(try #require(store.lastCommit).pages > 0)
        #expect(try contents(store) == contents(persons))
        let sum = persons.reduce(0) { sum, person in
            sum + person.name.utf8.reduce(0) { $0 + Int($1) } + person.birthdate + person.age
        }
        #expect(try store.checksum() == sum)
        #expect(try store.problems() == [])
        #expect(try #require(store.size().liveBytes) > 0)
    }

    @Test(arguments: layers)
    func personsAreFoundByTheirKeys(layer: EngineLayer) throws {
        let folders = try [TemporaryFolder(), TemporaryFolder()]
        let persons = Self.persons(200)
        let numbered = try open(layer, .integerKey, in: folders[0])
        let named = try open(layer, .stringKey, in: folders[1])
        try numbered.insert(persons[...])
        try named.insert(persons[...])
        for person in persons {
            let byNumber = try #require(try numbered.person(number: person.number))
            let byName = try #require(try named.person(name: person.name))
            #expect(byNumber == (person.birthdate, person.age))
            #expect(byName == (person.birthdate, person.age))
        }
        #expect(try numbered.person(number: 200) == nil)
        #expect(try named.person(name: "200") == nil)
    }

    @Test(arguments: layers)
    func changesAreThoseAskedFor(layer: EngineLayer) throws {
        let folder = try TemporaryFolder()
        var persons = Self.persons(900)
        let store = try open(layer, .integerKey, in: folder)
        try store.insert(persons[...])
        try store.updateAllAges(adding: 7)
        for index in persons.indices { persons[index].age = (persons[index].age + 7) % 100 }
        try store.updateAge(number: 13, to: 21)
        persons[13].age = 21
        #expect(try contents(store) == contents(persons))
        try store.delete(numbers: [5, 899, 0])
        persons.removeAll { [5, 899, 0].contains($0.number) }
        try store.deleteOddAges()
        persons.removeAll { $0.age % 2 == 1 }
        #expect(try contents(store) == contents(persons))
        #expect(throws: BenchmarkError.self) { try store.delete(numbers: [5]) }
        try store.copy(to: folder.path + "/copy")
        let copy = try Self.engine(layer).openPersons(
            at: folder.path + "/copy", .integerKey, .full)
        #expect(try contents(copy) == contents(persons))
        #expect(try copy.problems() == [])
    }

    @Test(arguments: layers)
    func aStoreStaysAtItsVersionUntilItIsRefreshed(layer: EngineLayer) throws {
        let folder = try TemporaryFolder()
        try open(layer, .integerKey, in: folder).insert(Self.persons(3)[...])
        let reader = try open(layer, .integerKey, in: folder)
        try reader.pin()
        // On another thread, because the stores of one thread may share a Realm.
        let path = folder.path + "/persons"
        try BackgroundThread { _ in
            try Self.engine(layer).openPersons(at: path, .integerKey, .full)
                .delete(numbers: [0])
        }.wait()
        #expect(try contents(reader).count == 3)
        try reader.refresh()
        #expect(try contents(reader).count == 2)
    }

    /// Ages and dates of every width that columns are packed to.
    @Test(arguments: [
        [5], [3, 4], [0, 99], [1000, 60_000], [-5, 100_000], [Int.min / 4, Int.max / 4],
    ])
    func packedColumnsAreCountedRight(extremes: [Int]) throws {
        let folder = try TemporaryFolder()
        let store = try open(.engine, .unkeyed, in: folder)
        var generator = SeededGenerator(seed: 3)
        let low = extremes[0]
        let span = extremes.last! - low + 1
        let persons = (0..<600).map { number -> PersonValues in
            let birthdate = low + generator.next(below: span)
            return PersonValues(
                // Whole seconds that a double represents exactly.
                number: number, birthdate: max(-1 << 40, min(birthdate, 1 << 40)),
                age: low + generator.next(below: span))
        }
        try store.insert(persons[...])
        for limit in extremes + extremes.map({ $0 + 1 }) + [30, 0, Int.max, Int.min] {
            #expect(
                try store.count(ageBelow: limit) == persons.filter { $0.age < limit }.count)
        }
        for range in [low..<low + 1, low..<low + span / 2, 0..<1, -10..<50_000] {
            #expect(
                try store.count(birthdateIn: range)
                    == persons.filter { range.contains($0.birthdate) }.count)
        }
        #expect(try store.sumOfAges() == persons.reduce(0) { $0 &+ $1.age })
    }

    struct Asked: CustomTestStringConvertible, Sendable {
        var layer: EngineLayer
        var layout: PersonLayout
        var names: PersonNames
        var testDescription: String { "\(layer) \(layout) \(names)" }

        static let all = layers.flatMap { layer in
            [PersonLayout.integerKey, .indexed].flatMap { layout in
                [PersonNames.numbers, .letters].map {
                    Asked(layer: layer, layout: layout, names: $0)
                }
            }
        }
    }

    @Test(arguments: Asked.all)
    func questionsAreAnsweredLikePlainSwift(_ asked: Asked) throws {
        let folder = try TemporaryFolder()
        let persons = Self.persons(3000, names: asked.names)
        let store = try open(asked.layer, asked.layout, in: folder)
        #expect(try store.rangeOfAges() == nil)
        #expect(try store.averageAge() == nil)
        #expect(try store.namesInOrder(first: 5) == [])
        try store.insert(persons[...])
        for prefix in ["12", "", "2999", "x", "ab", persons[7].name] {
            #expect(
                try store.count(namePrefix: prefix)
                    == persons.filter { $0.name.hasPrefix(prefix) }.count)
        }
        for limit in [0, 1, 30, 99, 200] {
            #expect(
                try store.count(ageBelow: limit) == persons.filter { $0.age < limit }.count)
        }
        let sorted = persons.sorted { ($0.age, $0.name) < ($1.age, $1.name) }.map(\.name)
        for count in [1, 100, 2999, 5000] {
            #expect(try store.names(sortedByAge: count) == Array(sorted.prefix(count)))
            #expect(
                try store.namesInOrder(first: count)
                    == Array(persons.map(\.name).sorted().prefix(count)))
        }
        for text in ["12", "", "x", "ab", persons[7].name] {
            #expect(
                try store.count(nameContaining: text)
                    == persons.filter { $0.name.contains(text) || text.isEmpty }.count)
        }
        let condition = PersonCondition(
            ageBelow: 40, birthdates: -500_000_000..<0,
            namePrefix: asked.names == .numbers ? "1" : "a")
        #expect(
            try store.count(where: condition) == persons.filter { condition.matches($0) }.count)
    }

    @Test(arguments: layers)
    func personsAreAddedUpLikeInPlainSwift(layer: EngineLayer) throws {
        let folder = try TemporaryFolder()
        // Some persons are born in the same second, and are told apart by their names.
        let persons = Self.persons(900).map { person in
            var person = person
            person.birthdate = person.birthdate / 100_000_000 * 100_000_000
            return person
        }
        let store = try open(layer, .integerKey, in: folder)
        try store.insert(persons[...])
        #expect(try store.sumOfAges() == persons.reduce(0) { $0 + $1.age })
        #expect(try store.rangeOfAges() == 0...99)
        let mean = Double(persons.reduce(0) { $0 + $1.age }) / 900
        #expect(abs(try #require(try store.averageAge()) - mean) < 1e-9)
        let groups = Dictionary(grouping: persons, by: \.age).sorted { $0.key < $1.key }.map {
            AgeGroup(
                age: $0.key, count: $0.value.count,
                latestBirthdate: $0.value.map(\.birthdate).max() ?? 0)
        }
        #expect(try store.groupsByAge() == groups)
        let young = persons.filter { $0.age < 30 }
        let sum = young.reduce(0) { sum, person in
            sum + person.name.utf8.reduce(0) { $0 + Int($1) } + person.birthdate + person.age
        }
        #expect(try store.checksum(ageBelow: 30) == sum)
        #expect(try store.checksum(ageBelow: 0) == 0)
        var checksum = OrderedChecksum()
        for person in persons.sorted(by: { ($0.birthdate, $0.name) < ($1.birthdate, $1.name) }) {
            checksum.add(person.name.utf8, person.birthdate, person.age)
        }
        #expect(try store.checksumFromOldest() == checksum.value)
        try store.setAges(below: 30, to: 64)
        let changed = persons.map { person in
            var person = person
            if person.age < 30 { person.age = 64 }
            return person
        }
        #expect(try contents(store) == contents(changed))
    }

    @Test(arguments: layers)
    func personsAreFoundByAnIndex(layer: EngineLayer) throws {
        let folder = try TemporaryFolder()
        let persons = Self.persons(500)
        let store = try open(layer, .indexedNumber, in: folder)
        try store.insert(persons[...])
        func sum(_ numbers: some Sequence<Int>) -> Int {
            numbers.reduce(0) { $0 + persons[$1].birthdate + persons[$1].age }
        }
        for number in [0, 13, 499] {
            let found = try #require(try store.person(indexedNumber: number))
            #expect(found == (persons[number].birthdate, persons[number].age))
        }
        #expect(try store.person(indexedNumber: 500) == nil)
        if layer == .api {
            let found = try #require(try store.person(typedNumber: 13))
            #expect(found == (persons[13].birthdate, persons[13].age))
            #expect(try store.person(typedNumber: -1) == nil)
        }
        #expect(try store.sum(indexedNumbers: [3, 499, 0]) == sum([3, 499, 0]))
        #expect(try store.sum(indexedNumbers: [3, 1000]) == sum([3]))
        #expect(try store.sum(indexedNumbersIn: 17...116) == sum(17...116))
        #expect(try store.sum(indexedNumbersIn: 495...900) == sum(495..<500))
    }

    @Test(arguments: layers)
    func theYoungAreCountedAfterEachChange(layer: EngineLayer) throws {
        let folder = try TemporaryFolder()
        var persons = Self.persons(60)
        let store = try open(layer, .integerKey, in: folder)
        try store.insert(persons[...])
        let live = layer == .api ? try store.followYoung(ageBelow: 30) : nil
        func expectYoung() throws {
            let young = persons.filter { $0.age < 30 }
            let expected = YoungPersons(count: young.count, lastNumber: young.last?.number)
            #expect(try store.young(ageBelow: 30) == expected)
            if let live { #expect(try live() == expected) }
        }
        try expectYoung()
        for number in persons.indices.reversed() {
            persons[number].age = (number * 37) % 100
            try store.updateAge(number: number, to: persons[number].age)
            try expectYoung()
        }
        try store.setAges(below: 30, to: 30)
        for number in persons.indices where persons[number].age < 30 { persons[number].age = 30 }
        try expectYoung()
    }

    @Test(arguments: layers)
    func linksAreBuiltAndFollowed(layer: EngineLayer) throws {
        let folder = try TemporaryFolder()
        let store = try Self.engine(layer).openLinks(at: folder.path + "/links", .full)
        try store.build(owners: 7, members: 300, batchSize: 3)
        #expect(try store.sumOfMembers() == (0..<2100).reduce(0) { $0 + $1 % 1000 })
        #expect(try store.countOfOwners() == 2100)
        // Members are numbered consecutively through the lists.
        #expect(try store.countOfOwners(memberValue: 7) == 3)
        #expect(try store.countOfOwners(memberValue: 999) == 2)
        #expect(try store.countOfOwners(memberValue: 1000) == 0)
        var links = ResultDigest()
        try store.forEachLink { links.add(LinkLists.row($0, $1, $2)) }
        #expect(links == LinkLists.digest(owners: 7, members: 300))
        #expect(try store.problems() == [])
        #expect(try store.size().fileBytes > 0)
    }
}
