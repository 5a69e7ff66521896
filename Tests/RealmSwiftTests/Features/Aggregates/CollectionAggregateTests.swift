import Foundation
import RealmSwift
import Testing

@Suite struct CollectionAggregateTests {
    let directory = TestDirectory()

    private func shelf(isManaged: Bool) throws -> Shelf {
        let items = [
            ["count": 1, "price": 0.5, "weight": 1.5, "cost": "0.10", "made": 10],
            ["count": 2, "price": NSNull(), "weight": 2.5, "cost": "0.20", "made": 30],
            ["count": 4, "price": 1.5, "weight": 0.5, "cost": "0.30", "made": 20],
        ].map { value in
            var value = value as [String: Any]
            value["made"] = Date(timeIntervalSinceReferenceDate: Double(value["made"] as! Int))
            return value
        }
        let shelf = Shelf(value: ["id": 1, "items": items] as [String: Any])
        shelf.itemSet.insert(objectsIn: shelf.items)
        for (index, item) in shelf.items.enumerated() { shelf.itemMap["\(index)"] = item }
        shelf.itemMap["nil"] = .some(nil)
        shelf.ints.append(objectsIn: [3, 1, 2])
        shelf.optionalDoubles.append(objectsIn: [nil, 2.5, -1, nil])
        shelf.dates.append(objectsIn: [.distantFuture, .distantPast])
        shelf.intSet.insert(objectsIn: [5, 7])
        shelf.intMap["a"] = 1
        shelf.intMap["b"] = 2
        if isManaged {
            let realm = try directory.realm(shelfTypes)
            try realm.write { realm.add(shelf) }
        }
        return shelf
    }

    private func check<C: RealmCollection>(_ items: C) where C.Element == ShelfItem {
        #expect(items.min(ofProperty: "count") == 1 as Int?)
        #expect(items.max(of: \.count) == 4)
        #expect(items.sum(of: \.count) == 7)
        #expect(items.average(of: \.count) == 2)
        #expect(items.average(ofProperty: "count") == 7.0 / 3 as Double?)
        #expect(items.min(of: \.price) == 0.5 && items.max(ofProperty: "price") == 1.5 as Double?)
        #expect(items.sum(ofProperty: "price") == 2.0 as Double)
        #expect(items.average(ofProperty: "price") == 1.0 as Double?)
        #expect(items.sum(of: \.weight) == 4.5)
        #expect(items.sum(of: \.cost) == "0.60" && items.average(of: \.cost) == "0.20")
        #expect(items.max(of: \.cost) == "0.30")
        #expect(items.min(of: \.made) == Date(timeIntervalSinceReferenceDate: 10))
        #expect(items.max(of: \.made) == Date(timeIntervalSinceReferenceDate: 30))
        #expect(items.sum(ofProperty: "count") as NSNumber == 7)
        #expect(items.max(ofProperty: "count") == 4 as NSNumber?)
    }

    @Test(arguments: [false, true])
    func workOnPropertiesOfObjects(isManaged: Bool) throws {
        let shelf = try shelf(isManaged: isManaged)
        check(shelf.items)
        check(shelf.itemSet)
        check(AnyRealmCollection(shelf.items))
        #expect(shelf.itemMap.sum(of: \.count) == 7 && shelf.itemMap.max(of: \.count) == 4)
        #expect(shelf.itemMap.average(ofProperty: "price") == 1.0 as Double?)
        if let realm = shelf.realm { check(realm.objects(ShelfItem.self)) }
    }

    @Test(arguments: [false, true])
    func workOnValues(isManaged: Bool) throws {
        let shelf = try shelf(isManaged: isManaged)
        #expect(shelf.ints.min() == 1 && shelf.ints.max() == 3 && shelf.ints.sum() == 6)
        #expect(shelf.ints.average() == 2.0 as Double?)
        #expect(shelf.optionalDoubles.min() == -1 && shelf.optionalDoubles.max() == 2.5)
        #expect(shelf.optionalDoubles.sum() == 1.5)
        #expect(shelf.optionalDoubles.average() == 0.75 as Double?)
        #expect(shelf.dates.min() == .distantPast && shelf.dates.max() == .distantFuture)
        #expect(shelf.intSet.sum() == 12 && shelf.intSet.max() == 7)
        #expect(shelf.intMap.sum() == 3 && shelf.intMap.min() == 1)
        #expect(shelf.intMap.average() == 1.5 as Double?)
    }

    @Test func ofNothingAreNilAndSumsAreZero() throws {
        let realm = try directory.realm(shelfTypes)
        let results = realm.objects(ShelfItem.self)
        for items in [AnyRealmCollection(results), AnyRealmCollection(List<ShelfItem>())] {
            #expect(items.min(of: \.count) == nil && items.max(of: \.made) == nil)
            #expect(items.average(of: \.price) == nil && items.sum(of: \.count) == 0)
            #expect(items.sum(of: \.cost) == 0)
        }
        #expect(List<Int>().sum() == 0 && List<Int>().min() == nil)
    }

    @Test func followPropertiesThroughSuperclassesAndLinks() {
        #expect(_name(for: \ShelfItem.count) == "count")
        #expect(_name(for: \Shelf.best?.name) == "best.name")
    }
}
