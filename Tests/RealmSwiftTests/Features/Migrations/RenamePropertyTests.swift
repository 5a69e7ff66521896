import Foundation
import RealmSwift
import Testing

// `Migration.renameProperty(onType:from:to:)`.

private enum First {
    class Person: VersionedObject {
        @Persisted var yearsSinceBirth: Int
        @Persisted var name: String
        @Persisted var dog: Dog?
        @Persisted var dogs: List<Dog>
        @Persisted var nicknames: List<String>
        @Persisted var home: Home?
    }

    class Dog: VersionedObject {
        @Persisted var name: String
        @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
    }

    class Home: VersionedEmbeddedObject {
        @Persisted var street: String
    }

    static let types: [ObjectBase.Type] = [Person.self, Dog.self, Home.self]
}

/// Every property of `Person` but `name` has another name.
private enum Second {
    class Person: VersionedObject {
        @Persisted var age: Int
        @Persisted var name: String
        @Persisted var pet: Dog?
        @Persisted var pets: List<Dog>
        @Persisted var aliases: List<String>
        @Persisted var address: Home?
    }

    class Dog: VersionedObject {
        @Persisted var name: String
        @Persisted(originProperty: "pets") var owners: LinkingObjects<Person>
    }

    class Home: VersionedEmbeddedObject {
        @Persisted var street: String
    }

    static let types: [ObjectBase.Type] = [Person.self, Dog.self, Home.self]
}

@Sendable private func renameAll(_ migration: Migration, _ version: UInt64) {
    for (old, new) in [
        ("yearsSinceBirth", "age"), ("dog", "pet"), ("dogs", "pets"), ("nicknames", "aliases"),
        ("home", "address"),
    ] {
        migration.renameProperty(onType: "Person", from: old, to: new)
    }
}

@Suite struct RenamePropertyTests {
    private let file = MigratedFile()

    private func fill() throws {
        try file.write(First.types) { realm in
            let dogs = ["Rex", "Max"].map { realm.create(First.Dog.self, value: ["name": $0]) }
            for age in [30, 40] {
                let person = realm.create(
                    First.Person.self, value: ["yearsSinceBirth": age, "name": "person \(age)"])
                person.dog = dogs[0]
                person.dogs.append(objectsIn: [dogs[1], dogs[0], dogs[1]])
                person.nicknames.append(objectsIn: ["x", "y"])
                person.home = First.Home(value: ["street \(age)"])
            }
        }
    }

    private func migrated(_ body: (Realm, Second.Person) throws -> Void) throws {
        try file.open(Second.types, version: 1) { realm in
            let people = realm.objects(Second.Person.self)
            #expect(people.count == 2)
            try body(realm, #require(people.first { $0.name == "person 30" }))
        }
    }

    @Test func aRenamedPropertyKeepsItsValues() throws {
        try fill()
        try file.migrate(to: Second.types, renameAll)
        try migrated { realm, person in
            #expect(person.age == 30 && Array(person.aliases) == ["x", "y"])
            #expect(realm.objects(Second.Person.self).sum(ofProperty: "age") as Int == 70)
        }
    }

    /// Documented: renaming "preserves relationships rather than duplicating them".
    @Test func aRenamedLinkLeadsToTheSameObject() throws {
        try fill()
        try file.migrate(to: Second.types, renameAll)
        try migrated { realm, person in
            #expect(person.pet?.name == "Rex")
            #expect(Array(person.pets.map(\.name)) == ["Max", "Rex", "Max"])
            #expect(realm.objects(Second.Dog.self).count == 2)
            #expect(person.pet?.isSameObject(as: person.pets[1]) == true)
            #expect(realm.objects(Second.Dog.self).first { $0.name == "Max" }?.owners.count == 4)
        }
    }

    @Test func aRenamedEmbeddedObjectStaysWithItsOwner() throws {
        try fill()
        try file.migrate(to: Second.types, renameAll)
        try migrated { realm, person in
            #expect(person.address?.street == "street 30")
            #expect(realm.dynamicObjects("Home").count == 2)
        }
    }

    @Test func withoutARenamingTheValuesAreLost() throws {
        try fill()
        try file.migrate(to: Second.types)
        try migrated { realm, person in
            #expect(person.age == 0 && person.pet == nil && person.pets.isEmpty)
            #expect(person.aliases.isEmpty && person.address == nil)
            #expect(realm.objects(Second.Dog.self).count == 2)
            #expect(realm.dynamicObjects("Home").isEmpty)
        }
    }

    @Test func theNewObjectHasTheRenamedValuesInTheRestOfTheBlock() throws {
        try fill()
        let ages = MigrationLog<[Int?]>()
        try file.migrate(to: Second.types) { migration, version in
            renameAll(migration, version)
            migration.enumerateObjects(ofType: "Person") { old, new in
                ages.note([old?["yearsSinceBirth"] as? Int, new?["age"] as? Int])
                new?["age"] = (new?["age"] as? Int ?? 0) + 1
            }
        }
        #expect(ages.all == [[30, 30], [40, 40]])
        try migrated { _, person in #expect(person.age == 31) }
    }

    @Test func aRenamedPropertyCanBeRenamedBack() throws {
        try fill()
        try file.migrate(to: Second.types, renameAll)
        try file.migrate(to: First.types, version: 2) { migration, _ in
            migration.renameProperty(onType: "Person", from: "age", to: "yearsSinceBirth")
            migration.renameProperty(onType: "Person", from: "pets", to: "dogs")
        }
        try file.open(First.types, version: 2) { realm in
            let person = realm.objects(First.Person.self).first { $0.name == "person 40" }
            #expect(person?.yearsSinceBirth == 40 && person?.dogs.count == 3)
            #expect(person?.dog == nil)
        }
    }

    @Test func theOrderOfPropertiesIsThatOfTheNewClass() throws {
        try fill()
        try file.migrate(to: Second.types, renameAll)
        try file.open(Second.types, version: 1) { realm in
            let names = realm.schema["Person"]?.properties.map(\.name)
            #expect(names == ["age", "name", "pet", "pets", "aliases", "address"])
        }
    }
}

// MARK: Settings that change with the name

private enum Before {
    class Item: VersionedObject {
        @Persisted var count: Int
        @Persisted var text: String
        @Persisted(indexed: true) var code: String
        @Persisted var note: String?
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

/// `count` becomes the optional `number`, `text` the indexed `title`, `code` the `label` without an
/// index, and `note` the primary key `key`.
private enum After {
    class Item: VersionedObject {
        @Persisted var number: Int?
        @Persisted(indexed: true) var title: String
        @Persisted var label: String
        @Persisted(primaryKey: true) var key: String?
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

/// Documented: "If the new property has different nullability or indexing settings, those will be
/// applied during the rename operation."
@Suite struct RenamedPropertySettingsTests {
    private let file = MigratedFile()

    private func migrated() throws {
        try file.write(Before.types) { realm in
            for number in 0..<20 {
                realm.create(
                    Before.Item.self,
                    value: [
                        "count": number, "text": "text \(number % 3)", "code": "c\(number)",
                        "note": "n\(number)",
                    ])
            }
        }
        try file.migrate(to: After.types) { migration, _ in
            for (old, new) in [
                ("count", "number"), ("text", "title"), ("code", "label"), ("note", "key"),
            ] {
                migration.renameProperty(onType: "Item", from: old, to: new)
            }
        }
    }

    @Test func aRenamedPropertyMayBecomeOptional() throws {
        try migrated()
        try file.open(After.types, version: 1) { realm in
            let items = realm.objects(After.Item.self)
            #expect(Set(items.compactMap(\.number)) == Set(0..<20))
            try realm.write { items[0].number = nil }
            #expect(items.filter("number == nil").count == 1)
        }
    }

    @Test func aRenamedPropertyMayGainOrLoseItsIndex() throws {
        try migrated()
        try file.open(After.types, version: 1) { realm in
            #expect(realm.schema["Item"]?["title"]?.isIndexed == true)
            #expect(realm.schema["Item"]?["label"]?.isIndexed == false)
            #expect(realm.objects(After.Item.self).filter("title == 'text 1'").count == 7)
            #expect(realm.objects(After.Item.self).filter("label == 'c4'").count == 1)
        }
    }

    @Test func aRenamedPropertyMayBecomeThePrimaryKey() throws {
        try migrated()
        try file.open(After.types, version: 1) { realm in
            let item = realm.object(ofType: After.Item.self, forPrimaryKey: "n5")
            #expect(item?.number == 5 && item?.label == "c5")
        }
    }
}

// MARK: Over several versions

private enum Steps {
    enum Zero {
        class Item: VersionedObject { @Persisted var a: Int }
    }

    enum One {
        class Item: VersionedObject { @Persisted var b: Int }
    }

    enum Two {
        class Item: VersionedObject { @Persisted var c: Int }
    }

    @Sendable static func migrate(_ migration: Migration, _ version: UInt64) {
        if version < 1 { migration.renameProperty(onType: "Item", from: "a", to: "b") }
        if version < 2 { migration.renameProperty(onType: "Item", from: "b", to: "c") }
    }
}

@Suite struct RenamingOverVersionsTests {
    private let file = MigratedFile()

    private func fill() throws {
        try file.write([Steps.Zero.Item.self]) { realm in
            for a in 1...3 { realm.create(Steps.Zero.Item.self, value: ["a": a]) }
        }
    }

    private func expectValues() throws {
        let values = try file.open([Steps.Two.Item.self], version: 2) { realm in
            Array(realm.objects(Steps.Two.Item.self).map(\.c))
        }
        #expect(values.sorted() == [1, 2, 3])
    }

    @Test func aPropertyIsRenamedStepByStep() throws {
        try fill()
        try file.migrate(to: [Steps.One.Item.self], version: 1) { migration, _ in
            migration.renameProperty(onType: "Item", from: "a", to: "b")
        }
        try file.migrate(to: [Steps.Two.Item.self], version: 2, Steps.migrate)
        try expectValues()
    }

    @Test func aPropertyIsRenamedOverSeveralVersionsAtOnce() throws {
        try fill()
        try file.migrate(to: [Steps.Two.Item.self], version: 2, Steps.migrate)
        try expectValues()
    }

    /// A name that nothing follows is a mistake, by which values would be lost.
    @Test func aNameThatNoRenamingFollowsIsAnError() throws {
        try fill()
        let error = file.failure(opening: [Steps.Two.Item.self], version: 2) { migration, _ in
            migration.renameProperty(onType: "Item", from: "a", to: "b")
        }
        #expect(error?.localizedDescription == "Renamed property 'Item.b' does not exist.")
        #expect(try file.version() == 0)
    }

    @Test func theFileDoesNotKeepTheNamesBetween() throws {
        try fill()
        try file.migrate(to: [Steps.Two.Item.self], version: 2, Steps.migrate)
        let names = MigrationLog<[String]>()
        try file.migrate(to: [Steps.Two.Item.self], version: 3) { migration, _ in
            names.note(migration.oldSchema["Item"]?.properties.map(\.name) ?? [])
        }
        #expect(names.all == [["c"]])
    }
}

// MARK: Errors

private enum Wrong {
    class Item: VersionedObject {
        @Persisted var count: Int
        @Persisted var link: Other?
    }

    class Other: VersionedObject {
        @Persisted var value: Int
    }

    class Gone: VersionedObject {
        @Persisted var value: Int
    }

    static let types: [ObjectBase.Type] = [Item.self, Other.self, Gone.self]

    static func fill(_ realm: Realm) {
        realm.create(Item.self, value: ["count": 3, "link": ["value": 4]])
    }
}

private enum Righted {
    class Item: VersionedObject {
        @Persisted var text: String
        @Persisted var number: Int
        @Persisted var item: Item?
    }

    class Other: VersionedObject {
        @Persisted var value: Int
        @Persisted var second: Int
    }

    static let types: [ObjectBase.Type] = [Item.self, Other.self]
}

/// A renaming that is refused, and the error's text.
private struct Renaming: Sendable {
    let type: String
    let old: String
    let new: String
    let text: String
}

private let renamings: [String: Renaming] = [
    "an unknown property": Renaming(
        type: "Item", old: "nothing", new: "number",
        text: "Cannot rename property 'Item.nothing' because it does not exist."),
    "an unknown class": Renaming(
        type: "Cat", old: "a", new: "b",
        text: "Cannot rename properties for type 'Cat' because it does not exist."),
    "a removed class": Renaming(
        type: "Gone", old: "value", new: "number",
        text: "Cannot rename properties for type 'Gone' because it has been removed from the "
            + "Realm."),
    "a property that the new class still has": Renaming(
        type: "Other", old: "value", new: "second",
        text: "Cannot rename property 'Other.value' to 'second' because the source property still "
            + "exists."),
    "a property of another type": Renaming(
        type: "Item", old: "count", new: "text",
        text: "Cannot rename property 'Item.count' to 'text' because it would change from type "
            + "'int' to 'string'."),
    "a link to another class": Renaming(
        type: "Item", old: "link", new: "item",
        text: "Cannot rename property 'Item.link' to 'item' because it would change from type "
            + "'<Other>' to '<Item>'."),
]

@Suite struct RefusedRenamingTests {
    private let file = MigratedFile()

    /// The block cannot throw. So a renaming that is refused ends the migration, and the file is
    /// what it was.
    @Test(arguments: renamings.keys.sorted()) func aRenamingIsRefused(_ name: String) async throws {
        try file.write(Wrong.types, Wrong.fill)
        let result = await end(of: name, at: file.url.path)
        expectEnd(renamings[name]?.text ?? "", result)
        #expect(try file.version() == 0)
        try file.open(Wrong.types) { realm in
            let item = try #require(realm.objects(Wrong.Item.self).first)
            #expect(item.count == 3 && item.link?.value == 4)
        }
    }

    private func end(of name: String, at path: String) async -> ExitTest.Result? {
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [name, path] in
            guard let renaming = renamings[name] else { return }
            openOrStop(
                migratedConfiguration(path, Righted.types, version: 1) { migration, _ in
                    migration.renameProperty(
                        onType: renaming.type, from: renaming.old, to: renaming.new)
                })
        }
    }
}
