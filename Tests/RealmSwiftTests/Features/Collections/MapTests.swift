import Foundation
import RealmSwift
import Testing
import ToolSupport

@Suite struct MapTests {
    let directory = TestDirectory()

    private func realm() throws -> Realm { try directory.realm(shelfTypes) }

    @Test(arguments: [20_261_122, 8] as [UInt64])
    func behavesLikeADictionary(seed: UInt64) throws {
        let realm = try realm()
        let map = try realm.addShelf().intMap
        var random = SeededGenerator(seed: seed)
        var model: [String: Int] = [:]
        try realm.write {
            for step in 0..<2_000 {
                let key = "key \(Int.random(in: 0..<300, using: &random))"
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1:
                    map[key] = step
                    model[key] = step
                case 2:
                    map.updateValue(step, forKey: key)
                    model[key] = step
                case 3:
                    map.removeObject(for: key)
                    model[key] = nil
                case 4:
                    map[key] = nil
                    model[key] = nil
                default: #expect(map[key] == model[key])
                }
                #expect(map.count == model.count)
            }
        }
        let keys = model.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(map.keys == keys, "seed \(seed)")
        #expect(map.values == keys.map { model[$0] })
        #expect(map.map(\.key) == keys)
    }

    @Test func holdsEveryTypeUnmanagedManagedAndAfterReopening() throws {
        let uuid = UUID()
        let objectId = ObjectId.generate()
        func check(_ shelf: Shelf) {
            #expect(shelf.boolMap["a"] == true)
            #expect(shelf.intMap["min"] == .min && shelf.intMap["max"] == .max)
            #expect(shelf.optionalIntMap["nil"] == .some(nil))
            #expect(shelf.optionalIntMap["one"] == 1 && shelf.optionalIntMap["none"] == nil)
            #expect(shelf.doubleMap["inf"] == .infinity)
            #expect(shelf.stringMap[""] == "" && shelf.stringMap["ü"] == "😀")
            #expect(shelf.optionalStringMap["nil"] == .some(nil))
            #expect(shelf.dataMap["a"] == Data([0, 255]))
            #expect(shelf.dateMap["a"] == .distantFuture)
            #expect(shelf.uuidMap["a"] == uuid && shelf.objectIdMap["a"] == objectId)
            #expect(shelf.decimalMap["a"] == "1.5")
        }
        func store() throws {
            let shelf = Shelf()
            shelf.boolMap["a"] = true
            shelf.intMap["min"] = .min
            shelf.intMap["max"] = .max
            shelf.optionalIntMap["nil"] = .some(nil)
            shelf.optionalIntMap["one"] = 1
            shelf.doubleMap["inf"] = .infinity
            shelf.stringMap[""] = ""
            shelf.stringMap["ü"] = "😀"
            shelf.optionalStringMap["nil"] = .some(nil)
            shelf.dataMap["a"] = Data([0, 255])
            shelf.dateMap["a"] = .distantFuture
            shelf.uuidMap["a"] = uuid
            shelf.objectIdMap["a"] = objectId
            shelf.decimalMap["a"] = "1.5"
            check(shelf)
            let realm = try self.realm()
            let map = shelf.intMap
            try realm.write { realm.add(shelf) }
            #expect(map === shelf.intMap && map.realm == realm)
            check(shelf)
        }
        try store()
        check(try #require(try realm().objects(Shelf.self).first))
    }

    @Test func assigningSomeNilStoresNilAndNilRemovesTheKey() throws {
        let realm = try realm()
        let map = try realm.addShelf().optionalIntMap
        try realm.write {
            map["k"] = .some(nil)
            map["l"] = 1
        }
        #expect(map.keys == ["k", "l"] && map["k"] == .some(nil) && map.values == [nil, 1])
        try realm.write { map["k"] = nil }
        #expect(map.keys == ["l"] && map["k"] == nil)
    }

    @Test func aDeletedObjectLeavesItsKeyWithNil() throws {
        let realm = try realm()
        let shelf = try realm.addShelf(counts: [1, 2])
        try realm.write {
            shelf.itemMap["first"] = shelf.items[0]
            shelf.itemMap["new"] = ShelfItem(value: ["name": "new"])
            shelf.itemMap["none"] = .some(nil)
        }
        #expect(shelf.itemMap["first"]??.name == "item 1" && shelf.itemMap["new"]??.name == "new")
        try realm.write { realm.delete(shelf.items[0]) }
        #expect(shelf.itemMap.keys == ["first", "new", "none"])
        let value = try #require(shelf.itemMap["first"])
        #expect(value == nil)
        try realm.write { realm.delete(shelf.itemMap) }
        #expect(shelf.itemMap.count == 0 && realm.objects(ShelfItem.self).count == 1)
    }

    @Test func embeddedObjectsAreMadeInTheMap() throws {
        let realm = try realm()
        let shelf = try realm.addShelf()
        try realm.write {
            shelf.partMap["a"] = ShelfPart(value: ["name": "first", "size": 1])
            shelf.partMap["a"] = ShelfPart(value: ["name": "second", "size": 2])
            shelf.parts.append(ShelfPart(value: ["name": "third", "size": 3]))
            shelf.parts.insert(ShelfPart(value: ["name": "zeroth"]), at: 0)
        }
        #expect(shelf.partMap["a"]??.name == "second" && shelf.partMap.count == 1)
        #expect(Array(shelf.parts.map(\.name)) == ["zeroth", "third"])
        try realm.write { shelf.partMap["a"] = nil }
        #expect(shelf.partMap.count == 0)
    }

    @Test func merges() throws {
        let realm = try realm()
        let (a, b) = (try realm.addShelf(id: 1), try realm.addShelf(id: 2))
        try realm.write {
            a.intMap["x"] = 1
            b.intMap["x"] = 10
            b.intMap["y"] = 20
            a.intMap.merge(b.intMap) { $0 + $1 }
            a.intMap.merge([(key: "z", value: 5)]) { $1 }
        }
        #expect(a.intMap.keys == ["x", "y", "z"] && a.intMap.values == [11, 20, 5])
        #expect(a.intMap.contains { $0 == "y" && $1 == 20 })
        #expect(!a.intMap.contains { _, value in value > 100 })
    }

    @Test func iteratesOverASnapshotOfEntries() throws {
        let realm = try realm()
        let map = try realm.addShelf().intMap
        var visited: [String] = []
        try realm.write {
            for number in 0..<9 { map["\(number)"] = number }
            for entry in map {
                visited.append(entry.key)
                map[entry.key] = nil
                map["\(entry.value + 10)"] = 0
            }
        }
        #expect(visited == (0..<9).map(String.init) && map.count == 9)
        var pairs: [String: Int] = [:]
        for (key, value) in map.asKeyValueSequence() { pairs[key] = value }
        #expect(pairs == Dictionary(uniqueKeysWithValues: (10..<19).map { ("\($0)", 0) }))
    }

    @Test func isCreatedAndUpdatedFromDictionaries() throws {
        let realm = try realm()
        try realm.write {
            realm.create(
                Shelf.self,
                value: [
                    "id": 1, "intMap": ["a": 1], "optionalIntMap": ["n": NSNull(), "m": 2],
                    "itemMap": ["x": ["name": "made"], "y": NSNull()] as [String: Any],
                ] as [String: Any])
        }
        let shelf = try #require(realm.object(ofType: Shelf.self, forPrimaryKey: 1))
        #expect(shelf.intMap["a"] == 1 && shelf.optionalIntMap["n"] == .some(nil))
        #expect(shelf.itemMap["x"]??.name == "made" && shelf.itemMap["y"] == .some(nil))
        let copy = Shelf(value: shelf)
        #expect(copy.intMap["a"] == 1 && copy.intMap.realm == nil)
        try realm.write {
            realm.create(Shelf.self, value: ["id": 1, "intMap": ["b": 2]], update: .modified)
        }
        #expect(shelf.intMap.keys == ["b"] && shelf.optionalIntMap.count == 2)
    }

    @Test func isReadAndSetByKey() throws {
        let realm = try realm()
        let shelf = try realm.addShelf()
        try realm.write {
            shelf.intMap.setValue(4, forKey: "a")
            shelf.intMap.setValue(6, forKey: "b")
            shelf.itemMap.setValue(["name": "made", "count": 3] as [String: Any], forKey: "i")
        }
        #expect(shelf.intMap.value(forKey: "a") as? Int == 4)
        #expect(shelf.intMap.object(forKey: "b" as AnyObject) as? Int == 6)
        #expect(shelf.intMap.value(forKeyPath: "@sum.self") as? Int == 10)
        #expect(shelf.intMap.value(forKeyPath: "@count") as? Int == 2)
        #expect(shelf.itemMap.value(forKeyPath: "i.name") as? String == "made")
        #expect(shelf.value(forKeyPath: "itemMap.i.count") as? Int == 3)
        try realm.write { shelf.intMap.setValue(nil, forKey: "a") }
        #expect(shelf.intMap.keys == ["b"] && shelf.intMap.value(forKey: "a") == nil)
        #expect(shelf.intMap.value(forKey: "invalidated") as? Bool == false)
    }

    @Test func isEncodedAsADictionary() throws {
        let map = Map<String, Int>()
        map["a"] = 1
        map["b"] = 2
        let data = try JSONEncoder().encode(map)
        #expect(try JSONDecoder().decode([String: Int].self, from: data) == ["a": 1, "b": 2])
        #expect(try JSONDecoder().decode(Map<String, Int>.self, from: data) == map)
    }

    @Test func entriesAreEqualByValue() {
        let entries = [("a", 1), ("b", 1), ("a", 2)].map { SingleMapEntry(key: $0, value: $1) }
        #expect(entries[0] == entries[1] && entries[0] != entries[2])
        #expect(entries[0].hashValue == entries[2].hashValue)
    }

    @Test func describesItsEntries() throws {
        let realm = try realm()
        let map = try realm.addShelf().intMap
        try realm.write {
            map["a"] = 1
            map["b"] = 2
        }
        #expect(map.description.hasPrefix("Map<string, int> <0x"))
        #expect(map.description.hasSuffix("> (\n[a]: 1,\n[b]: 2\n)"))
    }
}
