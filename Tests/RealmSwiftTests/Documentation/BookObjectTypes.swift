import Foundation
import RealmSwift
import Testing

// Chapter 3 of the book, "Object basics and data types".

private enum BookTypes {
    class Car: Object {
        @Persisted var brand = ""
        @Persisted var year = 0

        convenience init(brand: String, year: Int) {
            self.init()
            self.brand = brand
            self.year = year
        }

        override var description: String { "🚗 {\(brand), \(year)}" }
    }

    class Person: Object {
        // String
        @Persisted var firstName = ""
        @Persisted var lastName: String?
        // Date
        @Persisted var born = Date.distantPast
        @Persisted var deceased: Date?
        // Data
        @Persisted var photo: Data?
        // Bool
        @Persisted var isVIP: Bool = false
        // Int, Int8, Int16, Int32, Int64
        @Persisted var id = 0  // Inferred as Int
        @Persisted var hairCount: Int64 = 0
        // Float, Double
        @Persisted var height: Float = 0.0
        @Persisted var weight = 0.0  // Inferred as Double

        enum Department: String {
            case technology, politics, business, health, science, sports, travel
        }

        @Persisted private var _department = Department.technology.rawValue
        var department: Department {
            get { Department(rawValue: _department)! }
            set { _department = newValue.rawValue }
        }

        // Computed Properties
        var isDeceased: Bool { deceased != nil }
        var fullName: String {
            guard let last = lastName else { return firstName }
            return "\(firstName) \(last)"
        }

        convenience init(firstName: String, born: Date, id: Int) {
            self.init()
            self.firstName = firstName
            self.born = born
            self.id = id
        }

        // Ignored properties
        let idPropertyName = "id"
        var temporaryId = 0
    }

    /// "Optional Bool type", and "Wrapping CLLocation".
    class Located: Object {
        @Persisted var allowsPublication: Bool?
        @Persisted private var lat: Double?
        @Persisted private var lng: Double?

        var lastLocation: Location? {
            get {
                guard let lat, let lng else { return nil }
                return Location(latitude: lat, longitude: lng)
            }
            set {
                lat = newValue?.latitude
                lng = newValue?.longitude
            }
        }
    }

    struct Location: Equatable {
        var latitude, longitude: Double
    }

    /// "Meta information".
    class Keyed: Object {
        @Persisted(primaryKey: true) var key = UUID().uuidString
        @Persisted(indexed: true) var firstName = ""
        @Persisted(indexed: true) var lastName: String?
        var temporaryUploadId = 0
    }

    class Article: Object {
        @Persisted var id = 0
        @Persisted var title: String?
    }

    /// "Challenge 1".
    class Book: Object {
        enum Classification: String { case fiction, nonfiction, selfHelp }

        @Persisted(primaryKey: true) var isbn = ""
        @Persisted var title = ""
        @Persisted var author = ""
        @Persisted(indexed: true) var isBestseller = false
        @Persisted var firstPublished = Date.distantPast
        @Persisted var lastPublished: Date?
        @Persisted private var _classification = Classification.fiction.rawValue
        var classification: Classification {
            get { Classification(rawValue: _classification)! }
            set { _classification = newValue.rawValue }
        }

        convenience init(isbn: String, title: String, author: String, firstPublished: Date) {
            self.init()
            self.isbn = isbn
            self.title = title
            self.author = author
            self.firstPublished = firstPublished
        }
    }
}

@Suite struct BookObjectType {
    @Test func basicModel() throws {
        let car1 = BookTypes.Car(brand: "BMW", year: 1980)
        #expect("\(car1)" == "🚗 {BMW, 1980}")
        #expect(car1.realm == nil)
    }

    @Test func unmanagedObjectsAreReleasedWithTheirLastReference() {
        weak var car: BookTypes.Car?
        do {
            let unmanaged = BookTypes.Car(brand: "BMW", year: 1980)
            car = unmanaged
            #expect(car != nil)
        }
        #expect(car == nil)
    }

    @Test func optionalsDefaultToNilAndTakeAnyValue() throws {
        let realm = try temporaryRealm([BookTypes.Located.self])
        let myPerson = BookTypes.Located()
        #expect(myPerson.allowsPublication == nil)
        try realm.write { realm.add(myPerson) }
        for value in [true, false, nil] {
            try realm.write { myPerson.allowsPublication = value }
            #expect(realm.objects(BookTypes.Located.self).first?.allowsPublication == value)
        }
    }

    @Test func compoundProperties() throws {
        let realm = try temporaryRealm([BookTypes.Located.self])
        let person = try realm.write { realm.create(BookTypes.Located.self) }
        #expect(person.lastLocation == nil)
        let location = BookTypes.Location(latitude: 40.75, longitude: -73.98)
        try realm.write { person.lastLocation = location }
        let stored = try #require(realm.objects(BookTypes.Located.self).first)
        #expect(stored.lastLocation == location)
        try realm.write { stored.lastLocation = nil }
        #expect(person.lastLocation == nil)
    }

    @Test func enumerationsBehindARawValue() throws {
        let realm = try temporaryRealm([BookTypes.Person.self])
        let person = BookTypes.Person(firstName: "Ann", born: .distantPast, id: 1)
        #expect(person.department == .technology)
        person.department = .travel
        try realm.write { realm.add(person) }
        #expect(person.department == .travel && person["_department"] as? String == "travel")
    }

    @Test func complexModel() throws {
        let person = BookTypes.Person(
            firstName: "Marin", born: Date(timeIntervalSince1970: 0), id: 1035)
        person.hairCount = 1_284_639_265_974
        person.isVIP = true
        person.temporaryId = 5

        #expect(type(of: person) == BookTypes.Person.self)
        #expect(type(of: person).primaryKey() ?? "no primary key" == "no primary key")
        #expect(type(of: person).className() == "BookTypes_Person")
        let description = """
            BookTypes_Person {
            \tfirstName = Marin;
            \tlastName = (null);
            \tborn = 1970-01-01 00:00:00 +0000;
            \tdeceased = (null);
            \tphoto = <(null) — 0 total bytes>;
            \tisVIP = 1;
            \tid = 1035;
            \thairCount = 1284639265974;
            \theight = 0;
            \tweight = 0;
            \t_department = technology;
            }
            """
        #expect(person.description == description)
        let realm = try temporaryRealm([BookTypes.Person.self])
        try realm.write { realm.add(person) }
        #expect(person.description == description)
        #expect(person.fullName == "Marin" && !person.isDeceased)
    }

    @Test func aPrimaryKeyGeneratedByDefaultFindsItsObject() throws {
        let realm = try temporaryRealm([BookTypes.Keyed.self])
        let person = BookTypes.Keyed(value: ["firstName": "Ann"])
        try realm.write { realm.add([person, BookTypes.Keyed()]) }
        let myPerson = realm.object(ofType: BookTypes.Keyed.self, forPrimaryKey: person.key)
        #expect(myPerson?.firstName == "Ann" && myPerson == person)
        let absent = "89967121-61D0-4874-8FFF-E6E05A109292"
        #expect(realm.object(ofType: BookTypes.Keyed.self, forPrimaryKey: absent) == nil)
    }

    @Test func metaInformation() throws {
        let schema = BookTypes.Keyed().objectSchema
        #expect(schema.primaryKeyProperty?.name == "key")
        let indexed = schema.properties.filter(\.isIndexed).map(\.name)
        #expect(indexed == ["key", "firstName", "lastName"])
        #expect(schema["temporaryUploadId"] == nil)
    }

    @Test func article() {
        let article = BookTypes.Article()
        article.title = "New article about a famous person"
        #expect(
            "\(article)" == """
                BookTypes_Article {
                \tid = 0;
                \ttitle = New article about a famous person;
                }
                """)
    }

    @Test func challenge() throws {
        let realm = try temporaryRealm([BookTypes.Book.self])
        let book = BookTypes.Book(
            isbn: "978-0-261-10320-7", title: "The Lord of the Rings", author: "J. R. R. Tolkien",
            firstPublished: Date(timeIntervalSince1970: -486_691_200))
        book.classification = .selfHelp
        try realm.write { realm.add(book) }
        let found = realm.object(ofType: BookTypes.Book.self, forPrimaryKey: book.isbn)
        #expect(found?.title == book.title && found?.classification == .selfHelp)
        #expect(book.objectSchema["isBestseller"]?.isIndexed == true)
        #expect(
            book.description == """
                BookTypes_Book {
                \tisbn = 978-0-261-10320-7;
                \ttitle = The Lord of the Rings;
                \tauthor = J. R. R. Tolkien;
                \tisBestseller = 0;
                \tfirstPublished = 1954-07-31 00:00:00 +0000;
                \tlastPublished = (null);
                \t_classification = selfHelp;
                }
                """)
    }
}
