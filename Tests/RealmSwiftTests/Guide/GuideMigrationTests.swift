import Foundation
import RealmSwift
import Testing

// The guide's samples about migrations, unchanged.

private enum GuideMigrationSample {
    class OldPerson: Object {
        @Persisted var firstName: String
        @Persisted var lastName: String
        @Persisted var yearsSinceBirth: Int
        override class func className() -> String { "Person" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Person: Object {
        @Persisted var fullName: String
        @Persisted var yearsSinceBirth: Int
        override class func className() -> String { "Person" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class NewPerson: Object {
        @Persisted var fullName: String
        @Persisted var age: Int
        override class func className() -> String { "Person" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Dog: Object {
        @Persisted var name: String
        override class func className() -> String { "Dog" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

@Suite struct GuideMigrationTests {
    private typealias Sample = GuideMigrationSample
    private let directory = TestDirectory()

    @Test func migrating() throws {
        var configuration = directory.configuration([Sample.OldPerson.self])
        let url = configuration.fileURL!
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write {
                realm.create(
                    Sample.OldPerson.self,
                    value: ["firstName": "Ada", "lastName": "Lovelace", "yearsSinceBirth": 36])
            }
        }
        configuration.objectTypes = [Sample.Person.self]
        try combineNames(configuration)
        configuration.objectTypes = [Sample.NewPerson.self, Sample.Dog.self]
        configuration.schemaVersion = 2
        configuration.migrationBlock = { migration, oldVersion in
            if oldVersion < 2 {
                migration.renameProperty(onType: "Person", from: "yearsSinceBirth", to: "age")
            }
            let dog = migration.create("Dog", value: ["name": "Rex"])
            migration.delete(dog)
            migration.deleteData(forType: "Cat")
        }
        let version = try schemaVersionAtURL(url)
        if version < 2 { try Realm.performMigration(for: configuration) }
        #expect(version == 1)
        try deleteInstead(configuration)
        try GuideSamples(page: "migrations.md").expectAll()
    }

    private func combineNames(_ given: Realm.Configuration) throws {
        var configuration = given
        configuration.schemaVersion = 1
        configuration.migrationBlock = { migration, oldVersion in
            if oldVersion < 1 {
                migration.enumerateObjects(ofType: "Person") { old, new in
                    let first = old!["firstName"] as! String
                    let last = old!["lastName"] as! String
                    new!["fullName"] = "\(first) \(last)"
                }
            }
        }
        let realm = try Realm(configuration: configuration)
        #expect(realm.objects(Sample.Person.self).map(\.fullName) == ["Ada Lovelace"])
    }

    private func deleteInstead(_ given: Realm.Configuration) throws {
        var configuration = given
        do {
            let realm = try Realm(configuration: configuration)
            #expect(realm.objects(Sample.NewPerson.self).map(\.age) == [36])
            #expect(realm.objects(Sample.Dog.self).isEmpty)
        }
        configuration.objectTypes = [Sample.OldPerson.self]
        configuration.deleteRealmIfMigrationNeeded = true
        #expect(try Realm(configuration: configuration).isEmpty)
    }
}
