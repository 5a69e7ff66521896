import Foundation
import RealmSwift
import Testing

// The error of a file that does not fit the classes of the program: all differences in one list.

private enum First {
    class Person: VersionedObject {
        @Persisted(primaryKey: true) var oldKey: Int
        @Persisted var newKey: Int
        @Persisted var removed: Int
        @Persisted var changed: Int
        @Persisted var optional: Int
        @Persisted var required: Int?
        @Persisted var collected: Int
        @Persisted var linked: Pet?
        @Persisted var mapped: Map<String, Int>
        @Persisted var same: String
    }

    class Pet: VersionedObject {
        @Persisted var name: String
        @Persisted var key: String
    }

    class Car: VersionedObject {
        @Persisted(primaryKey: true) var key: String
    }

    class Gone: VersionedObject {
        @Persisted var value: Int
    }

    static let types: [ObjectBase.Type] = [Person.self, Pet.self, Car.self, Gone.self]
}

private enum Second {
    class Person: VersionedObject {
        @Persisted var oldKey: Int
        @Persisted(primaryKey: true) var newKey: Int
        @Persisted var added: Int
        @Persisted var changed: String
        @Persisted var optional: Int?
        @Persisted var required: Int
        @Persisted var collected: List<Int>
        @Persisted var linked: Car?
        @Persisted var mapped: Int
        @Persisted(indexed: true) var same: String
    }

    class Pet: VersionedObject {
        @Persisted var name: String
        @Persisted(primaryKey: true) var key: String
    }

    class Car: VersionedObject {
        @Persisted var key: String
    }

    class New: VersionedObject {
        @Persisted var value: Int
    }

    static let types: [ObjectBase.Type] = [Person.self, Pet.self, Car.self, New.self]
}

@Suite struct SchemaMismatchTests {
    private let file = MigratedFile()
    private let header = "Migration is required due to the following errors:"

    /// Classes that are added or removed, and indexes, are no differences.
    @Test func allDifferencesAreInOneList() throws {
        try file.write(First.types) { _ in }
        let error = try #require(file.failure(opening: Second.types))
        #expect(error.code == .schemaMismatch)
        let lines = error.localizedDescription.components(separatedBy: "\n")
        #expect(lines.first == header)
        #expect(
            Set(lines.dropFirst()) == [
                "- Property 'Person.removed' has been removed.",
                "- Property 'Person.changed' has been changed from 'int' to 'string'.",
                "- Property 'Person.optional' has been made optional.",
                "- Property 'Person.required' has been made required.",
                "- Property 'Person.collected' has been changed from 'int' to 'array<int>'.",
                "- Property 'Person.linked' has been changed from '<Pet>' to '<Car>'.",
                "- Property 'Person.mapped' has been changed from 'dictionary<string, int>' to "
                    + "'int'.",
                "- Property 'Person.added' has been added.",
                "- Primary Key for class 'Person' has been changed from 'oldKey' to 'newKey'.",
                "- Primary Key for class 'Pet' has been added.",
                "- Primary Key for class 'Car' has been removed.",
            ])
        #expect(lines.count == 12)
    }

    /// The book's text: "Property 'ToDoItem.priority' has been added".
    @Test func oneAddedPropertyIsTheWholeText() throws {
        try file.write([Todo.First.ToDoItem.self]) { _ in }
        let error = file.failure(opening: [Todo.Second.ToDoItem.self])
        #expect(
            error?.localizedDescription
                == "\(header)\n- Property 'ToDoItem.priority' has been added.")
    }

    @Test func theErrorHasTheDomainOfRealmsAndItsCode() throws {
        try file.write([Todo.First.ToDoItem.self]) { _ in }
        let error = try #require(file.failure(opening: [Todo.Second.ToDoItem.self])) as NSError
        #expect(error.domain == "io.realm" && error.code == 10)
    }

    @Test func theErrorIsTheSameEachTimeAndChangesNothing() throws {
        try file.write(First.types) { realm in
            realm.create(First.Pet.self, value: ["name": "Rex"])
        }
        let texts = (0..<3).map { _ in
            file.failure(opening: Second.types)?.localizedDescription ?? ""
        }
        #expect(Set(texts).count == 1 && texts[0].hasPrefix(header))
        try file.open(First.types) { realm in
            #expect(realm.objects(First.Pet.self).first?.name == "Rex")
        }
    }

    /// With a block but without a higher version, the block is not called.
    @Test func aBlockDoesNotMakeUpForTheVersion() throws {
        try file.write(First.types) { _ in }
        let calls = MigrationLog<UInt64>()
        let error = file.failure(opening: Second.types) { _, version in calls.note(version) }
        #expect(error?.code == .schemaMismatch && calls.all == [])
    }

    /// Documented: "No block but schema changed incompatibly" is this error.
    @Test func aHigherVersionWithoutABlockIsTheError() throws {
        try file.write(First.types) { _ in }
        let error = try #require(file.failure(opening: Second.types, version: 1))
        #expect(error.code == .schemaMismatch && error.localizedDescription.hasPrefix(header))
        #expect(try file.version() == 0)
    }

    @Test func theOrderOfPropertiesIsNoDifference() throws {
        try file.write([Orders.First.Item.self]) { realm in
            realm.create(Orders.First.Item.self, value: ["a": 1, "b": "two"])
        }
        try file.open([Orders.Second.Item.self]) { realm in
            let item = try #require(realm.objects(Orders.Second.Item.self).first)
            #expect(item.a == 1 && item.b == "two")
            #expect(item.objectSchema.properties.map(\.name) == ["b", "a"])
        }
    }

    @Test func linkingObjectsAreNoDifference() throws {
        try file.write([Backlinks.First.Item.self]) { realm in
            let item = realm.create(Backlinks.First.Item.self)
            item.next = item
        }
        try file.open([Backlinks.Second.Item.self]) { realm in
            #expect(realm.objects(Backlinks.Second.Item.self).first?.previous.count == 1)
        }
        try file.open([Backlinks.First.Item.self]) { realm in #expect(!realm.isEmpty) }
    }
}

private enum Todo {
    enum First {
        class ToDoItem: VersionedObject { @Persisted var text: String }
    }

    enum Second {
        class ToDoItem: VersionedObject {
            @Persisted var text: String
            @Persisted var priority: Int
        }
    }
}

private enum Orders {
    enum First {
        class Item: VersionedObject {
            @Persisted var a: Int
            @Persisted var b: String
        }
    }

    enum Second {
        class Item: VersionedObject {
            @Persisted var b: String
            @Persisted var a: Int
        }
    }
}

private enum Backlinks {
    enum First {
        class Item: VersionedObject { @Persisted var next: Item? }
    }

    enum Second {
        class Item: VersionedObject {
            @Persisted var next: Item?
            @Persisted(originProperty: "next") var previous: LinkingObjects<Item>
        }
    }
}
