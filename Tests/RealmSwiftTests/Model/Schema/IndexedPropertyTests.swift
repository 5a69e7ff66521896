import Foundation
import RealmSwift
import StorageEngine
import Testing

/// Tests of `@Persisted(indexed:)`: the file has an index for each property that asks for one.
@Suite struct IndexedPropertyTests {
    private let directory = TestDirectory()

    private func open(_ type: ObjectBase.Type) throws -> Realm {
        try Realm(configuration: directory.configuration([type]))
    }

    /// Opens the file with the engine, verifies it, and returns the properties that have an index.
    private func indexedProperties() throws -> [String] {
        let path = try #require(directory.configuration([]).fileURL).path
        let connection = try Connection(Database.open(path: path))
        #expect(try connection.verify() == [])
        let table = try #require(try connection.table(named: "Book"))
        return table.definition.columns.indices.filter { table.index(of: $0) != nil }
            .map { table.definition.columns[$0].name }
    }

    private func addBooks<Book: Titled>(_ type: Book.Type, _ numbers: Range<Int>) throws {
        let realm = try open(type)
        try realm.write {
            for number in numbers {
                let book = Book()
                book.title = "title \(number % 7)"
                book.price = number
                realm.add(book)
            }
        }
        try realm.write {
            let books = realm.objects(type)
            books[0].price = -1
            realm.delete(books[1])
        }
    }

    @Test func indexesComeAndGoWithoutAMigration() throws {
        try addBooks(WithoutIndex.Book.self, 0..<500)
        #expect(try indexedProperties() == [])
        try addBooks(WithIndex.Book.self, 500..<1000)
        #expect(try indexedProperties() == ["title", "price", "date"])
        try addBooks(WithoutIndex.Book.self, 1000..<1500)
        #expect(try indexedProperties() == [])
        let realm = try open(WithIndex.Book.self)
        #expect(realm.objects(WithIndex.Book.self).count == 1500 - 3)
        #expect(try indexedProperties() == ["title", "price", "date"])
    }

    @Test func everyIndexableTypeHasAnIndex() throws {
        let realm = try open(Indexed.Book.self)
        try realm.write {
            for number in 0..<50 {
                let book = Indexed.Book()
                book.text = number % 3 == 0 ? nil : "text \(number)"
                book.number = number % 4 == 0 ? nil : Int8(number)
                book.isNew = number % 2 == 0
                book.date = number % 5 == 0 ? nil : Date(timeIntervalSince1970: Double(number))
                realm.add(book)
            }
        }
        #expect(
            try indexedProperties()
                == ["text", "number", "small", "large", "isNew", "date", "unique"])
    }
}

private protocol Titled: Object {
    var title: String { get set }
    var price: Int { get set }
}

private enum WithoutIndex {
    final class Book: Object, Titled {
        @Persisted var title: String
        @Persisted var price: Int
        @Persisted var date: Date?
        override class func className() -> String { "Book" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private enum WithIndex {
    final class Book: Object, Titled {
        @Persisted(indexed: true) var title: String
        @Persisted(indexed: true) var price: Int
        @Persisted(indexed: true) var date: Date?
        override class func className() -> String { "Book" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private enum Indexed {
    final class Book: Object {
        @Persisted(primaryKey: true) var id: UUID
        @Persisted(indexed: true) var text: String?
        @Persisted(indexed: true) var number: Int8?
        @Persisted(indexed: true) var small: Int16
        @Persisted(indexed: true) var large: Int64
        @Persisted(indexed: true) var isNew: Bool
        @Persisted(indexed: true) var date: Date?
        @Persisted(indexed: true) var unique: UUID
        override class func className() -> String { "Book" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}
