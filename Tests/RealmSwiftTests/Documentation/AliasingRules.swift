import Foundation
import RealmSwift
import Testing

// Values that are, or come from, the object or collection that they are assigned to.

private enum Aliased {
    class Part: EmbeddedObject {
        @Persisted var name = ""
    }

    class Node: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var ints: List<Int>
        @Persisted var set: MutableSet<Int>
        @Persisted var map: Map<String, Int>
        @Persisted var nodes: List<Node>
        @Persisted var part: Part?
        @Persisted var parts: List<Part>
        @Persisted var any: AnyRealmValue
    }

    static let types: [ObjectBase.Type] = [Part.self, Node.self]
}

@Suite struct AliasingRules {
    private typealias Node = Aliased.Node

    let realm: Realm
    private let node: Node

    init() throws {
        realm = try temporaryRealm(Aliased.types)
        node = Node(
            value: [
                "id": 1, "ints": [1, 2, 3], "set": [1, 2], "map": ["a": 1],
                "nodes": [["id": 2], ["id": 3]], "part": ["engine"], "parts": [["a"], ["b"]],
            ])
    }

    @Test(arguments: [false, true]) func listsTakeTheirOwnElements(managed: Bool) throws {
        if managed { try realm.write { realm.add(node) } }
        let ints = node.ints
        try realm.write {
            ints.append(objectsIn: ints)
            #expect(Array(ints) == [1, 2, 3, 1, 2, 3])
            ints.insert(contentsOf: ints[0..<2], at: 1)
            #expect(Array(ints) == [1, 1, 2, 2, 3, 1, 2, 3])
            ints.replaceSubrange(0..<6, with: ints)
            #expect(Array(ints) == [1, 1, 2, 2, 3, 1, 2, 3, 2, 3])
        }
    }

    @Test(arguments: [false, true]) func setsAndMapsTakeTheirOwnElements(managed: Bool) throws {
        if managed { try realm.write { realm.add(node) } }
        try realm.write {
            node.set.insert(objectsIn: node.set)
            node.map.merge(node.map) { $0 + $1 }
            node.set = node.set
            node.map = node.map
        }
        #expect(Set(node.set) == [1, 2] && node.map["a"] == 2 && node.map.count == 1)
    }

    @Test(arguments: [Realm.UpdatePolicy.modified, .all])
    func updatingAnObjectWithItselfChangesNothing(_ policy: Realm.UpdatePolicy) throws {
        try realm.write { realm.add(node) }
        try realm.write { _ = realm.create(Node.self, value: node, update: policy) }
        #expect(Array(node.ints) == [1, 2, 3] && node.nodes.map(\.id) == [2, 3])
        #expect(node.part?.name == "engine" && node.parts.map(\.name) == ["a", "b"])
        #expect(Set(node.set) == [1, 2] && node.map["a"] == 1)
    }

    @Test(arguments: [Realm.UpdatePolicy.modified, .all])
    func updatingWithTheObjectsOwnCollectionsChangesNothing(_ policy: Realm.UpdatePolicy) throws {
        try realm.write { realm.add(node) }
        try realm.write {
            realm.create(
                Node.self,
                value: [
                    "id": 1, "ints": node.ints, "set": node.set, "map": node.map,
                    "nodes": node.nodes,
                ] as [String: Any], update: policy)
        }
        #expect(Array(node.ints) == [1, 2, 3] && node.nodes.map(\.id) == [2, 3])
        #expect(Set(node.set) == [1, 2] && node.map["a"] == 1)
    }

    @Test func objectsThatLinkToThemselvesAreAddedOnce() throws {
        node.nodes.append(node)
        node.any = .object(node)
        try realm.write { realm.add(node, update: .modified) }
        #expect(realm.objects(Node.self).count == 3)
        #expect(node.nodes.last == node && node.any.object(Node.self) == node)
        try realm.write { realm.delete(node) }
        #expect(realm.objects(Node.self).map(\.id) == [2, 3])
    }

    @Test func twoUnmanagedObjectsOfOneKeyBecomeOneUnderAnUpdatePolicy() throws {
        node.nodes.append(Node(value: ["id": 2, "ints": [9]]))
        try realm.write { realm.add(node, update: .modified) }
        #expect(node.nodes.map(\.id) == [2, 3, 2] && Array(node.nodes[0].ints) == [9])
        #expect(realm.objects(Node.self).count == 3)
    }

    @Test func nestedMixedValuesTakeTheirOwnElements() throws {
        node.any = .fromArray([.int(1), .fromArray([.int(2)])])
        try realm.write { realm.add(node) }
        let list = try #require(node.any.listValue)
        try realm.write {
            list.append(list[1])
            list[0] = list[1]
        }
        #expect(list.map { $0.listValue?.first?.intValue } == [2, 2, 2])
        try realm.write { list[0].listValue?.append(.int(3)) }
        #expect(list.map { $0.listValue?.count } == [2, 1, 1])
        try realm.write { node.any = node.any }
        #expect(node.any.listValue?.count == 3)
    }

    @Test func managedMixedCollectionsTakeThemselvesAsTheyAre() throws {
        node.any = .fromDictionary(["list": .fromArray([.int(1), .int(2)]), "k": .int(3)])
        try realm.write { realm.add(node) }
        let map = try #require(node.any.dictionaryValue)
        let list = try #require(map["list"]?.listValue)
        try realm.write { list.append(.list(list)) }
        #expect(list.count == 3 && list[2].listValue?.map(\.intValue) == [1, 2])
        try realm.write { map["self"] = .dictionary(map) }
        #expect(map.keys == ["k", "list", "self"])
        #expect(map["self"]?.dictionaryValue?.keys == ["k", "list"])
    }
}
