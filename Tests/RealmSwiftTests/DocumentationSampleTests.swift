import Foundation
import RealmSwift
import Testing

// The samples of the guide, with `@Persisted` instead of `@objc dynamic`, and closures where the
// guide filters by predicates. Each group of samples has its own models.

/// "Getting started", "Models", "Relationships", "Writes".
private enum Guide {
    class Dog: Object {
        @Persisted var name = ""
        @Persisted var age = 0
        @Persisted var owner: Person?  // to-one relationships must be optional
    }

    class Person: Object {
        @Persisted var name = ""
        @Persisted var age: Int?
        @Persisted var dogs: List<Dog>
        @Persisted var picture: Data?  // optionals supported
        @Persisted var birthdate = Date(timeIntervalSince1970: 1)
    }

    static let types: [ObjectBase.Type] = [Dog.self, Person.self]
}

/// "Primary keys", "Indexing properties", "Updating objects".
private enum Library {
    class Book: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted(indexed: true) var title = ""
        @Persisted var price = 0.0
    }
}

/// "Ignoring properties".
private enum Ignoring {
    class Person: Object {
        var tmpID = 0  // without @Persisted: not stored
        var name: String {  // computed properties are not stored either
            "\(firstName) \(lastName)"
        }
        @Persisted var firstName = ""
        @Persisted var lastName = ""
    }
}

/// "Model inheritance".
private enum Composition {
    class Animal: Object {
        @Persisted var age = 0
    }

    class Duck: Object {
        @Persisted var animal: Animal?
        @Persisted var name = ""
    }

    class Frog: Object {
        @Persisted var animal: Animal?
        @Persisted var dateProp = Date()
    }

    static let types: [ObjectBase.Type] = [Animal.self, Duck.self, Frog.self]
}

@Suite struct GuideModelTests {
    let directory = TestDirectory()

    private func realm() throws -> Realm { try directory.realm(Guide.types) }

    @Test func gettingStarted() async throws {
        typealias Dog = Guide.Dog
        // Use them like regular Swift objects
        let myDog = Dog()
        myDog.name = "Rex"
        myDog.age = 1
        #expect("name of dog: \(myDog.name)" == "name of dog: Rex")

        let configuration = directory.configuration(Guide.types)
        try {
            let realm = try Realm(configuration: configuration)
            let puppies = realm.objects(Dog.self)
            #expect(puppies.filter { $0.age < 2 }.isEmpty)
            try realm.write { realm.add(myDog) }
            #expect(puppies.filter { $0.age < 2 }.count == 1)
        }()

        // Query and update from any thread
        try await onThread {
            let realm = try Realm(configuration: configuration)
            let theDog = realm.objects(Dog.self).first { $0.age == 1 }
            try realm.write { theDog!.age = 3 }
        }
        try {
            let realm = try Realm(configuration: configuration)
            realm.refresh()
            #expect(realm.objects(Dog.self).first?.age == 3)
        }()
    }

    @Test func optionalProperties() throws {
        let realm = try realm()
        try realm.write {
            let person = realm.create(Guide.Person.self, value: ["Jane", 27])
            person.age = 28
            #expect(person.name == "Jane" && person.age == 28)
        }
        #expect(realm.objects(Guide.Person.self).first?.age == 28)
    }

    @Test func autoUpdatingObjects() throws {
        let realm = try realm()
        let myDog = Guide.Dog()
        myDog.name = "Fido"
        myDog.age = 1
        try realm.write { realm.add(myDog) }
        let myPuppy = realm.objects(Guide.Dog.self).first { $0.age == 1 }
        try realm.write { myPuppy!.age = 2 }
        #expect("age of my dog: \(myDog.age)" == "age of my dog: 2")
    }

    @Test func ignoredProperties() throws {
        let realm = try directory.realm([Ignoring.Person.self])
        let person = Ignoring.Person(value: ["firstName": "Jane", "lastName": "Doe"])
        person.tmpID = 7
        try realm.write { realm.add(person) }
        #expect(person.tmpID == 7 && person.name == "Jane Doe")
        let stored = try #require(realm.objects(Ignoring.Person.self).first)
        #expect(stored.tmpID == 0 && stored.name == "Jane Doe")
        #expect(stored.objectSchema.properties.map(\.name) == ["firstName", "lastName"])
    }

    @Test func composition() throws {
        let realm = try directory.realm(Composition.types)
        let duck = Composition.Duck(value: ["animal": ["age": 3], "name": "Gustav"])
        try realm.write { realm.add(duck) }
        #expect(duck.animal?.age == 3 && realm.objects(Composition.Animal.self).count == 1)
    }
}

@Suite struct GuideRelationshipTests {
    let directory = TestDirectory()

    @Test func toOne() throws {
        let realm = try directory.realm(Guide.types)
        let jim = Guide.Person()
        let rex = Guide.Dog()
        rex.owner = jim
        try realm.write { realm.add(rex) }
        #expect(rex.owner?.isSameObject(as: jim) == true)
        #expect(realm.objects(Guide.Person.self).count == 1)
        try realm.write { rex.owner = nil }
        #expect(rex.owner == nil && !jim.isInvalidated)
    }

    @Test func toMany() throws {
        let realm = try directory.realm(Guide.types)
        let jim = Guide.Person()
        let rex = Guide.Dog(value: ["name": "Rex"])
        try realm.write {
            realm.add([
                Guide.Dog(value: ["name": "Fido"]), Guide.Dog(value: ["name": "Fido Junior"]),
            ])
            realm.add(jim)
        }
        let someDogs = realm.objects(Guide.Dog.self).filter { $0.name.contains("Fido") }
        try realm.write {
            jim.dogs.append(objectsIn: someDogs)
            jim.dogs.append(rex)
        }
        // Lists are guaranteed to preserve their order of insertion.
        #expect(jim.dogs.map(\.name) == ["Fido", "Fido Junior", "Rex"])
    }

    @Test func listsHoldAnObjectSeveralTimes() throws {
        let realm = try directory.realm(Guide.types)
        let (jim, rex) = (Guide.Person(), Guide.Dog())
        try realm.write {
            realm.add(jim)
            for _ in 0..<3 { jim.dogs.append(rex) }
        }
        #expect(jim.dogs.count == 3 && jim.dogs.allSatisfy { $0.isSameObject(as: rex) })
        #expect(realm.objects(Guide.Dog.self).count == 1)
    }
}

@Suite struct GuideWriteTests {
    let directory = TestDirectory()

    @Test func creatingObjects() throws {
        let realm = try directory.realm(Guide.types)
        // (1) Create a Dog object and then set its properties
        let myDog = Guide.Dog()
        myDog.name = "Rex"
        myDog.age = 10
        // (2) Create a Dog object from a dictionary
        let myOtherDog = Guide.Dog(value: ["name": "Pluto", "age": 3])
        // (3) Create a Dog object from an array
        let myThirdDog = Guide.Dog(value: ["Fido", 5])
        try realm.write { realm.add([myDog, myOtherDog, myThirdDog]) }
        #expect(realm.objects(Guide.Dog.self).map(\.name) == ["Rex", "Pluto", "Fido"])
        #expect(realm.objects(Guide.Dog.self).map(\.age) == [10, 3, 5])
    }

    @Test func nestedObjects() throws {
        let realm = try directory.realm(Guide.types)
        let (aDog, anotherDog) = (Guide.Dog(value: ["Rex", 1]), Guide.Dog(value: ["Fido", 2]))
        // Instead of using already existing dogs...
        let aPerson = Guide.Person(value: ["Jane", 30, [aDog, anotherDog]])
        // ...we can create them inline
        let anotherPerson = Guide.Person(value: ["Jane", 30, [["Buster", 5], ["Buddy", 6]]])
        try realm.write { realm.add([aPerson, anotherPerson]) }
        #expect(aPerson.dogs.map(\.name) == ["Rex", "Fido"] && aDog.realm != nil)
        #expect(anotherPerson.dogs.map(\.age) == [5, 6])
        #expect(realm.objects(Guide.Dog.self).count == 4)
    }

    @Test func typedUpdates() throws {
        let realm = try directory.realm(Guide.types)
        let author = Guide.Person(value: ["name": "nobody"])
        try realm.write { realm.add(author) }
        try realm.write { author.name = "Thomas Pynchon" }
        #expect(realm.objects(Guide.Person.self).first?.name == "Thomas Pynchon")
    }

    @Test func updatesByName() throws {
        let realm = try directory.realm(Guide.types)
        try realm.write { realm.add([Guide.Person(), Guide.Person()]) }
        try realm.write {
            for person in realm.objects(Guide.Person.self) { person["name"] = "Earth" }
        }
        #expect(realm.objects(Guide.Person.self).allSatisfy { $0.name == "Earth" })
    }

    @Test func primaryKeys() throws {
        typealias Book = Library.Book
        let realm = try directory.realm([Book.self])
        try realm.write { realm.add(Book(value: ["id": 1, "title": "Soups"])) }

        // Creating a book with the same primary key as a previously saved book
        let cheeseBook = Book()
        cheeseBook.title = "Cheese recipes"
        cheeseBook.price = 9000
        cheeseBook.id = 1
        // Updating book with id = 1
        try realm.write { realm.add(cheeseBook, update: .modified) }
        #expect(realm.objects(Book.self).count == 1)
        #expect(realm.object(ofType: Book.self, forPrimaryKey: 1)?.title == "Cheese recipes")

        // Assuming a "Book" with a primary key of `1` already exists.
        try realm.write {
            realm.create(Book.self, value: ["id": 1, "price": 9000.5], update: .modified)
            // the book's `title` property will remain unchanged.
        }
        #expect(cheeseBook.title == "Cheese recipes" && cheeseBook.price == 9000.5)
        #expect(realm.object(ofType: Book.self, forPrimaryKey: 2) == nil)
    }

    @Test func deletingObjects() throws {
        typealias Book = Library.Book
        let realm = try directory.realm([Book.self])
        let cheeseBook = Book(value: ["id": 1])
        try realm.write { realm.add([cheeseBook, Book(value: ["id": 2])]) }
        // Delete an object with a transaction
        try realm.write { realm.delete(cheeseBook) }
        #expect(cheeseBook.isInvalidated && realm.objects(Book.self).count == 1)
        // Delete all objects from the realm
        try realm.write { realm.deleteAll() }
        #expect(realm.isEmpty)
    }
}

@Suite struct GuideRealmTests {
    let directory = TestDirectory()

    @Test func configurations() throws {
        func configuration(username: String) -> Realm.Configuration {
            var config = directory.configuration(Guide.types)
            // Use the default directory, but replace the filename with the username
            config.fileURL = config.fileURL!.deletingLastPathComponent()
                .appendingPathComponent("\(username).realm")
            return config
        }
        let realm = try Realm(configuration: configuration(username: "ann"))
        try realm.write { realm.add(Guide.Dog()) }
        #expect(try Realm(configuration: configuration(username: "bob")).isEmpty)
        #expect(try !Realm(configuration: configuration(username: "ann")).isEmpty)
    }

    @Test func bundledRealms() throws {
        do {
            let realm = try directory.realm(Guide.types)
            try realm.write { realm.add(Guide.Dog(value: ["Rex", 6])) }
        }
        let config = Realm.Configuration(
            fileURL: directory.configuration().fileURL,
            // Open the file in read-only mode as application bundles are not writeable
            readOnly: true, objectTypes: Guide.types)
        let realm = try Realm(configuration: config)
        #expect(realm.objects(Guide.Dog.self).filter { $0.age > 5 }.count == 1)
    }

    @Test func inMemoryRealms() throws {
        let identifier = "MyInMemoryRealm-\(UUID().uuidString)"
        let configuration = Realm.Configuration(
            inMemoryIdentifier: identifier, objectTypes: Guide.types)
        #expect(configuration.fileURL == nil)
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(Guide.Dog()) }
            #expect(try Realm(configuration: configuration).objects(Guide.Dog.self).count == 1)
        }
        // All instances have gone out of scope, and with them the data.
        #expect(try Realm(configuration: configuration).isEmpty)
    }

    @Test func errorHandling() throws {
        let nowhere = directory.url.appendingPathComponent("nowhere/default.realm")
        do {
            _ = try Realm(
                configuration: Realm.Configuration(fileURL: nowhere, objectTypes: Guide.types))
            Issue.record("opened")
        } catch {
            // Without Objective-C, a pattern does not convert errors to `NSError`.
            let error = error as NSError
            #expect(error.domain == "io.realm" && error.code == 5)
        }
    }

    @Test func classSubsets() throws {
        let config = Realm.Configuration(
            fileURL: directory.url.appendingPathComponent("subset.realm"),
            objectTypes: [Library.Book.self, Composition.Animal.self])
        let realm = try Realm(configuration: config)
        let names = realm.schema.objectSchema.map(\.className)
        #expect(names == ["Composition_Animal", "Library_Book"])
    }

    @Test func copyingObjectsBetweenRealms() throws {
        let source = try directory.realm([Library.Book.self])
        let original = Library.Book(value: ["id": 1, "title": "Cheese recipes"])
        try source.write { source.add(original) }
        let target = try Realm(
            configuration: directory.configuration([Library.Book.self], name: "copy.realm"))
        try target.write { _ = target.create(Library.Book.self, value: original) }
        #expect(target.objects(Library.Book.self).first?.title == "Cheese recipes")
    }
}
