import Foundation
import RealmSwift
import Testing

// "for…in enumeration will always enumerate over the objects which matched when the enumeration is
// begun, even if some of them are deleted or modified during the enumeration."

private enum Enumerated {
    class Part: EmbeddedObject {
        @Persisted var name = ""
        @Persisted var parts: List<Part>
    }

    class Node: Object {
        @Persisted(primaryKey: true) var key: String
        @Persisted var list: List<Node>
        @Persisted var set: MutableSet<Node>
        @Persisted var map: Map<String, Node?>
        @Persisted var parts: List<Part>
        @Persisted var parent: Node?
        @Persisted(originProperty: "parent") var children: LinkingObjects<Node>
    }

    static let keys = ["", "a", "é", "e\u{301}", "🦆", "\u{0}", "a\u{0}b", "A"]
}

@Suite struct EnumerationRules {
    private typealias Node = Enumerated.Node

    let realm: Realm
    private let root = Node(value: ["root"])

    init() throws {
        realm = try temporaryRealm([Enumerated.Node.self, Enumerated.Part.self])
        try realm.write {
            realm.add(root)
            for number in 0..<5 {
                let node = realm.create(Node.self, value: ["key": "\(number)", "parent": root])
                root.list.append(objectsIn: [node, node])
                root.set.insert(node)
                root.map[node.key] = node
            }
        }
    }

    private var count: Int { realm.objects(Node.self).count }

    @Test func listsAreEnumeratedWhileTheirObjectsAreDeleted() throws {
        var visited = 0
        try realm.write {
            for node in root.list {
                visited += 1
                if !node.isInvalidated { realm.delete(node) }
            }
        }
        #expect(visited == 10 && root.list.isEmpty && count == 1)
    }

    @Test func setsAreEnumeratedWhileTheirObjectsAreDeleted() throws {
        var visited: [String] = []
        try realm.write {
            for node in root.set {
                visited.append(node.key)
                realm.delete(node)
            }
        }
        #expect(visited == ["0", "1", "2", "3", "4"] && root.set.isEmpty && count == 1)
    }

    @Test func mapsAreEnumeratedWhileTheirObjectsAreDeleted() throws {
        var visited: [String] = []
        try realm.write {
            for entry in root.map {
                visited.append(entry.key)
                if let node = entry.value { realm.delete(node) }
            }
        }
        #expect(visited == ["0", "1", "2", "3", "4"] && count == 1)
        #expect(root.map.count == 5 && root.map.values.allSatisfy { $0 == nil })
    }

    @Test func linkingObjectsAreEnumeratedWhileTheirLinksAreCut() throws {
        var visited: [String] = []
        try realm.write {
            for node in root.children {
                visited.append(node.key)
                node.parent = nil
            }
        }
        #expect(visited == ["0", "1", "2", "3", "4"] && root.children.isEmpty)
    }

    @Test func embeddedObjectsAreEnumeratedWhileTheyAreDeleted() throws {
        let parts = ["a", "b", "c"].map {
            ["name": $0, "parts": [["name": "inner"]]] as [String: Any]
        }
        try realm.write { realm.create(Node.self, value: ["key": "owner", "parts": parts]) }
        let owner = try #require(realm.object(ofType: Node.self, forPrimaryKey: "owner"))
        var visited: [String] = []
        try realm.write {
            for part in owner.parts {
                visited.append(part.name)
                realm.delete(part)
            }
        }
        #expect(visited == ["a", "b", "c"] && owner.parts.isEmpty)
        #expect(realm.dynamicObjects("Enumerated_Part").isEmpty)
    }

    @Test func textsThatDifferInAByteAreDifferentKeys() throws {
        try realm.write {
            for key in Enumerated.keys {
                realm.create(Node.self, value: ["key": key])
                root.map[key] = root
            }
        }
        #expect(count == 6 + Enumerated.keys.count)
        #expect(root.map.count == 5 + Enumerated.keys.count)
        for key in Enumerated.keys {
            let found = realm.object(ofType: Node.self, forPrimaryKey: key)
            #expect(found.map { Array($0.key.utf8) } == Array(key.utf8))
            #expect(root.map[key]??.key == "root")
        }
        try realm.write { for key in Enumerated.keys { root.map[key] = nil } }
        #expect(root.map.count == 5)
    }

    @Test func collectionsOfInvalidatedObjectsAndTheObjectsThemselvesStayHashable() throws {
        let nodes = Array(root.set)
        let before = Set(nodes)
        try realm.write { realm.delete(nodes[0]) }
        #expect(before.count == 5 && Set(nodes.dropFirst()).count == 4)
        #expect(nodes[0] == nodes[0] && nodes[0] != nodes[1])
        #expect(nodes[0].description.contains("invalid"))
    }
}
