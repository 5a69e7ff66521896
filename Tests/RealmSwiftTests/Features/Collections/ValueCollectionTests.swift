import Foundation
import Testing

@testable import RealmSwift

private class Bag: Object {
    @Persisted var id: Int
    @Persisted var numbers: List<Int>
    @Persisted var words: MutableSet<String?>
    @Persisted var prices: Map<String, Double?>
    @Persisted var things: List<AnyRealmValue>
    @Persisted var moods: List<Mood>
    @Persisted var bags: List<Bag>
    @Persisted var heap: MutableSet<Bag>
    @Persisted var first: String
    @Persisted var last: String

    var fullName: String { "\(first) \(last)" }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class BagView: Projection<Bag> {
    @Projected(\Bag.fullName) var name
    @Projected(\Bag.bags[0].last) var firstOfBags
    @Projected(\Bag.numbers[1]) var second
}

/// Tests of sums, orders, descriptions and key-value coding of collections.
@Suite struct ValueCollectionTests {
    private let realm: Realm
    private let bag: Bag

    init() throws {
        realm = try temporaryRealm([Bag.self])
        let realm = realm
        bag = try realm.write {
            let bag = realm.create(Bag.self, value: ["id": 1, "first": "Ann", "last": "Lee"])
            bag.numbers.append(objectsIn: [3, 1, 2, 3])
            bag.words.insert(objectsIn: ["b", nil, "a"])
            bag.prices["x"] = .some(2)
            bag.prices["y"] = .some(nil)
            bag.prices["z"] = .some(1)
            bag.moods.append(objectsIn: [.wild, .calm])
            bag.bags.append(realm.create(Bag.self, value: ["id": 2, "last": "Poe"]))
            bag.bags.append(realm.create(Bag.self, value: ["id": 3, "last": "Poe"]))
            bag.heap.insert(objectsIn: bag.bags)
            return bag
        }
    }

    // MARK: Sums

    @Test func sumsAreExactInEveryWay() throws {
        let great = List<Int>()
        great.append(objectsIn: [.max, .max])
        let exact = 2 * Double(Int.max)
        #expect(great.value(forKeyPath: "self").count == 2)
        #expect(great._contents.value(forKeyPath: "@sum.self") as? Double == exact)
        try realm.write {
            for bag in realm.objects(Bag.self) { bag.id = .max }
            bag.numbers.removeAll()
            bag.numbers.append(objectsIn: great)
        }
        let bags = realm.objects(Bag.self)
        #expect(bags.sum(ofProperty: "id") as Double == 3 * Double(Int.max))
        #expect(bag.bags.sum(ofProperty: "id") as Double == exact)
        #expect(bags.filter("numbers.@sum > 1.9e19").count == 0)
        #expect(bags.filter("numbers.@sum > 1.8e19").count == 1)
        #expect(bag.numbers._contents.value(forKeyPath: "@sum.self") as? Double == exact)
        try realm.write { bag.numbers.append(-.max) }
        #expect(bag.numbers.sum() == .max)
    }

    @Test func sumsOfMixedValuesAreDecimal() throws {
        #expect(bag.things.sum() == .decimal128(0))
        #expect(List<AnyRealmValue>().sum() == .decimal128(0))
        #expect(realm.objects(Bag.self).filter("things.@sum == 0").count == 3)
        try realm.write {
            bag.things.append(objectsIn: [.double(0.1), .double(0.2), .string("x")])
        }
        #expect(bag.things.sum() == .decimal128("0.3"))
        #expect(realm.objects(Bag.self).filter("things.@sum == %@", Decimal128("0.3")).count == 1)
        let copy = List<AnyRealmValue>()
        copy.append(objectsIn: bag.things)
        #expect(copy.sum() == .decimal128("0.3"))
    }

    @Test func aSumThatDoesNotFitStops() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let numbers = List<Int>()
            numbers.append(objectsIn: [.max, .max])
            _ = numbers.sum()
        }
        expectStop("Could not convert value '1.8446744073709552e+19' to type 'Int'.", result)
    }

    // MARK: Orders

    @Test func valuesAreSortedBySelf() {
        let up = [SortDescriptor(keyPath: "self")]
        #expect(Array(bag.numbers.sorted(by: up)) == [1, 2, 3, 3])
        #expect(Array(bag.words.sorted(by: [up[0].reversed()])) == ["b", "a", nil])
        #expect(Array(bag.prices.sorted()) == [nil, 1, 2])
        #expect(Array(bag.prices.sorted(ascending: false)) == [2, 1, nil])
        #expect(Array(bag.prices.sorted(by: up)) == [nil, 1, 2])
        #expect(Array(bag.numbers.distinct(by: ["self"])) == [3, 1, 2])
        #expect(Array(bag.numbers.sorted().distinct(by: ["self"]).sorted(by: [])) == [1, 2, 3])
        #expect(Array(AnyRealmCollection(bag.numbers).sorted(by: up)) == [1, 2, 3, 3])
        #expect(Array(bag.moods.sorted(by: up)) == [.calm, .wild])
    }

    @Test func valuesAreSectionedBySelf() throws {
        let sections = bag.numbers.sectioned(sortDescriptors: ["self"]) { $0 % 2 }
        #expect(sections.allKeys == [1, 0])
        #expect(Array(sections[0]) == [1, 3, 3])
        #expect(bag.numbers.sectioned(by: { $0 }, ascending: false).allKeys == [3, 2, 1])
        #expect(bag.moods.sectioned(by: { $0.rawValue }).allKeys == ["calm", "wild"])
        #expect(bag.words.sectioned(by: { $0 }).allKeys == [nil, "a", "b"])
        let objects = bag.bags.sectioned(by: { $0.id }, ascending: false)
        #expect(objects.allKeys == [3, 2])
        #expect(objects[0].map(\.id) == [3])
        #expect(realm.objects(Bag.self).sectioned(by: { $0.last }).allKeys == ["Lee", "Poe"])
        #expect(AnyRealmCollection(bag.bags).sectioned(by: { $0.last })[0].count == 2)
    }

    @Test func otherPathsOfValuesStop() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try temporaryRealm([Bag.self])
            let bag = try realm.write { realm.create(Bag.self) }
            _ = bag.numbers.sorted(by: [SortDescriptor(keyPath: "x")])
        }
        expectStop(
            "Cannot sort on key path 'x': arrays of 'int' can only be sorted on 'self'", result)
    }

    // MARK: Descriptions

    @Test func resultsOfValuesAreDescribed() {
        #expect("\(bag.numbers.sorted())".hasPrefix("Results<int> <0x"))
        #expect(
            "\(bag.numbers.sorted())".hasSuffix("> (\n\t[0] 1,\n\t[1] 2,\n\t[2] 3,\n\t[3] 3\n)"))
        #expect("\(bag.words.distinct())".hasPrefix("Results<string?> <0x"))
        #expect(bag.moods.sorted().description.hasPrefix("Results<string> <0x"))
    }

    @Test func otherDescriptions() throws {
        #expect(
            SortDescriptor(keyPath: "age", ascending: false).description
                == "SortDescriptor(keyPath: age, direction: descending)")
        let texts = ["1.50": "1.5", "2.00": "2", "100": "100", "1E+10": "1E10", "0.00": "0"]
        for (text, shown) in texts {
            #expect(try Decimal128(string: text).description == shown)
            #expect(try Decimal128(string: text).stringValue == text)
        }
        #expect(try Decimal128(string: "-1.500E+20").description == "-1.5E20")
        #expect(try Decimal128(string: "1.20E-9").description == "1.2E-9")
        #expect(List<ObjectId>().description.hasPrefix("List<object id> <0x"))
        let views = realm.objects(BagView.self).filter("id == 1")
        #expect(views.description.hasPrefix("Results<BagView> <0x"))
        let view = try #require(views.first)
        #expect(view.description.contains("name(\\.first, \\.last) = Ann Lee;"))
        try realm.write { realm.delete(bag) }
        #expect(view.description == "[invalid object]")
    }

    // MARK: Key paths

    @Test func keyPathsLeadThroughIndexes() throws {
        #expect(_name(for: \Bag.numbers[0]) == "numbers")
        #expect(_name(for: \Bag.moods[3]) == "moods")
        #expect(_name(for: \Bag.words[0]) == "words")
        #expect(_name(for: \Bag.things[0]) == "things")
        #expect(_name(for: \Bag.bags[0]) == "bags")
        #expect(_name(for: \Bag.bags[7].numbers[2]) == "bags.numbers")
        #expect(_name(for: \Bag.prices["x"]) == "prices")
        let view = try #require(realm.objects(BagView.self).filter("id == 1").first)
        #expect(view.name == "Ann Lee" && view.firstOfBags == "Poe" && view.second == 1)
        #expect(_name(for: \BagView.firstOfBags) == "bags.last")
    }

    @Test func valuesOfASetAreASet() {
        let names: Any? = (bag.heap as any RealmCollection).value(forKey: "last")
        #expect(names as? Set<String> == ["Poe"])
        let array: [AnyObject] = bag.heap.value(forKey: "last")
        #expect(array.count == 1)
        #expect(bag.value(forKeyPath: "heap.last") as? Set<String> == ["Poe"])
        #expect(
            (bag.bags as any RealmCollection).value(forKey: "last") as? [String] == ["Poe", "Poe"])
    }

    // MARK: Equality

    @Test func objectsAndCollectionsKnowIsEqualAndHash() throws {
        let again = try #require(realm.objects(Bag.self).first)
        #expect(bag.isEqual(bag) && !bag.isEqual(again) && !bag.isEqual(nil) && !bag.isEqual(1))
        #expect(bag.numbers.isEqual(again.numbers) && bag.numbers.hash == again.numbers.hash)
        #expect(bag.words.isEqual(again.words) && bag.words.hash == again.words.hash)
        #expect(bag.prices.isEqual(again.prices) && bag.prices.hash == again.prices.hash)
        #expect(!bag.numbers.isEqual(bag.bags) && !bag.numbers.isEqual(nil))
        let (one, other) = (List<String>(), List<String>())
        one.append("\u{e9}")
        other.append("\u{e9}")
        #expect(one.isEqual(other) && one.hash == other.hash)
        other[0] = "e\u{301}"
        #expect(!one.isEqual(other))
        let (hero, same) = (Keyed(value: ["id": 1]), Keyed(value: ["id": 1]))
        #expect(!hero.isEqual(same) && hero.hash == hero.hash)
        let keyed = try temporaryRealm([Keyed.self])
        try keyed.write { keyed.add(hero) }
        let found = try #require(keyed.objects(Keyed.self).first)
        #expect(found.isEqual(hero) && found.hash == hero.hash && found == hero)
    }

    // MARK: Logger

    @Test func loggersAreToldUpToTheirLevel() {
        nonisolated(unsafe) var told: [String] = []
        let logger = Logger(level: .warn) { level, message in told.append("\(level): \(message)") }
        for level in [LogLevel.fatal, .error, .warn, .info, .all, .off] {
            logger.log(level: level, message: "x")
        }
        #expect(told == ["fatal: x", "error: x", "warn: x"])
        logger.level = .debug
        logger.log(level: .debug, message: "y")
        #expect(told.last == "debug: y")
    }

    @Test func theLibraryTellsOfTransactions() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            let quiet = try temporaryRealm([Bag.self])
            try quiet.write {}
            Logger.shared.level = .debug
            let realm = try temporaryRealm([Bag.self])
            try realm.write { _ = realm.create(Bag.self) }
            realm.beginWrite()
            realm.cancelWrite()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("Realm [") }
        #expect(lines.count == 3)
        #expect(lines.first?.hasPrefix("Realm [debug]: Opened the Realm at path '") == true)
        #expect(lines.last == "Realm [debug]: Cancelled a write transaction")
    }
}
