import Foundation
import RealmSwift
import Testing

// Embedded objects, which exactly one place owns, and which are created and deleted with it.

private enum Embedding {
    class Address: EmbeddedObject {
        @Persisted var street = ""
        @Persisted var country: Country?
        @Persisted(originProperty: "addresses") var residents: LinkingObjects<Person>
    }

    class Country: EmbeddedObject {
        @Persisted var name = ""
    }

    class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var home: Address?
        @Persisted var addresses: List<Address>
        @Persisted var byName: Map<String, Address?>
    }

    static let types: [ObjectBase.Type] = [Address.self, Country.self, Person.self]

    static func address(_ street: String) -> Address {
        Address(value: ["street": street, "country": ["name": "Chile"]])
    }
}

/// The guide's geospatial sample.
private enum Geo {
    class CustomGeoPoint: EmbeddedObject {
        @Persisted private var type: String = "Point"
        @Persisted private var coordinates: List<Double>

        public var latitude: Double { return coordinates[1] }
        public var longitude: Double { return coordinates[0] }

        convenience init(_ latitude: Double, _ longitude: Double) {
            self.init()
            coordinates.append(objectsIn: [longitude, latitude])
        }
    }

    class Place: Object {
        @Persisted var location: CustomGeoPoint?
    }
}

@Suite struct EmbeddedObjectRules {
    private typealias Person = Embedding.Person

    let realm: Realm
    private let ann = Person(value: ["id": 1])

    init() throws {
        realm = try temporaryRealm(Embedding.types)
        try realm.write { realm.add(ann) }
    }

    /// Numbers of embedded objects in the Realm, regardless of their owners.
    private var counts: [Int] {
        ["Embedding_Address", "Embedding_Country"].map { realm.dynamicObjects($0).count }
    }

    @Test func removingFromListsAndMapsDeletes() throws {
        let addresses = ["a", "b", "c"].map(Embedding.address)
        let mapped = Embedding.address("d")
        try realm.write {
            ann.addresses.append(objectsIn: addresses)
            ann.byName["k"] = mapped
        }
        try realm.write {
            ann.addresses.remove(at: 0)
            ann.addresses[1] = Embedding.address("e")
            ann.byName.removeObject(for: "k")
        }
        #expect(addresses.map(\.isInvalidated) == [true, false, true] && mapped.isInvalidated)
        #expect(ann.addresses.map(\.street) == ["b", "e"] && counts == [2, 2])
        try realm.write { ann.addresses.removeAll() }
        #expect(counts == [0, 0])
    }

    @Test func deletingTheOwnerDeletesAllItOwns() throws {
        let address = Embedding.address("a")
        try realm.write {
            ann.home = address
            ann.addresses.append(Embedding.address("b"))
            ann.byName["k"] = Embedding.address("c")
        }
        #expect(counts == [3, 3])
        let country = try #require(address.country)
        try realm.write { realm.delete(ann) }
        #expect(address.isInvalidated && country.isInvalidated && counts == [0, 0])
    }

    @Test func deletingAListOfThemEmptiesIt() throws {
        try realm.write {
            ann.addresses.append(objectsIn: [Embedding.address("a"), Embedding.address("b")])
            realm.delete(ann.addresses)
        }
        #expect(ann.addresses.isEmpty && counts == [0, 0])
    }

    @Test func theyFindTheirOwners() throws {
        try realm.write { ann.addresses.append(Embedding.address("a")) }
        #expect(ann.addresses[0].residents.map(\.id) == [1])
    }

    @Test(arguments: [Realm.UpdatePolicy.modified, .all])
    func updatesReplaceOrUpdateInPlaceButNeverLeaveOrphans(_ policy: Realm.UpdatePolicy) throws {
        try realm.write {
            ann.home = Embedding.address("a")
            ann.addresses.append(objectsIn: [Embedding.address("b"), Embedding.address("c")])
            realm.create(
                Person.self, value: ["id": 1, "home": ["street": "d"], "addresses": [["e"]]],
                update: policy)
        }
        #expect(ann.home?.street == "d" && ann.addresses.map(\.street) == ["e"])
        #expect(counts[0] == 2)
    }

    @Test func copiesOfOwnersCopyWhatTheyOwn() throws {
        try realm.write { ann.home = Embedding.address("a") }
        let other = try temporaryRealm(Embedding.types)
        let copy = try other.write { other.create(Person.self, value: ann) }
        #expect(copy.home?.street == "a" && copy.home?.realm == other && ann.home?.realm == realm)
        #expect(copy.home?.country?.name == "Chile")
    }

    @Test func aCancelledTransactionRestoresThem() throws {
        try realm.write { ann.home = Embedding.address("a") }
        realm.beginWrite()
        ann.home = Embedding.address("b")
        realm.cancelWrite()
        #expect(ann.home?.street == "a" && counts == [1, 1])
    }

    @Test func geospatialSample() throws {
        let realm = try temporaryRealm([Geo.CustomGeoPoint.self, Geo.Place.self])
        let place = Geo.Place()
        place.location = Geo.CustomGeoPoint(47.37, 8.54)
        try realm.write { realm.add(place) }
        let point = try #require(realm.objects(Geo.Place.self).first?.location)
        #expect(point.latitude == 47.37 && point.longitude == 8.54)
        #expect(point["type"] as? String == "Point")
    }
}

private let misuses: [String: Misuse] = [
    "creating an embedded object by its name": Misuse(
        "Embedded objects cannot be created directly"
    ) {
        let realm = try temporaryRealm(Embedding.types)
        try realm.write { _ = realm.dynamicCreate("Embedding_Country") }
    },
    "assigning an embedded object that has an owner": Misuse(
        "Can't set link to existing managed embedded object"
    ) {
        let realm = try temporaryRealm(Embedding.types)
        try realm.write {
            let one = realm.create(
                Embedding.Person.self, value: ["id": 1, "home": ["street": "a"]])
            let two = realm.create(Embedding.Person.self, value: ["id": 2])
            two.home = one.home
        }
    },
    "appending an embedded object that has an owner": Misuse(
        "Cannot add an existing managed embedded object to a List."
    ) {
        let realm = try temporaryRealm(Embedding.types)
        try realm.write {
            let one = realm.create(
                Embedding.Person.self, value: ["id": 1, "home": ["street": "a"]])
            one.addresses.append(one.home!)
        }
    },
    "putting an embedded object that has an owner into a map": Misuse(
        "Cannot add an existing managed embedded object to a Dictionary."
    ) {
        let realm = try temporaryRealm(Embedding.types)
        try realm.write {
            let one = realm.create(
                Embedding.Person.self, value: ["id": 1, "home": ["street": "a"]])
            one.byName["k"] = one.home
        }
    },
    "reading an embedded object that was replaced": Misuse(
        "Object has been deleted or invalidated."
    ) {
        let realm = try temporaryRealm(Embedding.types)
        try realm.write {
            let one = realm.create(
                Embedding.Person.self, value: ["id": 1, "home": ["street": "a"]])
            let home = one.home!
            one.home = Embedding.address("b")
            _ = home.street
        }
    },
]

@Suite struct EmbeddedObjectMisuses {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }
}
