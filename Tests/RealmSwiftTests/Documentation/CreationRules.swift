import Foundation
import RealmSwift
import Testing

// Rules of the guide and the reference of `Realm` for `init(value:)`, `create` and `add`, and their
// samples of JSON.

/// Models of creation, which `AddingRules` uses as well.
enum Creation {
    class Dog: Object {
        @Persisted var name = "nobody"
        @Persisted var age = 1
    }

    class Person: Object {
        @Persisted var name = "nobody"
        @Persisted var age: Int? = 18
        @Persisted var dogs: List<Dog>
        @Persisted var best: Dog?
        @Persisted var scores: List<Int>
        @Persisted var tags: MutableSet<String>
        @Persisted var notes: Map<String, String>
        @Persisted var dogsByName: Map<String, Dog?>
        var ignored = 0
        var computed: Int { ignored }
    }

    class City: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var city = ""
        @Persisted var height: Float = 0
        @Persisted var founded: Date?
        @Persisted var twin: City?
        @Persisted var districts: List<Dog>
    }

    class User: Object {
        @Persisted(primaryKey: true) var email = ""
    }

    static let types: [ObjectBase.Type] = [Dog.self, Person.self, City.self, User.self]

    static func createOrUpdateUser(in realm: Realm, with data: Data) throws {
        let object = try JSONSerialization.jsonObject(with: data) as! [String: String]
        try realm.write { _ = realm.create(User.self, value: object, update: .modified) }
    }
}

@Suite struct CreationFromValueRules {
    private typealias Dog = Creation.Dog
    private typealias Person = Creation.Person

    let realm: Realm

    init() throws { realm = try temporaryRealm(Creation.types) }

    /// Ways to make an object from a value.
    enum Way: CaseIterable { case initializer, create }

    private func make<T: Object>(
        _ initializer: (Any) -> T, _ value: Any, _ way: Way
    ) throws -> T {
        switch way {
        case .initializer: initializer(value)
        case .create: try realm.write { realm.create(T.self, value: value) }
        }
    }

    @Test(arguments: Way.allCases) func missingKeysTakeTheDefault(_ way: Way) throws {
        let person = try make(Person.init(value:), ["name": "Ann"], way)
        #expect(person.name == "Ann" && person.age == 18 && person.best == nil)
        let empty = try make(Person.init(value:), [String: Any](), way)
        #expect(empty.name == "nobody" && empty.dogs.isEmpty && empty.notes.count == 0)
    }

    @Test(arguments: Way.allCases) func arraysAreInTheOrderOfTheProperties(_ way: Way) throws {
        let person = try make(
            Person.init(value:),
            [
                "Ann", 3, [["Rex", 4]], ["Fido"], [1, 2], ["a", "b"], ["k": "v"],
                ["x": ["Max", 9]],
            ], way)
        #expect(person.name == "Ann" && person.age == 3)
        #expect(person.dogs.map(\.name) == ["Rex"] && person.best?.name == "Fido")
        #expect(person.best?.age == 1 && Array(person.scores) == [1, 2])
        #expect(Set(person.tags) == ["a", "b"] && person.notes["k"] == "v")
        #expect(person.dogsByName["x"]??.age == 9)
    }

    @Test(arguments: Way.allCases) func shorterArraysLeaveTheDefaults(_ way: Way) throws {
        let person = try make(Person.init(value:), ["Ann"], way)
        #expect(person.name == "Ann" && person.age == 18 && person.scores.isEmpty)
    }

    @Test(arguments: Way.allCases) func nullMakesOptionalsNil(_ way: Way) throws {
        let null: [Any] = [NSNull(), Int?.none as Any]
        for value in null {
            let person = try make(Person.init(value:), ["age": value, "best": NSNull()], way)
            #expect(person.age == nil && person.best == nil)
        }
    }

    @Test(arguments: Way.allCases)
    func nestedObjectsAreDictionariesOrArraysInAnyCombination(_ way: Way) throws {
        let rex = Dog(value: ["Rex", 4])
        let dogs: [Any] = [["Buster", 5], ["name": "Buddy", "age": 6], rex, [String: Any]()]
        let person = try make(Person.init(value:), ["dogs": dogs, "best": ["age": 7]], way)
        #expect(person.dogs.map(\.name) == ["Buster", "Buddy", "Rex", "nobody"])
        #expect(person.dogs.map(\.age) == [5, 6, 4, 1])
        #expect(person.best?.name == "nobody" && person.best?.age == 7)
    }

    @Test(arguments: Way.allCases) func objectsWithMatchingKeysAreCopied(_ way: Way) throws {
        let original = Person(value: ["name": "Ann", "age": 5, "scores": [1, 2], "best": ["Rex"]])
        let copy = try make(Person.init(value:), original, way)
        #expect(copy !== original && original.realm == nil)
        #expect(copy.name == "Ann" && copy.age == 5 && Array(copy.scores) == [1, 2])
        #expect(copy.best?.name == "Rex")
    }

    @Test(arguments: Way.allCases) func objectsOfOtherClassesGiveTheirMatchingKeys(
        _ way: Way
    ) throws {
        let dog = try make(Dog.init(value:), Person(value: ["name": "Ann", "age": 5]), way)
        #expect(dog.name == "Ann" && dog.age == 5)
    }

    @Test(arguments: Way.allCases) func collectionsAreValuesOfCollections(_ way: Way) throws {
        let source = Person(value: ["scores": [3, 4], "tags": ["x"], "notes": ["k": "v"]])
        let person = try make(
            Person.init(value:),
            ["scores": source.scores, "tags": source.tags, "notes": source.notes], way)
        #expect(Array(person.scores) == [3, 4] && person.tags.contains("x"))
        #expect(person.notes["k"] == "v" && person.scores !== source.scores)
    }

    @Test(arguments: Way.allCases) func keysOfNoPropertyAreIgnored(_ way: Way) throws {
        let person = try make(
            Person.init(value:), ["name": "Ann", "ignored": 7, "unknown": 8], way)
        #expect(person.name == "Ann" && person.ignored == 0)
    }

    @Test func managedObjectsOfTheSameRealmAreLinkedNotCopied() throws {
        let rex = try realm.write { realm.create(Dog.self, value: ["Rex"]) }
        let person = try realm.write {
            realm.create(Person.self, value: ["dogs": [rex, rex], "best": rex] as [String: Any])
        }
        #expect(person.best?.isSameObject(as: rex) == true && person.dogs.count == 2)
        #expect(realm.objects(Dog.self).count == 1)
    }

    @Test func aManagedObjectAsTheValueItselfIsCopied() throws {
        try realm.write {
            let ann = realm.create(Person.self, value: ["name": "Ann", "best": ["Rex"]])
            let copy = realm.create(Person.self, value: ann)
            #expect(!copy.isSameObject(as: ann) && copy.name == "Ann")
            #expect(copy.best?.isSameObject(as: ann.best) == true)
        }
        #expect(realm.objects(Person.self).count == 2 && realm.objects(Dog.self).count == 1)
    }

    @Test func creatingOfNoValueTakesEveryDefault() throws {
        let dog = try realm.write { realm.create(Dog.self) }
        #expect(dog.name == "nobody" && dog.age == 1 && dog.realm == realm)
    }
}

private let misuses: [String: Misuse] = [
    "more values than properties": Misuse(
        "Invalid array input: more values (3) than properties (2)."
    ) { _ = Creation.Dog(value: ["Rex", 1, 2]) },
    "null for a required property": Misuse(
        "Invalid value '<null>' of type 'NSNull' for 'string' property 'Creation_City.city'."
    ) {
        let realm = try temporaryRealm(Creation.types)
        try realm.write {
            _ = realm.create(Creation.City.self, value: ["id": 1, "city": NSNull()])
        }
    },
    "a text for a number": Misuse(
        "Invalid value '2026' of type 'String' for 'int' property 'Creation_Dog.age'."
    ) {
        let realm = try temporaryRealm(Creation.types)
        try realm.write { _ = realm.create(Creation.Dog.self, value: ["age": "2026"]) }
    },
    "a text for a date": Misuse(
        "Invalid value '1850' of type 'String' for 'date?' property 'Creation_City.founded'."
    ) { _ = Creation.City(value: ["founded": "1850"]) },
    "a value that has no keys": Misuse(
        "Invalid value '5' to initialize object of type 'Creation_Dog': missing key 'name'"
    ) { _ = Creation.Dog(value: 5) },
    "duplicate keys of linked objects without an update policy": Misuse(
        "Attempting to create an object of type 'Creation_City' with an existing primary key value "
            + "'2'."
    ) {
        let realm = try temporaryRealm(Creation.types)
        try realm.write {
            realm.create(Creation.City.self, value: ["id": 2])
            realm.create(Creation.City.self, value: ["id": 1, "twin": ["id": 2]])
        }
    },
    "creating outside of a transaction": Misuse(
        "Can only add, remove, or create objects in a Realm in a write transaction - call "
            + "beginWriteTransaction on an RLMRealm instance first."
    ) { _ = try temporaryRealm(Creation.types).create(Creation.Dog.self) },
]

@Suite struct CreationMisuses {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }
}
