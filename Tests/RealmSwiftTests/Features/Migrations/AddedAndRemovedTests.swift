import Foundation
import RealmSwift
import Testing

// Classes and properties that are added or removed, with and without a migration.

private enum First {
    class Item: VersionedObject {
        @Persisted var id: Int
        @Persisted var kept: String
        @Persisted var removed: Int
        @Persisted var removedList: List<Int>
        @Persisted var removedLink: Item?
    }

    static let types: [ObjectBase.Type] = [Item.self]

    static func fill(_ realm: Realm) {
        for id in 0..<50 {
            let item = realm.create(
                Item.self, value: ["id": id, "kept": "kept \(id)", "removed": id + 100])
            item.removedList.append(objectsIn: [1, 2])
            item.removedLink = item
        }
    }
}

/// What is removed from `Item` is gone, and a property of every type is added.
private enum Second {
    class Item: VersionedObject {
        @Persisted var bool: Bool
        @Persisted var int: Int
        @Persisted var id: Int
        @Persisted var double: Double
        @Persisted var string: String
        @Persisted var data: Data
        @Persisted var kept: String
        @Persisted var decimal: Decimal128
        @Persisted var optionalInt: Int?
        @Persisted var optionalString: String?
        @Persisted var optionalDate: Date?
        @Persisted var optionalId: UUID?
        @Persisted var any: AnyRealmValue
        @Persisted var link: Item?
        @Persisted var list: List<Int>
        @Persisted var links: List<Item>
        @Persisted var set: MutableSet<String>
        @Persisted var map: Map<String, Int>
        @Persisted var place: Place?
    }

    class Place: VersionedEmbeddedObject {
        @Persisted var city: String
    }

    static let types: [ObjectBase.Type] = [Item.self, Place.self]
}

@Suite struct AddedPropertyTests {
    private let file = MigratedFile()

    private func migrated(_ body: (Realm, Results<Second.Item>) throws -> Void) throws {
        try file.write(First.types, First.fill)
        try file.migrate(to: Second.types)
        try file.open(Second.types, version: 1) { realm in
            try body(realm, realm.objects(Second.Item.self))
        }
    }

    /// Documented: "all existing objects will get title added but its value will be an empty
    /// string".
    @Test func anAddedPropertyHasTheEmptyValueOfItsType() throws {
        try migrated { _, items in
            for item in items {
                #expect(!item.bool && item.int == 0 && item.double == 0 && item.string == "")
                #expect(item.data.isEmpty && item.decimal == 0)
            }
        }
    }

    @Test func anAddedOptionalPropertyIsNil() throws {
        try migrated { _, items in
            for item in items {
                #expect(item.optionalInt == nil && item.optionalString == nil)
                #expect(item.optionalDate == nil && item.optionalId == nil)
                #expect(item.link == nil && item.place == nil && item.any == .none)
            }
        }
    }

    @Test func anAddedCollectionIsEmpty() throws {
        try migrated { _, items in
            for item in items {
                #expect(item.list.isEmpty && item.links.isEmpty && item.set.isEmpty)
                #expect(item.map.count == 0)
            }
        }
    }

    @Test func propertiesThatStayKeepTheirValues() throws {
        try migrated { _, items in
            #expect(items.map(\.id).sorted() == Array(0..<50))
            #expect(items.allSatisfy { $0.kept == "kept \($0.id)" })
        }
    }

    @Test func addedPropertiesAreWrittenReadAndQueried() throws {
        try migrated { realm, items in
            #expect(items.filter("int == 0 AND optionalString == nil").count == 50)
            try realm.write {
                let item = items[7]
                item.int = 5
                item.optionalString = "set"
                item.link = items[3]
                item.links.append(objectsIn: [items[1], items[2]])
                item.list.append(9)
                item.map["k"] = 1
                item.place = Second.Place(value: ["Rome"])
                item.any = .double(1.5)
            }
            #expect(items.filter("int == 5 AND optionalString == 'set'").count == 1)
            #expect(items.filter("ANY links.id == 2 AND place.city == 'Rome'").count == 1)
            #expect(items.filter("int == 0").count == 49)
        }
        try file.open(Second.types, version: 1) { realm in
            let item = try #require(realm.objects(Second.Item.self).first { $0.int == 5 })
            #expect(item.id == 7 && item.kept == "kept 7" && item.link?.id == 3)
            #expect(item.list[0] == 9 && item.map["k"] == 1 && item.any == .double(1.5))
        }
    }

    @Test func addedPropertiesCanBeSetInTheBlock() throws {
        try file.write(First.types, First.fill)
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Item") { old, new in
                new?["int"] = old?["removed"]
                new?["string"] = "item \(old?["id"] as? Int ?? -1)"
                new?["list"] = old?["removedList"]
            }
        }
        try file.open(Second.types, version: 1) { realm in
            for item in realm.objects(Second.Item.self) {
                #expect(item.int == item.id + 100 && item.string == "item \(item.id)")
                #expect(Array(item.list) == [1, 2])
            }
        }
    }

    @Test func objectsCreatedLaterHaveTheDefaultsOfTheClass() throws {
        try migrated { realm, items in
            try realm.write { realm.create(Second.Item.self, value: ["id": 50]) }
            #expect(items.count == 51 && items.filter("kept == ''").count == 1)
        }
    }

    @Test func anAddedPropertyWithoutAHigherVersionIsAnError() throws {
        try file.write(First.types, First.fill)
        let error = file.failure(opening: Second.types)
        #expect(error?.code == .schemaMismatch)
        #expect(
            error?.localizedDescription.contains("- Property 'Item.string' has been added.")
                == true)
        try file.open(First.types) { realm in #expect(realm.objects(First.Item.self).count == 50) }
    }
}

private enum Reduced {
    class Item: VersionedObject {
        @Persisted var id: Int
        @Persisted var kept: String
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

@Suite struct RemovedPropertyTests {
    private let file = MigratedFile()

    @Test func removedPropertiesAreGone() throws {
        try file.write(First.types, First.fill)
        try file.migrate(to: Reduced.types)
        let names = MigrationLog<[String]>()
        try file.migrate(to: Reduced.types, version: 2) { migration, _ in
            names.note(migration.oldSchema["Item"]?.properties.map(\.name) ?? [])
        }
        #expect(names.all == [["id", "kept"]])
        try file.open(Reduced.types, version: 2) { realm in
            let items = realm.objects(Reduced.Item.self)
            #expect(items.map(\.id).sorted() == Array(0..<50))
            #expect(items.allSatisfy { $0.kept == "kept \($0.id)" })
        }
    }

    @Test func aPropertyThatReturnsInALaterVersionIsEmpty() throws {
        try file.write(First.types, First.fill)
        try file.migrate(to: Reduced.types)
        try file.migrate(to: First.types, version: 2)
        try file.open(First.types, version: 2) { realm in
            for item in realm.objects(First.Item.self) {
                #expect(item.removed == 0 && item.removedList.isEmpty && item.removedLink == nil)
                #expect(item.kept == "kept \(item.id)")
            }
        }
    }

    @Test func aRemovedPropertyWithoutAHigherVersionIsAnError() throws {
        try file.write(First.types, First.fill)
        let text = file.failure(opening: Reduced.types)?.localizedDescription ?? ""
        #expect(text.contains("- Property 'Item.removed' has been removed."))
        try file.open(First.types) { realm in
            #expect(realm.objects(First.Item.self).allSatisfy { $0.removed == $0.id + 100 })
        }
    }

    @Test func objectsAreWrittenAfterPropertiesWereRemoved() throws {
        try file.write(First.types, First.fill)
        try file.migrate(to: Reduced.types)
        try file.write(Reduced.types, version: 1) { realm in
            realm.objects(Reduced.Item.self).forEach { $0.kept += "!" }
            realm.create(Reduced.Item.self, value: ["id": 50, "kept": "kept 50!"])
            realm.delete(realm.objects(Reduced.Item.self).filter("id < 10"))
        }
        try file.open(Reduced.types, version: 1) { realm in
            let items = realm.objects(Reduced.Item.self)
            #expect(items.count == 41 && items.allSatisfy { $0.kept == "kept \($0.id)!" })
        }
    }

    @Test func targetsOfARemovedLinkStay() throws {
        try file.write(First.types, First.fill)
        try file.migrate(to: Reduced.types)
        try file.write(Reduced.types, version: 1) { realm in
            realm.delete(realm.objects(Reduced.Item.self).filter("id == 3"))
        }
        try file.open(Reduced.types, version: 1) { realm in
            #expect(realm.objects(Reduced.Item.self).count == 49)
        }
    }
}

// MARK: Defaults

private enum Initialised {
    class Item: VersionedObject {
        @Persisted var id: Int
        @Persisted var kept: String
        @Persisted var title = "Default"
        @Persisted var number = 7
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

@Suite struct DefaultsInMigrationTests {
    private let file = MigratedFile()

    /// Documented: "default property values aren't applied to […] new properties on existing
    /// objects during migrations".
    @Test func defaultValuesOfTheClassAreNotAppliedToExistingObjects() throws {
        try file.write(Reduced.types) { realm in
            realm.create(Reduced.Item.self, value: ["id": 1, "kept": "one"])
        }
        try file.migrate(to: Initialised.types)
        try file.open(Initialised.types, version: 1) { realm in
            let item = try #require(realm.objects(Initialised.Item.self).first)
            #expect(item.title == "" && item.number == 0 && item.kept == "one")
        }
    }

    @Test func defaultValuesOfTheClassAreAppliedToLaterObjects() throws {
        try file.write(Reduced.types) { _ in }
        try file.migrate(to: Initialised.types)
        try file.write(Initialised.types, version: 1) { realm in
            let item = realm.create(Initialised.Item.self, value: ["id": 2])
            #expect(item.title == "Default" && item.number == 7)
        }
    }
}

// MARK: Classes

private enum More {
    class Added: VersionedObject {
        @Persisted(primaryKey: true) var key: String
        @Persisted var item: First.Item?
    }

    class Tag: VersionedEmbeddedObject {
        @Persisted var text: String
    }

    class Tagged: VersionedObject {
        @Persisted var tags: List<Tag>
    }

    static let types: [ObjectBase.Type] = [First.Item.self, Added.self, Tag.self, Tagged.self]
}

@Suite struct AddedAndRemovedClassTests {
    private let file = MigratedFile()

    /// Documented: "Additive changes (new class) need no version bump".
    @Test func addedClassesNeedNoHigherVersion() throws {
        try file.write(First.types, First.fill)
        try file.write(More.types) { realm in
            let item = realm.objects(First.Item.self)[3]
            realm.create(More.Added.self, value: ["key": "k", "item": item])
            realm.create(More.Tagged.self, value: ["tags": [["text": "t"]]])
        }
        try file.open(More.types) { realm in
            let added = realm.object(ofType: More.Added.self, forPrimaryKey: "k")
            #expect(added?.item?.kept == "kept 3")
            #expect(realm.objects(More.Tagged.self).first?.tags.first?.text == "t")
        }
        #expect(try file.version() == 0)
    }

    @Test func classesAreAddedByAMigration() throws {
        try file.write(First.types, First.fill)
        try file.migrate(to: More.types) { migration, _ in
            #expect(migration.oldSchema["Added"] == nil && migration.newSchema["Added"] != nil)
            migration.create("Added", value: ["key": "made"])
        }
        try file.open(More.types, version: 1) { realm in
            #expect(realm.object(ofType: More.Added.self, forPrimaryKey: "made") != nil)
            #expect(realm.objects(First.Item.self).count == 50)
        }
    }

    /// A Realm may have fewer classes than its file: documented under "Class subsets".
    @Test func classesThatAreNotListedNeedNoMigration() throws {
        try file.write(More.types) { realm in
            First.fill(realm)
            realm.create(More.Added.self, value: ["key": "k"])
        }
        try file.write(First.types) { realm in
            #expect(realm.schema["Added"] == nil && realm.objects(First.Item.self).count == 50)
            realm.delete(realm.objects(First.Item.self).filter("id == 0"))
        }
        try file.open(More.types) { realm in
            #expect(realm.objects(More.Added.self).count == 1)
            #expect(realm.objects(First.Item.self).count == 49)
        }
    }

    @Test func aClassIsRemovedByAMigrationWithItsLinks() throws {
        try file.write(More.types) { realm in
            First.fill(realm)
            let item = realm.objects(First.Item.self)[3]
            realm.create(More.Added.self, value: ["key": "k", "item": item])
        }
        try file.migrate(to: First.types) { migration, _ in
            #expect(migration.deleteData(forType: "Added"))
        }
        try file.write(First.types, version: 1) { realm in
            realm.delete(realm.objects(First.Item.self).filter("id == 3"))
        }
        try file.open(More.types, version: 1) { realm in
            #expect(realm.objects(More.Added.self).isEmpty)
            #expect(realm.objects(First.Item.self).count == 49)
        }
    }

    @Test func aClassIsRenamedByCopyingItsObjects() throws {
        try file.write(Reduced.types) { realm in
            for id in 0..<10 {
                realm.create(Reduced.Item.self, value: ["id": id, "kept": "kept \(id)"])
            }
        }
        try file.migrate(to: [Article.self]) { migration, _ in
            migration.enumerateObjects(ofType: "Item") { old, _ in
                guard let old else { return }
                migration.create(
                    "Article",
                    value: ["id": old["id"] ?? 0, "kept": old["kept"] ?? ""] as [String: Any])
            }
            migration.deleteData(forType: "Item")
        }
        try file.open([Article.self], version: 1) { realm in
            let articles = realm.objects(Article.self)
            #expect(articles.map(\.id).sorted() == Array(0..<10))
            #expect(articles.allSatisfy { $0.kept == "kept \($0.id)" })
        }
        try file.migrate(to: [Article.self], version: 2) { migration, _ in
            #expect(migration.oldSchema.objectSchema.map(\.className) == ["Article"])
        }
    }

    private class Article: VersionedObject {
        @Persisted var id: Int
        @Persisted var kept: String
    }
}

// MARK: Indexes

private enum Indexed {
    class Item: VersionedObject {
        @Persisted(indexed: true) var id: Int
        @Persisted(indexed: true) var kept: String
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

@Suite struct IndexMigrationTests {
    private let file = MigratedFile()
    private let calls = MigrationLog<UInt64>()

    /// Documented: "Adding an indexed property" and "Removing indexed property" are automatic.
    @Test func indexesChangeWithoutAHigherVersion() throws {
        try file.write(Reduced.types) { realm in
            for id in 0..<100 {
                realm.create(Reduced.Item.self, value: ["id": id, "kept": "\(id % 10)"])
            }
        }
        let noting: MigrationBlock = { [calls] _, version in calls.note(version) }
        try file.open(Indexed.types, migrating: noting) { realm in
            #expect(realm.schema["Item"]?["kept"]?.isIndexed == true)
            #expect(realm.objects(Indexed.Item.self).filter("kept == '3'").count == 10)
        }
        try file.open(Reduced.types, migrating: noting) { realm in
            #expect(realm.schema["Item"]?["kept"]?.isIndexed == false)
            #expect(realm.objects(Reduced.Item.self).filter("kept == '3'").count == 10)
        }
        #expect(calls.all == [])
        #expect(try file.version() == 0)
    }

    @Test func indexesChangeInAMigration() throws {
        try file.write(Reduced.types) { realm in
            for id in 0..<100 {
                realm.create(Reduced.Item.self, value: ["id": id, "kept": "\(id % 10)"])
            }
        }
        try file.migrate(to: Indexed.types) { migration, _ in
            #expect(migration.oldSchema["Item"]?["kept"]?.isIndexed == false)
            #expect(migration.newSchema["Item"]?["kept"]?.isIndexed == true)
            migration.enumerateObjects(ofType: "Item") { old, new in
                if old?["kept"] as? String == "3" { new?["kept"] = "three" }
            }
        }
        try file.open(Indexed.types, version: 1) { realm in
            let items = realm.objects(Indexed.Item.self)
            #expect(items.filter("kept == 'three'").count == 10)
            #expect(items.filter("kept == '3'").isEmpty && items.filter("id == 42").count == 1)
        }
    }
}

// MARK: - Copies

private enum ManyIndexes {
    class Item: VersionedObject {
        @Persisted var id: Int
        @Persisted(indexed: true) var first: String?
        @Persisted(indexed: true) var second: Int?
        @Persisted(indexed: true) var third: Date?
        @Persisted(indexed: true) var fourth: UUID?
    }

    class Plain: VersionedObject {
        override class func className() -> String { "Item" }
        @Persisted var id: Int
    }
}

private enum Linked {
    class Ant: VersionedObject {
        @Persisted var removed: Int
        @Persisted var bee: Bee?
    }

    class Bee: VersionedObject {
        @Persisted var removed: Int
        @Persisted var ant: Ant?
    }

    static let types: [ObjectBase.Type] = [Ant.self, Bee.self]
}

private enum Unlinked {
    class Ant: VersionedObject {
        @Persisted var bee: Bee?
    }

    class Bee: VersionedObject {
        @Persisted var ant: Ant?
    }

    static let types: [ObjectBase.Type] = [Ant.self, Bee.self]
}

@Suite struct CopyWithoutRemovedPropertiesTests {
    private let file = MigratedFile()

    @Test func aCopyHasNoTreesOfRemovedIndexes() throws {
        try file.write([ManyIndexes.Item.self]) { realm in
            for id in 0..<20 {
                realm.create(ManyIndexes.Item.self, value: ["id": id, "second": id])
            }
        }
        try file.migrate(to: [ManyIndexes.Plain.self])
        #expect(try file.problems() == [])
    }

    @Test func aCopyKeepsTheLinksBetweenClassesThatBothHaveLostAProperty() throws {
        try file.write(Linked.types) { realm in
            let ant = realm.create(Linked.Ant.self, value: ["removed": 1])
            ant.bee = realm.create(Linked.Bee.self, value: ["removed": 2])
            ant.bee?.ant = ant
        }
        try file.migrate(to: Unlinked.types)
        #expect(try file.problems() == [])
    }
}
