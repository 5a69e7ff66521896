import Foundation
import RealmSwift
import Testing

@Suite struct RealmCollectionTests {
    let directory = TestDirectory()

    /// A function generic over all Realm collections, as in applications.
    private func names<C: RealmCollection>(of items: C) -> [String]
    where C.ElementType == ShelfItem {
        items.map { $0.name }
    }

    private struct Holder {
        let collection: AnyRealmCollection<ShelfItem>
        init<C: RealmCollection & _ObjcBridgeable>(_ collection: C)
        where C.ElementType == ShelfItem {
            self.collection = AnyRealmCollection(collection)
        }
    }

    @Test func genericCodeTakesEveryCollection() throws {
        let realm = try directory.realm(shelfTypes)
        let shelf = try realm.addShelf(counts: [1, 2])
        try realm.write { shelf.itemSet.insert(objectsIn: shelf.items) }
        let expected = ["item 1", "item 2"]
        #expect(names(of: shelf.items) == expected && names(of: shelf.itemSet) == expected)
        #expect(names(of: realm.objects(ShelfItem.self)) == expected)
        #expect(names(of: Holder(shelf.items).collection) == expected)
        #expect(names(of: Holder(realm.objects(ShelfItem.self)).collection) == expected)
        #expect(shelf.items[0].shelves.map { $0.id } == [1])
    }

    /// A function generic over collections and maps. Returns the sum of a property, and how many
    /// objects each way of asking finds.
    private func answers<C: AggregatableCollection>(of items: C) -> [Int] {
        [
            items.sum(ofProperty: "count"), items.filter("count > %@", 1).count,
            items.filter(NSPredicate(format: "count < %@", 3)).count,
        ]
    }

    @Test func collectionsAndMapsOfEveryKindAnswerAlike() throws {
        let realm = try directory.realm(shelfTypes)
        let shelf = try realm.addShelf(counts: [1, 2, 3])
        try realm.write {
            shelf.itemSet.insert(objectsIn: shelf.items)
            for item in shelf.items { shelf.itemMap[item.name] = item }
            shelf.itemMap["none"] = .some(nil)
        }
        #expect(answers(of: shelf.items) == [6, 2, 2])
        #expect(answers(of: shelf.itemSet) == [6, 2, 2])
        #expect(answers(of: shelf.itemMap) == [6, 2, 2])
        #expect(answers(of: realm.objects(ShelfItem.self)) == [6, 2, 2])
        #expect(answers(of: AnyRealmCollection(shelf.items)) == [6, 2, 2])
        #expect(shelf.itemMap.where { $0.count > 1 }.count == 2)
        let shelves = shelf.items[0].shelves
        #expect(shelves.filter("id == 1").count == 1 && shelves.sum(ofProperty: "id") == 1)
        let all: [any ThreadConfined] = [
            shelf.items, shelf.itemSet, shelf.itemMap, realm.objects(ShelfItem.self), shelves,
            AnyRealmCollection(shelf.itemSet), shelf.ints, shelf.ints.sorted(),
        ]
        for collection in all { #expect(collection.realm == realm && !collection.isInvalidated) }
        realm.invalidate()
        for collection in all { #expect(collection.isInvalidated) }
        for unmanaged: any ThreadConfined in [List<Int>(), MutableSet<Int>(), ShelfItem().shelves] {
            #expect(unmanaged.realm == nil && !unmanaged.isInvalidated)
        }
    }

    @Test func erasedCollectionsGoOnBeingLive() throws {
        let realm = try directory.realm(shelfTypes)
        let shelf = try realm.addShelf(counts: [1])
        let erased = AnyRealmCollection(shelf.items)
        try realm.write { shelf.items.append(ShelfItem(value: ["name": "new"])) }
        #expect(erased.count == 2 && erased.last?.name == "new" && erased.realm == realm)
        #expect(erased == AnyRealmCollection(shelf.items))
        #expect(erased != AnyRealmCollection(realm.objects(ShelfItem.self)))
        #expect(erased.index(of: shelf.items[1]) == 1)
        #expect(erased.description.hasPrefix("AnyRealmCollection<ShelfItem> <0x"))
        try realm.write { realm.delete(shelf) }
        #expect(erased.isInvalidated)
    }

    @Test func objectsAtIndexesAreThoseOfThePositions() throws {
        let realm = try directory.realm(shelfTypes)
        let shelf = try realm.addShelf(counts: [1, 2, 3])
        #expect(shelf.items.objects(at: [0, 2]).map(\.count) == [1, 3])
        #expect(realm.objects(ShelfItem.self).objects(at: []).isEmpty)
        #expect(shelf.items.first { $0.count > 1 }?.count == 2)
        #expect(shelf.items.contains { $0.count == 3 })
        #expect(Array(shelf.items.filter { $0.count > 1 }.map(\.count)) == [2, 3])
    }

    @Test func resultsAreVisitedWhileTheyAreDeleted() throws {
        let realm = try directory.realm(shelfTypes)
        _ = try realm.addShelf(counts: Array(0..<30))
        var visited = 0
        try realm.write {
            for item in realm.objects(ShelfItem.self) {
                realm.delete(item)
                visited += 1
            }
        }
        #expect(visited == 30 && realm.objects(ShelfItem.self).isEmpty)
    }

    @Test func emptyCollectionsAndNestedOnesAreDescribed() throws {
        let realm = try directory.realm(shelfTypes)
        let shelf = try realm.addShelf(counts: [1])
        #expect(shelf.ints.description.hasSuffix("> (\n\n)"))
        try realm.write { shelf.ints.append(objectsIn: 0..<101) }
        #expect(shelf.ints.description.hasSuffix("\t[99] 99\n\t... 1 objects skipped.\n)"))
        #expect(shelf.description.contains("items = List<ShelfItem> <0x"))
        #expect(realm.objects(Shelf.self).description.hasPrefix("Results<Shelf> <0x"))
        #expect(shelf.items[0].shelves.description.hasPrefix("LinkingObjects<Shelf> <0x"))
    }

    @Test func collectionsOfEncodableElementsAreEncodedAsArrays() throws {
        let list = List<Int>()
        list.append(objectsIn: [3, 1, 3])
        let set = MutableSet<String?>()
        set.insert(objectsIn: ["a", nil])
        let encoder = JSONEncoder()
        let decoder = JSONDecoder()
        #expect(String(decoding: try encoder.encode(list), as: UTF8.self) == "[3,1,3]")
        #expect(try decoder.decode(List<Int>.self, from: encoder.encode(list)) == list)
        #expect(try decoder.decode(MutableSet<String?>.self, from: encoder.encode(set)) == set)
        #expect(
            String(decoding: try encoder.encode(AnyRealmCollection(list)), as: UTF8.self)
                == "[3,1,3]")
    }
}
