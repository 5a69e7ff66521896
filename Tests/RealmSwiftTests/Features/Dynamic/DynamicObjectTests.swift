import Foundation
import RealmSwift
import Testing

@Suite struct DynamicObjectTests {
    let directory = TestDirectory()

    @Test func readsByNameAndAsMembers() throws {
        let realm = try directory.realm()
        try realm.write {
            realm.create(
                Owner.self,
                value: [
                    "name": "Ann", "best": ["name": "Rex"], "nicknames": ["a", "b"],
                    "dogs": [["name": "Bo"]],
                ])
        }
        let owner = try #require(realm.dynamicObjects("Owner").first)
        #expect(owner["name"] as? String == "Ann" && owner.name as? String == "Ann")
        let best = try #require(owner.best as? Dog)
        #expect(best.name == "Rex" && best.owner == nil)
        #expect((owner.nicknames as? List<String>).map { Array($0) } == ["a", "b"])
        let dogs = try #require(owner["dogs"] as? List<DynamicObject>)
        #expect(dogs.map { $0.name as? String } == ["Bo"])
        #expect(owner.objectSchema.className == "Owner")
        let names = owner.objectSchema.properties.map(\.name)
        #expect(names == Owner().objectSchema.properties.map(\.name))
    }

    @Test func writesWhatTheObjectShows() throws {
        let realm = try directory.realm()
        let owner = Owner(value: ["name": "Ann"])
        let rex = Dog(value: ["name": "Rex"])
        try realm.write {
            realm.add(owner)
            realm.add(rex)
            let dynamic = try #require(
                realm.dynamicObject(ofType: "Owner", forPrimaryKey: "Ann"))
            dynamic.nicknames = ["x"]
            dynamic["best"] = rex
            dynamic["dogs"] = [rex, ["name": "Bo"], Dog(value: ["name": "Fido"])] as [Any]
            let best = try #require(dynamic.best as? Dog)
            best.name = "Max"
        }
        #expect(Array(owner.nicknames) == ["x"] && owner.best?.isSameObject(as: rex) == true)
        #expect(rex.name == "Max" && owner.dogs.map(\.name) == ["Max", "Bo", "Fido"])
    }

    @Test func standsForTheSameObject() throws {
        let realm = try directory.realm()
        let keyed = Keyed(value: ["id": 1])
        try realm.write { realm.add(keyed) }
        let dynamic = try #require(realm.dynamicObject(ofType: "Keyed", forPrimaryKey: 1))
        #expect(dynamic.isSameObject(as: keyed) && dynamic == keyed)
        #expect(dynamic.hashValue == keyed.hashValue)
        #expect(realm.dynamicObject(ofType: "Keyed", forPrimaryKey: 2) == nil)
        try realm.write { realm.delete(dynamic) }
        #expect(keyed.isInvalidated && dynamic.isInvalidated)
    }

    @Test func createsObjectsOfKnownClassesWithTheirDefaults() throws {
        let realm = try directory.realm()
        try realm.write {
            let first = realm.dynamicCreate("Keyed", value: ["id": 1, "next": ["id": 2]])
            #expect(first.text as? String == "none")
            #expect((first.next as? Keyed)?.id == 2)
            realm.dynamicCreate("Keyed", value: ["id": 1, "number": 7], update: .modified)
            #expect(first.number as? Int == 7 && first.text as? String == "none")
        }
        #expect(realm.objects(Keyed.self).count == 2)
    }

    @Test func cancelledObjectsStayInvalid() throws {
        let realm = try directory.realm()
        realm.beginWrite()
        let first = realm.dynamicCreate("Person", value: ["name": "gone"])
        let second = try #require(realm.objects(Person.self).first)
        realm.cancelWrite()
        try realm.write { realm.create(Person.self, value: ["name": "new"]) }
        #expect(first.isInvalidated && second.isInvalidated)
        #expect(realm.dynamicObjects("Person").count == 1)
    }

    @Test func listsOfObjectsCanBeReadAsDynamicOnes() throws {
        let realm = try directory.realm()
        let owner = Owner(value: ["name": "Ann", "dogs": [["name": "Rex"]]])
        try realm.write { realm.add(owner) }
        let dogs = owner.dynamicList("dogs")
        #expect(dogs.first?.name as? String == "Rex")
        try realm.write { dogs.append(realm.dynamicCreate("Dog", value: ["Bo"])) }
        #expect(owner.dogs.map(\.name) == ["Rex", "Bo"])
        try realm.write { realm.delete(owner) }
        #expect(dogs.isInvalidated)
    }

    @Test func setsAndMapsOfObjectsCanBeReadAsDynamicOnes() throws {
        typealias Shelf = ModifiedCollectionTests.Shelf
        let realm = try directory.realm([Shelf.self, ModifiedCollectionTests.Book.self])
        let shelf = Shelf(
            value: ["id": 1, "best": [["title": "one"]], "lent": ["Ann": ["title": "two"]]])
        try realm.write { realm.add(shelf) }
        #expect(shelf.dynamicMutableSet("best").map { $0.title as? String } == ["one"])
        let lent: Map<String, DynamicObject?> = shelf.dynamicMap("lent")
        #expect(lent["Ann"]??.title as? String == "two")
        let dynamic = try #require(realm.dynamicObjects(Shelf.className()).first)
        try realm.write {
            dynamic.numbers = [1, 2]
            dynamic.prices = ["x": 1.5]
            dynamic.best = [["title": "three"]]
            dynamic.lent = ["Bob": ["title": "four"]]
        }
        #expect(Set(shelf.numbers) == [1, 2] && shelf.prices["x"] == 1.5)
        #expect(shelf.best.map(\.title) == ["three"])
        #expect(shelf.lent["Bob"]??.title == "four" && shelf.lent.count == 1)
    }

    @Test func dynamicObjectsAreNoClassOfTheSchema() throws {
        #expect(!DynamicObject.shouldIncludeInDefaultSchema())
        #expect(try directory.realm().schema["DynamicObject"] == nil)
    }

    @Test func valuesOfOtherClassesCanBeDynamicObjects() throws {
        let realm = try directory.realm()
        try realm.write {
            let rex = realm.create(Dog.self, value: ["name": "Rex"])
            let dynamic = try #require(realm.dynamicObjects("Dog").first)
            let owner = realm.create(Owner.self, value: ["name": "Ann", "best": dynamic])
            #expect(owner.best?.isSameObject(as: rex) == true)
            #expect(Dog(value: dynamic).name == "Rex")
        }
    }
}

/// Tests of classes that are in the file but not in the Realm's configuration.
@Suite struct UnknownClassTests {
    let directory = TestDirectory()

    /// Opens a Realm with only one class, on a file that has more.
    private func openRealm() throws -> Realm {
        let types = allTypes + EmbeddedModels.all
        try autoreleasepool {
            let realm = try directory.realm(types)
            try realm.write {
                realm.create(Owner.self, value: ["Ann", [["Rex"]], ["a"]])
            }
        }
        return try directory.realm([Person.self])
    }

    @Test func areFound() throws {
        let realm = try openRealm()
        let owner = try #require(realm.dynamicObject(ofType: "Owner", forPrimaryKey: "Ann"))
        let dogs = try #require(owner.dogs as? List<DynamicObject>)
        #expect(dogs.map { $0.name as? String } == ["Rex"])
        #expect(owner.nicknames as? List<String> != nil)
        #expect(owner.description.hasPrefix("Owner {\n\tname = Ann;\n\tdogs = List<Dog> <"))
    }

    @Test func areCreatedAndChanged() throws {
        let realm = try openRealm()
        try realm.write {
            let owner = realm.dynamicCreate(
                "Owner",
                value: [
                    "name": "Bob", "best": ["name": "Bo", "owner": ["name": "Eve"]],
                    "dogs": [["name": "Fido"], ["Max"]],
                ])
            #expect((owner.dogs as? List<DynamicObject>)?.count == 2)
            owner["best"] = ["name": "Toto"]
            #expect((owner.best as? DynamicObject)?.name as? String == "Toto")
            realm.dynamicCreate(
                "Owner", value: ["name": "Bob", "nicknames": ["b"]], update: .modified)
            #expect((owner.nicknames as? List<String>)?.first == "b")
            #expect((owner.dogs as? List<DynamicObject>)?.count == 2)
        }
        #expect(realm.dynamicObjects("Owner").count == 3)
        #expect(realm.dynamicObjects("Dog").count == 5)
        let everything = try realm.write { realm.dynamicCreate("Everything") }
        #expect(everything.int as? Int == 0 && everything.string as? String == "")
        #expect(everything.optionalInt == nil)
    }

    @Test func ownEmbeddedObjects() throws {
        let realm = try openRealm()
        try realm.write {
            let resident = realm.dynamicCreate(
                "EmbeddedModels_Resident",
                value: [
                    "id": 1, "address": ["street": "Main", "country": ["code": "CH"]],
                    "earlier": [["street": "one"], ["street": "two"]],
                ])
            let address = try #require(resident.address as? DynamicObject)
            #expect(address.street as? String == "Main")
            resident.address = ["street": "Side"]
            #expect(address.isInvalidated)
            resident.earlier = [["street": "three"]]
        }
        #expect(realm.dynamicObjects("EmbeddedModels_Address").count == 2)
        #expect(realm.dynamicObjects("EmbeddedModels_Country").count == 1)
    }

    @Test func unknownNamesStop() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: "dynamic", objectTypes: [Person.self]))
            _ = realm.dynamicObjects("Nonsense")
        }
        expectStop(
            "Object type 'Nonsense' is not managed by the Realm. If using a custom "
                + "`objectClasses` / `objectTypes` array in your configuration, add `Nonsense` "
                + "to the list of `objectClasses` / `objectTypes`.", result)
    }
}
