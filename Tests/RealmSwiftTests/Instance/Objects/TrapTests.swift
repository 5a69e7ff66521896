import Foundation
import RealmSwift
import Testing

// Tests that programming errors stop the process with exactly the documented text. Each test runs
// its body in a process of its own.

func expectStop(
    _ text: String, _ result: ExitTest.Result?, sourceLocation: SourceLocation = #_sourceLocation
) {
    guard let result else { return }
    let output = String(decoding: result.standardErrorContent, as: UTF8.self)
    let message = output.split(separator: "\n").first { $0.contains("Fatal error") } ?? "none"
    #expect(
        output.contains("Fatal error: \(text)\n"), "\(message)", sourceLocation: sourceLocation)
}

private func managedOwner() throws -> (Realm, Owner) {
    let realm = try temporaryRealm()
    let owner = Owner(value: ["name": "Ann", "nicknames": ["a", "b"]])
    try realm.write { realm.add(owner) }
    return (realm, owner)
}

@Suite struct TransactionTrapTests {
    @Test func nestedWrites() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try temporaryRealm()
            realm.beginWrite()
            realm.beginWrite()
        }
        expectStop("The Realm is already in a write transaction", result)
    }

    @Test func commitWithoutBegin() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { try temporaryRealm().commitWrite() }
        expectStop("Can't commit a non-existing write transaction", result)
    }

    @Test func cancelWithoutBegin() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { try temporaryRealm().cancelWrite() }
        expectStop("Can't cancel a non-existing write transaction", result)
    }

    @Test func addingOutsideOfAWrite() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { try temporaryRealm().add(Person()) }
        expectStop(
            "Can only add, remove, or create objects in a Realm in a write transaction - call "
                + "beginWriteTransaction on an RLMRealm instance first.", result)
    }

    @Test func settingOutsideOfAWrite() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try temporaryRealm()
            let person = Person()
            try realm.write { realm.add(person) }
            person.age = 1
        }
        expectStop(
            "Attempting to modify object outside of a write transaction - call "
                + "beginWriteTransaction on an RLMRealm instance first.", result)
    }

    @Test func changingAListOutsideOfAWrite() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { try managedOwner().1.nicknames.append("c") }
        expectStop("Cannot modify List outside of a write transaction.", result)
    }

    @Test func otherThreads() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, owner) = try managedOwner()
            nonisolated(unsafe) let smuggled = (realm, owner)
            try runThread { _ = smuggled.1.name }
        }
        expectStop("Realm accessed from incorrect thread.", result)
    }
}

@Suite struct ObjectTrapTests {
    @Test func readingADeletedObject() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, owner) = try managedOwner()
            _ = owner.name
            try realm.write { realm.delete(owner) }
            _ = owner.name
        }
        expectStop("Object has been deleted or invalidated.", result)
    }

    @Test func addingADeletedObject() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, owner) = try managedOwner()
            try realm.write {
                realm.delete(owner)
                realm.add(owner)
            }
        }
        expectStop(
            "Adding a deleted or invalidated object to a Realm is not permitted", result)
    }

    @Test func addingAnObjectOfAnotherRealm() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, owner) = try managedOwner()
            let other = try temporaryRealm()
            try other.write { other.add(owner) }
            _ = realm
        }
        expectStop(
            "Object is already managed by another Realm. Use create instead to copy it into this "
                + "Realm.", result)
    }

    @Test func deletingAnUnmanagedObject() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try temporaryRealm()
            try realm.write { realm.delete(Person()) }
        }
        expectStop("Can only delete an object from the Realm it belongs to.", result)
    }

    @Test func existingPrimaryKeys() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, _) = try managedOwner()
            try realm.write { realm.add(Owner(value: ["name": "Ann"])) }
        }
        expectStop(
            "Attempting to create an object of type 'Owner' with an existing primary key value "
                + "'Ann'.", result)
    }

    @Test func changingThePrimaryKey() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, owner) = try managedOwner()
            try realm.write { owner.name = "Ann" }
        }
        expectStop("Primary key can't be changed after an object is inserted.", result)
    }

    @Test func changingThePrimaryKeyByName() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, owner) = try managedOwner()
            try realm.write { owner["name"] = "2" }
        }
        expectStop("Primary key can't be changed to '2' after an object is inserted.", result)
    }

    @Test func updatingWithoutAPrimaryKey() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try temporaryRealm()
            try realm.write { realm.add(Person(), update: .all) }
        }
        expectStop("'Person' does not have a primary key and can not be updated", result)
    }

    @Test func unknownNames() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Person()["x"] }
        expectStop("Invalid property name 'x' for class 'Person'.", result)
    }

    @Test func valuesOfTheWrongType() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Keyed(value: ["number": "v"]) }
        expectStop("Invalid value 'v' of type 'String' for 'int?' property 'Keyed.number'.", result)
    }

    @Test func classesOutsideTheSchema() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try temporaryRealm([Person.self]).objects(Keyed.self) }
        expectStop(
            "Object type 'Keyed' is not managed by the Realm. If using a custom `objectClasses` / "
                + "`objectTypes` array in your configuration, add `Keyed` to the list of "
                + "`objectClasses` / `objectTypes`.", result)
    }

    @Test func valuesAboveTheLimit() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try temporaryRealm()
            let person = Person(value: ["name": String(repeating: "x", count: 16 << 20 + 1)])
            try realm.write { realm.add(person) }
        }
        let size = 16 << 20 + 1
        expectStop(
            "Property 'Person.name' is given \(size) bytes, but strings and data are limited to "
                + "16777216 bytes.", result)
    }
}

@Suite struct CollectionTrapTests {
    @Test func indexesBeyondTheEnd() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try managedOwner().1.nicknames[3] }
        expectStop("Index 3 is out of bounds (must be less than 2).", result)
    }

    @Test func negativeIndexes() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try temporaryRealm().objects(Person.self)[-1] }
        expectStop("Cannot pass a negative value for 'index'.", result)
    }

    @Test func negativeIndexesInSwaps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { List<Int>().swapAt(-1, 0) }
        expectStop("Cannot pass a negative value for 'index1'.", result)
    }

    @Test func removingMoreThanThereIs() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, owner) = try managedOwner()
            try realm.write { owner.nicknames.removeFirst(100) }
        }
        expectStop(
            "It is not possible to remove more objects (100) from a list than it already contains "
                + "(2).", result)
    }

    @Test func listsOfDeletedObjects() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, owner) = try managedOwner()
            let list = owner.nicknames
            try realm.write { realm.delete(owner) }
            _ = list.count
        }
        expectStop("Object has been deleted or invalidated.", result)
    }
}

@Suite struct ConfigurationTrapTests {
    @Test func emptyIdentifiers() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Realm.Configuration(inMemoryIdentifier: "") }
        expectStop("In-memory identifier must not be empty", result)
    }

    @Test func neitherFileNorIdentifier() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try Realm(configuration: Realm.Configuration(fileURL: nil)) }
        expectStop("A Realm Configuration must specify a path or an in-memory identifier.", result)
    }

    @Test func missingLinkTargets() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try temporaryRealm([Dog.self]) }
        expectStop(
            "Schema validation failed due to the following errors:\n- Property 'Dog.owner' of "
                + "type 'object' has unknown object type 'Owner'", result)
    }

    @Test func otherReadPermissions() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            var configuration = Realm.Configuration(
                fileURL: FileManager.default.temporaryDirectory
                    .appendingPathComponent("realm-tests-permissions.realm"),
                objectTypes: [Person.self])
            let realm = try Realm(configuration: configuration)
            configuration.readOnly = true
            _ = try Realm(configuration: configuration)
            _ = realm
        }
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("realm-tests-permissions.realm").path
        expectStop("Realm at path '\(path)' already opened with different read permissions", result)
        for suffix in ["", ".lock"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}
