import Foundation
import RealmSwift
import Testing

// Adding objects, and creating them from JSON.

@Suite struct AddingRules {
    private typealias Dog = Creation.Dog
    private typealias Person = Creation.Person

    let realm: Realm

    init() throws { realm = try temporaryRealm(Creation.types) }

    @Test func addingAddsEverythingThatTheObjectRefersTo() throws {
        let person = Person(value: ["dogs": [["Rex"], ["Max"]], "best": ["Fido"]])
        person.dogsByName["Bob"] = Dog(value: ["Bob"])
        try realm.write { realm.add(person) }
        #expect(Set(realm.objects(Dog.self).map(\.name)) == ["Rex", "Max", "Fido", "Bob"])
    }

    @Test func theSameInstanceIsManagedAfterwardsAndItsCollectionsToo() throws {
        let person = Person()
        let (list, set, map) = (person.scores, person.tags, person.notes)
        try realm.write { realm.add(person) }
        #expect(realm.objects(Person.self).first?.isSameObject(as: person) == true)
        #expect(person.realm == realm)
        #expect(list === person.scores && set === person.tags && map === person.notes)
        try realm.write {
            list.append(1)
            set.insert("a")
            map["k"] = "v"
        }
        let stored = try #require(realm.objects(Person.self).first)
        #expect(
            Array(stored.scores) == [1] && stored.tags.contains("a") && stored.notes["k"] == "v")
    }

    @Test func lazySequencesOfObjectsAreAdded() throws {
        try realm.write { realm.add((1...3).lazy.map { Dog(value: ["name": "\($0)"]) }) }
        #expect(realm.objects(Dog.self).map(\.name) == ["1", "2", "3"])
    }

    @Test func addingAManagedObjectAgainIsANoOp() throws {
        let dog = Dog(value: ["Rex"])
        try realm.write {
            realm.add(dog)
            dog.name = "Max"
            realm.add(dog)
            realm.add([dog, dog])
        }
        #expect(realm.objects(Dog.self).map(\.name) == ["Max"])
    }

    @Test func changesAfterAddingArePersisted() throws {
        let dog = Dog()
        try realm.write { realm.add(dog) }
        try realm.write { dog.name = "Rex" }
        #expect(realm.objects(Dog.self).first?.name == "Rex")
    }
}

@Suite struct JSONSamples {
    private typealias City = Creation.City

    let realm: Realm

    init() throws { realm = try temporaryRealm(Creation.types) }

    private func create(_ text: String) throws -> Creation.City {
        let data = text.data(using: .utf8)!
        return try realm.write {
            let json = try JSONSerialization.jsonObject(with: data, options: [])
            return realm.create(City.self, value: json, update: .modified)
        }
    }

    @Test func insertFromDataContainingJSON() throws {
        let city = try create(#"{"city": "San Francisco", "id": 123, "unknown": [1]}"#)
        #expect(city.city == "San Francisco" && city.id == 123)
        #expect(try create(#"{"id": 123, "city": "Oakland"}"#) == city)
        #expect(city.city == "Oakland")
    }

    @Test func nestedObjectsAndArraysAreMappedToRelationships() throws {
        let city = try create(
            """
            {"id": 1, "twin": {"id": 2, "city": "Zurich", "twin": null},
             "districts": [{"name": "north", "age": 3}, {"name": "south"}]}
            """)
        #expect(city.twin?.city == "Zurich" && city.twin?.twin == nil)
        #expect(city.districts.map(\.name) == ["north", "south"] && city.districts[0].age == 3)
    }

    @Test func numbersFitPropertiesOfFloatingPoint() throws {
        #expect(try create(#"{"id": 1, "height": 1.5}"#).height == 1.5)
        #expect(try create(#"{"id": 1, "height": 2}"#).height == 2)
    }

    @Test func thatUserIsUpdatedFromServer() throws {
        let jsonData = #"{"email": "help@realm.io"}"#.data(using: .utf8)!
        for _ in 0..<2 { try Creation.createOrUpdateUser(in: realm, with: jsonData) }
        #expect(realm.objects(Creation.User.self).map(\.email) == ["help@realm.io"])
    }
}
