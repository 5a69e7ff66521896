import Foundation
import RealmSwift
import Testing

private class Base: Object {
    override class func className() -> String { "Item" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class NumberedItem: Base {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var note: String?
    @Persisted var count: Int
}

private final class NamedItem: Base {
    @Persisted var id: Int
    @Persisted(primaryKey: true) var name: String
    @Persisted var note: String?
    @Persisted var count: Int
}

private final class KeylessItem: Base {
    @Persisted var id: Int
    @Persisted var name: String
    @Persisted var note: String?
    @Persisted var count: Int
}

private final class OptionalItem: Base {
    @Persisted(primaryKey: true) var id: Int?
    @Persisted(indexed: true) var name: String?
    @Persisted var note: String
    @Persisted var count: Int?
}

private final class RenamedItem: Base {
    @Persisted(primaryKey: true) var key: Int
    @Persisted(indexed: true) var title: String
    @Persisted var note: String?
    @Persisted var count: Int
}

private final class RetypedItem: Base {
    @Persisted(primaryKey: true) var id: String
    @Persisted(indexed: true) var name: Int
    @Persisted var note: List<String>
    @Persisted var count: Double
}

/// Primary keys, indexes, types and optionality in migrations.
@Suite struct MigratedKeyTests {
    private let file = MigratedFile()

    private func make(names: [String] = ["a", "b", "c"]) throws {
        try file.write([NumberedItem.self]) { realm in
            for (id, name) in names.enumerated() {
                realm.add(
                    NumberedItem(value: [
                        "id": id, "name": name, "note": id == 1 ? nil : "n\(id)", "count": id * 10,
                    ]))
            }
        }
    }

    @Test func aKeyMovesToAnotherProperty() throws {
        try make()
        do {
            let realm = try file.opened([NamedItem.self], version: 1) { _, _ in }
            #expect(realm.object(ofType: NamedItem.self, forPrimaryKey: "b")?.id == 1)
            try realm.write {
                realm.create(NamedItem.self, value: ["name": "b", "id": 7], update: .modified)
                realm.create(NamedItem.self, value: ["name": "d", "id": 0])
            }
            #expect(realm.objects(NamedItem.self).map(\.id) == [0, 7, 2, 0])
        }
        #expect(try file.problems() == [])
    }

    @Test func duplicatesAreAnErrorThatNamesClassAndValue() throws {
        try make(names: ["a", "b", "a"])
        let text = message { _ = try file.opened([NamedItem.self], version: 1) { _, _ in } }
        #expect(
            text.hasSuffix(
                "Primary key property 'Item.name' has duplicate values after migration: 'a'."))
        // The file is as it was.
        do {
            let realm = try file.opened([NumberedItem.self])
            #expect(realm.objects(NumberedItem.self).map(\.name) == ["a", "b", "a"])
            #expect(realm.object(ofType: NumberedItem.self, forPrimaryKey: 2)?.name == "a")
        }
        #expect(try file.problems() == [])
        // A block may mend it.
        let realm = try file.opened([NamedItem.self], version: 1) { migration, _ in
            migration.enumerateObjects(ofType: "Item") { old, new in
                new!["name"] = "\(old!["name"]!)\(old!["id"]!)"
            }
        }
        #expect(realm.objects(NamedItem.self).map(\.name) == ["a0", "b1", "a2"])
    }

    /// Two equal keys are found wherever they are in the map.
    @Test(arguments: [0, 1777, 2998]) func duplicatesAmongManyKeysAreFound(_ twin: Int) throws {
        try make(names: (0..<2999).map { "name \($0)" } + ["name \(twin)"])
        let text = message { _ = try file.opened([NamedItem.self], version: 1) { _, _ in } }
        #expect(text.hasSuffix("has duplicate values after migration: 'name \(twin)'."))
    }

    /// The map holds the first 256 bytes of a key.
    @Test func longKeysThatBeginAlikeAreNoDuplicates() throws {
        let start = String(repeating: "a", count: 300)
        try make(names: [start + "x", start, start + "y"])
        do {
            let realm = try file.opened([NamedItem.self], version: 1) { _, _ in }
            #expect(realm.object(ofType: NamedItem.self, forPrimaryKey: start)?.id == 1)
            #expect(realm.object(ofType: NamedItem.self, forPrimaryKey: start + "y")?.id == 2)
        }
        #expect(try file.problems() == [])
        let other = MigratedFile()
        try other.write([KeylessItem.self]) { realm in
            for end in ["x", "y", "x"] {
                realm.create(KeylessItem.self, value: ["name": start + end])
            }
        }
        let text = message { _ = try other.opened([NamedItem.self], version: 1) { _, _ in } }
        #expect(text.hasSuffix("has duplicate values after migration: '\(start)x'."))
    }

    @Test func aKeyIsRemovedAndAdded() throws {
        try make()
        do {
            let realm = try file.opened([KeylessItem.self], version: 1) { migration, _ in
                migration.create("Item", value: ["id": 1, "name": "b"])
            }
            #expect(realm.objects(KeylessItem.self).map(\.id) == [0, 1, 2, 1])
        }
        let text = message { _ = try file.opened([NumberedItem.self], version: 2) { _, _ in } }
        #expect(
            text.hasSuffix(
                "Primary key property 'Item.id' has duplicate values after migration: 1."))
        do {
            let realm = try file.opened([NumberedItem.self], version: 2) { migration, _ in
                migration.enumerateObjects(ofType: "Item") { old, new in
                    if (old!["id"] as! Int) == 1, old!["note"] == nil { migration.delete(new!) }
                }
            }
            #expect(realm.objects(NumberedItem.self).count == 2)
            #expect(realm.objects(NumberedItem.self).where { $0.name == "c" }.first?.id == 2)
        }
        #expect(try file.problems() == [])
    }

    @Test func keysMayBeChangedInABlock() throws {
        try make()
        do {
            let realm = try file.opened([NumberedItem.self], version: 1) { migration, _ in
                migration.enumerateObjects(ofType: "Item") { old, new in
                    new!["id"] = (old!["id"] as! Int) + 100
                }
            }
            #expect(realm.object(ofType: NumberedItem.self, forPrimaryKey: 101)?.name == "b")
            #expect(realm.object(ofType: NumberedItem.self, forPrimaryKey: 1) == nil)
        }
        #expect(try file.problems() == [])
    }

    @Test func valuesStayWherePropertiesBecomeOptionalOrRequired() throws {
        try make()
        do {
            let realm = try file.opened([OptionalItem.self], version: 1) { _, _ in }
            let items = realm.objects(OptionalItem.self)
            #expect(items.map(\.id) == [0, 1, 2] && items.map(\.name) == ["a", "b", "c"])
            #expect(items.map(\.note) == ["n0", "", "n2"] && items.map(\.count) == [0, 10, 20])
            try realm.write {
                realm.create(OptionalItem.self, value: ["id": nil, "name": nil, "count": nil])
            }
            #expect(items.where { $0.count == nil }.count == 1)
            #expect(items.where { $0.name == nil }.count == 1)
        }
        #expect(try file.problems() == [])
        do {
            let text = message { _ = try file.opened([NumberedItem.self], version: 2) { _, _ in } }
            // The nil becomes 0, which another object has.
            #expect(
                text.hasSuffix(
                    "Primary key property 'Item.id' has duplicate values after migration: 0."))
            let realm = try file.opened([NumberedItem.self], version: 2) { migration, _ in
                migration.enumerateObjects(ofType: "Item") { old, new in
                    if old!["id"] == nil { new!["id"] = 9 }
                }
            }
            #expect(realm.objects(NumberedItem.self).map(\.id) == [0, 1, 2, 9])
            #expect(realm.objects(NumberedItem.self).map(\.name) == ["a", "b", "c", ""])
            #expect(realm.objects(NumberedItem.self).map(\.count) == [0, 10, 20, 0])
        }
        #expect(try file.problems() == [])
    }

    @Test func aKeyThatStaysMustBeUniqueAllTheTime() throws {
        try make()
        let text = message {
            _ = try file.opened([NumberedItem.self], version: 1) { migration, _ in
                migration.enumerateObjects(ofType: "Item") { _, new in new!["id"] = 2 }
            }
        }
        #expect(text.contains("An object of 'Item' with this primary key exists already."))
        let realm = try file.opened([NumberedItem.self])
        #expect(realm.objects(NumberedItem.self).map(\.id) == [0, 1, 2])
    }

    @Test func aPropertyThatWasAddedReadsZeroAfterItHasBecomeOptional() throws {
        try file.write([First.Thing.self]) { realm in realm.add(First.Thing()) }
        _ = try file.opened([Second.Thing.self], version: 1) { _, _ in }
        do {
            let realm = try file.opened([Third.Thing.self], version: 2) { _, _ in }
            #expect(realm.objects(Third.Thing.self).first?.added == 0)
            #expect(realm.objects(Third.Thing.self).where { $0.added == nil }.isEmpty)
            try realm.write { realm.add(Third.Thing(value: ["added": nil])) }
            #expect(realm.objects(Third.Thing.self).map(\.added) == [0, nil])
        }
        do {
            let realm = try file.opened([Second.Thing.self], version: 3) { _, _ in }
            #expect(realm.objects(Second.Thing.self).map(\.added) == [0, 0])
        }
        #expect(try file.problems() == [])
    }

    @Test func keysAndIndexesFollowTheirRenamedProperties() throws {
        try make()
        do {
            let realm = try file.opened([RenamedItem.self], version: 1) { migration, _ in
                migration.renameProperty(onType: "Item", from: "id", to: "key")
                migration.renameProperty(onType: "Item", from: "name", to: "title")
            }
            #expect(realm.object(ofType: RenamedItem.self, forPrimaryKey: 1)?.title == "b")
            #expect(realm.objects(RenamedItem.self).where { $0.title == "c" }.first?.key == 2)
            try realm.write { realm.create(RenamedItem.self, value: ["key": 3, "title": "d"]) }
        }
        #expect(try file.problems() == [])
    }

    @Test func aChangeOfTypeClearsAndABlockConverts() throws {
        try make()
        do {
            let realm = try file.opened([RetypedItem.self], version: 1) { migration, _ in
                migration.enumerateObjects(ofType: "Item") { old, new in
                    new!["id"] = "\(old!["id"]!)"
                    if let note = old!["note"] as? String { new!["note"] = [note, note] }
                }
            }
            let items = realm.objects(RetypedItem.self)
            #expect(items.map(\.id) == ["0", "1", "2"] && items.map(\.name) == [0, 0, 0])
            #expect(items.map { Array($0.note) } == [["n0", "n0"], [], ["n2", "n2"]])
            #expect(items.map(\.count) == [0, 0, 0])
            #expect(realm.object(ofType: RetypedItem.self, forPrimaryKey: "2") != nil)
        }
        #expect(try file.problems() == [])
    }
}

private enum First {
    class Thing: Object {
        @Persisted var number: Int
        override class func className() -> String { "Thing" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private enum Second {
    class Thing: Object {
        @Persisted var number: Int
        @Persisted var added: Int
        override class func className() -> String { "Thing" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private enum Third {
    class Thing: Object {
        @Persisted var number: Int
        @Persisted var added: Int?
        override class func className() -> String { "Thing" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}
