import Foundation
import StorageEngine
import Testing

@testable import RealmSwift

/// Tests of the parsed predicate texts that a Realm caches. The cache must not change any result,
/// whatever the arguments, the class and the Realm are.
@Suite struct PreparedPredicateTests {
    private let realm: Realm

    init() throws {
        realm = try temporaryRealm(heroTypes + [Namesake.self])
        try realm.write {
            let ann = realm.create(
                Hero.self, value: ["id": 1, "name": "Ann", "age": 30, "rank": 1] as [String: Any])
            realm.create(
                Hero.self,
                value: [
                    "id": 2, "name": "Bob", "alias": "Ann", "age": 40, "boss": ann,
                    "scores": [1, 2], "mixed": AnyRealmValue.int(40),
                ] as [String: Any])
            realm.create(Namesake.self, value: ["id": 3, "name": 7, "age": "Ann"] as [String: Any])
        }
    }

    /// Returns the ids of the objects that a query finds, or the refusal.
    private func outcome(
        _ make: () throws -> ResultsQuery
    ) -> String {
        do {
            let query = try make()
            let ids = try query.findAll().map { key in
                query.managedClass.makeAccessor(key: key.rawValue).value(forKey: "id") as? Int ?? 0
            }
            return "\(ids)"
        } catch { return "\(error)" }
    }

    /// Runs a query three times, the last time with a newly parsed text, and expects the same
    /// outcome.
    private func ask<Element>(
        _ objects: Results<Element>, _ format: String, _ arguments: Any...
    ) -> String {
        let first = outcome { try objects._querySource.filtered(format, arguments) }
        let again = outcome { try objects._querySource.filtered(format, arguments) }
        let read = outcome {
            try objects._querySource.query().filtered(
                PredicateParser.parse(format, arguments.map(unwrapped)), format: format)
        }
        #expect(first == read && again == read, "\(format): \(arguments)")
        return read
    }

    @Test func argumentsOfAllTypesTakeTheSamePlace() throws {
        let heroes = realm.objects(Hero.self)
        #expect(ask(heroes, "age == %@", 30) == "[1]")
        #expect(ask(heroes, "age == %@", 40) == "[2]")
        #expect(ask(heroes, "age == %@", 40.0) == "[2]")
        #expect(ask(heroes, "age == %@", NSNumber(value: 30)) == "[1]")
        #expect(ask(heroes, "age == %@", Int?.some(30) as Any) == "[1]")
        #expect(ask(heroes, "age == %@", "30").contains("Cannot compare value '30' of type"))
        #expect(ask(heroes, "age == %@", NSNull()).contains("Cannot compare value '(null)'"))
        #expect(ask(heroes, "age == %@", heroes[0]).contains("Cannot compare value"))
        #expect(ask(heroes, "age == %@", [30]).contains("Cannot compare value"))
        #expect(ask(heroes, "age == %@").contains("more placeholders than arguments (0)"))
        #expect(ask(heroes, "age == %@", 30, "unused") == "[1]")
        #expect(ask(heroes, "rank == %@", 1) == "[1]")
        #expect(ask(heroes, "rank == %@", NSNull()) == "[2]")
        #expect(ask(heroes, "mixed == %@", 40) == "[2]")
        #expect(ask(heroes, "mixed == %@", "40") == "[]")
        #expect(ask(heroes, "mixed == %@", NSNull()) == "[1]")
        #expect(ask(heroes, "age == %d AND name != %@", 30, "x") == "[1]")
        #expect(ask(heroes, "age == %d AND name != %@", "30", 3).contains("%d takes a number"))
        #expect(ask(heroes, "age == %d AND name != %@", 30, 3).contains("to property 'name'"))
        #expect(ask(heroes, "age IN %@", [30, 50]) == "[1]")
        #expect(ask(heroes, "age IN %@", Set([40.0])) == "[2]")
        #expect(ask(heroes, "age IN %@", ["x"]).contains("Cannot compare value 'x'"))
        #expect(ask(heroes, "age IN %@", 30).contains("IN clause requires an array"))
        #expect(ask(heroes, "age BETWEEN {%@, %@}", 35, 45) == "[2]")
        #expect(ask(heroes, "age BETWEEN {%@, %@}", 45, 35) == "[]")
        #expect(ask(heroes, "age BETWEEN {%@, %@}", 45, NSNull()).contains("Cannot compare value"))
        #expect(ask(heroes, "age IN %@", [Int]()) == "[]")
        #expect(ask(heroes, "age IN %@", Array(20..<35)) == "[1]")
        #expect(ask(heroes, "rank IN %@", [1, nil]) == "[1, 2]")
        #expect(ask(heroes, "age IN {%@, %@}", 30, 40.0) == "[1, 2]")
        #expect(ask(heroes, "name IN {%@, 'Bob'}", "Ann") == "[1, 2]")
        #expect(ask(heroes, "name IN %@", ["Ann", "ann"]) == "[1]")
        #expect(ask(heroes, "name IN %@", "Ann").contains("IN clause requires an array"))
        #expect(ask(heroes, "name >= %@", "B") == "[2]")
        #expect(ask(heroes, "name >= %@", 3).contains("to property 'name'"))
        #expect(ask(heroes, "name ==[c] %@", "ann") == "[1]")
        #expect(ask(heroes, "name <[c] %@", "ann").contains("must be case-sensitive"))
        #expect(ask(heroes, "name BETWEEN {%@, %@}", "A", "B").contains("not supported"))
        #expect(ask(heroes, "alias == %@", "Ann") == "[2]")
        #expect(ask(heroes, "alias == %@", NSNull()) == "[1]")
        #expect(ask(heroes, "age == %@", Int8(30)) == "[1]")
        #expect(ask(heroes, "%@ IN scores", 2) == "[2]")
        #expect(ask(heroes, "%@ < age", 30) == "[2]")
        #expect(ask(heroes, "NONE scores == %@", 1) == "[1]")
        #expect(ask(heroes, "SUBQUERY(staff, $s, $s.age == %@).@count == %@", 40, 1) == "[1]")
        #expect(ask(heroes, "SUBQUERY(staff, $s, $s.age == %@).@count == %@", 41, 0) == "[1, 2]")
    }

    @Test func objectsTakePlacesAndAreNotKept() throws {
        let heroes = realm.objects(Hero.self)
        let other = try temporaryRealm(heroTypes)
        let stranger = try other.write { other.create(Hero.self, value: ["id": 1]) }
        #expect(ask(heroes, "boss == %@", heroes[0]) == "[2]")
        #expect(ask(heroes, "boss == %@", heroes[1]) == "[]")
        #expect(ask(heroes, "boss == %@", NSNull()) == "[1]")
        #expect(ask(heroes, "boss == %@", Hero()) == "[]")
        #expect(ask(heroes, "boss == %@", stranger).contains("must be from the Realm"))
        #expect(ask(heroes, "boss == %@", 1).contains("Cannot compare value '1'"))
        let bob = heroes[1]
        #expect(ask(heroes, "SELF == %@", bob) == "[2]")
        try realm.write { realm.delete(bob) }
        #expect(ask(heroes, "SELF == %@", bob) == "[]")
        weak var kept: Hero?
        do {
            let hero = Hero()
            #expect(ask(heroes, "boss != %@", hero) == "[1]")
            kept = hero
        }
        #expect(kept == nil)
    }

    @Test func keyPathsThatAreArgumentsAreReadEachTime() {
        let heroes = realm.objects(Hero.self)
        for _ in 0..<2 {
            #expect(ask(heroes, "%K == %@", "age", 30) == "[1]")
            #expect(ask(heroes, "%K == %@", "name", "Bob") == "[2]")
            #expect(ask(heroes, "%K == %@", "boss.name", "Ann") == "[2]")
            #expect(ask(heroes, "%K == %@", "nothing", 1).contains("Property 'nothing' not found"))
            #expect(ask(heroes, "%K == %@", 3, 1).contains("%K takes a key path"))
            #expect(ask(heroes, "traits[%@] == %@", "wit", NSNull()) == "[1, 2]")
        }
    }

    @Test func classesAndRealmsHaveTheirOwn() throws {
        let heroes = realm.objects(Hero.self)
        let namesakes = realm.objects(Namesake.self)
        let dynamic = realm.dynamicObjects("Namesake")
        // In the file of this Realm the columns have another order.
        let directory = TestDirectory()
        let configuration = directory.configuration([Namesake.self])
        let path = try #require(configuration.fileURL?.path)
        do {
            let connection = try Connection(Database.open(path: path))
            let columns = ClassModel.of(Namesake.self).definition.columns.reversed()
            try connection.beginWrite()
            try connection.createTables([
                TableDefinition(name: "Namesake", columns: Array(columns))
            ])
            try connection.commit()
        }
        let other = try Realm(configuration: configuration)
        #expect(other.instance.managedClass(for: Namesake.self).columns == [2, 1, 0])
        try other.write {
            other.create(Namesake.self, value: ["id": 9, "name": 30, "age": "x"] as [String: Any])
        }
        for _ in 0..<3 {
            #expect(ask(heroes, "name == %@", "Ann") == "[1]")
            #expect(ask(namesakes, "name == %@", 7) == "[3]")
            #expect(ask(namesakes, "name == %@", "Ann").contains("Cannot compare value 'Ann'"))
            #expect(ask(dynamic, "name == %@", 7) == "[3]")
            #expect(ask(heroes, "age == %@", 40) == "[2]")
            #expect(ask(namesakes, "age == %@", "Ann") == "[3]")
            #expect(ask(other.objects(Namesake.self), "age == %@", "x") == "[9]")
            #expect(ask(other.objects(Namesake.self), "name == %@", 30) == "[9]")
            #expect(ask(heroes, "name == %@", 7).contains("Cannot compare value '7'"))
        }
    }

    @Test func collectionsOfObjectsUseThemAsWell() throws {
        let heroes = realm.objects(Hero.self)
        try realm.write { heroes[0].friends.append(objectsIn: [heroes[1], heroes[0], heroes[1]]) }
        let friends = heroes[0].friends
        for _ in 0..<2 {
            #expect(friends.filter("age == %@", 40).map(\.id) == [2, 2])
            #expect(friends.filter("age == %@", 30).map(\.id) == [1])
            #expect(friends.filter("age > %@", 1).filter("age < %@", 35).map(\.id) == [1])
            #expect(friends.index(matching: "age == %@", 30) == 1)
            #expect(heroes.index(matching: "age == %@", 40) == 1)
            #expect(heroes.index(matching: "age == %@", 41) == nil)
        }
    }

    @Test func textsWithoutEndAreForgotten() {
        let heroes = realm.objects(Hero.self)
        for number in 0..<600 {
            let text = "age == \(30 + number % 3 * 10)"
            let expected = number % 3 < 2 ? 1 : 0
            #expect(heroes.filter(text + " AND id < \(number + 3)").count == expected)
            #expect(heroes.filter(text).count == expected)
        }
        let long = "age == %@ OR name == '" + String(repeating: "x", count: 5_000) + "'"
        #expect(ask(heroes, long, 30) == "[1]")
        #expect(ask(heroes, long, 40) == "[2]")
    }

    @Test func resultsFollowChangesOfTheirObjects() throws {
        let heroes = realm.objects(Hero.self)
        let thirty = heroes.filter("age == %@", 30)
        #expect(thirty.first?.id == 1)
        try realm.write { heroes[1].age = 30 }
        #expect(thirty.map(\.id) == [1, 2])
        #expect(heroes.filter("age == %@", 30).map(\.id) == [1, 2])
        try realm.write {
            heroes[0].age = 31
            #expect(heroes.filter("age == %@", 30).first?.id == 2)
            #expect(heroes.filter("age == %@", 31).first?.id == 1)
        }
    }

    @Test func threadsHaveTheirOwn() async throws {
        let identifier = UUID().uuidString
        let open: @Sendable () throws -> Realm = {
            try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: identifier, objectTypes: heroTypes))
        }
        let kept = try open()
        try kept.write {
            for id in 0..<500 { kept.create(Hero.self, value: ["id": id, "age": id % 100]) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    try await onThread {
                        let heroes = try open().objects(Hero.self)
                        for round in 0..<300 {
                            let age = (round * 7 + thread) % 120
                            let found = heroes.filter("age == %@", age)
                            #expect(found.count == (age < 100 ? 5 : 0))
                            #expect(found.first?.id == (age < 100 ? age : nil))
                            #expect(heroes.filter("id == %@ OR age IN %@", age, [age]).count >= 1)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// A class with some property names of `Hero`, but other types and another order.
class Namesake: Object {
    @Persisted var age: String
    @Persisted var name: Int
    @Persisted(primaryKey: true) var id: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
