import Foundation
import RealmSwift
import Testing

@Suite struct LinkingObjectsTests {
    let directory = TestDirectory()

    private func realm() throws -> Realm { try directory.realm(shelfTypes) }

    @Test func followLinksListsSetsAndMaps() throws {
        let realm = try realm()
        let (a, b) = (try realm.addShelf(id: 1), try realm.addShelf(id: 2))
        let item = try realm.write { realm.create(ShelfItem.self) }
        try realm.write {
            for shelf in [a, b] {
                shelf.items.append(item)
                shelf.itemSet.insert(item)
                shelf.itemMap["x"] = item
                shelf.best = item
            }
        }
        for linking in [
            item.shelves, item.shelvesBySet, item.shelvesByMap, item.shelvesByBest,
        ] {
            #expect(Array(linking.map(\.id)) == [1, 2])
            #expect(linking.count == 2 && linking.realm == realm && linking[1].id == 2)
            #expect(linking.index(of: b) == 1)
        }
        try realm.write {
            a.items.removeAll()
            a.itemSet.remove(item)
            a.itemMap["x"] = nil
            a.best = nil
        }
        #expect(item.shelves.first?.id == 2 && item.shelves.count == 1)
        #expect(item.shelvesBySet.count == 1 && item.shelvesByMap.count == 1)
        #expect(item.shelvesByBest.count == 1)
        try realm.write { realm.delete(b) }
        #expect(item.shelves.isEmpty && item.shelvesByMap.isEmpty)
    }

    @Test func haveAnObjectOnceForEachOccurrence() throws {
        let realm = try realm()
        let shelf = try realm.addShelf()
        let item = try realm.write { realm.create(ShelfItem.self) }
        let linking = item.shelves
        try realm.write {
            for _ in 0..<3 { shelf.items.append(item) }
            shelf.itemMap["a"] = item
            shelf.itemMap["b"] = item
        }
        #expect(linking.count == 3 && Array(linking.map(\.id)) == [1, 1, 1])
        #expect(item.shelvesByMap.count == 2)
        try realm.write { shelf.items.remove(at: 1) }
        #expect(linking.count == 2)
    }

    @Test func ofAnUnmanagedObjectAreNone() {
        let item = ShelfItem()
        #expect(item.shelves.isEmpty && item.shelves.realm == nil && item.shelves.count == 0)
        #expect(item.shelves.sum(of: \.id) == 0)
    }

    @Test func surviveReopeningAndManyOrigins() throws {
        func store() throws {
            let realm = try self.realm()
            let item = try realm.write { realm.create(ShelfItem.self, value: ["name": "shared"]) }
            try realm.write {
                for id in 0..<500 {
                    realm.create(Shelf.self, value: ["id": id, "items": [item, item]])
                }
            }
        }
        try store()
        let realm = try realm()
        let item = try #require(realm.objects(ShelfItem.self).first)
        #expect(realm.objects(ShelfItem.self).count == 1 && item.shelves.count == 1_000)
        #expect(item.shelves.max(of: \.id) == 499 && item.shelves.sum(of: \.id) == 249_500)
    }

    @Test func iterateOverASnapshot() throws {
        let realm = try realm()
        let item = try realm.write { realm.create(ShelfItem.self) }
        for id in 0..<5 {
            let shelf = try realm.addShelf(id: id)
            try realm.write { shelf.items.append(item) }
        }
        var visited = 0
        try realm.write {
            for shelf in item.shelves {
                shelf.items.removeAll()
                visited += 1
            }
        }
        #expect(visited == 5 && item.shelves.isEmpty)
    }

    @Test func areFoundBySchemaAndNameButAreNoStoredProperties() throws {
        let realm = try realm()
        let shelf = try realm.addShelf(counts: [1])
        let schema = shelf.items[0].objectSchema
        #expect(!schema.properties.contains { $0.name == "shelves" })
        let property = try #require(schema["shelves"])
        #expect(property.type == .linkingObjects && property.objectClassName == "Shelf")
        #expect(property.description.contains("linkOriginPropertyName = items;"))
        #expect((shelf.items[0]["shelves"] as? LinkingObjects<Shelf>)?.count == 1)
        #expect(shelf.items[0].value(forKeyPath: "shelves.@count") as? Int == 1)
    }

    @Test func areEmptyOnceTheirObjectIsDeleted() throws {
        let realm = try realm()
        let shelf = try realm.addShelf(counts: [1])
        let linking = shelf.items[0].shelves
        #expect(linking == shelf.items[0].shelves && linking != shelf.items[0].shelvesBySet)
        try realm.write { realm.delete(shelf.items[0]) }
        #expect(linking.isInvalidated && linking.isEmpty)
    }
}
