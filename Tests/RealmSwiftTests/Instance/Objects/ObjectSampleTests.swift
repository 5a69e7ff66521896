import Foundation
import RealmSwift
import Testing

// The guide's samples of creating, nesting, updating and deleting objects, and samples of embedded
// objects and projections as they occur in applications.

private enum Samples {
    class Dog: Object {
        @Persisted var name = ""
        @Persisted var age = 0
    }

    class Person: Object {
        @Persisted var name = ""
        @Persisted var age = 0
        @Persisted var dogs: List<Dog>
    }

    class Book: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var title = ""
        @Persisted var price: Int?
    }

    class Address: EmbeddedObject {
        @Persisted var street: String?
        @Persisted var city: String?
        @Persisted var country: String?
        @Persisted var postalCode: String?
    }

    class Contact: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var name: String
        @Persisted var address: Address?

        convenience init(name: String, address: Address) {
            self.init()
            self.name = name
            self.address = address
        }
    }

    class Business: Object {
        @Persisted var name: String
        @Persisted var addresses: List<Address>
    }

    class ContactProjection: Projection<Contact> {
        @Projected(\Contact.name) var name
        @Projected(\Contact.address?.city) var city
    }

    static let types: [ObjectBase.Type] = [
        Dog.self, Person.self, Book.self, Address.self, Contact.self, Business.self,
    ]
}

@Suite struct ObjectSampleTests {
    let directory = TestDirectory()

    @Test func creatingObjects() throws {
        // (1) Create a Dog object and then set its properties
        let myDog = Samples.Dog()
        myDog.name = "Rex"
        myDog.age = 10
        // (2) Create a Dog object from a dictionary
        let myOtherDog = Samples.Dog(value: ["name": "Pluto", "age": 3])
        // (3) Create a Dog object from an array
        let myThirdDog = Samples.Dog(value: ["Fido", 5])

        let realm = try directory.realm(Samples.types)
        try realm.write {
            realm.add(myDog)
            realm.add([myOtherDog, myThirdDog])
        }
        #expect(realm.objects(Samples.Dog.self).map(\.age) == [10, 3, 5])
    }

    @Test func nestedObjects() {
        let aDog = Samples.Dog(value: ["Rex", 1])
        let anotherDog = Samples.Dog(value: ["Bo", 2])
        // Instead of using already existing dogs...
        let aPerson = Samples.Person(value: ["Jane", 30, [aDog, anotherDog]] as [Any])
        // ...we can create them inline
        let anotherPerson = Samples.Person(
            value: ["Jane", 30, [["Buster", 5], ["Buddy", 6]]] as [Any])
        #expect(aPerson.dogs[0] === aDog && anotherPerson.dogs.map(\.name) == ["Buster", "Buddy"])
    }

    @Test func keyValueCoding() throws {
        let realm = try directory.realm(Samples.types)
        try realm.write {
            for name in ["Ann", "Bob"] { realm.create(Samples.Person.self, value: [name]) }
        }
        let persons = realm.objects(Samples.Person.self)
        try realm.write {
            persons.first?.setValue(20, forKeyPath: "age")
            // set each person's name property to "Earth"
            persons.setValue("Earth", forKey: "name")
        }
        #expect(persons.map(\.age) == [20, 0] && persons.map(\.name) == ["Earth", "Earth"])
    }

    @Test func updatingWithPrimaryKeys() throws {
        let realm = try directory.realm(Samples.types)
        // Creating a book with the same primary key as a previously saved book
        let cheeseBook = Samples.Book()
        cheeseBook.title = "Cheese recipes"
        cheeseBook.price = 9000
        cheeseBook.id = 1
        try realm.write { realm.add(cheeseBook, update: .modified) }
        // Assuming a "Book" with a primary key of `1` already exists.
        try realm.write {
            realm.create(Samples.Book.self, value: ["id": 1, "price": 8000], update: .modified)
            // the book's `title` property will remain unchanged.
        }
        #expect(cheeseBook.title == "Cheese recipes" && cheeseBook.price == 8000)
    }

    @Test func deletingObjects() throws {
        let realm = try directory.realm(Samples.types)
        let cheeseBook = Samples.Book(value: ["id": 1])
        try realm.write { realm.add(cheeseBook) }
        try realm.write { realm.delete(cheeseBook) }
        #expect(realm.objects(Samples.Book.self).isEmpty)
        try realm.write { realm.create(Samples.Book.self) }
        // Delete all objects from the realm
        try realm.write { realm.deleteAll() }
        #expect(realm.isEmpty)
    }

    @Test func embeddedObjects() throws {
        let realm = try directory.realm(Samples.types)
        let address = Samples.Address()
        address.street = "123 Fake St"
        address.city = "Springfield"
        let contact = Samples.Contact(name: "Nick Riviera", address: address)
        let business = Samples.Business(value: ["name": "Hospital", "addresses": [["1 Main St"]]])
        try realm.write {
            realm.add(contact)
            realm.add(business)
        }
        try realm.write { contact.address?.street = "Hollywood Upstairs Medical College" }
        #expect(contact.address?.city == "Springfield")
        try realm.write { contact.address = Samples.Address(value: ["city": "Los Angeles"]) }
        #expect(address.isInvalidated && contact.address?.city == "Los Angeles")
        try realm.write { realm.delete(business) }
        #expect(realm.dynamicObjects(Samples.Address.className()).count == 1)
    }

    @Test func projections() throws {
        let realm = try directory.realm(Samples.types)
        try realm.write {
            let address = Samples.Address(value: ["city": "Bern"])
            realm.add(Samples.Contact(name: "Ann", address: address))
        }
        let contacts = realm.objects(Samples.ContactProjection.self)
        let ann = try #require(contacts.first { $0.city == "Bern" })
        try realm.write { ann.name = "Anna" }
        #expect(realm.objects(Samples.Contact.self).first?.name == "Anna")
    }
}
