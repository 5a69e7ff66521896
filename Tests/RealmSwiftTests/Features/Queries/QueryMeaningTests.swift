import Foundation
import Testing

@testable import RealmSwift

private class Parcel: Object {
    @Persisted var id: Int
    @Persisted var content: AnyRealmValue
    @Persisted var parts: List<AnyRealmValue>
    @Persisted var box: Box?
    @Persisted var parcels: List<Parcel>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Box: Object {
    @Persisted var label: String?
    @Persisted var holder: Parcel?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Tests of queries and orders where the documentation is not precise.
@Suite struct QueryMeaningTests {
    private let realm: Realm

    init() throws { realm = try temporaryRealm([Parcel.self, Box.self]) }

    private var parcels: Results<Parcel> { realm.objects(Parcel.self) }

    private func fill(_ contents: [AnyRealmValue]) throws {
        try realm.write {
            for (id, content) in contents.enumerated() {
                realm.create(Parcel.self, value: ["id": id, "content": content])
            }
        }
    }

    @Test func textIsNeverFoundInData() throws {
        let text = "abc"
        try fill([.string(text), .data(Data(text.utf8)), .string("ABC"), .none, .int(1)])
        for operation in ["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE"] {
            #expect(parcels.filter("content \(operation) %@", text).map(\.id) == [0])
            #expect(parcels.filter("content \(operation)[c] %@", text).map(\.id) == [0, 2])
        }
        let data = Data(text.utf8)
        for operation in ["BEGINSWITH", "ENDSWITH", "CONTAINS"] {
            #expect(parcels.filter("content \(operation) %@", data).map(\.id) == [1])
        }
        #expect(parcels.where { $0.content.contains(.string("b")) }.map(\.id) == [0])
        #expect(parcels.where { $0.content.starts(with: .data(data)) }.map(\.id) == [1])
        #expect(parcels.filter("content ==[c] 'abc'").map(\.id) == [0, 2])
        try realm.write {
            for parcel in parcels { parcel.parts.append(.data(data)) }
        }
        #expect(parcels.filter("ANY parts BEGINSWITH content").map(\.id) == [1])
        #expect(parcels.filter("ANY parts CONTAINS 'b'").isEmpty)
    }

    @Test func mixedValuesEqualListsAndMaps() throws {
        let list = AnyRealmValue.fromArray([.int(1), .string("a"), .fromArray([.none])])
        let map = AnyRealmValue.fromDictionary(["a": .int(1), "b": .fromArray([.bool(true)])])
        try fill([
            list, map, .fromArray([.double(1), .string("a"), .fromArray([.none])]),
            .fromArray([.int(1), .string("a")]), .fromDictionary(["a": .int(1)]), .int(1), .none,
            .fromArray([]), .fromDictionary([:]),
        ])
        #expect(parcels.where { $0.content == list }.map(\.id) == [0, 2])
        #expect(parcels.where { $0.content != list }.map(\.id) == [1, 3, 4, 5, 6, 7, 8])
        #expect(parcels.where { $0.content == map }.map(\.id) == [1])
        #expect(parcels.where { $0.content.in([list, map, .int(1)]) }.map(\.id) == [0, 1, 2, 5])
        #expect(parcels.filter("content == %@", list).map(\.id) == [0, 2])
        #expect(parcels.filter("content == %@", [1, "a"] as [Any] as Any).map(\.id) == [3])
        #expect(parcels.filter("content == {1, 'a'}").map(\.id) == [3])
        #expect(parcels.filter("content == %@", ["a": 1]).map(\.id) == [4])
        #expect(parcels.filter("content == {}").map(\.id) == [7])
        let empty: [String: Int] = [:]
        #expect(parcels.filter("content == %@", empty).map(\.id) == [8])
        #expect(
            parcels.filter("content[2] == %@", AnyRealmValue.fromArray([.none])).map(\.id) == [
                0, 2,
            ])
        try realm.write {
            parcels[5].parts.append(map)
            parcels[6].parts.append(objectsIn: [.int(2), list])
            for (parcel, content) in zip(parcels, [list, list]) {
                parcel.box = realm.create(Box.self)
                parcel.box?.holder = realm.create(Parcel.self, value: ["content": content])
            }
        }
        #expect(parcels.filter("ANY parts == %@", map).map(\.id) == [5])
        #expect(parcels.filter("%@ IN parts", list).map(\.id) == [6])
        #expect(parcels.filter("box.holder.content == %@", list).map(\.id) == [0, 1])
        #expect(parcels.filter("box.holder.content != %@", list).isEmpty)
        #expect(parcels.filter("box.holder.content == content").map(\.id).prefix(1) == [0])
        #expect(!parcels.filter("content == content").filter("id == 1").isEmpty)
    }

    @Test func longListsAndMapsAreComparedWhole() throws {
        let numbers = (0..<3_000).map { AnyRealmValue.int($0) }
        let entries = Dictionary(uniqueKeysWithValues: numbers.map { ("\($0)", $0) })
        try fill([
            .fromArray(numbers), .fromArray(numbers.dropLast() + [.int(-1)]),
            .fromDictionary(entries),
        ])
        #expect(parcels.where { $0.content == .fromArray(numbers) }.map(\.id) == [0])
        #expect(parcels.where { $0.content == .fromDictionary(entries) }.map(\.id) == [2])
    }

    @Test func stringsComeBeforeData() throws {
        try fill([
            .data(Data([0x61])), .string("b"), .date(Date()), .string("a"), .data(Data()), .int(5),
            .bool(true), .none,
        ])
        #expect(parcels.sorted(byKeyPath: "content").map(\.id) == [7, 6, 5, 3, 1, 4, 0, 2])
        #expect(parcels.sorted(byKeyPath: "content").first?.id == 7)
        try realm.write { parcels[0].parts.append(objectsIn: parcels.map(\.content)) }
        let texts = Array(parcels[0].parts.sorted()).compactMap(\.stringValue)
        #expect(texts == ["a", "b"])
        #expect(parcels[0].parts.sorted()[5] == .data(Data()))
    }

    /// Labels by parcel: 0 has "b", 1 has nil, 2 and 4 have "a". 3 and 5 have no box.
    @Test func pathsThatAreInterrupted() throws {
        try fill(Array(repeating: .none, count: 6))
        try realm.write {
            for (id, label) in [(0, "b"), (1, nil), (2, "a"), (4, "a")] as [(Int, String?)] {
                parcels[id].box = realm.create(Box.self, value: ["label": label as Any])
            }
        }
        let up = parcels.sorted(byKeyPath: "box.label")
        let down = parcels.sorted(byKeyPath: "box.label", ascending: false)
        #expect(up.first?.id == 1 && down.first?.id == 3)
        #expect(up.map(\.id) == [1, 2, 4, 0, 3, 5])
        #expect(down.map(\.id) == [3, 5, 0, 2, 4, 1])
        #expect(parcels.distinct(by: ["box.label"]).map(\.id) == [0, 1, 2])
        #expect(parcels.distinct(by: ["content", "box.label"]).map(\.id) == [0, 1, 2])
        #expect(parcels.filter("box.holder.id == box.holder.id").count == 6)
        #expect(parcels.filter("box.holder.id >= box.holder.box.holder.id").count == 6)
        #expect(parcels.filter("box.holder.id != box.holder.id").isEmpty)
        #expect(parcels.filter("box.holder.id < box.holder.id").isEmpty)
        #expect(parcels.filter("box.label == box.label").count == 6)
        #expect(parcels.filter("box.holder.id == id").isEmpty)
    }

    // MARK: Subqueries

    @Test func conditionsOnElementsReferToTheirObject() throws {
        try fill((0..<5).map { .int($0) })
        try realm.write {
            for parcel in parcels { parcel.parcels.append(objectsIn: parcels.prefix(3)) }
        }
        func ids(_ format: String, _ arguments: Any...) throws -> [Int] {
            let syntax = try PredicateParser.parse(format, arguments)
            return try parcels._filtered(syntax, format: format).map(\.id)
        }
        #expect(try ids("SUBQUERY(parcels, $p, $p.id < id).@count == 1") == [1])
        #expect(try ids("SUBQUERY(parcels, $p, id > 2 AND $p.id == 1).@count == %@", 1) == [3, 4])
        #expect(try ids("SUBQUERY(parcels, $p, $p.content == content).@count > 0") == [0, 1, 2])
        #expect(try ids("SUBQUERY(parcels, $p, SELF == $p).@count > 0") == [0, 1, 2])
        let nested =
            "SUBQUERY(parcels, $p, SUBQUERY($p.parcels, $q, $q.id < $p.id AND $q.id < id).@count "
            + "> 1).@count > 0"
        #expect(try ids(nested) == [2, 3, 4])
        // A subquery on the object's own collection, inside a condition on its elements.
        let own =
            "SUBQUERY(parcels, $p, SUBQUERY(parcels, $q, $q.id < $p.id AND $q.id < id).@count "
            + "== 1).@count"
        #expect(try ids(own + " == 1") == [2, 3, 4])
        // Cached texts, and live results.
        let live = parcels.filter("SUBQUERY(parcels, $p, $p.id < id).@count == %@", 3)
        #expect(live.map(\.id) == [3, 4])
        try realm.write { parcels[0].id = 10 }
        #expect(live.isEmpty)
    }
}
