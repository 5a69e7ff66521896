import Foundation
import RealmSwift
import Testing

// Properties with names of their own in the file: `propertiesMapping()`.

private enum First {
    class Person: VersionedObject {
        @Persisted var firstName: String
        @Persisted var age: Int
        override class func propertiesMapping() -> [String: String] {
            ["firstName": "first_name"]
        }
    }

    static let types: [ObjectBase.Type] = [Person.self]

    static func fill(_ realm: Realm) {
        for (name, age) in [("Ann", 30), ("Bo", 40)] {
            realm.create(Person.self, value: ["firstName": name, "age": age])
        }
    }
}

/// The name in Swift is another one. That in the file is not.
private enum RenamedInSwift {
    class Person: VersionedObject {
        @Persisted var givenName: String
        @Persisted var age: Int
        override class func propertiesMapping() -> [String: String] {
            ["givenName": "first_name"]
        }
    }

    static let types: [ObjectBase.Type] = [Person.self]
}

/// The name in the file is another one. That in Swift is not.
private enum RenamedInTheFile {
    class Person: VersionedObject {
        @Persisted var firstName: String
        @Persisted var age: Int
        override class func propertiesMapping() -> [String: String] {
            ["firstName": "given_name"]
        }
    }

    static let types: [ObjectBase.Type] = [Person.self]
}

private enum WithAddition {
    class Person: VersionedObject {
        @Persisted var firstName: String
        @Persisted var age: Int
        @Persisted(primaryKey: true) var number: Int
        override class func propertiesMapping() -> [String: String] {
            ["firstName": "first_name", "number": "_id"]
        }
    }

    static let types: [ObjectBase.Type] = [Person.self]
}

@Suite struct ColumnNameMigrationTests {
    private let file = MigratedFile()

    @Test func anotherNameInSwiftNeedsNoMigration() throws {
        try file.write(First.types, First.fill)
        try file.open(RenamedInSwift.types) { realm in
            let people = realm.objects(RenamedInSwift.Person.self)
            #expect(people.map(\.givenName).sorted() == ["Ann", "Bo"])
            #expect(people.filter("givenName == 'Bo'").first?.age == 40)
        }
        #expect(try file.version() == 0)
    }

    @Test func anotherNameInTheFileNeedsAMigration() throws {
        try file.write(First.types, First.fill)
        let error = file.failure(opening: RenamedInTheFile.types)
        #expect(error?.code == .schemaMismatch)
        let text = error?.localizedDescription ?? ""
        #expect(text.contains("'Person.first_name' has been removed."), "\(text)")
    }

    @Test func aColumnIsRenamed() throws {
        try file.write(First.types, First.fill)
        try file.migrate(to: RenamedInTheFile.types) { migration, _ in
            migration.renameProperty(onType: "Person", from: "first_name", to: "given_name")
        }
        try file.open(RenamedInTheFile.types, version: 1) { realm in
            let people = realm.objects(RenamedInTheFile.Person.self)
            #expect(people.map(\.firstName).sorted() == ["Ann", "Bo"])
        }
    }

    @Test func theOldSchemaHasTheNamesOfTheFile() throws {
        try file.write(First.types, First.fill)
        try file.migrate(to: First.types) { migration, _ in
            #expect(migration.oldSchema["Person"]?["first_name"] != nil)
            #expect(migration.newSchema["Person"]?["firstName"]?.columnName == "first_name")
        }
    }

    @Test func objectsHaveTheNamesOfTheirSchema() throws {
        try file.write(First.types, First.fill)
        try file.migrate(to: RenamedInTheFile.types) { migration, _ in
            migration.enumerateObjects(ofType: "Person") { old, new in
                let name = old?["first_name"] as? String ?? ""
                #expect(["Ann", "Bo"].contains(name))
                new?["firstName"] = name + "!"
            }
        }
        try file.open(RenamedInTheFile.types, version: 1) { realm in
            let people = realm.objects(RenamedInTheFile.Person.self)
            #expect(people.map(\.firstName).sorted() == ["Ann!", "Bo!"])
        }
    }

    @Test func objectsAreCreatedWithTheNamesInSwift() throws {
        try file.write(First.types, First.fill)
        try file.migrate(to: First.types) { migration, _ in
            migration.create("Person", value: ["firstName": "Cy", "age": 50])
        }
        try file.open(First.types, version: 1) { realm in
            let people = realm.objects(First.Person.self)
            #expect(people.map(\.firstName).sorted() == ["Ann", "Bo", "Cy"])
        }
    }

    @Test func aPrimaryKeyWithANameOfItsOwnIsAdded() throws {
        try file.write(First.types, First.fill)
        try file.migrate(to: WithAddition.types) { migration, _ in
            migration.enumerateObjects(ofType: "Person") { old, new in
                new?["number"] = old?["age"]
            }
        }
        try file.open(WithAddition.types, version: 1) { realm in
            let ann = realm.object(ofType: WithAddition.Person.self, forPrimaryKey: 30)
            #expect(ann?.firstName == "Ann")
        }
    }
}
