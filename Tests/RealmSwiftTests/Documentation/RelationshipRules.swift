import Foundation
import RealmSwift
import Testing

// "Relationships" of the guide: links, lists and inverse relationships.

private enum Relations {
    class Address: Object {
        @Persisted var country = ""
    }

    class Person: Object {
        @Persisted var name = ""
        @Persisted var address: Address?
        @Persisted var dogs: List<Dog>
    }

    class Dog: Object {
        @Persisted var name = ""
        @Persisted var age = 0
        @Persisted var owner: Person?  // to-one relationships must be optional
        @Persisted var parent: Dog?
        @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
        @Persisted(originProperty: "parent") var puppies: LinkingObjects<Dog>
    }

    static let types: [ObjectBase.Type] = [Address.self, Person.self, Dog.self]
}

@Suite struct RelationshipRules {
    private typealias Dog = Relations.Dog
    private typealias Person = Relations.Person

    let realm: Realm
    private let jim = Person(value: ["name": "Jim", "address": ["country": "Chile"]])
    private let rex = Dog(value: ["name": "Rex"])

    init() throws { realm = try temporaryRealm(Relations.types) }

    @Test(arguments: [false, true]) func nestedPropertiesTraverseTheGraph(managed: Bool) throws {
        rex.owner = jim
        if managed { try realm.write { realm.add(rex) } }
        #expect(rex.owner?.address?.country == "Chile")
        #expect(Dog().owner?.address?.country == nil)
    }

    @Test func assigningAnUnmanagedObjectToALinkAddsIt() throws {
        try realm.write {
            realm.add(rex)
            rex.owner = jim
        }
        #expect(jim.realm == realm && realm.objects(Relations.Address.self).count == 1)
    }

    @Test func objectsMayLinkToThemselves() throws {
        rex.parent = rex
        try realm.write { realm.add(rex) }
        #expect(rex.parent?.isSameObject(as: rex) == true)
        #expect(rex.puppies.count == 1 && realm.objects(Dog.self).count == 1)
        try realm.write { realm.delete(rex) }
        #expect(realm.objects(Dog.self).isEmpty)
    }

    @Test func longChainsAreAddedReadAndDeleted() throws {
        let count = 20_000
        var last = rex
        for age in 1..<count { last = Dog(value: ["age": age, "parent": last]) }
        try realm.write { realm.add(last) }
        #expect(realm.objects(Dog.self).count == count)
        var length = 0
        var next: Dog? = last
        while let dog = next {
            length += 1
            next = dog.parent
        }
        #expect(length == count)
    }

    @Test func relationshipsAreUnidirectional() throws {
        try realm.write {
            realm.add(jim)
            jim.dogs.append(rex)
        }
        #expect(rex.owner == nil && rex.owners.count == 1)
    }
}

@Suite struct LinkingObjectsRules {
    private typealias Dog = Relations.Dog
    private typealias Person = Relations.Person

    let realm: Realm
    private let jim = Person(value: ["name": "Jim"])
    private let ann = Person(value: ["name": "Ann"])
    private let rex = Dog(value: ["name": "Rex"])

    init() throws {
        realm = try temporaryRealm(Relations.types)
        try realm.write { realm.add([jim, ann, rex] as [Object]) }
    }

    @Test func theyAreLive() throws {
        let owners = rex.owners
        #expect(owners.isEmpty)
        try realm.write {
            jim.dogs.append(rex)
            #expect(owners.count == 1)
            jim.dogs.removeAll()
            #expect(owners.isEmpty)
            jim.dogs.append(rex)
        }
        try realm.write { realm.delete(jim) }
        #expect(owners.isEmpty)
        try realm.write { realm.delete(rex) }
        #expect(owners.isInvalidated)
    }

    @Test func theyAreCollections() throws {
        try realm.write {
            jim.dogs.append(rex)
            ann.dogs.append(rex)
        }
        let owners = rex.owners
        #expect(owners.index(of: ann) == 1 && owners.index(of: Person()) == nil)
        #expect(owners[0].isSameObject(as: jim) && owners.last?.isSameObject(as: ann) == true)
        #expect(owners == rex.owners)
        #expect(AnyRealmCollection(owners).count == 2)
    }

    @Test func theyTakeNoPartInCreation() throws {
        try realm.write { jim.dogs.append(rex) }
        let copy = try realm.write { realm.create(Dog.self, value: rex) }
        #expect(copy.owners.isEmpty && rex.owners.count == 1)
        #expect(Dog(value: ["Max", 3]).owners.isEmpty)
    }
}

private enum BadOrigins {
    class Unknown: Object {
        @Persisted var id: Int
        @Persisted(originProperty: "nothing") var sources: LinkingObjects<Unknown>
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class NoLink: Object {
        @Persisted var id: Int
        @Persisted(originProperty: "id") var sources: LinkingObjects<NoLink>
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private let misuses: [String: Misuse] = [
    "an origin that is no property": Misuse(
        "Schema validation failed due to the following errors:\n- Property "
            + "'BadOrigins_Unknown.nothing' declared as origin of linking objects property "
            + "'BadOrigins_Unknown.sources' does not exist"
    ) { _ = try temporaryRealm([BadOrigins.Unknown.self]) },
    "an origin that is no link": Misuse(
        "Schema validation failed due to the following errors:\n- Property "
            + "'BadOrigins_NoLink.id' declared as origin of linking objects property "
            + "'BadOrigins_NoLink.sources' is not a link"
    ) { _ = try temporaryRealm([BadOrigins.NoLink.self]) },
    "linking to an object of another Realm": Misuse(
        "Object is already managed by another Realm. Use create instead to copy it into this "
            + "Realm."
    ) {
        let realm = try temporaryRealm(Relations.types)
        let other = try temporaryRealm(Relations.types)
        let jim = try other.write { other.create(Relations.Person.self) }
        try realm.write { realm.create(Relations.Dog.self).owner = jim }
    },
    "appending an object of another Realm": Misuse(
        "Object is already managed by another Realm. Use create instead to copy it into this "
            + "Realm."
    ) {
        let realm = try temporaryRealm(Relations.types)
        let other = try temporaryRealm(Relations.types)
        let rex = try other.write { other.create(Relations.Dog.self) }
        try realm.write { realm.create(Relations.Person.self).dogs.append(rex) }
    },
    "adding an object that links to one of another Realm": Misuse(
        "Object is already managed by another Realm. Use create instead to copy it into this "
            + "Realm."
    ) {
        let realm = try temporaryRealm(Relations.types)
        let other = try temporaryRealm(Relations.types)
        let rex = try other.write { other.create(Relations.Dog.self) }
        try realm.write { realm.add(Relations.Person(value: ["dogs": [rex]])) }
    },
    "an element beyond the end": Misuse("Index 0 is out of bounds (must be less than 0).") {
        let realm = try temporaryRealm(Relations.types)
        _ = try realm.write { realm.create(Relations.Dog.self) }.owners[0]
    },
]

@Suite struct LinkingObjectsMisuses {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }
}
