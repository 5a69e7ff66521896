import Foundation
import RealmSwift
import Testing

// Chapter 5 of the book, "Reading and writing objects", except its predicates and sorting.

private enum Newspaper {
    class Person: Object {
        @Persisted(primaryKey: true) var key = UUID().uuidString
        @Persisted var firstName = ""
        @Persisted var lastName: String?
        @Persisted var born = Date.distantPast
        @Persisted var deceased: Date?
        @Persisted var isVIP = false
        @Persisted var allowedPublicationOn: Date?
        @Persisted var hairCount: Int64 = 0

        var fullName: String {
            guard let last = lastName else { return firstName }
            return "\(firstName) \(last)"
        }
    }

    class Article: Object {
        @Persisted var title: String?
        @Persisted var author: Person?
        @Persisted var people: List<Person>
    }

    enum TestDataSet {
        static func create(in realm: Realm) throws {
            let people: [Person] = [
                ("Klark", "Kent", 1034), ("John", "Smith", 2000), ("Jane", "Doe", 100_000),
                ("Boe", "Carter", 20_000), ("Frank", "Power", 50_000),
            ].map { Person(value: ["firstName": $0.0, "lastName": $0.1, "hairCount": $0.2]) }
            let articles = [
                Article(value: ["Jane Doe launches a product", people[0], [people[2]]]),
                Article(value: ["Museum opens a retrospective", people[1], [people[3], people[2]]]),
            ]
            try realm.write {
                realm.add(people)
                realm.add(articles)
                realm.create(Person.self, value: ["key": "test-key", "firstName": "Test"])
            }
        }
    }

    static func realm() throws -> Realm {
        let realm = try temporaryRealm([Person.self, Article.self])
        try TestDataSet.create(in: realm)
        return realm
    }
}

@Suite struct BookReading {
    private typealias Person = Newspaper.Person
    private typealias Article = Newspaper.Article

    private let realm: Realm

    init() throws { realm = try Newspaper.realm() }

    @Test func gettingAllObjects() {
        let people = realm.objects(Person.self)
        let articles = realm.objects(Article.self)
        let text = "\(people.count) people and \(articles.count) articles"
        #expect(text == "6 people and 2 articles")
    }

    @Test func noObjectsOfTheTypeMakeEmptyResults() throws {
        let empty = try temporaryRealm([Person.self]).objects(Person.self)
        #expect(empty.isEmpty && empty.count == 0 && empty.first == nil && empty.last == nil)
    }

    @Test func gettingAnObjectByPrimaryKey() {
        let person = realm.object(ofType: Person.self, forPrimaryKey: "test-key")
        #expect(person?.firstName == "Test")
        #expect(realm.object(ofType: Person.self, forPrimaryKey: "no-key") == nil)
    }

    @Test func accessingResults() {
        let people = realm.objects(Person.self)
        #expect(people.first!.fullName == "Klark Kent")
        #expect(people[1].fullName == "John Smith")
        #expect(people.last!.fullName == "Test")

        let firstNames = people.map { $0.firstName }.joined(separator: ", ")
        #expect(firstNames == "Klark, John, Jane, Boe, Frank, Test")
        let namesAndIds = people.enumerated()
            .map { "\($0.offset): \($0.element.firstName)" }.joined(separator: ", ")
        #expect(namesAndIds == "0: Klark, 1: John, 2: Jane, 3: Boe, 4: Frank, 5: Test")
        #expect(Array(people).count == 6)
    }

    @Test func resultsIndexes() {
        let people = realm.objects(Person.self)
        let person = people[1]
        #expect(people.index(of: person) == 1)
        #expect(people.index(of: Person()) == nil)
        #expect(people.firstIndex(where: { $0.firstName.starts(with: "J") }) == 1)
    }

    @Test func navigatingToOtherTypes() {
        let articles = realm.objects(Article.self)
        #expect(articles.compactMap { $0.author?.firstName } == ["Klark", "John"])
        #expect(articles.last?.people.map(\.firstName) == ["Boe", "Jane"])
    }

    @Test func resultsAreAlwaysUpToDate() throws {
        let people = realm.objects(Person.self)
        #expect(people.count == 6)
        let newPerson1 = Person()
        newPerson1.key = "key"
        try realm.write { realm.add(newPerson1) }
        #expect(people.count == 7)

        let newPerson2 = Person()
        newPerson2.key = "key"
        newPerson2.firstName = "Sher"
        #expect(people.count == 7)
    }
}

@Suite struct BookWriting {
    private typealias Person = Newspaper.Person
    private typealias Article = Newspaper.Article

    private let realm: Realm

    init() throws { realm = try Newspaper.realm() }

    private var firstNames: [String] { realm.objects(Person.self).map(\.firstName) }

    @Test func explicitTransactions() throws {
        realm.beginWrite()
        realm.add(Person(value: ["firstName": "Rolled back"]))
        realm.cancelWrite()
        #expect(realm.objects(Person.self).count == 6)
        realm.beginWrite()
        realm.add(Person(value: ["firstName": "Committed"]))
        try realm.commitWrite()
        #expect(firstNames.last == "Committed")
    }

    @Test func cascadingInserts() throws {
        let newAuthor = Person()
        newAuthor.firstName = "New"
        newAuthor.lastName = "Author"
        let newArticle = Article()
        newArticle.author = newAuthor
        try realm.write { realm.add(newArticle) }
        let author = realm.objects(Person.self).first { $0.firstName == "New" }!
        #expect(author.fullName == "New Author" && newAuthor.realm == realm)
    }

    @Test func addingOverAnExistingPrimaryKeyOverwrites() throws {
        let person = Person(value: ["key": "test-key", "firstName": "Overwritten"])
        try realm.write { realm.add(person, update: .all) }
        #expect(firstNames.count == 6 && firstNames.last == "Overwritten")
    }

    @Test func updating() throws {
        let person = realm.objects(Person.self).first!
        #expect(!person.isVIP && person.allowedPublicationOn == nil)
        try realm.write {
            person.isVIP = true
            person.allowedPublicationOn = Date()
        }
        let again = realm.objects(Person.self).first!
        #expect(again.isVIP && again.allowedPublicationOn != nil)
    }

    @Test func deleting() throws {
        let people = realm.objects(Person.self)
        let author = people[0]
        try realm.write {
            realm.delete(people[0])
            #expect(firstNames == ["John", "Jane", "Boe", "Frank", "Test"])
            realm.delete([people[1], people[4]])
            #expect(firstNames == ["John", "Boe", "Frank"])
            realm.delete(Array(people.filter { $0.firstName.starts(with: "J") }))
            #expect(firstNames == ["Boe", "Frank"])
        }
        #expect(author.isInvalidated && people.count == 2)
        // Links to deleted objects are nil, and lists no longer contain them.
        let articles = realm.objects(Article.self)
        #expect(articles.allSatisfy { $0.author == nil })
        #expect(articles[0].people.isEmpty && articles[1].people.map(\.firstName) == ["Boe"])
    }

    @Test func deletingTheObjectsOfResults() throws {
        let articles = realm.objects(Article.self)
        try realm.write { realm.delete(articles) }
        #expect(articles.isEmpty && firstNames.count == 6)
    }

    @Test func deleteAll() throws {
        #expect(!realm.isEmpty)
        try realm.write { realm.deleteAll() }
        #expect(realm.isEmpty)
    }

    @Test func challenge() throws {
        try realm.write {
            let jim = realm.create(Person.self, value: ["firstName": "Jim"])
            let article = realm.create(
                Article.self, value: ["author": realm.objects(Person.self)[0]])
            article.people.append(jim)
        }
        func mentionsJim(_ article: Article) -> Bool {
            article.people.contains { $0.firstName == "Jim" }
        }
        let articles = realm.objects(Article.self)
        #expect(articles.filter(mentionsJim).count == 1)
        #expect(articles.filter { !$0.people.isEmpty }.count == 3)
        try realm.write {
            for jim in realm.objects(Person.self) where jim.firstName == "Jim" {
                jim.firstName = "John"
            }
        }
        #expect(articles.filter(mentionsJim).isEmpty)
        #expect(firstNames.filter { $0 == "John" }.count == 2)
    }
}

private let misuses: [String: Misuse] = [
    "accessing an element out of the collection's bounds": Misuse(
        "Index 6 is out of bounds (must be less than 6)."
    ) { _ = try Newspaper.realm().objects(Newspaper.Person.self)[6] },
    "adding an object whose primary key exists": Misuse(
        "Attempting to create an object of type 'Newspaper_Person' with an existing primary key "
            + "value 'test-key'."
    ) {
        let realm = try Newspaper.realm()
        try realm.write { realm.add(Newspaper.Person(value: ["key": "test-key"])) }
    },
    "changing a persisted object outside of a transaction": Misuse(
        "Attempting to modify object outside of a write transaction - call "
            + "beginWriteTransaction on an RLMRealm instance first."
    ) { try Newspaper.realm().objects(Newspaper.Person.self)[0].isVIP = true },
]

@Suite struct BookMisuses {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }
}
