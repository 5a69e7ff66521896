import Foundation
import RealmSwift
import Testing

// Mixed values of frozen objects, and the lists and maps in them.

@Suite struct FrozenMixedTests {
    private typealias Author = FrozenModels.Author

    @Test func nestedCollectionsKeepTheirContents() throws {
        let scene = try FrozenScene()
        let live = try scene.author(2)
        let frozen = live.freeze()
        try scene.realm.write {
            live.note.dictionaryValue?["number"] = .bool(true)
            live.note.dictionaryValue?["list"]?.listValue?[1].listValue?.append(.int(1))
            live.note.dictionaryValue?["map"] = .string("replaced")
        }
        let map = try #require(frozen.note.dictionaryValue)
        #expect(map["number"] == .int(2) && map.count == 3)
        #expect(map["list"]?.listValue?[0] == .int(2))
        #expect(map["list"]?.listValue?[1].listValue.map { Array($0) } == [.string("deep")])
        #expect(map["map"]?.dictionaryValue?["key"] == .int(2))
        #expect(live.note.dictionaryValue?["map"] == .string("replaced"))
    }

    @Test func nestedCollectionsOfFrozenObjectsAreFrozen() throws {
        let frozen = try FrozenScene().author(2).freeze()
        let map = try #require(frozen.note.dictionaryValue)
        let list = try #require(map["list"]?.listValue)
        #expect(map.isFrozen && list.isFrozen && list[1].listValue?.isFrozen == true)
        #expect(map["map"]?.dictionaryValue?.isFrozen == true)
        #expect(frozen.notes[1].listValue?.isFrozen == true)
        #expect(list.realm == frozen.realm)
    }

    @Test func aNestedCollectionIsFrozenItself() throws {
        let scene = try FrozenScene()
        let live = try scene.author(2)
        let map = try #require(live.note.dictionaryValue).freeze()
        let list = try #require(live.note.dictionaryValue?["list"]?.listValue).freeze()
        let inner = try #require(live.notes[1].listValue).freeze()
        try scene.realm.write { live.note = .none }
        try scene.realm.write { live.notes.removeAll() }
        #expect(map.isFrozen && list.isFrozen && inner.isFrozen && !map.isInvalidated)
        #expect(map["number"] == .int(2) && list.count == 2 && list[0] == .int(2))
        #expect(Array(inner) == [.int(2)])
    }

    @Test func aNestedCollectionThatWasReplacedIsNotThawed() throws {
        let scene = try FrozenScene()
        let live = try scene.author(2)
        let list = try #require(live.note.dictionaryValue?["list"]?.listValue).freeze()
        try scene.realm.write { live.note = .int(1) }
        #expect(list.thaw()?.isInvalidated ?? true)
    }

    @Test func aThawedNestedCollectionIsLive() throws {
        let scene = try FrozenScene()
        let live = try scene.author(2)
        let list = try #require(live.note.dictionaryValue?["list"]?.listValue).freeze()
        let thawed = try #require(list.thaw())
        try scene.realm.write { thawed.append(.string("more")) }
        #expect(!thawed.isFrozen && list.count == 2)
        #expect(live.note.dictionaryValue?["list"]?.listValue?.count == 3)
    }

    @Test func anObjectInAMixedValueIsFrozen() throws {
        let scene = try FrozenScene()
        let live = try scene.author(2)
        try scene.realm.write {
            live.note = .fromArray([.object(try scene.author(1)), .int(5)])
            live.notes[0] = .object(try scene.author(3))
        }
        let frozen = live.freeze()
        try scene.realm.write { scene.realm.delete([try scene.author(1), try scene.author(3)]) }
        let inner = try #require(frozen.note.listValue?[0].object(Author.self))
        #expect(inner.isFrozen && inner.name == "author 1" && inner.books.count == 2)
        #expect(frozen.notes[0].object(Author.self)?.name == "author 3")
    }

    @Test func listsOfMixedValuesKeepTheirElements() throws {
        let scene = try FrozenScene()
        let live = try scene.author(2).notes
        let frozen = live.freeze()
        try scene.realm.write {
            live[1].listValue?.append(.string("x"))
            live.insert(.none, at: 0)
        }
        #expect(frozen.count == 2 && frozen[0] == .string("note 2"))
        #expect(frozen[1].listValue.map { Array($0) } == [.int(2)])
        #expect(live.count == 3 && live[2].listValue?.count == 2)
    }

    @Test func everyTypeOfValueIsKept() throws {
        let scene = try FrozenScene()
        let values: [AnyRealmValue] = [
            .none, .int(.min), .bool(true), .float(1.5), .double(-.pi), .string("naïve 🌲"),
            .data(Data([0, 255])), .date(Date(timeIntervalSinceReferenceDate: 0.5)),
            .objectId(ObjectId("507f1f77bcf86cd799439011")), .decimal128(Decimal128.max),
            .uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))),
        ]
        let live = try scene.author(2)
        try scene.realm.write {
            live.notes.removeAll()
            live.notes.append(objectsIn: values)
        }
        let frozen = live.notes.freeze()
        try scene.realm.write { live.notes.removeAll() }
        #expect(Array(frozen) == values)
        for (position, value) in values.enumerated() {
            #expect(frozen.index(of: value) == position)
        }
    }

    @Test func queriesReachIntoNestedCollections() throws {
        let scene = try FrozenScene()
        let frozen = scene.authors.freeze()
        try scene.changeEverything()
        #expect(Array(frozen.filter("note['number'] == 2").map(\.id)) == [2])
        #expect(Array(frozen.filter("note['list'][0] == 3").map(\.id)) == [3])
        #expect(Array(frozen.filter("note['map']['key'] == 1").map(\.id)) == [1])
    }

    @Test func otherThreadsReadNestedCollections() throws {
        let scene = try FrozenScene()
        let live = try scene.author(2)
        let map = Carried(try #require(live.note.dictionaryValue).freeze())
        let list = Carried(try #require(live.note.dictionaryValue?["list"]?.listValue).freeze())
        try scene.changeEverything()
        let seen = try onThreads(4) { _ in
            [
                map.value["number"]?.intValue, map.value["map"]?.dictionaryValue?["key"]?.intValue,
                list.value[0].intValue, list.value[1].listValue?.count,
            ]
        }
        #expect(seen.allSatisfy { $0 == [2, 2, 2, 1] })
    }

    @Test func deeplyNestedCollectionsAreReadToTheEnd() throws {
        let scene = try FrozenScene()
        let live = try scene.author(2)
        var value = AnyRealmValue.string("end")
        for level in 0..<50 {
            value = level.isMultiple(of: 2) ? .fromArray([value]) : .fromDictionary(["k": value])
        }
        try scene.realm.write { live.note = value }
        let frozen = Carried(live.freeze())
        try scene.realm.write { live.note = .none }
        let levels = try runThread {
            var (here, depth) = (frozen.value.note, 0)
            while let next = here.listValue?.first ?? here.dictionaryValue?["k"] {
                (here, depth) = (next, depth + 1)
            }
            return here == .string("end") ? depth : -1
        }
        #expect(levels == 50)
    }
}
