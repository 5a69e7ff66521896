import Foundation
import RealmSwift
import Testing

private enum Linked {
    class Person: Object {
        @Persisted var name: String
        @Persisted var address: Address?
        @Persisted var others: List<Address>
        override class func className() -> String { "Person" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    class Address: Object {
        @Persisted var city: String
        override class func className() -> String { "Address" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private enum Owned {
    class Person: Object {
        @Persisted var name: String
        @Persisted var address: Address?
        @Persisted var others: List<Address>
        override class func className() -> String { "Person" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    class Address: EmbeddedObject {
        @Persisted var city: String
        override class func className() -> String { "Address" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private enum Alone {
    class Person: Object {
        @Persisted var name: String
        override class func className() -> String { "Person" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

/// Classes that become embedded, and the reverse.
@Suite struct EmbeddingMigrationTests {
    private let file = MigratedFile()
    private let linked = [Linked.Person.self, Linked.Address.self]
    private let owned: [ObjectBase.Type] = [Owned.Person.self, Owned.Address.self]

    private func makeLinked(_ fill: (Realm) -> Void = { _ in }) throws {
        try file.make(linked) { realm in
            for index in 0..<3 {
                realm.create(
                    Linked.Person.self,
                    value: [
                        "name": "P\(index)", "address": ["city": "C\(index)"],
                        "others": [["city": "O\(index)"], ["city": "Q\(index)"]],
                    ])
            }
            fill(realm)
        }
    }

    @Test func objectsWithOneOwnerEachBecomeEmbedded() throws {
        try makeLinked()
        do {
            let realm = try file.open(owned, version: 1) { _, _ in }
            let persons = realm.objects(Owned.Person.self)
            #expect(persons.map { $0.address?.city } == ["C0", "C1", "C2"])
            #expect(persons.map { $0.others.map(\.city) }[1] == ["O1", "Q1"])
            try realm.write { realm.delete(persons[0]) }
            #expect(realm.dynamicObjects("Address").count == 6)
            try realm.write { persons[0].address = nil }
            #expect(realm.dynamicObjects("Address").count == 5)
        }
        #expect(try file.problems() == [])
    }

    @Test func objectsWithoutAnOwnerAreAnError() throws {
        try makeLinked { $0.create(Linked.Address.self, value: ["city": "alone"]) }
        let text = message { _ = try file.open(owned, version: 1) { _, _ in } }
        #expect(
            text.hasSuffix(
                "Cannot convert 'Address' to embedded: at least one object has no incoming links "
                    + "and would be deleted."))
        let realm = try file.open(owned, version: 1) { migration, _ in
            migration.enumerateObjects(ofType: "Address") { old, new in
                if old!["city"] as? String == "alone" { migration.delete(new!) }
            }
        }
        #expect(realm.dynamicObjects("Address").count == 9)
    }

    @Test func objectsWithSeveralOwnersAreAnErrorUnlessTheBlockCopiesThem() throws {
        try makeLinked { realm in
            let persons = realm.objects(Linked.Person.self)
            persons[1].address = persons[0].address
        }
        // That of P1 has no owner any more.
        let text = message { _ = try file.open(owned, version: 1) { _, _ in } }
        #expect(text.contains("Cannot convert 'Address' to embedded: at least one object has "))
        let realm = try file.open(owned, version: 1) { migration, _ in
            migration.enumerateObjects(ofType: "Address") { old, new in
                if old!["city"] as? String == "C1" { migration.delete(new!) }
            }
            migration.enumerateObjects(ofType: "Person") { old, new in
                if old!["name"] as? String == "P1" {
                    new!["address"] = migration.create("Address", value: ["city": "copy"])
                }
            }
        }
        let persons = realm.objects(Owned.Person.self)
        #expect(persons.map { $0.address?.city } == ["C0", "copy", "C2"])
    }

    @Test func embeddedObjectsBecomeObjectsOfTheirOwn() throws {
        try makeLinked()
        do { _ = try file.open(owned, version: 1) { _, _ in } }
        do {
            let realm = try file.open(linked, version: 2) { migration, _ in
                migration.create("Address", value: ["city": "new"])
            }
            #expect(realm.objects(Linked.Address.self).count == 10)
            try realm.write { realm.delete(realm.objects(Linked.Person.self)) }
            #expect(realm.objects(Linked.Address.self).count == 10)
        }
        #expect(try file.problems() == [])
    }

    @Test func objectsThatARemovedPropertyOwnedAreDeleted() throws {
        try makeLinked()
        do { _ = try file.open(owned, version: 1) { _, _ in } }
        do {
            let realm = try file.open([Alone.Person.self], version: 2) { _, _ in }
            #expect(realm.objects(Alone.Person.self).map(\.name) == ["P0", "P1", "P2"])
            #expect(realm.dynamicObjects("Address").isEmpty)
        }
        #expect(try file.problems() == [])
    }

    @Test func aRemovedLinkIsNoOwner() throws {
        try makeLinked()
        do {
            let realm = try file.open([Alone.Person.self], version: 1) { _, _ in }
            #expect(realm.dynamicObjects("Address").count == 9)
            try realm.write { realm.delete(realm.objects(Alone.Person.self)[1]) }
            #expect(realm.dynamicObjects("Address").count == 9)
        }
        #expect(try file.problems() == [])
        let text = message { _ = try file.open(owned, version: 2) { _, _ in } }
        #expect(text.contains("no incoming links"))
    }
}
