import Foundation
import StorageEngine
import StressModel
import Testing

@testable import RealmSwift

/// Tests of the key paths that a Realm caches for comparisons of typed queries with constants. The
/// cache must not change any result, whatever the values, the class and the Realm are.
@Suite struct PreparedComparisonTests {
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
                    "isActive": true, "scores": [1, 2], "mixed": AnyRealmValue.int(40),
                ] as [String: Any])
            realm.create(Namesake.self, value: ["id": 3, "name": 7, "age": "Ann"] as [String: Any])
        }
    }

    private struct Outcome: Equatable {
        /// The ids of the objects that a query finds, or the refusal.
        var ids: String
        /// Description of the query plan.
        var plan: String
    }

    private func outcome(_ make: () throws -> ResultsQuery) -> Outcome {
        do {
            let query = try make()
            let ids = try query.findAll().map { key in
                query.managedClass.makeAccessor(key: key.rawValue).value(forKey: "id") as? Int ?? 0
            }
            return Outcome(ids: "\(ids)", plan: query.plan?.plan.explain() ?? "")
        } catch { return Outcome(ids: "\(error)", plan: "") }
    }

    /// Runs a query twice, and once as a predicate, and expects the same outcome with the same
    /// plan.
    private func ask<Element>(
        _ objects: Results<Element>, sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: (Query<Element>) -> Query<Bool>
    ) -> String {
        let source = objects._querySource
        let first = outcome { try source.filtered(condition(Query())) }
        let again = outcome { try source.filtered(condition(Query())) }
        let long = outcome {
            try source.query().filtered(condition(Query()).predicate, format: "")
        }
        #expect(first == long, sourceLocation: sourceLocation)
        #expect(again == long, sourceLocation: sourceLocation)
        return long.ids
    }

    @Test func valuesTakeTheSamePlace() throws {
        let heroes = realm.objects(Hero.self)
        for (age, expected) in [(30, "[1]"), (40, "[2]"), (50, "[]"), (30, "[1]")] {
            #expect(ask(heroes) { $0.age == age } == expected)
            #expect(ask(heroes) { $0.age == age && $0.id < 9 } == expected)
            #expect(ask(heroes) { $0.id > 9 || $0.age == age } == expected)
            #expect(ask(heroes) { !($0.age != age) } == expected)
            #expect(ask(heroes) { $0.age.in([age, 99]) } == expected)
            #expect(ask(heroes) { $0.age.contains(age...age) } == expected)
            #expect(ask(heroes) { $0.age.contains(age..<age + 1) } == expected)
        }
        #expect(ask(heroes) { $0.age.in([]) } == "[]")
        #expect(ask(heroes) { $0.age.in(Array(0..<31)) } == "[1]")
        #expect(ask(heroes) { $0.age.contains(40...(.max)) } == "[2]")
        #expect(ask(heroes) { $0.isActive } == "[2]")
        #expect(ask(heroes) { !$0.isActive } == "[1]")
        #expect(ask(heroes) { $0.isActive && $0.scores == 2 } == "[2]")
        #expect(ask(heroes) { !($0.scores == 2) } == "[1]")
        #expect(ask(heroes) { $0.mixed == .int(40) } == "[2]")
        #expect(ask(heroes) { $0.mixed == .string("40") } == "[]")
    }

    @Test func nilAndValuesTakeTheSamePlace() {
        let heroes = realm.objects(Hero.self)
        for _ in 0..<2 {
            #expect(ask(heroes) { $0.rank == 1 } == "[1]")
            #expect(ask(heroes) { $0.rank == nil } == "[2]")
            #expect(ask(heroes) { $0.rank != 1 } == "[2]")
            #expect(ask(heroes) { $0.rank != nil } == "[1]")
            #expect(ask(heroes) { $0.rank < 2 } == "[1]")
            #expect(ask(heroes) { $0.rank < nil } == "[]")
            #expect(ask(heroes) { $0.rank.in([nil, 2]) } == "[2]")
            #expect(ask(heroes) { $0.rank.in([1, 2]) } == "[1]")
            #expect(ask(heroes) { $0.alias == nil } == "[1]")
            #expect(ask(heroes) { $0.alias == "Ann" } == "[2]")
            #expect(ask(heroes) { $0.alias.in(["Ann", nil]) } == "[1, 2]")
            #expect(ask(heroes) { $0.boss.alias == nil } == "[1, 2]")
            #expect(ask(heroes) { $0.boss.age == 30 } == "[2]")
            #expect(ask(heroes) { $0.boss.rank == nil } == "[1]")
        }
    }

    @Test func optionsAndOperatorsAreToldApart() {
        let heroes = realm.objects(Hero.self)
        for _ in 0..<2 {
            #expect(ask(heroes) { $0.name == "ann" } == "[]")
            #expect(ask(heroes) { $0.name.equals("ann", options: .caseInsensitive) } == "[1]")
            #expect(ask(heroes) { $0.name.equals("ánn", options: .diacriticInsensitive) } == "[]")
            #expect(
                ask(heroes) {
                    $0.name.equals("ánn", options: [.caseInsensitive, .diacriticInsensitive])
                } == "[1]")
            #expect(ask(heroes) { $0.name.notEquals("ANN", options: .caseInsensitive) } == "[2]")
            #expect(ask(heroes) { $0.name.starts(with: "A") } == "[1]")
            #expect(ask(heroes) { $0.name.starts(with: "b", options: .caseInsensitive) } == "[2]")
            #expect(ask(heroes) { $0.name.contains("o") } == "[2]")
            #expect(ask(heroes) { $0.name.like("A*") } == "[1]")
            #expect(ask(heroes) { $0.name > "Ann" } == "[2]")
            #expect(ask(heroes) { $0.name <= "Ann" } == "[1]")
            #expect(ask(heroes) { $0.name.in(["Ann", ""]) } == "[1]")
        }
    }

    @Test func linksTakePlacesAndAreNotKept() throws {
        let heroes = realm.objects(Hero.self)
        let other = try temporaryRealm(heroTypes)
        let stranger = try other.write { other.create(Hero.self, value: ["id": 1]) }
        for _ in 0..<2 {
            #expect(ask(heroes) { $0.boss == heroes[0] } == "[2]")
            #expect(ask(heroes) { $0.boss == heroes[1] } == "[]")
            #expect(ask(heroes) { $0.boss == nil } == "[1]")
            #expect(ask(heroes) { $0.boss == Hero() } == "[]")
            #expect(ask(heroes) { $0.boss == stranger }.contains("must be from the Realm"))
            #expect(ask(heroes) { $0.boss.name == "Ann" } == "[2]")
        }
        let ann = heroes[0]
        try realm.write { realm.delete(ann) }
        #expect(ask(heroes) { $0.boss == ann } == "[]")
        weak var kept: Hero?
        do {
            let hero = Hero()
            #expect(ask(heroes) { $0.boss != hero } == "[2]")
            kept = hero
        }
        #expect(kept == nil)
    }

    @Test func classesAndRealmsHaveTheirOwn() throws {
        let other = try temporaryRealm([Namesake.self])
        try other.write {
            other.create(Namesake.self, value: ["id": 9, "name": 30, "age": "x"] as [String: Any])
        }
        let heroes = realm.objects(Hero.self)
        let namesakes = realm.objects(Namesake.self)
        let others = other.objects(Namesake.self)
        for _ in 0..<3 {
            #expect(ask(heroes) { $0.name == "Ann" } == "[1]")
            #expect(ask(namesakes) { $0.name == 7 } == "[3]")
            #expect(ask(others) { $0.name == 30 } == "[9]")
            #expect(ask(heroes) { $0.age == 40 } == "[2]")
            #expect(ask(namesakes) { $0.age == "Ann" } == "[3]")
            #expect(ask(others) { $0.age == "x" } == "[9]")
            #expect(ask(others) { $0.age == "Ann" } == "[]")
        }
    }

    /// In one of the two Realms the file has the columns in another order.
    @Test func realmsWithOtherColumnsHaveTheirOwn() throws {
        let narrow = try temporaryRealm([ComparedItem.self])
        let wide = try wideRealm()
        #expect(
            narrow.instance.managedClass(for: ComparedItem.self).columns
                != wide.instance.managedClass(for: ComparedItem.self).columns)
        for (realm, id) in [(narrow, 1), (wide, 2)] {
            try realm.write {
                realm.create(ComparedItem.self, value: ["id": id, "a": id * 10, "b": id * 20])
            }
        }
        for _ in 0..<3 {
            #expect(ask(narrow.objects(ComparedItem.self)) { $0.a == 10 } == "[1]")
            #expect(ask(wide.objects(ComparedItem.self)) { $0.a == 20 } == "[2]")
            #expect(ask(narrow.objects(ComparedItem.self)) { $0.b == 20 } == "[1]")
            #expect(ask(wide.objects(ComparedItem.self)) { $0.b == 40 } == "[2]")
            #expect(ask(wide.objects(ComparedItem.self)) { $0.b == 20 } == "[]")
        }
    }

    private func wideRealm() throws -> Realm {
        let configuration = directory.configuration([ComparedItem.self])
        let path = try #require(configuration.fileURL?.path)
        let connection = try Connection(Database.open(path: path))
        let columns = ClassModel.of(ComparedItem.self).definition.columns.reversed()
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(name: "ComparedItem", columns: Array(columns))
        ])
        try connection.commit()
        return try Realm(configuration: configuration)
    }

    private let directory = TestDirectory()

    @Test func everyOtherPartIsAskedAsBefore() throws {
        let heroes = realm.objects(Hero.self)
        try realm.write { heroes[0].friends.append(objectsIn: [heroes[1], heroes[0], heroes[1]]) }
        for _ in 0..<2 {
            #expect(ask(heroes) { $0.age == $0.id && $0.age == 30 } == "[]")
            #expect(ask(heroes) { $0.age == 30 || $0.age < $0.id } == "[1]")
            #expect(ask(heroes) { ($0.friends.age == 40).count == 2 && $0.age == 30 } == "[1]")
            #expect(ask(heroes) { $0.friends.age == 40 } == "[1]")
            #expect(ask(heroes) { $0.friends.count == 3 } == "[1]")
            #expect(ask(heroes) { $0.scores.contains(2) } == "[2]")
            #expect(ask(heroes) { $0.traits["wit"] == nil } == "[1, 2]")
            let friends = heroes[0].friends
            #expect(friends.where { $0.age == 40 }.map(\.id) == [2, 2])
            #expect(friends.where { $0.age > 1 }.where { $0.age < 35 }.map(\.id) == [1])
            #expect(friends.index(matching: { $0.age == 30 }) == 1)
            #expect(heroes.index(matching: { $0.age == 40 }) == 1)
            #expect(heroes.index(matching: { $0.age == 41 }) == nil)
        }
    }

    @Test func subscriptsWithoutEndAreForgotten() throws {
        let heroes = realm.objects(Hero.self)
        try realm.write { for number in 0..<600 { heroes[0].traits["\(number)"] = number } }
        for number in 0..<600 {
            #expect(heroes.where { $0.traits["\(number)"] == number }.map(\.id) == [1])
            #expect(heroes.where { $0.age == 40 }.map(\.id) == [2])
        }
    }

    @Test func randomConditionsMeanTheSame() throws {
        let animals = try zooRealm(seed: 7).objects(ZooAnimal.self)
        var found = Set<String>()
        for seed in 0..<400 as Range<UInt64> {
            // The same random numbers each time the condition is evaluated.
            let answer = ask(animals) {
                var random = RepeatableRandom(seed: seed)
                return condition(on: $0, depth: 3, &random)
            }
            found.insert(answer)
        }
        #expect(found.count > 40)
    }

    private func condition(
        on animal: Query<ZooAnimal>, depth: Int, _ random: inout RepeatableRandom
    ) -> Query<Bool> {
        let number = Int.random(in: 0...4, using: &random)
        let name = ["Rex", "Bo", "rex", "Lénya", "", "Boris"].randomElement(using: &random)!
        func part() -> Query<Bool> { condition(on: animal, depth: depth - 1, &random) }
        switch Int.random(in: 0..<(depth > 0 ? 18 : 15), using: &random) {
        case 0: return animal.age == number
        case 1: return animal.age > number
        case 2: return animal.age.in([number, number + 2])
        case 3: return animal.age.contains(number...number + 1)
        case 4: return animal.weight == (number == 0 ? nil : Double(number))
        case 5: return animal.nickname == (number == 0 ? nil : name)
        case 6: return animal.name == name
        case 7: return animal.name.equals(name, options: .caseInsensitive)
        case 8: return animal.name >= name
        case 9: return animal.isTame
        case 10: return animal.mood == .wild
        case 11: return animal.home.city == "Ulm"
        case 12: return animal.friends.age == number
        case 13: return animal.age <= animal.all
        case 14: return animal.length > Meters(Double(number))
        case 15: return !part()
        case 16: return part() && part()
        default: return part() || part()
        }
    }
}

class ComparedItem: Object {
    @Persisted var a: Int
    @Persisted var b: Int
    @Persisted(primaryKey: true) var id: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
