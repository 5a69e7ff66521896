import Foundation
import RealmSwift
import Testing

// Classes that are made embedded, and embedded classes that are made independent ones.

private enum TopLevel {
    class Address: VersionedObject {
        @Persisted var street: String
    }

    class Person: VersionedObject {
        @Persisted var name: String
        @Persisted var address: Address?
        @Persisted var earlier: List<Address>
    }

    static let types: [ObjectBase.Type] = [Address.self, Person.self]
}

private enum Embedded {
    class Address: VersionedEmbeddedObject {
        @Persisted var street: String
    }

    class Person: VersionedObject {
        @Persisted var name: String
        @Persisted var address: Address?
        @Persisted var earlier: List<Address>
    }

    static let types: [ObjectBase.Type] = [Address.self, Person.self]
}

/// With other names of the properties that own addresses.
private enum Renamed {
    typealias Address = Embedded.Address

    class Person: VersionedObject {
        @Persisted var name: String
        @Persisted var home: Address?
        @Persisted var former: List<Address>
    }

    static let types: [ObjectBase.Type] = [Address.self, Person.self]
}

private enum WithSets {
    typealias Address = TopLevel.Address

    class Person: TopLevel.Person {
        @Persisted var known: MutableSet<Address>
    }

    class Club: VersionedObject {
        @Persisted var places: MutableSet<Address>
    }

    static let types: [ObjectBase.Type] = [Address.self, Person.self, Club.self]
}

private enum Replacing {
    typealias Address = Embedded.Address

    class Person: VersionedObject {
        @Persisted var name: String
        @Persisted var home: Address?
        @Persisted var earlier: List<Address>
    }

    static let types: [ObjectBase.Type] = [Address.self, Person.self]
}

private enum Alone {
    class Person: VersionedObject {
        @Persisted var name: String
    }

    static let types: [ObjectBase.Type] = [Person.self]
}

@Suite struct EmbeddedMigrationTests {
    private let file = MigratedFile()

    /// Makes three persons. Each has an address and an earlier one of its own.
    private func fillTopLevel() throws {
        try file.write(TopLevel.types) { realm in
            for id in 0..<3 {
                let person = realm.create(TopLevel.Person.self, value: ["name": "p\(id)"])
                person.address = realm.create(TopLevel.Address.self, value: ["street": "s\(id)"])
                person.earlier.append(TopLevel.Address(value: ["street": "e\(id)"]))
            }
        }
    }

    private func fillEmbedded() throws {
        try file.write(Embedded.types) { realm in
            for id in 0..<3 {
                let person = realm.create(Embedded.Person.self, value: ["name": "p\(id)"])
                person.address = Embedded.Address(value: ["s\(id)"])
                person.earlier.append(Embedded.Address(value: ["e\(id)"]))
            }
        }
    }

    private func embedded(_ body: (Realm, [Embedded.Person]) throws -> Void) throws {
        try file.open(Embedded.types, version: 1) { realm in
            let people = realm.objects(Embedded.Person.self).sorted(byKeyPath: "name")
            try body(realm, Array(people))
        }
    }

    @Test func objectsWithOneOwnerEachAreMadeEmbedded() throws {
        try fillTopLevel()
        try file.migrate(to: Embedded.types) { migration, _ in
            #expect(migration.oldSchema["Address"]?.isEmbedded == false)
            #expect(migration.newSchema["Address"]?.isEmbedded == true)
        }
        try embedded { realm, people in
            #expect(people.map { $0.address?.street } == ["s0", "s1", "s2"])
            #expect(people.map { $0.earlier.first?.street } == ["e0", "e1", "e2"])
            try realm.write { realm.delete(people[0]) }
            #expect(realm.dynamicObjects("Address").count == 4)
        }
        #expect(try file.problems() == [])
    }

    @Test func embeddedObjectsAreMadeIndependent() throws {
        try fillEmbedded()
        try file.migrate(to: TopLevel.types) { migration, _ in
            #expect(migration.oldSchema["Address"]?.isEmbedded == true)
            #expect(migration.newSchema["Address"]?.isEmbedded == false)
        }
        try file.open(TopLevel.types, version: 1) { realm in
            #expect(realm.objects(TopLevel.Address.self).count == 6)
            let people = realm.objects(TopLevel.Person.self).sorted(byKeyPath: "name")
            #expect(people.map { $0.address?.street } == ["s0", "s1", "s2"])
            try realm.write {
                people[1].address = people[0].address
                realm.delete(people[0])
            }
            #expect(realm.objects(TopLevel.Address.self).count == 6)
        }
        #expect(try file.problems() == [])
    }

    @Test func aClassIsMadeEmbeddedAndIndependentAgain() throws {
        try fillTopLevel()
        try file.migrate(to: Embedded.types)
        try file.migrate(to: TopLevel.types, version: 2)
        try file.migrate(to: Embedded.types, version: 3)
        try file.open(Embedded.types, version: 3) { realm in
            let people = realm.objects(Embedded.Person.self).sorted(byKeyPath: "name")
            #expect(people.map { $0.address?.street } == ["s0", "s1", "s2"])
            #expect(people.map { $0.earlier.first?.street } == ["e0", "e1", "e2"])
        }
    }

    @Test func theChangeWithoutAHigherVersionIsAnError() throws {
        try fillTopLevel()
        let error = file.failure(opening: Embedded.types)
        #expect(error?.code == .schemaMismatch)
        // The links are links as before.
        #expect(
            error?.localizedDescription == "Migration is required due to the following errors:\n"
                + "- Class 'Address' has been changed from top-level to embedded.")
        let other = MigratedFile()
        try other.write(Embedded.types) { _ in }
        #expect(
            other.failure(opening: TopLevel.types)?.localizedDescription
                == "Migration is required due to the following errors:\n"
                + "- Class 'Address' has been changed from embedded to top-level.")
    }

    // MARK: Renamed

    private static let rename: MigrationBlock = { migration, _ in
        migration.renameProperty(onType: "Person", from: "address", to: "home")
        migration.renameProperty(onType: "Person", from: "earlier", to: "former")
    }

    private func expectRenamed() throws {
        try file.open(Renamed.types, version: 1) { realm in
            let people = realm.objects(Renamed.Person.self).sorted(byKeyPath: "name")
            #expect(people.map { $0.home?.street } == ["s0", "s1", "s2"])
            #expect(people.map { $0.former.first?.street } == ["e0", "e1", "e2"])
            try realm.write { realm.delete(people[0]) }
            #expect(realm.dynamicObjects("Address").count == 4)
        }
        #expect(try file.problems() == [])
    }

    @Test func objectsAreMadeEmbeddedInPropertiesThatAreRenamed() throws {
        try fillTopLevel()
        try file.migrate(to: Renamed.types, Self.rename)
        try expectRenamed()
    }

    @Test func propertiesAreRenamedAfterTheirObjectsWereVisited() throws {
        try fillTopLevel()
        try file.migrate(to: Renamed.types) { migration, version in
            migration.enumerateObjects(ofType: "Person") { _, new in
                #expect(new?["home"] == nil)
            }
            Self.rename(migration, version)
            migration.enumerateObjects(ofType: "Person") { old, new in
                let (before, after) = (
                    old?["address"] as? MigrationObject, new?["home"] as? MigrationObject
                )
                #expect(before?["street"] as? String == after?["street"] as? String)
            }
        }
        try expectRenamed()
    }

    @Test func objectsAreMadeIndependentInPropertiesThatAreRenamed() throws {
        try file.write(Renamed.types) { realm in
            let person = realm.create(Renamed.Person.self, value: ["name": "p"])
            person.home = Renamed.Address(value: ["s"])
            person.former.append(Renamed.Address(value: ["e"]))
        }
        try file.migrate(to: TopLevel.types) { migration, _ in
            migration.renameProperty(onType: "Person", from: "home", to: "address")
            migration.renameProperty(onType: "Person", from: "former", to: "earlier")
        }
        try file.open(TopLevel.types, version: 1) { realm in
            let person = realm.objects(TopLevel.Person.self).first
            #expect(person?.address?.street == "s" && person?.earlier.first?.street == "e")
            try realm.write { realm.delete(realm.objects(TopLevel.Person.self)) }
            #expect(realm.objects(TopLevel.Address.self).count == 2)
        }
        #expect(try file.problems() == [])
    }

    // MARK: Orphans

    /// Adds an address without an owner.
    private func addOrphan() throws {
        try file.write(TopLevel.types) { realm in
            realm.create(TopLevel.Address.self, value: ["street": "orphan"])
        }
    }

    @Test func anObjectWithoutAnOwnerIsAnErrorThatNamesItsClass() throws {
        try fillTopLevel()
        try addOrphan()
        let error = try #require(file.failure(opening: Embedded.types, version: 1) { _, _ in })
        let text = error.localizedDescription
        #expect(text.contains("'Address'"), "\(text)")
        #expect(text.contains("has no incoming links"), "\(text)")
        try expectUnchanged(addresses: 7)
    }

    private func expectUnchanged(addresses: Int) throws {
        #expect(try file.version() == 0)
        try file.open(TopLevel.types) { realm in
            #expect(realm.objects(TopLevel.Address.self).count == addresses)
            let people = realm.objects(TopLevel.Person.self).sorted(byKeyPath: "name")
            #expect(people.map { $0.address?.street } == ["s0", "s1", "s2"])
        }
    }

    @Test func theBlockDeletesObjectsWithoutAnOwner() throws {
        try fillTopLevel()
        try addOrphan()
        try file.migrate(to: Embedded.types) { migration, _ in
            migration.enumerateObjects(ofType: "Address") { old, new in
                if let new, old?["street"] as? String == "orphan" { migration.delete(new) }
            }
        }
        try embedded { realm, people in
            #expect(people.count == 3 && realm.dynamicObjects("Address").count == 6)
        }
    }

    @Test func theBlockGivesAnOwnerToAnObject() throws {
        try fillTopLevel()
        try addOrphan()
        try file.migrate(to: Embedded.types) { migration, _ in
            var orphan: MigrationObject?
            migration.enumerateObjects(ofType: "Address") { old, new in
                if old?["street"] as? String == "orphan" { orphan = new }
            }
            guard let orphan else { return }
            migration.create("Person", value: ["name": "p3", "address": orphan])
        }
        try embedded { realm, people in
            #expect(people.map { $0.address?.street } == ["s0", "s1", "s2", "orphan"])
            #expect(realm.dynamicObjects("Address").count == 7)
        }
    }

    // MARK: Several owners

    /// Makes the first person's address an earlier one of the second person, too.
    private func share() throws {
        try file.write(TopLevel.types) { realm in
            let people = realm.objects(TopLevel.Person.self).sorted(byKeyPath: "name")
            if let address = people[0].address { people[1].earlier.append(address) }
        }
    }

    @Test func anObjectWithSeveralOwnersIsAnErrorThatNamesItsClass() throws {
        try fillTopLevel()
        try share()
        let error = try #require(file.failure(opening: Embedded.types, version: 1) { _, _ in })
        let text = error.localizedDescription
        #expect(text.contains("'Address'"), "\(text)")
        #expect(text.contains("has more than one incoming link"), "\(text)")
        try expectUnchanged(addresses: 6)
    }

    @Test func anObjectTwiceInOneListIsAnError() throws {
        try fillTopLevel()
        try file.write(TopLevel.types) { realm in
            let person = realm.objects(TopLevel.Person.self)[0]
            person.earlier.append(person.earlier[0])
        }
        let error = file.failure(opening: Embedded.types, version: 1) { _, _ in }
        #expect(error?.localizedDescription.contains("'Address'") == true)
        try expectUnchanged(addresses: 6)
    }

    @Test func theBlockRemovesLinksTooMany() throws {
        try fillTopLevel()
        try share()
        try file.migrate(to: Embedded.types) { migration, _ in
            migration.enumerateObjects(ofType: "Person") { _, new in
                let earlier = new?["earlier"] as? List<MigrationObject>
                if earlier?.count == 2 { earlier?.removeLast() }
            }
        }
        try embedded { realm, people in
            #expect(people.map(\.earlier.count) == [1, 1, 1])
            #expect(people[0].address?.street == "s0")
            #expect(realm.dynamicObjects("Address").count == 6)
        }
    }

    @Test func theBlockMakesCopiesForSeveralOwners() throws {
        try fillTopLevel()
        try share()
        try file.migrate(to: Embedded.types) { migration, _ in
            migration.enumerateObjects(ofType: "Person") { old, new in
                let earlier = old?["earlier"] as? List<MigrationObject>
                let streets = earlier.map { Array($0) }?.map {
                    ["street": $0["street"] as? String ?? ""]
                }
                new?["earlier"] = streets
            }
            // Nobody owns the addresses whose places in lists the copies took.
            migration.enumerateObjects(ofType: "Address") { old, new in
                if let new, (old?["street"] as? String)?.hasPrefix("e") == true {
                    migration.delete(new)
                }
            }
        }
        try embedded { _, people in
            #expect(people[0].address?.street == "s0")
            #expect(Array(people[1].earlier.map(\.street)) == ["e1", "s0"])
        }
    }

    // MARK: Removed properties

    @Test func objectsThatARemovedPropertyOwnedAreDeleted() throws {
        try fillEmbedded()
        try file.migrate(to: Alone.types)
        try file.open(Alone.types, version: 1) { realm in
            #expect(realm.objects(Alone.Person.self).map(\.name) == ["p0", "p1", "p2"])
            #expect(realm.dynamicObjects("Address").isEmpty)
        }
        #expect(try file.problems() == [])
    }

    /// Makes a person whose address is also in a set, and with a club whose set is empty.
    private func fillSets(_ types: [ObjectBase.Type]) throws {
        try file.write(types) { realm in
            let person = realm.create(WithSets.Person.self, value: ["name": "p"])
            person.address = realm.create(WithSets.Address.self, value: ["street": "s"])
            person.known.insert(person.address!)
            if types.count > 2 { realm.create(WithSets.Club.self) }
        }
    }

    @Test func aRemovedSetDoesNotKeepAClassFromBecomingEmbedded() throws {
        try fillSets([WithSets.Address.self, WithSets.Person.self])
        try file.migrate(to: Embedded.types)
        #expect(try file.problems() == [])
        try embedded { realm, people in
            #expect(people.map(\.address?.street) == ["s"])
            try realm.write { realm.delete(people[0]) }
            #expect(realm.dynamicObjects("Address").isEmpty)
        }
        try file.migrate(to: TopLevel.types, version: 2)
        #expect(try file.problems() == [])
    }

    @Test func aSetOfAClassThatTheApplicationLacksCannotContainEmbeddedObjects() throws {
        try fillSets(WithSets.types)
        let error = file.failure(opening: Embedded.types, version: 1) { _, _ in }
        #expect(
            error?.localizedDescription.contains(
                "Cannot convert 'Address' to embedded: set property 'Club.places' cannot contain "
                    + "embedded objects.") == true)
        try file.open(WithSets.types) { realm in
            #expect(realm.objects(WithSets.Person.self).first?.known.first?.street == "s")
        }
        #expect(try file.problems() == [])
    }

    @Test func whatALateRenamingReplacesIsDeleted() throws {
        try fillEmbedded()
        try file.migrate(to: Replacing.types) { migration, _ in
            migration.enumerateObjects(ofType: "Person") { _, new in
                new!["home"] = ["street": "lost"]
            }
            migration.renameProperty(onType: "Person", from: "address", to: "home")
        }
        try file.open(Replacing.types, version: 1) { realm in
            let people = realm.objects(Replacing.Person.self).sorted(byKeyPath: "name")
            #expect(people.map(\.home?.street) == ["s0", "s1", "s2"])
            #expect(realm.dynamicObjects("Address").count == 6)
        }
        #expect(try file.problems() == [])
    }

    @Test func aRemovedLinkIsNoOwner() throws {
        try fillTopLevel()
        try file.migrate(to: Alone.types)
        try file.open(Alone.types, version: 1) { realm in
            #expect(realm.dynamicObjects("Address").count == 6)
            try realm.write { realm.delete(realm.objects(Alone.Person.self)[1]) }
            #expect(realm.dynamicObjects("Address").count == 6)
        }
        #expect(try file.problems() == [])
        let error = file.failure(opening: Embedded.types, version: 2) { _, _ in }
        #expect(error?.localizedDescription.contains("has no incoming links") == true)
    }
}
