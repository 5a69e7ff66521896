import Foundation
import Testing

@testable import RealmSwift

/// Tests of results that were filtered, sorted or made distinct.
@Suite struct DerivedResultsTests {
    private let realm: Realm

    init() throws {
        realm = try temporaryRealm(heroTypes)
        try realm.write {
            for (id, name, age) in [
                (1, "Ann", 30), (2, "Bob", 40), (3, "Cid", 30), (4, "Dan", 20), (5, "Eve", 40),
            ] {
                realm.create(Hero.self, value: ["id": id, "name": name, "age": age])
            }
        }
    }

    private var heroes: Results<Hero> { realm.objects(Hero.self) }

    private func hero(_ id: Int) throws -> Hero {
        try #require(realm.object(ofType: Hero.self, forPrimaryKey: id))
    }

    private func ids(_ results: Results<Hero>) -> [Int] { results.map(\.id) }

    // MARK: Filters

    @Test func filtersCanBeChained() {
        let some = heroes.filter("age == 40").filter("name == %@", "Eve")
        #expect(ids(some) == [5])
        #expect(some.count == 1)
        #expect(heroes.filter("age == 99").first == nil)
    }

    @Test func firstAndLastAreFound() {
        let some = heroes.filter("age == 30")
        #expect(some.first?.id == 1)
        #expect(some.last?.id == 3)
        #expect(some[1].id == 3)
        #expect(!some.isEmpty)
    }

    @Test func changesShowAtOnceInsideAWrite() throws {
        let some = heroes.filter("age == 30")
        #expect(ids(some) == [1, 3])
        try realm.write {
            try hero(2).age = 30
            #expect(ids(some) == [1, 2, 3])
            try hero(1).age = 0
            #expect(some.count == 2)
            #expect(some.first?.id == 2)
            realm.delete(try hero(3))
            #expect(ids(some) == [2])
            realm.create(Hero.self, value: ["id": 6, "age": 30])
            #expect(some.count == 2)
        }
        #expect(ids(some) == [2, 6])
    }

    @Test func cancelledChangesAreForgotten() throws {
        let some = heroes.filter("age == 30")
        realm.beginWrite()
        try hero(2).age = 30
        #expect(some.count == 3)
        realm.cancelWrite()
        #expect(ids(some) == [1, 3])
    }

    @Test func changesOfLinkedObjectsAndCollectionsShow() throws {
        let led = heroes.filter("boss.name == 'Zoe' OR ANY scores == 7 OR ANY friends.age == 99")
        #expect(led.isEmpty)
        try realm.write {
            try hero(1).boss = try hero(2)
            #expect(led.count == 0)
            try hero(2).name = "Zoe"
            #expect(ids(led) == [1])
            try hero(4).scores.append(7)
            #expect(ids(led) == [1, 4])
            try hero(5).friends.append(try hero(3))
            try hero(3).age = 99
            #expect(ids(led) == [1, 4, 5])
            try hero(4).scores.removeAll()
            #expect(ids(led) == [1, 5])
        }
    }

    @Test func otherThreadsChangesShowAfterARefresh() throws {
        let directory = TestDirectory()
        let configuration = directory.configuration(heroTypes)
        let realm = try Realm(configuration: configuration)
        let old = realm.objects(Hero.self).filter("age > 10")
        #expect(old.count == 0)
        try runThread {
            let other = try Realm(configuration: configuration)
            try other.write { _ = other.create(Hero.self, value: ["id": 1, "age": 11]) }
        }
        #expect(old.count == 0)
        realm.refresh()
        #expect(old.count == 1)
    }

    // MARK: Iterating

    @Test func iteratingVisitsWhatWasThere() throws {
        try realm.write {
            for hero in heroes.filter("age >= 30") { hero.age = 0 }
        }
        #expect(heroes.filter("age == 0").count == 4)
        try realm.write {
            for hero in heroes.filter("age == 0") { realm.delete(hero) }
        }
        #expect(ids(heroes) == [4])
    }

    @Test func deletedObjectsArePassedOver() throws {
        var visited: [Int] = []
        try realm.write {
            for hero in heroes.filter("age >= 30") {
                visited.append(hero.id)
                if hero.id == 1 { realm.delete(heroes.filter("id == 2 OR id == 3")) }
            }
        }
        #expect(visited == [1, 5])
    }

    @Test func keptElementsStayDistinct() {
        let kept = Array(heroes.filter("age >= 30"))
        #expect(kept.map(\.id) == [1, 2, 3, 5])
    }

    @Test func deletingResultsDeletesThemOnly() throws {
        try realm.write { realm.delete(heroes.filter("age == 40").sorted(byKeyPath: "name")) }
        #expect(ids(heroes) == [1, 3, 4])
    }

    // MARK: Order

    @Test func sortingIsStable() {
        #expect(ids(heroes.sorted(byKeyPath: "age")) == [4, 1, 3, 2, 5])
        #expect(ids(heroes.sorted(byKeyPath: "age", ascending: false)) == [2, 5, 1, 3, 4])
        #expect(ids(heroes.sorted(by: \.age)) == [4, 1, 3, 2, 5])
        let both = [
            SortDescriptor(keyPath: "age"), SortDescriptor(keyPath: \Hero.name, ascending: false),
        ]
        #expect(ids(heroes.sorted(by: both)) == [4, 3, 1, 5, 2])
        #expect(ids(heroes.sorted(by: ["age", "name"])) == [4, 1, 3, 2, 5])
        let none: [RealmSwift.SortDescriptor] = []
        #expect(ids(heroes.sorted(by: none)) == [1, 2, 3, 4, 5])
    }

    @Test func theLastOfSeveralSortsIsTheMostSignificant() {
        let results = heroes.sorted(byKeyPath: "name", ascending: false).sorted(byKeyPath: "age")
        #expect(ids(results) == [4, 3, 1, 5, 2])
    }

    @Test func linksAreSortedByTheirTargetsNullLinksLast() throws {
        try realm.write {
            try hero(1).boss = try hero(5)
            try hero(2).boss = try hero(4)
            try hero(3).rank = 3
            try hero(1).rank = 1
        }
        #expect(ids(heroes.sorted(byKeyPath: "boss.name")) == [2, 1, 3, 4, 5])
        #expect(ids(heroes.sorted(byKeyPath: "boss.name", ascending: false)) == [3, 4, 5, 1, 2])
        #expect(ids(heroes.sorted(byKeyPath: "rank")) == [2, 4, 5, 1, 3])
        #expect(ids(heroes.sorted(byKeyPath: "rank", ascending: false)) == [3, 1, 2, 4, 5])
    }

    @Test func filtersKeepTheOrder() {
        let sorted = heroes.sorted(byKeyPath: "name", ascending: false)
        #expect(ids(sorted.filter("age >= 30")) == [5, 3, 2, 1])
        #expect(ids(heroes.filter("age >= 30").sorted(byKeyPath: "age")) == [1, 3, 2, 5])
        #expect(sorted.filter("age >= 30").first?.id == 5)
    }

    @Test func distinctKeepsTheFirstOfEachGroup() {
        #expect(ids(heroes.distinct(by: ["age"])) == [1, 2, 4])
        #expect(ids(heroes.distinct(by: [\Hero.age])) == [1, 2, 4])
        let fromBehind = heroes.sorted(byKeyPath: "id", ascending: false)
        #expect(ids(fromBehind.distinct(by: ["age"])) == [5, 4, 3])
        #expect(ids(heroes.distinct(by: ["age", "name"])) == [1, 2, 3, 4, 5])
        #expect(ids(heroes.distinct(by: ["age"]).filter("id > 1")) == [2, 4])
        #expect(ids(heroes.filter("id > 1").distinct(by: ["age"])) == [2, 3, 4])
    }

    @Test func sortedResultsAreLive() throws {
        let sorted = heroes.sorted(byKeyPath: "age")
        #expect(sorted.first?.id == 4)
        try realm.write { try hero(5).age = 1 }
        #expect(ids(sorted) == [5, 4, 1, 3, 2])
    }

    // MARK: Positions

    @Test func positionsAreFound() throws {
        let some = heroes.filter("age >= 30").sorted(byKeyPath: "name", ascending: false)
        #expect(some.index(of: try hero(3)) == 1)
        #expect(some.index(of: try hero(4)) == nil)
        #expect(some.index(of: Hero()) == nil)
        #expect(some.index(matching: "age == 30") == 1)
        #expect(some.index(matching: "age == %d", 99) == nil)
        #expect(heroes.index(matching: "name == %@", "Cid") == 2)
        #expect(some.objects(at: IndexSet([0, 2])).map(\.id) == [5, 2])
    }

    // MARK: Other collections

    @Test func listsSetsAndBacklinksAreQueried() throws {
        let ann = try hero(1)
        try realm.write {
            ann.friends.append(objectsIn: [try hero(5), try hero(2), try hero(5), try hero(4)])
            ann.rivals.insert(objectsIn: [try hero(3), try hero(4)])
            try hero(2).boss = ann
            try hero(3).boss = ann
        }
        // Lists keep their order and their duplicates.
        let friends = ann.friends.filter("age == 40")
        #expect(ids(friends) == [5, 2, 5])
        #expect(friends.count == 3)
        #expect(ids(ann.friends.sorted(byKeyPath: "name")) == [2, 4, 5, 5])
        #expect(ids(ann.friends.distinct(by: ["name"])) == [5, 2, 4])
        #expect(ann.friends.index(matching: "age == 20") == 3)
        #expect(ids(ann.rivals.filter("age == 20")) == [4])
        #expect(ids(ann.staff.filter("age == 30")) == [3])
        #expect(ids(ann.staff.sorted(byKeyPath: "name", ascending: false)) == [3, 2])
        #expect(ids(AnyRealmCollection(ann.friends).filter("age == 20")) == [4])
        #expect(ids(AnyRealmCollection(heroes).sorted(byKeyPath: "age")) == [4, 1, 3, 2, 5])
        try realm.write { ann.friends.removeLast(2) }
        #expect(ids(friends) == [5, 2])
        try realm.write { realm.delete(ann) }
        #expect(friends.isEmpty)
    }

    @Test func aggregatesAndKeyValueCodingSeeWhatIsLeft() throws {
        let some = heroes.filter("age >= 30").sorted(byKeyPath: "age", ascending: false)
        #expect(some.sum(ofProperty: "age") as Int == 140)
        #expect(some.average(ofProperty: "age") as Double? == 35)
        #expect(some.min(of: \.age) == 30)
        #expect(some.max(of: \.age) == 40)
        #expect(some.value(forKey: "id") as? [Int] == [2, 5, 1, 3])
        try realm.write { some.setValue(5, forKey: "age") }
        #expect(heroes.filter("age == 5").count == 4)
        #expect(some.isEmpty)
    }

    @Test func mapsAreQueried() throws {
        let ann = try hero(1)
        try realm.write {
            ann.allies["x"] = try hero(5)
            ann.allies["y"] = .some(nil)
            ann.allies["z"] = try hero(2)
            ann.allies["zz"] = try hero(4)
        }
        #expect(ann.allies.filter("age == 40").map { $0?.id } == [5, 2])
        #expect(ann.allies.sorted(byKeyPath: "age").map { $0?.id } == [4, 5, 2])
        #expect(ann.allies.sorted(by: \.name, ascending: false).map { $0?.id } == [5, 4, 2])
    }

    @Test func elementsMadeOfObjectsAreQueried() throws {
        let ann = try hero(1)
        try realm.write {
            ann.spots.append(objectsIn: ["Rome", "Oslo", "Riga"].map { Spot(city: $0) })
        }
        let some = ann.spots.filter("city BEGINSWITH 'R'").sorted(by: ["city"])
        #expect(Array(some) == [Spot(city: "Riga"), Spot(city: "Rome")])
        #expect(some[1] == Spot(city: "Rome"))
        #expect(some.first == Spot(city: "Riga"))
        let names = realm.objects(HeroName.self).filter("age == 40")
        #expect(names.map(\.name) == ["Bob", "Eve"])
        #expect(names[1].name == "Eve")
        #expect(names.sorted(byKeyPath: "name", ascending: false).first?.name == "Eve")
    }

    @Test func valuesAreSortedAndFreedOfRepetitions() throws {
        let ann = try hero(1)
        try realm.write {
            ann.scores.append(objectsIn: [3, 1, 3, 2, 1])
            ann.tags.insert(objectsIn: ["b", "a", "c"])
            ann.things.append(objectsIn: [.string("x"), .double(2), .int(1), .none, .int(2)])
        }
        let sorted = ann.scores.sorted(ascending: true)
        #expect(Array(sorted) == [1, 1, 2, 3, 3])
        #expect(Array(ann.scores.sorted(ascending: false)) == [3, 3, 2, 1, 1])
        #expect(Array(ann.scores.distinct()) == [3, 1, 2])
        #expect(Array(sorted.distinct().sorted(ascending: false)) == [3, 2, 1])
        #expect(Array(ann.tags.sorted(ascending: false)) == ["c", "b", "a"])
        #expect(
            Array(ann.things.sorted(ascending: true)) == [
                .none, .int(1), .double(2), .int(2), .string("x"),
            ])
        #expect(Array(AnyRealmCollection(ann.scores).sorted(ascending: true)) == [1, 1, 2, 3, 3])
        #expect(sorted.first == 1 && sorted.last == 3 && sorted.count == 5 && sorted[2] == 2)
        #expect(sorted.index(of: 2) == 2)
        #expect(ann.scores.distinct().sum() == 6)
        #expect(sorted == sorted && sorted != ann.scores.sorted(ascending: true))
        try realm.write {
            ann.scores.append(0)
            #expect(Array(sorted) == [0, 1, 1, 2, 3, 3])
            realm.delete(ann)
        }
        #expect(sorted.isEmpty)
        #expect(!sorted.isInvalidated)
    }

    @Test func propertiesOfAllObjectsAreSet() throws {
        try realm.write {
            heroes.setValue("x", forKey: "name")
            heroes.filter("id > 3").setValue(nil, forKey: "alias")
            heroes.filter("id > 3").setValue(1.5, forKey: "height")
            heroes.filter("id > 3").setValue(try hero(1), forKey: "boss")
            heroes.filter("id < 3").setValue(AnyRealmValue.int(3), forKey: "mixed")
        }
        #expect(heroes.allSatisfy { $0.name == "x" })
        #expect(heroes.map(\.height) == [0, 0, 0, 1.5, 1.5])
        #expect(heroes.map { $0.boss?.id } == [nil, nil, nil, 1, 1])
        #expect(heroes.filter("mixed == 3").map(\.id) == [1, 2])
    }

    // MARK: Plans

    /// Indexes and backlinks narrow a query to a few of many objects, and only those are evaluated.
    @Test func indexesAndBacklinksNameFewObjects() throws {
        try realm.write {
            for id in 10..<2_000 {
                realm.create(Hero.self, value: ["id": id, "age": id, "name": "n\(id)"])
            }
            try hero(1_500).boss = try hero(1_000)
            try hero(1_600).friends.append(try hero(1_000))
        }
        for (format, expected) in [
            ("id == 1234", [1_234]), ("id IN {5, 1234}", [5, 1_234]),
            ("age BETWEEN {1000, 1003} AND name != 'n1001'", [1_000, 1_002, 1_003]),
            ("age == 40 OR age == 1999", [2, 5, 40, 1_999]), ("boss.id == 1000", [1_500]),
            ("ANY friends.age == 1000", [1_600]), ("boss == %@", [1_500]),
            ("%@ IN friends", [1_600]),
        ] {
            let some = heroes.filter(format, try hero(1_000))
            #expect(ids(some) == expected, "\(format)")
            let text = some.explain()
            #expect(text.contains("objects that were named"), "\(format): \(text)")
            #expect(text.hasSuffix("\(expected.count) objects"))
        }
        let text = heroes.filter("name CONTAINS 'n1'").explain()
        #expect(text.contains("looked at 1995 objects"))
        // All heights are 0. The zone maps show that without a look at any object.
        #expect(heroes.filter("height > 0").explain().contains("looked at 0 objects"))
    }

    @Test func dynamicObjectsAreQueried() {
        let dynamic = realm.dynamicObjects("Hero").filter("age == 40")
            .sorted(byKeyPath: "name", ascending: false)
        #expect(dynamic.map { $0["id"] as? Int } == [5, 2])
    }

    @Test func invalidatedRealmsInvalidateResults() {
        let some = heroes.filter("age >= 30")
        #expect(some.count == 4)
        realm.invalidate()
        #expect(some.isInvalidated)
    }

    @Test func copiesAreEqualAndOthersAreNot() {
        let some = heroes.filter("age == 30")
        let copy = some
        #expect(some == copy)
        #expect(some != heroes.filter("age == 30"))
    }
}
