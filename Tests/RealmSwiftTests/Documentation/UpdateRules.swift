import Foundation
import RealmSwift
import Testing

// "Updating objects" of the guide, and the update policies of the reference of `Realm`.

private enum Update {
    class Person: Object {
        @Persisted var isFirst = false
        @Persisted var planet: String?
    }

    class Book: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var title = "untitled"
        @Persisted var price: Double? = 1
        @Persisted var authors: List<Author>
        @Persisted var tags: MutableSet<String>
        @Persisted var prices: Map<String, Int>
        @Persisted var sequel: Book?
    }

    class Author: Object {
        @Persisted(primaryKey: true) var name = ""
        @Persisted var born: Int?
    }

    static let types: [ObjectBase.Type] = [Person.self, Book.self, Author.self]
    static let policies: [Realm.UpdatePolicy] = [.modified, .all]
}

@Suite struct UpdateRules {
    private typealias Book = Update.Book
    private typealias Person = Update.Person

    let realm: Realm

    init() throws { realm = try temporaryRealm(Update.types) }

    @Test func keyValueCodingOnObjectsAndCollections() throws {
        try realm.write { for _ in 0..<3 { realm.create(Person.self) } }
        let persons = realm.objects(Person.self)
        try realm.write {
            persons.first?.setValue(true, forKey: "isFirst")
            // set each person's planet property to "Earth"
            persons.setValue("Earth", forKey: "planet")
        }
        #expect(persons.map(\.isFirst) == [true, false, false])
        #expect(persons.allSatisfy { $0.planet == "Earth" })
        try realm.write { persons.setValue(nil, forKey: "planet") }
        #expect(persons.allSatisfy { $0.planet == nil })
    }

    @Test func resultsMayBeChangedWhileTheyAreEnumerated() throws {
        try realm.write { for _ in 0..<4 { realm.create(Person.self) } }
        try realm.write {
            for person in realm.objects(Person.self) where !person.isFirst {
                person.isFirst = true
                realm.create(Person.self)
            }
        }
        #expect(realm.objects(Person.self).filter(\.isFirst).count == 4)
        #expect(realm.objects(Person.self).count == 8)
        var seen = 0
        try realm.write {
            for person in realm.objects(Person.self) {
                seen += 1
                realm.delete(person)
            }
        }
        #expect(seen == 8 && realm.objects(Person.self).isEmpty)
    }

    @Test(arguments: Update.policies)
    func newKeysCreateAndExistingKeysUpdate(_ policy: Realm.UpdatePolicy) throws {
        let cheeseBook = Book()
        cheeseBook.title = "Cheese recipes"
        cheeseBook.price = 9000
        cheeseBook.id = 1
        try realm.write { realm.add(cheeseBook, update: policy) }
        #expect(realm.objects(Book.self).count == 1)
        let fruitBook = Book(value: ["id": 1, "title": "Fruit recipes"])
        try realm.write { realm.add(fruitBook, update: policy) }
        #expect(realm.objects(Book.self).count == 1)
        #expect(cheeseBook.title == "Fruit recipes" && cheeseBook.price == 1)
        #expect(fruitBook.realm == realm && fruitBook == cheeseBook)
    }

    @Test(arguments: Update.policies)
    func subsetsOfTheValuesLeaveTheOthers(_ policy: Realm.UpdatePolicy) throws {
        try realm.write {
            let book = realm.create(
                Book.self, value: ["id": 1, "title": "Cheese recipes", "authors": [["name": "A"]]])
            let updated = realm.create(
                Book.self, value: ["id": 1, "price": 9000.0], update: policy)
            #expect(updated.isSameObject(as: book))
            #expect(book.title == "Cheese recipes" && book.price == 9000)
            #expect(book.authors.count == 1)
        }
    }

    @Test(arguments: Update.policies)
    func nilIsAValueThatEmptiesProperties(_ policy: Realm.UpdatePolicy) throws {
        try realm.write {
            realm.create(Book.self, value: ["id": 2])
            realm.create(Book.self, value: ["id": 1, "price": 5, "sequel": ["id": 3]])
            realm.create(
                Book.self, value: ["id": 1, "price": NSNull(), "sequel": NSNull()], update: policy)
        }
        let book = try #require(realm.object(ofType: Book.self, forPrimaryKey: 1))
        #expect(book.price == nil && book.sequel == nil)
        #expect(realm.objects(Book.self).count == 3)
    }

    @Test(arguments: Update.policies)
    func collectionsAreReplaced(_ policy: Realm.UpdatePolicy) throws {
        let book = try realm.write {
            realm.create(
                Book.self,
                value: [
                    "id": 1, "authors": [["name": "A", "born": 1900], ["name": "B"]],
                    "tags": ["x", "y"], "prices": ["USD": 1, "CHF": 2],
                ])
        }
        try realm.write {
            realm.create(
                Book.self,
                value: [
                    "id": 1, "authors": [["name": "C"], ["name": "A"]], "tags": ["y", "z"],
                    "prices": ["EUR": 3],
                ], update: policy)
        }
        #expect(book.authors.map(\.name) == ["C", "A"] && book.authors[1].born == 1900)
        #expect(Set(book.tags) == ["y", "z"])
        #expect(book.prices.keys == ["EUR"] && book.prices["EUR"] == 3)
        #expect(realm.objects(Update.Author.self).count == 3)
    }

    @Test(arguments: Update.policies)
    func unmanagedObjectsGiveAllTheirProperties(_ policy: Realm.UpdatePolicy) throws {
        let book = Book(value: ["id": 1, "title": "old", "tags": ["x"], "price": 7])
        try realm.write { realm.add(book) }
        try realm.write {
            realm.add(Book(value: ["id": 1, "price": nil] as [String: Any?]), update: policy)
        }
        #expect(book.title == "untitled" && book.tags.isEmpty && book.price == nil)
    }

    @Test func autoUpdatingObjects() throws {
        try realm.write { _ = realm.create(Book.self, value: ["id": 1]) }
        let one = try #require(realm.object(ofType: Book.self, forPrimaryKey: 1))
        let two = try #require(realm.objects(Book.self).first)
        try realm.write {
            one.title = "new"
            #expect(two.title == "new")
        }
    }

    @Test func aFailingTransactionLeavesTheObjectsAsTheyWere() throws {
        struct Failure: Error {}
        let book = try realm.write { realm.create(Book.self, value: ["id": 1, "title": "old"]) }
        #expect(throws: Failure.self) {
            try realm.write {
                realm.create(
                    Book.self, value: ["id": 1, "title": "new", "tags": ["x"]], update: .all)
                throw Failure()
            }
        }
        #expect(book.title == "old" && book.tags.isEmpty && !book.isInvalidated)
    }
}

private let misuses: [String: Misuse] = [
    "updating without a primary key": Misuse(
        "'Update_Person' does not have a primary key and can not be updated"
    ) {
        let realm = try temporaryRealm(Update.types)
        try realm.write { _ = realm.create(Update.Person.self, update: .modified) }
    },
    "changing the primary key of a managed object": Misuse(
        "Primary key can't be changed after an object is inserted."
    ) {
        let realm = try temporaryRealm(Update.types)
        try realm.write { realm.create(Update.Book.self, value: ["id": 1]).id = 2 }
    },
    "changing the primary key of a managed object by its name": Misuse(
        "Primary key can't be changed to '2' after an object is inserted."
    ) {
        let realm = try temporaryRealm(Update.types)
        try realm.write {
            realm.create(Update.Book.self, value: ["id": 1]).setValue(2, forKey: "id")
        }
    },
    "setting a value of the wrong type": Misuse(
        "Invalid value 'x' of type 'String' for 'double?' property 'Update_Book.price'."
    ) {
        let realm = try temporaryRealm(Update.types)
        try realm.write { realm.create(Update.Book.self, value: ["id": 1])["price"] = "x" }
    },
    "setting a property of every object outside of a transaction": Misuse(
        "Cannot modify Results outside of a write transaction."
    ) {
        let realm = try temporaryRealm(Update.types)
        try realm.write { _ = realm.create(Update.Person.self) }
        realm.objects(Update.Person.self).setValue(true, forKey: "isFirst")
    },
]

@Suite struct UpdateMisuses {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }
}
