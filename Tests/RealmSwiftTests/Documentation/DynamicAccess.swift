import Foundation
import RealmSwift
import Testing

// Access by name: `DynamicObject`, subscripts and key-value coding of objects and collections.

private enum Named {
    class Dog: Object {
        @Persisted var name = ""
        @Persisted var age = 0
    }

    class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String?
        @Persisted var small: Int8
        @Persisted var isFirst = false
        @Persisted var best: Dog?
        @Persisted var dogs: List<Dog>
        @Persisted var walked: MutableSet<Dog>
        @Persisted var byName: Map<String, Dog?>
        @Persisted var scores: List<Int>
        @Persisted(originProperty: "parent") var children: LinkingObjects<Person>
        @Persisted var parent: Person?
    }

    static let types: [ObjectBase.Type] = [Dog.self, Person.self]

    static func managed() throws -> (Realm, Person) {
        let realm = try temporaryRealm(types)
        let person = Person(
            value: [
                "id": 1, "name": "Ann", "small": 3, "best": ["Rex", 4],
                "dogs": [["Max", 2], ["Bob", 6]], "scores": [5, 6],
            ])
        try realm.write { realm.add(person) }
        return (realm, person)
    }
}

@Suite struct DynamicObjectRules {
    let realm: Realm
    private let person: Named.Person

    init() throws { (realm, person) = try Named.managed() }

    @Test func objectsAreFoundByTheNameOfTheirClass() throws {
        let dogs = realm.dynamicObjects("Named_Dog")
        #expect(dogs.count == 3 && dogs.map { $0["name"] as? String } == ["Rex", "Max", "Bob"])
        let found = try #require(realm.dynamicObject(ofType: "Named_Person", forPrimaryKey: 1))
        #expect(found["name"] as? String == "Ann" && found.isSameObject(as: person))
        #expect(realm.dynamicObject(ofType: "Named_Person", forPrimaryKey: 2) == nil)
    }

    @Test func propertiesAreMembersAndSubscripts() throws {
        let dynamic = try #require(realm.dynamicObjects("Named_Person").first)
        #expect(dynamic.name as? String == "Ann" && dynamic.small as? Int == 3)
        #expect((dynamic.best as? Object)?["name"] as? String == "Rex")
        try realm.write {
            dynamic.name = "Bea"
            dynamic["small"] = 4
            dynamic.best = nil
        }
        #expect(person.name == "Bea" && person.small == 4 && person.best == nil)
    }

    @Test func collectionsAreTyped() throws {
        let dynamic = try #require(realm.dynamicObjects("Named_Person").first)
        let dogs = try #require(dynamic["dogs"] as? List<DynamicObject>)
        #expect(dogs.count == 2 && dogs[1]["name"] as? String == "Bob")
        #expect((dynamic["scores"] as? List<Int>).map(Array.init) == [5, 6])
        #expect(person.dynamicList("dogs")[0].age as? Int == 2)
        try realm.write { person.dynamicList("dogs").append(realm.dynamicObjects("Named_Dog")[0]) }
        #expect(person.dogs.last?.name == "Rex")
    }

    @Test func dynamicSetsAndMaps() throws {
        let rex = realm.dynamicObjects("Named_Dog")[0]
        try realm.write {
            person.dynamicMutableSet("walked").insert(rex)
            let map: Map<String, DynamicObject?> = person.dynamicMap("byName")
            map["r"] = rex
        }
        #expect(person.walked.first?.name == "Rex" && person.byName["r"]??.age == 4)
    }

    @Test func objectsAreCreatedByTheNameOfTheirClass() throws {
        try realm.write {
            let created = realm.dynamicCreate("Named_Person", value: ["id": 7, "name": "Cy"])
            #expect(created.name as? String == "Cy" && created.isFirst as? Bool == false)
            realm.dynamicCreate("Named_Person", value: ["id": 7, "small": 9], update: .modified)
            realm.dynamicCreate("Named_Dog")
        }
        let cy = try #require(realm.object(ofType: Named.Person.self, forPrimaryKey: 7))
        #expect(cy.name == "Cy" && cy.small == 9)
        #expect(realm.objects(Named.Dog.self).count == 4)
    }

    @Test func dynamicObjectsAreDeletedAndNeverInTheDefaultSchema() throws {
        let dogs = realm.dynamicObjects("Named_Dog")
        try realm.write { realm.delete(dogs[0]) }
        #expect(person.best == nil && dogs.count == 2)
        #expect(!DynamicObject.shouldIncludeInDefaultSchema())
        #expect(realm.schema["DynamicObject"] == nil)
    }
}

@Suite struct KeyValueCodingRules {
    let realm: Realm
    private let person: Named.Person

    init() throws { (realm, person) = try Named.managed() }

    @Test(arguments: [false, true]) func numbersReadAsEveryNumberType(managed: Bool) throws {
        let object = managed ? person : Named.Person(value: ["id": 1, "small": 3])
        let value = object.value(forKey: "small")
        #expect(value as? Int == 3 && value as? Int8 == 3 && value as? NSNumber == 3)
        #expect(object.value(forKey: "isFirst") as? Bool == false)
    }

    @Test(arguments: [false, true]) func valuesAreReadAndSetByName(managed: Bool) throws {
        let object = managed ? person : Named.Person(value: ["id": 1, "name": "Ann"])
        #expect(object.value(forKey: "name") as? String == "Ann")
        try realm.write {
            object.setValue("Bea", forKey: "name")
            object.setValue(true, forKey: "isFirst")
            object.setValue(Named.Dog(value: ["New"]), forKey: "best")
        }
        #expect(object.name == "Bea" && object.isFirst && object.best?.name == "New")
        try realm.write {
            object.setValue(nil, forKey: "name")
            object["best"] = nil
        }
        #expect(object.value(forKey: "name") == nil && object.best == nil)
    }

    @Test(arguments: [false, true]) func keyPathsFollowLinks(managed: Bool) throws {
        let object = managed ? person : Named.Person(value: ["id": 1, "best": ["Rex", 4]])
        #expect(object.value(forKeyPath: "best.name") as? String == "Rex")
        #expect(object.value(forKeyPath: "best.age") as? Int == 4)
    }

    @Test func collectionsAreReadAndReplacedByName() throws {
        let dogs = try #require(person["dogs"] as? List<Named.Dog>)
        #expect(dogs === person.dogs && dogs.count == 2)
        try realm.write {
            person.setValue([1, 2, 3], forKey: "scores")
            person["dogs"] = [person.best!]
        }
        #expect(Array(person.scores) == [1, 2, 3] && person.dogs.map(\.name) == ["Rex"])
    }

    @Test func invalidatedIsAKey() throws {
        #expect(person.value(forKey: "invalidated") as? Bool == false)
        try realm.write { realm.delete(person) }
        #expect(person.value(forKey: "invalidated") as? Bool == true)
    }

    @Test func collectionsGiveTheValuesOfTheirElements() throws {
        #expect(person.dogs.value(forKey: "name") as? [String] == ["Max", "Bob"])
        let results = realm.objects(Named.Dog.self)
        #expect(results.value(forKey: "age") as? [Int] == [4, 2, 6])
        let selves = person.dogs.value(forKey: "self") as? [Named.Dog]
        #expect(selves?.map(\.name) == ["Max", "Bob"])
    }

    @Test func collectionsSetTheValueOnEveryElement() throws {
        try realm.write {
            person.dogs.setValue(9, forKey: "age")
            realm.objects(Named.Dog.self).setValue("all", forKey: "name")
        }
        #expect(person.dogs.map(\.age) == [9, 9] && person.best?.age == 4)
        #expect(realm.objects(Named.Dog.self).allSatisfy { $0.name == "all" })
    }

    @Test func collectionOperators() throws {
        let dogs = realm.objects(Named.Dog.self)
        #expect(dogs.value(forKeyPath: "@count") as? Int == 3)
        #expect(dogs.value(forKeyPath: "@min.age") as? Int == 2)
        #expect(dogs.value(forKeyPath: "@max.age") as? Int == 6)
        #expect(dogs.value(forKeyPath: "@sum.age") as? Int == 12)
        #expect(dogs.value(forKeyPath: "@avg.age") as? Double == 4)
        let names = dogs.value(forKeyPath: "@unionOfObjects.name") as? [String]
        #expect(names == ["Rex", "Max", "Bob"])
        try realm.write { dogs.setValue("same", forKey: "name") }
        #expect(dogs.value(forKeyPath: "@distinctUnionOfObjects.name") as? [String] == ["same"])
        let people = realm.objects(Named.Person.self)
        let all = people.value(forKeyPath: "@unionOfArrays.dogs") as? [Named.Dog]
        #expect(all?.count == 2)
    }
}

private let misuses: [String: Misuse] = [
    "an unknown property": Misuse("Invalid property name 'x' for class 'Named_Dog'.") {
        _ = try Named.managed().0.objects(Named.Dog.self)[0]["x"]
    },
    "setting an unknown property": Misuse("Invalid property name 'x' for class 'Named_Dog'.") {
        let (realm, _) = try Named.managed()
        try realm.write { realm.objects(Named.Dog.self)[0]["x"] = 1 }
    },
    "a nested key path after an operator": Misuse(
        "Nested key paths are not supported yet for KVC collection operators."
    ) {
        _ = try Named.managed().0.objects(Named.Person.self).value(forKeyPath: "@sum.best.age")
    },
    "an unknown operator": Misuse(
        "Unsupported KVC collection operator found in key path '@average.age'"
    ) { _ = try Named.managed().1.dogs.value(forKeyPath: "@average.age") },
    "an operator without a key path": Misuse(
        "Missing key path for KVC collection operator min in key path '@min'"
    ) { _ = try Named.managed().1.dogs.value(forKeyPath: "@min") },
    "the name of no class": Misuse(
        "Object type 'Cat' is not managed by the Realm. If using a custom `objectClasses` / "
            + "`objectTypes` array in your configuration, add `Cat` to the list of "
            + "`objectClasses` / `objectTypes`."
    ) { _ = try Named.managed().0.dynamicObjects("Cat") },
    "setting a value by name outside of a transaction": Misuse(
        "Attempting to modify object outside of a write transaction - call "
            + "beginWriteTransaction on an RLMRealm instance first."
    ) { try Named.managed().1.setValue("x", forKey: "name") },
]

@Suite struct NamedAccessMisuses {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }
}
