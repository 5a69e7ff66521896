import Foundation
import RealmSwift
import Testing

// `Migration.create`, `delete`, `deleteData`, `oldSchema` and `newSchema`.

private enum First {
    class Exam: VersionedObject {
        @Persisted var subject: String
        @Persisted var name: String?
        @Persisted var old: Mark?
    }

    class Mark: VersionedObject {
        @Persisted var mark: String
    }

    static let types: [ObjectBase.Type] = [Exam.self, Mark.self]
}

private enum Second {
    class Exam: VersionedObject {
        @Persisted var subject: String
        @Persisted var name: String?
        @Persisted var passed: Result?
        @Persisted var all: List<Result>
    }

    class Result: VersionedObject {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var text: String
    }

    static let types: [ObjectBase.Type] = [Exam.self, Result.self]
}

/// `Mark` again, in another form.
private enum Third {
    class Mark: VersionedObject {
        @Persisted var points: Int
        @Persisted var teacher: String
    }

    static let types: [ObjectBase.Type] = [Second.Exam.self, Second.Result.self, Mark.self]
}

/// `Mark` again, in its first form.
private let withFirstMark: [ObjectBase.Type] = [
    Second.Exam.self, Second.Result.self, First.Mark.self,
]

@Suite struct MigrationDataTests {
    private let file = MigratedFile()

    private func fill() throws {
        try file.write(First.types) { realm in
            for subject in ["maths", "art", "music"] {
                realm.create(First.Exam.self, value: ["subject": subject, "name": "named"])
            }
            realm.objects(First.Exam.self).first { $0.subject == "art" }?.name = nil
            for mark in ["A", "B"] { realm.create(First.Mark.self, value: ["mark": mark]) }
        }
    }

    private func subjects() throws -> [String] {
        try file.open(Second.types, version: 1) { realm in
            realm.objects(Second.Exam.self).map(\.subject).sorted()
        }
    }

    // MARK: create

    /// The documentation's sample.
    @Test func anObjectIsCreatedFromADictionary() throws {
        try fill()
        try file.migrate(to: Second.types) { migration, _ in
            migration.create("Exam", value: ["subject": "Computer Science", "name": "C++"])
        }
        try file.open(Second.types, version: 1) { realm in
            let exam = realm.objects(Second.Exam.self).first { $0.subject == "Computer Science" }
            #expect(exam?.name == "C++" && exam?.passed == nil)
        }
    }

    @Test func anObjectIsCreatedFromAnArrayOfValues() throws {
        try fill()
        try file.migrate(to: Second.types) { migration, _ in
            let values: [Any] = [4, "four"]
            migration.create("Result", value: values)
        }
        try file.open(Second.types, version: 1) { realm in
            #expect(realm.object(ofType: Second.Result.self, forPrimaryKey: 4)?.text == "four")
        }
    }

    @Test func anObjectIsCreatedWithoutValues() throws {
        try fill()
        try file.migrate(to: Second.types) { migration, _ in
            let exam = migration.create("Exam")
            #expect(exam["subject"] as? String == "" && exam["name"] == nil)
            exam["subject"] = "physics"
        }
        #expect(try subjects() == ["art", "maths", "music", "physics"])
    }

    @Test func theCreatedObjectIsReturned() throws {
        try fill()
        try file.migrate(to: Second.types) { migration, _ in
            let result = migration.create("Result", value: ["id": 1, "text": "none"])
            #expect(result["text"] as? String == "none")
            result["text"] = "changed"
            migration.enumerateObjects(ofType: "Exam") { _, new in new?["passed"] = result }
        }
        try file.open(Second.types, version: 1) { realm in
            #expect(realm.objects(Second.Exam.self).allSatisfy { $0.passed?.text == "changed" })
            #expect(realm.objects(Second.Result.self).count == 1)
        }
    }

    @Test func createdObjectsLinkToExistingOnes() throws {
        try fill()
        try file.migrate(to: Second.types) { migration, _ in
            let results = (0..<3).map { migration.create("Result", value: ["id": $0]) }
            migration.create("Exam", value: ["subject": "new", "passed": results[1]])
            let exam = migration.create("Exam", value: ["subject": "newer"])
            exam["all"] = results
        }
        try file.open(Second.types, version: 1) { realm in
            let exams = realm.objects(Second.Exam.self)
            let (new, newer) = (exams[3], exams[4])
            #expect(new.subject == "new" && new.passed?.id == 1)
            #expect(newer.subject == "newer" && Array(newer.all.map(\.id)) == [0, 1, 2])
            #expect(realm.objects(Second.Result.self).count == 3)
        }
    }

    @Test func nestedValuesCreateObjects() throws {
        try fill()
        try file.migrate(to: Second.types) { migration, _ in
            migration.create(
                "Exam",
                value: ["subject": "new", "passed": ["id": 5, "text": "five"] as [String: Any]])
        }
        try file.open(Second.types, version: 1) { realm in
            #expect(realm.object(ofType: Second.Result.self, forPrimaryKey: 5)?.text == "five")
        }
    }

    // MARK: delete

    /// The documentation's sample.
    @Test func objectsAreDeleted() throws {
        try fill()
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Exam") { _, new in
                if let new, new["name"] == nil { migration.delete(new) }
            }
        }
        #expect(try subjects() == ["maths", "music"])
    }

    @Test func aCreatedObjectCanBeDeleted() throws {
        try fill()
        try file.migrate(to: Second.types) { migration, _ in
            let exam = migration.create("Exam", value: ["subject": "new"])
            migration.delete(exam)
            #expect(exam.isInvalidated)
        }
        #expect(try subjects() == ["art", "maths", "music"])
    }

    @Test func deletingAnObjectClearsLinksToIt() throws {
        try fill()
        try file.migrate(to: Second.types) { migration, _ in
            let result = migration.create("Result", value: ["id": 1])
            migration.enumerateObjects(ofType: "Exam") { _, new in
                new?["passed"] = result
                new?["all"] = [result, result]
            }
            migration.delete(result)
        }
        try file.open(Second.types, version: 1) { realm in
            let exams = realm.objects(Second.Exam.self)
            #expect(exams.count == 3 && exams.allSatisfy { $0.passed == nil && $0.all.isEmpty })
        }
    }

    // MARK: deleteData

    @Test func allObjectsOfAClassAreDeletedAtOnce() throws {
        try fill()
        try file.migrate(to: Second.types) { migration, _ in
            #expect(migration.deleteData(forType: "Exam"))
        }
        #expect(try subjects() == [])
        try file.write(Second.types, version: 1) { realm in
            realm.create(Second.Exam.self, value: ["subject": "later"])
        }
        #expect(try subjects() == ["later"])
    }

    @Test func deletingTheDataOfAnUnknownClassReturnsFalse() throws {
        try fill()
        try file.migrate(to: Second.types) { migration, _ in
            #expect(!migration.deleteData(forType: "Nothing"))
            #expect(!migration.deleteData(forType: ""))
        }
        #expect(try subjects().count == 3)
    }

    @Test func dataOfARemovedClassStaysUntilItIsDeleted() throws {
        try fill()
        try file.migrate(to: Second.types)
        let marks = try file.open(withFirstMark, version: 1) { realm in
            Array(realm.objects(First.Mark.self).map(\.mark))
        }
        #expect(marks.sorted() == ["A", "B"])
    }

    @Test func aRemovedClassThatReturnsInAnotherFormNeedsAMigration() throws {
        try fill()
        try file.migrate(to: Second.types)
        let error = file.failure(opening: Third.types, version: 1)
        #expect(error?.code == .schemaMismatch)
        let text = error?.localizedDescription ?? ""
        #expect(text.contains("- Property 'Mark.points' has been added."))
        #expect(text.contains("- Property 'Mark.mark' has been removed."))
    }

    /// Documented: "if the model was removed from the schema altogether, this API will take care of
    /// clearing all existing metadata related to the type."
    @Test func deletingTheDataOfARemovedClassRemovesTheClassFromTheFile() throws {
        try fill()
        try file.migrate(to: Second.types) { migration, _ in
            #expect(migration.deleteData(forType: "Mark"))
        }
        // A class that the file does not have may be added in any form.
        try file.open(Third.types, version: 1) { realm in
            #expect(realm.objects(Third.Mark.self).isEmpty)
            try realm.write { realm.create(Third.Mark.self, value: ["points": 3]) }
        }
    }

    @Test func aRemovedClassIsInTheOldSchemaUntilItsDataIsDeleted() throws {
        try fill()
        try file.migrate(to: Second.types)
        let found = MigrationLog<Bool>()
        try file.migrate(to: Second.types, version: 2) { migration, _ in
            found.note(migration.oldSchema["Mark"] != nil)
            migration.deleteData(forType: "Mark")
        }
        try file.migrate(to: Second.types, version: 3) { migration, _ in
            found.note(migration.oldSchema["Mark"] != nil)
        }
        #expect(found.all == [true, false])
    }

    @Test func dataCanBeDeletedAndMadeAnew() throws {
        try fill()
        try file.migrate(to: Second.types) { migration, _ in
            migration.deleteData(forType: "Exam")
            for subject in ["x", "y"] { migration.create("Exam", value: ["subject": subject]) }
        }
        #expect(try subjects() == ["x", "y"])
    }

    @Test func dataIsDeletedAfterItWasEnumerated() throws {
        try fill()
        try file.migrate(to: Second.types) { migration, _ in
            migration.enumerateObjects(ofType: "Exam") { _, new in new?["name"] = "seen" }
            #expect(migration.deleteData(forType: "Exam"))
        }
        #expect(try subjects() == [])
    }
}

private enum Described {
    class Address: VersionedEmbeddedObject {
        @Persisted var street: String
    }

    class Person: VersionedObject {
        @Persisted(primaryKey: true) var id: Int
        @Persisted(indexed: true) var name: String?
        @Persisted var address: Address?
        @Persisted var friends: List<Person>
    }

    static let types: [ObjectBase.Type] = [Address.self, Person.self]
}

/// Documented: `oldSchema` and `newSchema` list "the included objects and the list of their
/// properties": the primary key, which are indexed, the type of each, and which are optional.
@Suite struct MigrationSchemaTests {
    private let file = MigratedFile()

    @Test func theOldSchemaIsThatOfTheFile() throws {
        try file.write(Described.types) { _ in }
        try file.migrate(to: [Second.Result.self]) { migration, _ in
            let schema = migration.oldSchema
            #expect(schema["Result"] == nil)
            #expect(schema["Address"]?.isEmbedded == true)
            let person = schema["Person"]
            #expect(person?.isEmbedded == false && person?.primaryKeyProperty?.name == "id")
            #expect(person?.properties.map(\.name) == ["id", "name", "address", "friends"])
            #expect(person?["name"]?.type == .string && person?["name"]?.isOptional == true)
            #expect(person?["name"]?.isIndexed == true && person?["id"]?.isOptional == false)
            #expect(person?["address"]?.objectClassName == "Address")
            #expect(person?["friends"]?.isArray == true && person?["friends"]?.type == .object)
        }
    }

    @Test func theNewSchemaIsThatOfTheProgram() throws {
        try file.write(First.types) { _ in }
        try file.migrate(to: Described.types + [Second.Result.self]) { migration, _ in
            let names = migration.newSchema.objectSchema.map(\.className)
            #expect(Set(names) == ["Address", "Person", "Result"])
            #expect(migration.newSchema["Mark"] == nil)
            #expect(migration.newSchema["Result"]?["text"]?.type == .string)
            #expect(migration.newSchema["Person"] == Described.Person().objectSchema)
        }
    }

    /// The book's helper: whether the old schema has a property.
    @Test func aBlockAsksWhetherTheOldSchemaHasAProperty() throws {
        try file.write(First.types) { realm in
            realm.create(First.Exam.self, value: ["subject": "maths", "name": "a"])
        }
        try file.migrate(to: Second.types) { migration, _ in
            let properties = migration.oldSchema["Exam"]?.properties.map(\.name) ?? []
            #expect(properties.contains("old") && !properties.contains("passed"))
            #expect(migration.newSchema["Exam"]?["passed"]?.type == .object)
            #expect(migration.newSchema["Exam"]?["old"] == nil)
        }
    }

    @Test func withoutAChangeBothSchemasHaveTheSameProperties() throws {
        try file.write(Described.types) { _ in }
        try file.migrate(to: Described.types) { migration, _ in
            for name in ["Address", "Person"] {
                let (old, new) = (migration.oldSchema[name], migration.newSchema[name])
                #expect(old?.description == new?.description && old != nil)
            }
        }
    }
}

private let misuses: [String: Misuse] = [
    "creating an object of an unknown class": Misuse(
        "Object type 'Cat' is not managed by the Realm. If using a custom `objectClasses` / "
            + "`objectTypes` array in your configuration, add `Cat` to the list of "
            + "`objectClasses` / `objectTypes`."
    ) {
        try migrateNewFile(from: First.types, to: Second.types) { _ in
        } _: { migration, _ in
            migration.create("Cat")
        }
    },
    "creating an object of a removed class": Misuse(
        "Object type 'Mark' is not managed by the Realm. If using a custom `objectClasses` / "
            + "`objectTypes` array in your configuration, add `Mark` to the list of "
            + "`objectClasses` / `objectTypes`."
    ) {
        try migrateNewFile(from: First.types, to: Second.types) { _ in
        } _: { migration, _ in
            migration.create("Mark")
        }
    },
    "creating an object with a key that exists": Misuse(
        "Attempting to create an object of type 'Result' with an existing primary key value '1'."
    ) {
        try migrateNewFile(from: First.types, to: Second.types) { _ in
        } _: { migration, _ in
            for _ in 0..<2 { migration.create("Result", value: ["id": 1]) }
        }
    },
    "creating an embedded object": Misuse("Embedded objects cannot be created directly") {
        try migrateNewFile(from: First.types, to: Described.types) { _ in
        } _: { migration, _ in
            migration.create("Address", value: ["street": "Long Street"])
        }
    },
    "too many values": Misuse("Invalid array input: more values (3) than properties (2).") {
        try migrateNewFile(from: First.types, to: Second.types) { _ in
        } _: { migration, _ in
            migration.create("Result", value: [1, "one", 2] as [Any])
        }
    },
]

@Suite struct MigrationDataMisuses {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }

    @Test func deletingAnOldObjectStops() async {
        await #expect(processExitsWith: .failure) {
            try migrateNewFile(from: First.types, to: Second.types) { realm in
                realm.create(First.Exam.self)
            } _: { migration, _ in
                migration.enumerateObjects(ofType: "Exam") { old, _ in
                    if let old { migration.delete(old) }
                }
            }
        }
    }
}
