import Foundation
import RealmSwift
import Testing
import ToolSupport

private enum One {
    class Part: VersionedEmbeddedObject {
        @Persisted var n: Int
        @Persisted var parts: List<Part>
    }
    class Item: VersionedObject {
        @Persisted var id: Int
        @Persisted var a: Int
        @Persisted var s: String?
        @Persisted var next: Item?
        @Persisted var items: List<Item>
        @Persisted var parts: List<Part>
    }
    class Lone: VersionedObject {
        @Persisted var id: Int
        @Persisted(indexed: true) var b: Int
        @Persisted var text: String
    }
    static let types: [ObjectBase.Type] = [Part.self, Item.self, Lone.self]
}

private enum Two {
    class Part: VersionedEmbeddedObject {
        @Persisted var parts: List<Part>
        @Persisted var n: String
    }
    class Item: VersionedObject {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var a: String
        @Persisted(indexed: true) var s: String
        @Persisted var next: Item?
        @Persisted var items: List<Item>
        @Persisted var parts: List<Part>
    }
    class Lone: VersionedObject {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var b: Int?
        @Persisted var extra: Double
        @Persisted(indexed: true) var text: String
    }
    static let types: [ObjectBase.Type] = [Part.self, Item.self, Lone.self]
}

private struct MItem: Sendable {
    var a: Int
    var s: String?
    var next: Int?
    var items: [Int]
    var parts: [Int]
}

/// Objects that are deleted while others of their class are visited, compared with a model.
@Suite struct MigrationDeletionTests {
    /// The message of a failure has the seed; `DELETION_CASES` sets the number of cases.
    static var seeds: ClosedRange<UInt64> {
        let cases = ProcessInfo.processInfo.environment["DELETION_CASES"].flatMap { UInt64($0) }
        return 1...(cases ?? 10)
    }

    /// What the file should hold. Unchecked because the block that captures it runs on the test's
    /// thread.
    private final class Box: @unchecked Sendable {
        var items: [Int: MItem] = [:]
        var lones: [Int: Int] = [:]
        var random: SeededGenerator
        init(_ seed: UInt64) { random = SeededGenerator(seed: seed) }

        /// Makes objects of both classes, of which those of one link to each other.
        func fill(_ realm: Realm, _ count: Int) {
            var all: [One.Item] = []
            for id in 0..<count {
                let item = One.Item()
                item.id = id
                item.a = random.next(below: 100)
                item.s = random.next(below: 3) == 0 ? nil : "s\(random.next(below: 9))"
                realm.add(item)
                all.append(item)
                var model = MItem(a: item.a, s: item.s, next: nil, items: [], parts: [])
                if random.next(below: 2) == 0 {
                    let next = random.next(below: id + 1)
                    item.next = all[next]
                    model.next = next
                }
                for _ in 0..<random.next(below: 5) {
                    let other = random.next(below: id + 1)
                    item.items.append(all[other])
                    model.items.append(other)
                }
                for _ in 0..<random.next(below: 4) {
                    let part = One.Part()
                    part.n = random.next(below: 100)
                    model.parts.append(part.n)
                    for _ in 0..<random.next(below: 3) { part.parts.append(One.Part()) }
                    item.parts.append(part)
                }
                items[id] = model
                let lone = One.Lone()
                lone.id = id
                lone.b = random.next(below: 20)
                lone.text = String(
                    repeating: "t", count: random.next(below: 50) == 0 ? 5000 : id % 40)
                realm.add(lone)
                lones[id] = lone.b
            }
        }

        func forget(_ id: Int) {
            items[id] = nil
            for other in items.keys {
                if items[other]!.next == id { items[other]!.next = nil }
                items[other]!.items.removeAll { $0 == id }
            }
        }
    }

    @Test(arguments: seeds)
    func objectsAreDeletedWhileTheyAreMigrated(seed: UInt64) throws {
        let file = MigratedFile()
        let box = Box(seed)
        let count = [5, 60, 1500][box.random.next(below: 3)]
        try file.write(One.types) { box.fill($0, count) }
        let way = box.random.next(below: 5)
        try file.migrate(to: Two.types) { migration, _ in
            var met = 0
            migration.enumerateObjects(ofType: "Item") { old, new in
                met += 1
                guard let old, let new else {
                    Issue.record("seed \(seed): absent")
                    return
                }
                let id = old["id"] as! Int
                guard box.items[id] != nil else {
                    Issue.record("seed \(seed): a deleted object is met")
                    return
                }
                new["a"] = "\(old["a"] as! Int)"
                new["s"] = (old["s"] as? String) ?? "none"
                if box.random.next(below: 3) == 0 {
                    migration.delete(new)
                    box.forget(id)
                } else if way == 1, box.random.next(below: 3) == 0,
                    let next = new["next"] as? MigrationObject
                {
                    // Another object than that which is visited.
                    let other = next["id"] as! Int
                    if other < id {
                        migration.delete(next)
                        box.forget(other)
                    }
                }
                if way == 2, box.random.next(below: 20) == 0 {
                    let fresh = 10_000 + met
                    migration.create("Item", value: ["id": fresh, "a": "7", "s": "new"])
                    box.items[fresh] = MItem(a: 7, s: "new", next: nil, items: [], parts: [])
                }
            }
            migration.enumerateObjects(ofType: "Lone") { old, new in
                guard let old, let new else { return }
                let id = old["id"] as! Int
                if new["id"] as! Int != id || new["b"] as? Int != box.lones[id] {
                    Issue.record("seed \(seed): lone differs")
                }
                if box.random.next(below: 2) == 0 {
                    migration.delete(new)
                    box.lones[id] = nil
                }
            }
            if way == 3 {
                var seen = 0
                migration.enumerateObjects(ofType: "Lone") { old, new in
                    if new != nil { seen += 1 }
                }
                if seen != box.lones.count { Issue.record("seed \(seed): \(seen)") }
                _ = migration.deleteData(forType: "Lone")
                box.lones = [:]
            }
        }
        let expected = box
        try file.open(Two.types, version: 1) { realm in
            let items = realm.objects(Two.Item.self)
            #expect(items.count == expected.items.count, "seed \(seed)")
            for (id, model) in expected.items {
                guard let item = realm.object(ofType: Two.Item.self, forPrimaryKey: id) else {
                    Issue.record("seed \(seed): \(id) is not there")
                    continue
                }
                let shown =
                    "\(item.a) \(item.s) \(item.next?.id ?? -1) \(Array(item.items.map(\.id)))"
                let wanted =
                    "\(model.a) \(model.s ?? "none") \(model.next ?? -1) \(model.items)"
                if shown != wanted { Issue.record("seed \(seed) \(id): \(shown), not \(wanted)") }
                if item.parts.count != model.parts.count {
                    Issue.record("seed \(seed): parts")
                }
            }
            #expect(realm.objects(Two.Lone.self).count == expected.lones.count, "seed \(seed)")
            for (id, b) in expected.lones {
                let lone = realm.object(ofType: Two.Lone.self, forPrimaryKey: id)
                if lone?.b != b { Issue.record("seed \(seed): lone \(id)") }
            }
            let none = realm.objects(Two.Item.self).where { $0.s == "none" }.count
            #expect(none == expected.items.values.count { ($0.s ?? "none") == "none" })
        }
        #expect(try file.problems() == [], "seed \(seed)")
    }
}
