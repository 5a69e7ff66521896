import Foundation
import RealmSwift
import Testing
import ToolSupport

@Suite struct MutableSetTests {
    let directory = TestDirectory()

    private func realm() throws -> Realm { try directory.realm(shelfTypes) }

    @Test(arguments: [20_261_122, 7] as [UInt64])
    func behavesLikeASet(seed: UInt64) throws {
        let realm = try realm()
        let set = try realm.addShelf().intSet
        var random = SeededGenerator(seed: seed)
        var model: Set<Int> = []
        try realm.write {
            for _ in 0..<2_000 {
                let value = Int.random(in: -200...200, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0, 1, 2:
                    set.insert(value)
                    model.insert(value)
                case 3:
                    set.remove(value)
                    model.remove(value)
                default: #expect(set.contains(value) == model.contains(value))
                }
            }
        }
        #expect(Array(set) == model.sorted(), "seed \(seed)")
        #expect(set.count == model.count && set.first == model.min() && set.last == model.max())
    }

    @Test func keepsValuesOnceAndInAscendingOrderWhenManaged() throws {
        let realm = try realm()
        let shelf = try realm.addShelf()
        try realm.write {
            shelf.stringSet.insert(objectsIn: ["b", "", "ä", "a", "b"])
            shelf.optionalStringSet.insert(objectsIn: ["z", nil, "a", nil])
            shelf.boolSet.insert(objectsIn: [true, false, true])
            shelf.doubleSet.insert(objectsIn: [1.5, nil, -.infinity, 0, 1.5])
        }
        #expect(Array(shelf.stringSet) == ["", "a", "b", "ä"])
        #expect(Array(shelf.optionalStringSet) == [nil, "a", "z"])
        #expect(Array(shelf.boolSet) == [false, true])
        #expect(Array(shelf.doubleSet) == [nil, -.infinity, 0, 1.5])
        #expect(shelf.stringSet[2] == "b")
    }

    @Test func holdsEveryTypeUnmanagedManagedAndAfterReopening() throws {
        let uuid = UUID()
        let objectId = ObjectId.generate()
        func check(_ shelf: Shelf) {
            #expect(Set(shelf.boolSet) == [true, false])
            #expect(Set(shelf.intSet) == [.min, 0, .max])
            #expect(Set(shelf.int8Set) == [.min, .max])
            #expect(Set(shelf.floatSet) == [-.greatestFiniteMagnitude, 0.1, .infinity])
            #expect(Set(shelf.doubleSet) == [nil, .leastNonzeroMagnitude])
            #expect(Set(shelf.stringSet) == ["", "a\0b", "😀"])
            #expect(Set(shelf.dataSet) == [Data(), Data([0, 255])])
            #expect(Set(shelf.dateSet) == [.distantPast, .distantFuture])
            #expect(Set(shelf.uuidSet) == [uuid])
            #expect(Set(shelf.objectIdSet) == [objectId])
            #expect(Set(shelf.decimalSet) == ["1.5", "-1E+100"])
        }
        func store() throws {
            let shelf = Shelf()
            shelf.boolSet.insert(objectsIn: [true, false])
            shelf.intSet.insert(objectsIn: [.min, 0, .max])
            shelf.int8Set.insert(objectsIn: [.min, .max])
            shelf.floatSet.insert(objectsIn: [-.greatestFiniteMagnitude, 0.1, .infinity])
            shelf.doubleSet.insert(objectsIn: [nil, .leastNonzeroMagnitude])
            shelf.stringSet.insert(objectsIn: ["", "a\0b", "😀"])
            shelf.dataSet.insert(objectsIn: [Data(), Data([0, 255])])
            shelf.dateSet.insert(objectsIn: [.distantPast, .distantFuture])
            shelf.uuidSet.insert(uuid)
            shelf.objectIdSet.insert(objectId)
            shelf.decimalSet.insert(objectsIn: ["1.5", "1.50", "-1E+100"])
            check(shelf)
            let realm = try self.realm()
            let set = shelf.intSet
            try realm.write { realm.add(shelf) }
            #expect(set === shelf.intSet && set.realm == realm)
            check(shelf)
        }
        try store()
        check(try #require(try realm().objects(Shelf.self).first))
    }

    @Test func holdsAnObjectOnceByItsRow() throws {
        let realm = try realm()
        let shelf = try realm.addShelf(counts: [1, 2])
        try realm.write {
            shelf.itemSet.insert(objectsIn: shelf.items)
            shelf.itemSet.insert(shelf.items[0])
            shelf.itemSet.insert(ShelfItem(value: ["name": "new"]))
        }
        #expect(shelf.itemSet.count == 3 && realm.objects(ShelfItem.self).count == 3)
        #expect(shelf.itemSet.contains(shelf.items[1]) && !shelf.itemSet.contains(ShelfItem()))
        #expect(Array(shelf.itemSet).map(\.name) == ["item 1", "item 2", "new"])
        try realm.write { realm.delete(shelf.items[0]) }
        #expect(shelf.itemSet.count == 2)
        try realm.write { shelf.itemSet.remove(shelf.items[0]) }
        #expect(shelf.itemSet.count == 1 && realm.objects(ShelfItem.self).count == 2)
    }

    @Test(arguments: [false, true])
    func combines(isManaged: Bool) throws {
        let realm = try realm()
        let (a, b) = (Shelf(value: ["id": 1]), Shelf(value: ["id": 2]))
        if isManaged { try realm.write { realm.add([a, b]) } }
        func change(_ body: () -> Void) throws {
            if isManaged { try realm.write(body) } else { body() }
        }
        try change {
            a.intSet.insert(objectsIn: [1, 2, 3])
            b.intSet.insert(objectsIn: [2, 3, 4])
        }
        #expect(a.intSet.intersects(b.intSet) && !a.intSet.isSubset(of: b.intSet))
        try change { a.intSet.formIntersection(b.intSet) }
        #expect(Set(a.intSet) == [2, 3] && a.intSet.isSubset(of: b.intSet))
        try change { a.intSet.formUnion(b.intSet) }
        #expect(Set(a.intSet) == [2, 3, 4])
        try change { a.intSet.subtract(a.intSet) }
        #expect(a.intSet.isEmpty && !a.intSet.intersects(b.intSet))
        #expect(a.intSet.isSubset(of: a.intSet))
    }

    @Test func assigningCopiesElementsIntoTheInstance() throws {
        let realm = try realm()
        let (a, b) = (try realm.addShelf(id: 1), try realm.addShelf(id: 2))
        let set = a.stringSet
        try realm.write {
            b.stringSet.insert(objectsIn: ["x", "y"])
            a.stringSet = b.stringSet
            a.stringSet = a.stringSet
        }
        #expect(set === a.stringSet && Array(set) == ["x", "y"])
        #expect(a.stringSet != b.stringSet && a.stringSet == a.stringSet)
    }

    @Test func iteratesOverASnapshot() throws {
        let realm = try realm()
        let shelf = try realm.addShelf(counts: Array(0..<20))
        var (visited, names) = ([Int](), [String]())
        try realm.write {
            shelf.intSet.insert(objectsIn: 0..<20)
            shelf.itemSet.insert(objectsIn: shelf.items)
            for value in shelf.intSet {
                visited.append(value)
                shelf.intSet.remove(value)
                shelf.intSet.insert(100 + value)
            }
            for item in shelf.itemSet {
                names.append(item.name)
                shelf.itemSet.remove(item)
            }
        }
        #expect(visited == Array(0..<20) && names.count == 20 && shelf.itemSet.isEmpty)
    }

    @Test func isCreatedAndUpdatedFromSequences() throws {
        let realm = try realm()
        try realm.write {
            realm.create(
                Shelf.self, value: ["id": 1, "intSet": [3, 1, 3], "stringSet": Set(["a"])])
        }
        let shelf = try #require(realm.object(ofType: Shelf.self, forPrimaryKey: 1))
        #expect(Array(shelf.intSet) == [1, 3])
        try realm.write {
            realm.create(Shelf.self, value: ["id": 1, "intSet": [7]], update: .modified)
        }
        #expect(Array(shelf.intSet) == [7] && Array(shelf.stringSet) == ["a"])
        try realm.write { realm.add(Shelf(value: ["id": 1]), update: .all) }
        #expect(shelf.intSet.isEmpty && shelf.stringSet.isEmpty)
    }

    @Test func unmanagedSetsAreEqualByElements() {
        let (a, b) = (MutableSet<Int>(), MutableSet<Int>())
        a.insert(objectsIn: [1, 2])
        b.insert(objectsIn: [2, 1])
        #expect(a == b)
        b.remove(2)
        #expect(a != b)
    }

    @Test func describesItsElements() throws {
        let realm = try realm()
        let shelf = try realm.addShelf()
        try realm.write { shelf.intSet.insert(objectsIn: [2, 1]) }
        let text = shelf.intSet.description
        #expect(text.hasPrefix("MutableSet<int> <0x"))
        #expect(text.hasSuffix("> (\n\t[0] 1,\n\t[1] 2\n)"))
    }
}
