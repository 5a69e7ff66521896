import RealmSwift
import Testing

/// Tests that objects added to a Realm do not keep it open: its files can be deleted once the last
/// reference to the Realm goes.
@Suite struct ReleaseTests {
    private final class Node: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var next: Node?
        @Persisted var all: List<Node>
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    private let directory = TestDirectory()

    private func closesAfter(_ body: (Realm) throws -> Void) throws -> Bool {
        do {
            let realm = try directory.realm([Node.self])
            try body(realm)
        }
        do {
            return try Realm.deleteFiles(for: directory.configuration([Node.self]))
        } catch Realm.Error.alreadyOpen {
            return false
        }
    }

    private func node(_ id: Int) -> Node {
        let node = Node()
        node.id = id
        return node
    }

    @Test func addedCyclesOfLinks() throws {
        #expect(
            try closesAfter { realm in
                let (a, b) = (node(1), node(2))
                a.next = b
                b.next = a
                try realm.write { realm.add(a) }
            })
    }

    @Test func linksToThemselves() throws {
        #expect(
            try closesAfter { realm in
                let a = node(1)
                a.next = a
                a.all.append(a)
                try realm.write { realm.add(a) }
            })
    }

    @Test func addedCyclesOfLists() throws {
        #expect(
            try closesAfter { realm in
                let (a, b) = (node(1), node(2))
                a.all.append(b)
                b.all.append(objectsIn: [a, b])
                try realm.write { realm.add([a, b]) }
            })
    }

    @Test(arguments: [Realm.UpdatePolicy.modified, .all])
    func updatedGraphs(update: Realm.UpdatePolicy) throws {
        #expect(
            try closesAfter { realm in
                try realm.write { realm.add(node(2)) }
                let a = Node(value: ["id": 1, "next": ["id": 2]])
                a.next?.next = a
                try realm.write { realm.add(a, update: update) }
            })
    }

    @Test func createdGraphs() throws {
        #expect(
            try closesAfter { realm in
                try realm.write {
                    let a = realm.create(Node.self, value: ["id": 1, "next": ["id": 2]])
                    a.next?.next = a
                    a.all.append(objectsIn: [a, node(3)])
                }
            })
    }

    @Test func chains() throws {
        #expect(
            try closesAfter { realm in
                let first = node(0)
                var last = first
                for id in 1..<1000 {
                    last.next = node(id)
                    last = last.next!
                }
                try realm.write { realm.add(first) }
            })
    }
}
