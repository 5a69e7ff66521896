import Foundation
import RealmSwift
import Testing

/// Tests of application code that the library calls and that calls the library again.
@Suite struct ReentrancyTests {
    /// A custom type whose persisted form is looked up in a Realm.
    struct LookedUp: CustomPersistable, Equatable {
        typealias PersistedType = String
        nonisolated(unsafe) static var realm: Realm?
        var key: Int16

        init(key: Int16) { self.key = key }
        init(persistedValue: String) { key = Int16(persistedValue.dropFirst(5)) ?? -1 }
        var persistableValue: String {
            let term = LookedUp.realm?.object(ofType: Term.self, forPrimaryKey: key)
            return term?.text ?? "none "
        }
    }

    class Term: Object {
        @Persisted(primaryKey: true) var id: Int16
        @Persisted var text: String
    }

    class Page: Object {
        @Persisted var first = "the first text"
        @Persisted var one = LookedUp(key: 1)
        @Persisted var second = Data(repeating: 7, count: 40)
        @Persisted var two = LookedUp(key: 2)
        @Persisted var third = "the third text"
        @Persisted var link: Term?
        @Persisted var all: List<LookedUp>
    }

    @Test func persistedFormsMayBeLookedUpInTheRealmWhileAnObjectIsStored() throws {
        let realm = try temporaryRealm([Term.self, Page.self])
        LookedUp.realm = realm
        defer { LookedUp.realm = nil }
        try realm.write {
            for id in 1...3 { realm.create(Term.self, value: [id, "text \(id)"]) }
        }
        let page = Page()
        page.link = Term(value: [4, "text 4"])
        page.all.append(objectsIn: (1...4).map { LookedUp(key: $0) })
        try realm.write { realm.add(page) }
        #expect(page.first == "the first text" && page.third == "the third text")
        #expect(page.second == Data(repeating: 7, count: 40) && page.link?.text == "text 4")
        #expect(page.one.key == 1 && page.two.key == 2 && page.all.map(\.key) == [1, 2, 3, 4])
    }

    class Named: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var names: List<String>
        @Persisted var counts: Map<String, Int>
    }

    /// Deletes an object when the last reference to this owner goes.
    private final class Owner {
        let dog: Dog
        init(_ dog: Dog) { self.dog = dog }
        deinit { dog.realm?.delete(dog) }
    }

    @Test func objectsMayBeDeletedByWhatEndsWhileTheyAreVisited() throws {
        let realm = try temporaryRealm()
        try realm.write { realm.add((0..<5).map { Dog(value: ["name": "\($0)"]) }) }
        var owners = Array(realm.objects(Dog.self).map(Owner.init))
        var visited = 0
        try realm.write {
            for _ in realm.objects(Dog.self) {
                visited += 1
                owners.removeLast(min(2, owners.count))
            }
            owners = []
        }
        // The second object is deleted while it is visited, the others before they are.
        #expect(visited == 2 && realm.objects(Dog.self).isEmpty)
    }

    @Test func elementsMayBeAddedWhileTheirSequenceIsRead() throws {
        let realm = try temporaryRealm([Named.self])
        let owner = Named(value: ["name": "Ann"])
        try realm.write {
            realm.add(owner)
            // The closure that makes an element writes to the very list that it is appended to.
            owner.names.append(
                objectsIn: (0..<3).lazy.map { number -> String in
                    owner.names.append("inner \(number)")
                    return "outer \(number)"
                })
            realm.add(
                (0..<3).lazy.map { number -> Named in
                    realm.create(Named.self, value: ["name": "created \(number)"])
                    return Named(value: ["name": "added \(number)"])
                })
        }
        let names = (0..<3).flatMap { ["inner \($0)", "outer \($0)"] }
        #expect(Array(owner.names) == names && realm.objects(Named.self).count == 7)
    }

    @Test func combiningMapsMayWriteToThem() throws {
        let realm = try temporaryRealm([Named.self])
        let shelf = Named(value: ["name": "Ann", "counts": ["a": 1, "b": 2]])
        try realm.write {
            realm.add(shelf)
            shelf.counts.merge(["a": 10, "b": 20].map { (key: $0, value: $1) }) { old, new in
                shelf.counts["seen \(old)"] = new
                return old + new
            }
        }
        #expect(shelf.counts["a"] == 11 && shelf.counts["b"] == 22)
        #expect(shelf.counts["seen 1"] == 10 && shelf.counts["seen 2"] == 20)
    }
}
