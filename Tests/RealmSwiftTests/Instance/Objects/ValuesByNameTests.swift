import Foundation
import RealmSwift
import Testing

private enum Level: Int, PersistableEnum { case low = 1, high }

private struct Odd: FailableCustomPersistable, Hashable {
    typealias PersistedType = Int
    var value: Int
    init?(persistedValue: Int) {
        if persistedValue.isMultiple(of: 2) { return nil }
        value = persistedValue
    }
    var persistableValue: Int { value }
}

private struct Rank: FailableCustomPersistable, Hashable {
    typealias PersistedType = Level
    var level: Level
    init?(persistedValue: Level) { level = persistedValue }
    var persistableValue: Level { level }
}

private class Corner: EmbeddedObject {
    @Persisted var x: Int
    @Persisted var level: Level?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private struct Positive: FailableCustomPersistable, Hashable {
    typealias PersistedType = Corner
    var x: Int
    init?(persistedValue: Corner) {
        if persistedValue.x < 0 { return nil }
        x = persistedValue.x
    }
    var persistableValue: Corner { Corner(value: ["x": x]) }
}

private class Item: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var level = Level.low
    @Persisted var optionalLevel: Level?
    @Persisted var odd: Odd
    @Persisted var optionalOdd: Odd?
    @Persisted var rank: Rank?
    @Persisted var levels: List<Level?>
    @Persisted var levelSet: MutableSet<Level?>
    @Persisted var levelMap: Map<String, Level?>
    @Persisted var odds: List<Odd>
    @Persisted var positive: Positive?
    @Persisted var positives: List<Positive>
    @Persisted var spot: Corner?
    @Persisted var spots: List<Corner>
    @Persisted var spotMap: Map<String, Corner?>
    @Persisted var next: Item?
    @Persisted var items: List<Item>
    @Persisted var itemSet: MutableSet<Item>
    @Persisted var itemMap: Map<String, Item?>
    @Persisted var any: AnyRealmValue
    @Persisted var numbers: List<Int>
    @Persisted var texts: MutableSet<String>
    @Persisted var dates: Map<String, Date?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The table of `Item`, with the stored types.
private class RawItem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var level: Int
    @Persisted var optionalLevel: Int?
    @Persisted var odd: Int
    @Persisted var optionalOdd: Int?
    @Persisted var rank: Int?
    @Persisted var levels: List<Int?>
    @Persisted var levelSet: MutableSet<Int?>
    @Persisted var levelMap: Map<String, Int?>
    @Persisted var odds: List<Int>
    @Persisted var positive: Corner?
    @Persisted var positives: List<Corner>
    @Persisted var spot: Corner?
    @Persisted var spots: List<Corner>
    @Persisted var spotMap: Map<String, Corner?>
    @Persisted var next: RawItem?
    @Persisted var items: List<RawItem>
    @Persisted var itemSet: MutableSet<RawItem>
    @Persisted var itemMap: Map<String, RawItem?>
    @Persisted var any: AnyRealmValue
    @Persisted var numbers: List<Int>
    @Persisted var texts: MutableSet<String>
    @Persisted var dates: Map<String, Date?>
    override class func className() -> String { Item.className() }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct ValuesByNameTests {
    let directory = TestDirectory()
    private let types: [ObjectBase.Type] = [Item.self, Corner.self]

    private func raw(_ id: Int) throws -> RawItem {
        let realm = try directory.realm([RawItem.self, Corner.self])
        return try #require(realm.object(ofType: RawItem.self, forPrimaryKey: id))
    }

    private let given: [String: Any] = [
        "level": 7, "optionalLevel": 8, "odd": 2, "optionalOdd": 4, "rank": 9,
        "levels": [1, 5, NSNull(), Level.high], "levelSet": [2, 6], "levelMap": ["a": 1, "b": 3],
        "odds": [1, 2], "positive": ["x": -1], "positives": [["x": 3], ["x": -3]],
        "spot": ["x": 1, "level": 11], "spots": [["level": 12]],
    ]

    private func expectStored(_ id: Int, _ comment: Comment) throws {
        let raw = try raw(id)
        #expect(raw.level == 7 && raw.optionalLevel == 8, comment)
        #expect(raw.odd == 2 && raw.optionalOdd == 4 && raw.rank == 9, comment)
        #expect(Array(raw.levels) == [1, 5, nil, 2], comment)
        #expect(raw.levelSet.contains(6) && raw.levelSet.count == 2, comment)
        #expect(raw.levelMap["b"] == 3 && raw.levelMap.count == 2, comment)
        #expect(Array(raw.odds) == [1, 2], comment)
        #expect(raw.positive?.x == -1 && raw.positives.map(\.x) == [3, -3], comment)
        let corners = raw.realm?.dynamicObjects(Corner.className())
        #expect(corners?.filter("level == 11").isEmpty == false, comment)
        #expect(corners?.filter("level == 12").isEmpty == false, comment)
    }

    private func expectNil(_ item: Item, _ comment: Comment) {
        #expect(item.optionalLevel == nil && item.optionalOdd == nil, comment)
        #expect(item.rank == nil && item.positive == nil && item.spot?.level == nil, comment)
        #expect(Array(item.levels) == [.low, nil, nil, .high], comment)
        #expect(item.levelMap["b"] == .some(nil) && item.levelMap["a"] == .low, comment)
        #expect(item["optionalLevel"] == nil, comment)
    }

    // MARK: Values without a case

    @Test func createStoresRawValuesThatNoValueStandsFor() throws {
        let realm = try directory.realm(types)
        let values = given.merging(["id": 1]) { $1 }
        let item = try realm.write { realm.create(Item.self, value: values) }
        expectNil(item, "create")
        let levels = try realm.write {
            realm.create(Item.self, value: ["id": 2, "odd": 1])
            realm.create(Item.self, value: given.merging(["id": 2]) { $1 }, update: .modified)
            return realm.create(
                Item.self, value: given.merging(["id": 2]) { $1 }, update: .all
            ).levels
        }
        #expect(levels.count == 4)
        try realm.write {
            let outer = realm.create(
                Item.self, value: ["id": 3, "odd": 1, "next": given.merging(["id": 4]) { $1 }])
            expectNil(try #require(outer.next), "nested")
        }
    }

    @Test func whatWasCreatedIsStoredAsItWasGiven() throws {
        try autoreleasepool {
            let realm = try directory.realm(types)
            try realm.write {
                realm.create(Item.self, value: given.merging(["id": 1]) { $1 })
                realm.create(Item.self, value: ["id": 2, "odd": 1])
                realm.create(Item.self, value: given.merging(["id": 2]) { $1 }, update: .modified)
            }
        }
        try expectStored(1, "create")
        try expectStored(2, "update")
    }

    @Test func settingByNameStoresThemToo() throws {
        try autoreleasepool {
            let realm = try directory.realm(types)
            try realm.write {
                let item = realm.create(Item.self, value: ["id": 1, "odd": 1])
                let other = realm.create(Item.self, value: ["id": 2, "odd": 1])
                for (name, value) in given {
                    item[name] = value
                    other.setValue(value, forKey: name)
                }
                expectNil(item, "subscript")
                expectNil(other, "setValue")
                item.levelMap.setValue(3, forKey: "b")
                // All objects in one call.
                realm.objects(Item.self).setValue(8, forKey: "optionalLevel")
                #expect(item.optionalLevel == nil)
            }
            expectNil(realm.objects(Item.self)[0], "map and collection")
        }
        try expectStored(1, "subscript")
        try expectStored(2, "setValue")
    }

    @Test func readingThemWhereNilIsImpossibleStops() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try TestDirectory.untilExit().realm([Item.self, Corner.self])
            try realm.write {
                _ = realm.create(Item.self, value: ["id": 1, "odd": 1, "level": 7]).level
            }
        }
        expectStop(
            "Failed to convert persisted value '7' to type 'Level' in a non-optional context.",
            result)
    }

    @Test func unmanagedObjectsHaveNoPlaceForThem() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { Item()["optionalLevel"] = 7 }
        expectStop("Could not convert value '7' to type 'Level'.", result)
    }

    @Test func valuesOfAnotherTypeStopBesideThem() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try TestDirectory.untilExit().realm([Item.self, Corner.self])
            try realm.write {
                realm.create(Item.self, value: ["id": 1, "odd": 1])["levels"] = [7, "x"] as [Any]
            }
        }
        #expect(
            result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }?
                .contains("Invalid value") == true)
    }

    // MARK: Null for collections

    @Test func nullEmptiesACollection() throws {
        let realm = try directory.realm(types)
        func full(_ id: Int) -> Item {
            realm.create(
                Item.self,
                value: [
                    "id": id, "odd": 1, "numbers": [1], "texts": ["a"], "dates": ["d": Date()],
                    "spots": [["x": 1]], "spotMap": ["s": ["x": 1]],
                ], update: .modified)
        }
        let names = ["numbers", "texts", "dates", "spots", "spotMap"]
        func expectEmpty(_ item: Item, _ comment: Comment) {
            #expect(item.numbers.isEmpty && item.texts.isEmpty && item.dates.count == 0, comment)
            #expect(item.spots.isEmpty && item.spotMap.count == 0, comment)
        }
        try realm.write {
            let item = full(1)
            for name in names { item[name] = nil }
            expectEmpty(item, "subscript")
            _ = full(1)
            for name in names { item.setValue(NSNull(), forKey: name) }
            expectEmpty(item, "setValue")
            _ = full(1)
            var values: [String: Any] = ["id": 1]
            for name in names { values[name] = NSNull() }
            realm.create(Item.self, value: values, update: .modified)
            expectEmpty(item, "dictionary")
            _ = full(1)
            let dynamic = try #require(realm.dynamicObject(ofType: "Item", forPrimaryKey: 1))
            for name in names { dynamic[name] = nil }
            expectEmpty(item, "dynamic object")
            let array: [Any] = [
                2, 1, NSNull(), 1, NSNull(), NSNull(), NSNull(), NSNull(), NSNull(), NSNull(),
                NSNull(), NSNull(), NSNull(), NSNull(), NSNull(), NSNull(), NSNull(), NSNull(),
                NSNull(), NSNull(), NSNull(), NSNull(), NSNull(),
            ]
            expectEmpty(realm.create(Item.self, value: array), "array")
        }
        let unmanaged = Item(value: ["numbers": [1], "dates": ["d": Date()]])
        for name in names { unmanaged[name] = nil }
        expectEmpty(unmanaged, "unmanaged")
    }

    // MARK: Unmanaged objects

    private func unmanaged(_ id: Int) -> Item { Item(value: ["id": id, "odd": 1]) }

    @Test func unmanagedObjectsSetByNameAreAdded() throws {
        let realm = try directory.realm(types)
        let items = (0..<8).map { unmanaged($0) }
        let parent = items[0]
        let spots = (0..<4).map { Corner(value: ["x": $0]) }
        try realm.write {
            realm.add(parent)
            parent["next"] = items[1]
            #expect(items[1].realm != nil && parent.next == items[1])
            parent.setValue(items[2], forKey: "next")
            parent["items"] = [items[3], items[1]]
            parent["itemSet"] = [items[4]]
            parent["itemMap"] = ["a": items[5]]
            parent.itemMap.setValue(items[6], forKey: "b")
            parent["any"] = ["x": [items[7]]]
            parent["spot"] = spots[0]
            parent["spots"] = [spots[1]]
            parent["spotMap"] = ["a": spots[2]]
            parent.spotMap.setValue(spots[3], forKey: "b")
        }
        #expect(items.allSatisfy { $0.realm != nil } && realm.objects(Item.self).count == 8)
        #expect(spots.allSatisfy { $0.realm != nil })
        #expect(parent.spotMap["b"]??.isSameObject(as: spots[3]) == true)
        try realm.write { items[5]["odd"] = 11 }
        #expect(parent.itemMap["a"]??.odd.value == 11)
    }

    @Test func theyAreAddedFromWithinDictionariesToo() throws {
        let realm = try directory.realm(types)
        let (parent, child) = (unmanaged(0), unmanaged(2))
        try realm.write {
            realm.add(parent)
            parent["next"] = ["id": 1, "odd": 1, "next": child]
            realm.objects(Item.self).setValue(child, forKey: "next")
        }
        #expect(child.realm != nil && parent.next == child && child.next == child)
        #expect(realm.objects(Item.self).count == 3)
    }

    @Test func createCopiesThem() throws {
        let realm = try directory.realm(types)
        let child = unmanaged(2)
        let created = try realm.write {
            realm.create(Item.self, value: ["id": 1, "odd": 1, "next": child])
        }
        #expect(child.realm == nil && created.next?.id == 2)
    }

    // MARK: Dynamic access

    @Test func dynamicCollectionsOfValues() throws {
        let realm = try directory.realm(types)
        let item = try realm.write {
            realm.create(
                Item.self,
                value: [
                    "id": 1, "odd": 1, "numbers": [1, 2], "texts": ["a"], "dates": ["d": Date()],
                    "levels": [1],
                ])
        }
        let numbers: List<Int> = item.dynamicList("numbers")
        let texts: MutableSet<String> = item.dynamicMutableSet("texts")
        let dates: Map<String, Date?> = item.dynamicMap("dates")
        let levels: List<Int?> = item.dynamicList("levels")
        #expect(Array(numbers) == [1, 2] && Array(texts) == ["a"] && dates.count == 1)
        #expect(Array(levels) == [1])
        try realm.write { numbers.append(3) }
        #expect(item.numbers.count == 3)
        let untyped = item.dynamicList("numbers")
        #expect(untyped.count == 3 && item.dynamicMutableSet("texts").count == 1)
        let untypedMap: Map<String, DynamicObject?> = item.dynamicMap("dates")
        #expect(untypedMap.count == 1 && untypedMap.keys == ["d"])
        let dynamic = try #require(realm.dynamicObject(ofType: "Item", forPrimaryKey: 1))
        #expect(dynamic.dynamicList("numbers").count == 3)
        try realm.write { untyped.removeAll() }
        #expect(item.numbers.isEmpty)
    }

    @Test func linksOfDynamicObjectsLeadToTheClass() throws {
        let realm = try directory.realm(types)
        try realm.write {
            realm.create(
                Item.self,
                value: ["id": 1, "odd": 1, "next": ["id": 2, "odd": 3], "spot": ["x": 5]])
        }
        let dynamic = try #require(realm.dynamicObject(ofType: "Item", forPrimaryKey: 1))
        #expect((dynamic["next"] as? Item)?.odd.value == 3)
        #expect((dynamic.value(forKey: "spot") as? Corner)?.x == 5)
        #expect(dynamic.value(forKeyPath: "next.id") as? Int == 2)
        try realm.write { dynamic["next"] = dynamic["next"] }
        #expect((dynamic.next as? Item)?.id == 2)
        try realm.write {
            dynamic.setValue(9, forUndefinedKey: "odd")
            dynamic.setValue([4], forUndefinedKey: "numbers")
        }
        #expect(dynamic.value(forUndefinedKey: "odd") as? Int == 9)
        #expect(realm.objects(Item.self)[0].numbers.first == 4)
    }
}
