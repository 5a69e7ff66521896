import Foundation
import RealmSwift
import Testing

private class MixedElements: Object {
    @Persisted var list: List<AnyRealmValue>
    @Persisted var set: MutableSet<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct MixedElementTests {
    let directory = TestDirectory()

    private func managed() throws -> (Realm, MixedElements) {
        let realm = try directory.realm([MixedElements.self] + shelfTypes)
        return (realm, try realm.write { realm.create(MixedElements.self) })
    }

    @Test func numbersOfOneValueAreOneElementOfASet() throws {
        let (realm, object) = try managed()
        try realm.write {
            object.set.insert(objectsIn: [
                .int(1), .double(1), .float(1), .decimal128(1), .bool(true), .string("1"),
                .data(Data("1".utf8)), .none,
            ])
        }
        #expect(object.set.count == 5 && object.set.contains(.decimal128("1.0")))
        #expect(object.set.first == AnyRealmValue.none && object.set.contains(.bool(true)))
        #expect(!object.set.contains(.int(2)) && !object.set.contains(.bool(false)))
    }

    @Test func numbersAreAddedWhateverTheirTypes() throws {
        let (realm, object) = try managed()
        try realm.write {
            object.list.append(objectsIn: [.int(1), .double(0.5), .string("9"), .none])
        }
        #expect(object.list.sum() == .decimal128("1.5"))
        #expect(object.list.average() == AnyRealmValue.decimal128("0.75") as AnyRealmValue?)
        #expect(object.list.min() == .double(0.5))
        try realm.write { object.list.removeLast(2) }
        #expect(object.list.max() == .int(1))
    }

    @Test func objectsAreFoundAndLeaveNone() throws {
        let (realm, object) = try managed()
        let item = try realm.write { realm.create(ShelfItem.self, value: ["name": "a"]) }
        try realm.write {
            object.list.append(.object(item))
            object.set.insert(.object(item))
            object.map["item"] = .object(item)
            object.map["list"] = .fromArray([.int(1), .fromDictionary(["x": .bool(false)])])
        }
        #expect(object.list.index(of: .object(item)) == 0 && object.set.contains(.object(item)))
        #expect(object.list.index(of: .object(ShelfItem())) == nil)
        #expect(object.map["list"]?.listValue?[1].dictionaryValue?["x"] == .bool(false))
        try realm.write { realm.delete(item) }
        #expect(object.list[0] == AnyRealmValue.none && object.set.isEmpty)
        #expect(object.map["item"] == AnyRealmValue.none && object.map.count == 2)
    }

    @Test func iterationIsOverASnapshotOfNestedCollectionsToo() throws {
        let (realm, object) = try managed()
        var seen: [Int] = []
        try realm.write {
            for number in 0..<4 { object.list.append(.fromArray([.int(number)])) }
            for element in object.list {
                seen.append(try #require(element.listValue?.first?.intValue))
                object.list.insert(.none, at: 0)
            }
        }
        #expect(seen == [0, 1, 2, 3] && object.list.count == 8)
    }
}
