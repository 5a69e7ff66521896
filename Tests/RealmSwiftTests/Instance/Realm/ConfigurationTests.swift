import Foundation
import RealmSwift
import Testing

@Suite struct ConfigurationTests {
    @Test func fileAndIdentifierExcludeEachOther() {
        var configuration = Realm.Configuration()
        #expect(configuration.fileURL?.lastPathComponent == "default.realm")
        configuration.inMemoryIdentifier = "id"
        #expect(configuration.fileURL == nil)
        configuration.fileURL = URL(fileURLWithPath: "/a.realm")
        #expect(configuration.inMemoryIdentifier == nil)
        #expect(Realm.Configuration(inMemoryIdentifier: "id").fileURL == nil)
    }

    @Test func typesRoundTrip() {
        var configuration = Realm.Configuration()
        #expect(configuration.objectTypes == nil)
        configuration.objectTypes = [Person.self]
        #expect(configuration.objectTypes?.first == Person.self)
    }

    @Test func equalityComparesWhereAndHow() {
        let url = URL(fileURLWithPath: "/a.realm")
        let configuration = Realm.Configuration(fileURL: url)
        #expect(configuration == Realm.Configuration(fileURL: url, objectTypes: [Person.self]))
        #expect(configuration != Realm.Configuration(fileURL: url, schemaVersion: 1))
        #expect(configuration != Realm.Configuration(fileURL: url, readOnly: true))
        #expect(configuration != Realm.Configuration(inMemoryIdentifier: "a"))
        #expect(configuration.description.contains("schemaVersion = 0;"))
    }
}

@Suite struct SchemaVersionTests {
    let directory = TestDirectory()

    private func open(
        _ types: [ObjectBase.Type], version: UInt64 = 0
    ) throws -> Realm {
        var configuration = directory.configuration(types)
        configuration.schemaVersion = version
        return try Realm(configuration: configuration)
    }

    private func message(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "no error"
        } catch { return error.localizedDescription }
    }

    @Test func addedClassesNeedNoMigration() throws {
        do { try open([Person.self]).write {} }
        let realm = try open([Person.self, Keyed.self])
        try realm.write { realm.add(Keyed()) }
        #expect(realm.objects(Keyed.self).count == 1)
    }

    @Test func higherVersionsAreStored() throws {
        do { _ = try open([Person.self]) }
        do { _ = try open([Person.self], version: 1) }
        let text = message { _ = try open([Person.self]) }
        #expect(text == "Provided schema version 0 is less than last set version 1.")
    }

    @Test func changedClassesNeedMigration() throws {
        do { _ = try open([Versions.First.Model.self]) }
        #expect(throws: Realm.Error(.schemaMismatch)) { try open([Versions.Second.Model.self]) }
        let text = message { _ = try open([Versions.Second.Model.self]) }
        #expect(text.hasPrefix("Migration is required due to the following errors:\n- "))
        for line in [
            "- Property 'Model.added' has been added.",
            "- Property 'Model.removed' has been removed.",
            "- Property 'Model.changed' has been changed from 'int' to 'string'.",
            "- Property 'Model.optional' has been made optional.",
            "- Property 'Model.required' has been made required.",
            "- Property 'Model.list' has been changed from 'int' to 'array<int>'.",
            "- Primary Key for class 'Model' has been changed from 'oldKey' to 'newKey'.",
        ] {
            #expect(text.contains("\n" + line), "\(line)")
        }
    }
}

/// Versions of one class. The classes override `className`, so that the names of the enclosing
/// types are not part of the stored name.
private enum Versions {
    enum First {
        class Model: Object {
            @Persisted(primaryKey: true) var oldKey: Int
            @Persisted var newKey: Int
            @Persisted var removed: Int
            @Persisted var changed: Int
            @Persisted var optional: Int
            @Persisted var required: Int?
            @Persisted var list: Int
            override class func className() -> String { "Model" }
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
    }
    enum Second {
        class Model: Object {
            @Persisted var oldKey: Int
            @Persisted(primaryKey: true) var newKey: Int
            @Persisted var added: Int
            @Persisted var changed: String
            @Persisted var optional: Int?
            @Persisted var required: Int
            @Persisted var list: List<Int>
            override class func className() -> String { "Model" }
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
    }
}
