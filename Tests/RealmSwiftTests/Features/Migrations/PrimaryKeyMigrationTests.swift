import Foundation
import RealmSwift
import Testing

// Primary keys that are added, removed or changed.

private enum Unkeyed {
    class Item: VersionedObject {
        @Persisted var id: Int
        @Persisted var code: String
        @Persisted var note: String?
    }

    static let types: [ObjectBase.Type] = [Item.self]

    static func fill(_ realm: Realm, _ codes: [String]) {
        for (id, code) in codes.enumerated() {
            realm.create(Item.self, value: ["id": id, "code": code])
        }
    }
}

private enum KeyedById {
    class Item: VersionedObject {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var code: String
        @Persisted var note: String?
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

private enum KeyedByCode {
    class Item: VersionedObject {
        @Persisted var id: Int
        @Persisted(primaryKey: true) var code: String
        @Persisted var note: String?
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

private enum KeyedByNote {
    class Item: VersionedObject {
        @Persisted var id: Int
        @Persisted var code: String
        @Persisted(primaryKey: true) var note: String?
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

/// The key `id` is of another type.
private enum KeyedByText {
    class Item: VersionedObject {
        @Persisted(primaryKey: true) var id: String
        @Persisted var code: String
        @Persisted var note: String?
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

/// The key is new.
private enum KeyedByUUID {
    class Item: VersionedObject {
        @Persisted(primaryKey: true) var uuid: UUID
        @Persisted var id: Int
        @Persisted var code: String
        @Persisted var note: String?
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

@Suite struct PrimaryKeyMigrationTests {
    private let file = MigratedFile()

    private func fill(_ codes: [String] = ["a", "b", "c"]) throws {
        try file.write(Unkeyed.types) { Unkeyed.fill($0, codes) }
    }

    private func codes<Item: VersionedObject>(
        _ type: Item.Type, version: UInt64, _ code: @escaping (Item) -> String
    ) throws -> [String] {
        try file.open([type], version: version) { Array($0.objects(type)).map(code).sorted() }
    }

    @Test func aPrimaryKeyIsAdded() throws {
        try fill()
        try file.migrate(to: KeyedById.types)
        try file.open(KeyedById.types, version: 1) { realm in
            #expect(realm.schema["Item"]?.primaryKeyProperty?.name == "id")
            #expect(realm.object(ofType: KeyedById.Item.self, forPrimaryKey: 1)?.code == "b")
            #expect(realm.object(ofType: KeyedById.Item.self, forPrimaryKey: 3) == nil)
            try realm.write {
                realm.create(
                    KeyedById.Item.self, value: ["id": 1, "code": "new"], update: .modified)
            }
            #expect(realm.objects(KeyedById.Item.self).count == 3)
        }
    }

    @Test func aPrimaryKeyIsRemoved() throws {
        try fill()
        try file.migrate(to: KeyedById.types)
        try file.migrate(to: Unkeyed.types, version: 2)
        try file.write(Unkeyed.types, version: 2) { realm in
            #expect(realm.schema["Item"]?.primaryKeyProperty == nil)
            // Values may now be there twice.
            realm.create(Unkeyed.Item.self, value: ["id": 1, "code": "b"])
        }
        #expect(
            try codes(Unkeyed.Item.self, version: 2, \.code) == ["a", "b", "b", "c"])
    }

    @Test func aPrimaryKeyMovesToAnotherProperty() throws {
        try fill()
        try file.migrate(to: KeyedById.types)
        try file.migrate(to: KeyedByCode.types, version: 2)
        try file.write(KeyedByCode.types, version: 2) { realm in
            #expect(realm.object(ofType: KeyedByCode.Item.self, forPrimaryKey: "c")?.id == 2)
            realm.create(KeyedByCode.Item.self, value: ["id": 1, "code": "d"])
        }
        #expect(try codes(KeyedByCode.Item.self, version: 2, \.code) == ["a", "b", "c", "d"])
    }

    @Test func aPrimaryKeyChangesItsType() throws {
        try fill()
        try file.migrate(to: KeyedById.types)
        try file.migrate(to: KeyedByText.types, version: 2) { migration, _ in
            migration.enumerateObjects(ofType: "Item") { old, new in
                new?["id"] = "number \(old?["id"] as? Int ?? -1)"
            }
        }
        try file.open(KeyedByText.types, version: 2) { realm in
            let item = realm.object(ofType: KeyedByText.Item.self, forPrimaryKey: "number 2")
            #expect(item?.code == "c" && realm.objects(KeyedByText.Item.self).count == 3)
        }
    }

    /// An added key is the same for all objects until the block sets it.
    @Test func theBlockSetsTheValuesOfANewKey() throws {
        try fill()
        try file.migrate(to: KeyedByUUID.types) { migration, _ in
            migration.enumerateObjects(ofType: "Item") { _, new in new?["uuid"] = UUID() }
        }
        try file.open(KeyedByUUID.types, version: 1) { realm in
            let items = realm.objects(KeyedByUUID.Item.self)
            #expect(Set(items.map(\.uuid)).count == 3)
            for item in items {
                let found = realm.object(ofType: KeyedByUUID.Item.self, forPrimaryKey: item.uuid)
                #expect(found == item)
            }
        }
    }

    @Test func theBlockMakesValuesUnique() throws {
        try fill(["a", "b", "a", "a"])
        try file.migrate(to: KeyedByCode.types) { migration, _ in
            var seen: Set<String> = []
            migration.enumerateObjects(ofType: "Item") { old, new in
                guard let new, let code = old?["code"] as? String else { return }
                if !seen.insert(code).inserted { new["code"] = "\(code)\(old?["id"] ?? 0)" }
            }
        }
        #expect(
            try codes(KeyedByCode.Item.self, version: 1, \.code) == ["a", "a2", "a3", "b"])
    }

    @Test func theBlockDeletesDuplicates() throws {
        try fill(["a", "b", "a"])
        try file.migrate(to: KeyedByCode.types) { migration, _ in
            var seen: Set<String> = []
            migration.enumerateObjects(ofType: "Item") { old, new in
                guard let new, let code = old?["code"] as? String else { return }
                if !seen.insert(code).inserted { migration.delete(new) }
            }
        }
        #expect(try codes(KeyedByCode.Item.self, version: 1, \.code) == ["a", "b"])
    }

    @Test func theValueNilMayBeThereOnce() throws {
        try fill(["a"])
        try file.migrate(to: KeyedByNote.types)
        try file.open(KeyedByNote.types, version: 1) { realm in
            let none: String? = nil
            let item = realm.object(ofType: KeyedByNote.Item.self, forPrimaryKey: none)
            #expect(item?.code == "a")
        }
    }

    @Test func linksStayWithTheirObjectsWhenAKeyIsAdded() throws {
        try file.write(Linked.old) { realm in
            let target = realm.create(Linked.Old.Target.self, value: ["id": 4])
            realm.create(Linked.Old.Source.self, value: ["targets": [target, target]])
        }
        try file.migrate(to: Linked.new)
        try file.open(Linked.new, version: 1) { realm in
            let source = try #require(realm.objects(Linked.New.Source.self).first)
            #expect(source.targets.count == 2 && source.targets[1].id == 4)
            let target = realm.object(ofType: Linked.New.Target.self, forPrimaryKey: 4)
            #expect(target == source.targets[0])
        }
    }

    // MARK: Errors

    /// Migrates to a key that is there twice. The error must name the class and the value, and the
    /// file must be what it was.
    private func expectDuplicates(
        _ types: [ObjectBase.Type], _ value: String, _ block: @escaping MigrationBlock = { _, _ in }
    ) throws {
        let error = try #require(file.failure(opening: types, version: 1, migrating: block))
        let text = error.localizedDescription
        #expect(text.contains("'Item.") || text.contains("'Item'"), "\(text)")
        #expect(text.contains(value), "\(text)")
        #expect(try file.version() == 0)
    }

    @Test func duplicatesMadeByTheBlockAreAnError() throws {
        try fill(["a", "b", "c"])
        try expectDuplicates(KeyedByCode.types, "same") { migration, _ in
            migration.enumerateObjects(ofType: "Item") { _, new in new?["code"] = "same" }
        }
        #expect(try codes(Unkeyed.Item.self, version: 0, \.code) == ["a", "b", "c"])
    }

    @Test func theValueNilTwiceIsAnError() throws {
        try fill(["a", "b"])
        let error = file.failure(opening: KeyedByNote.types, version: 1) { _, _ in }
        let text = error?.localizedDescription ?? ""
        #expect(text.contains("Item"), "\(text)")
        #expect(text.contains("nil") || text.contains("null"), "\(text)")
        #expect(try file.version() == 0)
    }

    @Test func aNewKeyThatNobodySetsIsAnErrorForSeveralObjects() throws {
        try fill(["a", "b"])
        try expectDuplicates(KeyedByUUID.types, "00000000-0000-0000-0000-000000000000")
    }

    @Test func aKeyThatChangesItsTypeMustBeSet() throws {
        try fill(["a", "b"])
        try file.migrate(to: KeyedById.types)
        let error = file.failure(opening: KeyedByText.types, version: 2) { _, _ in }
        #expect(error?.localizedDescription.contains("Item") == true)
        #expect(try file.version() == 1)
    }

    @Test func changesOfTheKeyWithoutAHigherVersionAreErrors() throws {
        try fill()
        let added = file.failure(opening: KeyedById.types)
        #expect(added?.code == .schemaMismatch)
        #expect(
            added?.localizedDescription.contains(
                "\n- Primary Key for class 'Item' has been added.") == true)
        try file.migrate(to: KeyedById.types)
        let removed = file.failure(opening: Unkeyed.types, version: 1)
        #expect(
            removed?.localizedDescription.contains(
                "\n- Primary Key for class 'Item' has been removed.") == true)
        let changed = file.failure(opening: KeyedByCode.types, version: 1)
        #expect(
            changed?.localizedDescription.contains(
                "\n- Primary Key for class 'Item' has been changed from 'id' to 'code'.") == true)
    }
}

private enum Linked {
    enum Old {
        class Target: VersionedObject { @Persisted var id: Int }
        class Source: VersionedObject { @Persisted var targets: List<Target> }
    }

    enum New {
        class Target: VersionedObject { @Persisted(primaryKey: true) var id: Int }
        class Source: VersionedObject { @Persisted var targets: List<Target> }
    }

    static let old: [ObjectBase.Type] = [Old.Target.self, Old.Source.self]
    static let new: [ObjectBase.Type] = [New.Target.self, New.Source.self]
}
