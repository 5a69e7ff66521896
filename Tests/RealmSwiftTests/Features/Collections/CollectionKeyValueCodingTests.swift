import Foundation
import RealmSwift
import Testing

@Suite struct CollectionKeyValueCodingTests {
    let directory = TestDirectory()

    private func shelf(isManaged: Bool) throws -> Shelf {
        let shelf = Shelf(
            value: [
                "id": 1,
                "items": [
                    ["name": "a", "count": 1, "tags": ["x", "y"], "next": ["name": "n"]],
                    ["name": "b", "count": 2, "tags": ["y"]],
                    ["name": "b", "count": 2],
                ] as [[String: Any]],
            ] as [String: Any])
        if isManaged {
            let realm = try directory.realm(shelfTypes)
            try realm.write { realm.add(shelf) }
        }
        return shelf
    }

    @Test(arguments: [false, true])
    func readsAPropertyOfEveryElement(isManaged: Bool) throws {
        let items = AnyRealmCollection(try shelf(isManaged: isManaged).items)
        #expect(items.value(forKey: "name") as? [String] == ["a", "b", "b"])
        #expect(items.value(forKey: "count") as? [Int] == [1, 2, 2])
        #expect((items.value(forKey: "self") as? [ShelfItem])?.count == 3)
        #expect((items.value(forKey: "price") as? [Any])?.allSatisfy { $0 is NSNull } == true)
        let next = items.value(forKeyPath: "next.name") as? [Any]
        #expect(next?.first as? String == "n" && next?.last is NSNull)
        #expect(items.value(forKey: "invalidated") as? Bool == false)
    }

    @Test(arguments: [false, true])
    func knowsCollectionOperators(isManaged: Bool) throws {
        let items = AnyRealmCollection(try shelf(isManaged: isManaged).items)
        #expect(items.value(forKeyPath: "@count") as? Int == 3)
        #expect(items.value(forKeyPath: "@min.count") as? Int == 1)
        #expect(items.value(forKeyPath: "@max.count") as? Int == 2)
        #expect(items.value(forKeyPath: "@sum.count") as? Int == 5)
        #expect(items.value(forKeyPath: "@avg.count") as? Double == 5.0 / 3)
        #expect(items.value(forKeyPath: "@unionOfObjects.name") as? [String] == ["a", "b", "b"])
        #expect(
            items.value(forKeyPath: "@distinctUnionOfObjects.name") as? [String] == ["a", "b"])
        #expect(items.value(forKeyPath: "@unionOfArrays.tags") as? [String] == ["x", "y", "y"])
        #expect(
            items.value(forKeyPath: "@distinctUnionOfArrays.tags") as? [String] == ["x", "y"])
    }

    @Test func worksOnValues() throws {
        let list = List<Int>()
        list.append(objectsIn: [1, 5])
        let values: [AnyObject] = list.value(forKey: "self")
        #expect(values.compactMap { $0 as? Int } == [1, 5])
        #expect(AnyRealmCollection(list).value(forKeyPath: "@max.self") as? Int == 5)
    }

    @Test(arguments: [false, true])
    func setsAPropertyOfEveryElement(isManaged: Bool) throws {
        let shelf = try shelf(isManaged: isManaged)
        func set() {
            shelf.items.setValue(9, forKey: "count")
            shelf.items.setValue(nil, forKey: "price")
        }
        if let realm = shelf.realm {
            try realm.write {
                set()
                realm.objects(ShelfItem.self).setValue("all", forKey: "name")
            }
            #expect(realm.objects(ShelfItem.self).allSatisfy { $0.name == "all" })
        } else {
            set()
        }
        #expect(shelf.items.allSatisfy { $0.count == 9 })
    }
}
