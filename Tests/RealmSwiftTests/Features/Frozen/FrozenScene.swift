import Foundation
import RealmSwift
import ToolSupport

// Model classes and data for the tests of frozen Realms, objects and collections.

enum FrozenModels {
    class Author: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var age: Int
        @Persisted var rating: Double?
        @Persisted var mentor: Author?
        @Persisted var books: List<Book>
        @Persisted var favourites: MutableSet<Book>
        @Persisted var bySubject: Map<String, Book?>
        @Persisted var scores: List<Int>
        @Persisted var words: MutableSet<String>
        @Persisted var counts: Map<String, Int>
        @Persisted var home: Home?
        @Persisted var homes: List<Home>
        @Persisted var note: AnyRealmValue
        @Persisted var notes: List<AnyRealmValue>
        @Persisted(originProperty: "mentor") var pupils: LinkingObjects<Author>

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    /// A class without a primary key.
    class Book: Object {
        @Persisted var title: String
        @Persisted var pages: Int
        @Persisted(originProperty: "books") var authors: LinkingObjects<Author>

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Home: EmbeddedObject {
        @Persisted var city: String
        @Persisted var rooms: List<Int>
        @Persisted var keeper: Author?

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static let all: [ObjectBase.Type] = [Author.self, Book.self, Home.self]
}

class FrozenAuthorView: Projection<FrozenModels.Author> {
    @Projected(\FrozenModels.Author.name) var title
    @Projected(\FrozenModels.Author.home?.city) var city
    @Projected(\FrozenModels.Author.books.projectTo.title) var titles: ProjectedCollection<String>
    @Projected(\FrozenModels.Author.scores) var scores
}

/// A test asked for an author that is not there.
struct NoSuchAuthor: Error {}

/// Carries a frozen thing to other threads, which may read it at the same time. Unchecked because
/// frozen things do not change.
struct Carried<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

/// A file with authors, and a Realm of it on this thread.
struct FrozenScene {
    let configuration: Realm.Configuration
    let realm: Realm

    /// Adds authors 0, 1, …, `count` - 1.
    init(authors count: Int = 4) throws {
        let configuration = TestDirectory.untilExit().configuration(FrozenModels.all)
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.addAuthors(0..<count) }
        self.configuration = configuration
        self.realm = realm
    }

    var authors: Results<FrozenModels.Author> { realm.objects(FrozenModels.Author.self) }

    func author(_ id: Int) throws -> FrozenModels.Author { try realm.author(id) }

    /// Makes a commit on another thread, and waits for it. The Realm of this thread stays where it
    /// is.
    @discardableResult
    func writeElsewhere<Value: Sendable>(
        _ body: @escaping @Sendable (Realm) throws -> Value
    ) throws -> Value {
        try runThread { [configuration] in
            let realm = try Realm(configuration: configuration)
            return try realm.write { try body(realm) }
        }
    }

    /// Changes everything, here.
    func changeEverything() throws {
        try realm.write { realm.changeEverything() }
    }
}

extension Realm {
    func author(_ id: Int) throws -> FrozenModels.Author {
        guard let author = object(ofType: FrozenModels.Author.self, forPrimaryKey: id) else {
            throw NoSuchAuthor()
        }
        return author
    }

    /// Adds authors with values of all kinds. Each has the author before it as its mentor. Needs a
    /// write transaction.
    func addAuthors(_ ids: Range<Int>) {
        var mentor: FrozenModels.Author?
        for id in ids {
            let author = create(FrozenModels.Author.self, value: ["id": id])
            author.name = "author \(id)"
            author.age = 20 + 10 * id
            author.rating = id == 1 ? nil : Double(id) + 0.5
            author.mentor = mentor
            let book = create(FrozenModels.Book.self)
            book.title = "book \(id)"
            book.pages = 100 + id
            author.books.append(book)
            if let first = mentor?.books.last { author.books.append(first) }
            author.favourites.insert(book)
            author.bySubject["art"] = book
            author.bySubject["none"] = .some(nil)
            author.scores.append(objectsIn: [id, id + 1, id + 2])
            author.words.insert(objectsIn: ["common", "word \(id)"])
            author.counts["a"] = id
            author.counts["b"] = 10
            author.home = home("city \(id)", rooms: [1, id])
            author.homes.append(home("first \(id)", rooms: []))
            author.homes.append(home("second \(id)", rooms: [2]))
            author.note = .fromDictionary([
                "number": .int(id),
                "list": .fromArray([.int(id), .fromArray([.string("deep")])]),
                "map": .fromDictionary(["key": .int(id)]),
            ])
            author.notes.append(.string("note \(id)"))
            author.notes.append(.fromArray([.int(id)]))
            mentor = author
        }
    }

    private func home(_ city: String, rooms: [Int]) -> FrozenModels.Home {
        let home = FrozenModels.Home()
        home.city = city
        home.rooms.append(objectsIn: rooms)
        return home
    }

    /// Changes every property of all authors, deletes author 0 and a book, and adds an author and a
    /// book. Needs a write transaction.
    func changeEverything() {
        let book = create(FrozenModels.Book.self)
        book.title = "new"
        for author in objects(FrozenModels.Author.self) {
            author.name += "!"
            author.age += 1
            author.rating = 9
            author.mentor = nil
            author.books.removeAll()
            author.favourites.insert(book)
            author.bySubject["art"] = nil
            author.bySubject["new"] = book
            if !author.scores.isEmpty { author.scores.remove(at: 0) }
            author.scores.append(99)
            author.words.remove("common")
            author.words.insert("new")
            author.counts["a"] = 77
            author.counts["c"] = 1
            author.home?.city = "moved"
            author.home?.rooms.removeAll()
            if !author.homes.isEmpty { author.homes.remove(at: 0) }
            author.note.dictionaryValue?["number"] = .string("changed")
            author.note.dictionaryValue?["list"]?.listValue?.append(.int(5))
            author.note.dictionaryValue?["map"]?.dictionaryValue?["key"] = .int(-1)
            if !author.notes.isEmpty { author.notes.remove(at: 0) }
            author.notes.append(.int(1))
        }
        if let first = object(ofType: FrozenModels.Author.self, forPrimaryKey: 0) { delete(first) }
        if let first = objects(FrozenModels.Book.self).first { delete(first) }
        create(FrozenModels.Author.self, value: ["id": 1_000], update: .modified)
    }
}

/// Everything that a Realm with authors shows, as plain values.
struct FrozenContents: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        let values: [String]
        let pupils: [Int]
        let books: [String]
        let favourites: [String]
        let bySubject: [String: String]
        let scores: [Int]
        let words: [String]
        let counts: [String: Int]
        let homes: [String]
        let notes: [String]

        init(_ author: FrozenModels.Author) {
            values = [
                author.name, "\(author.age)", author.rating.map { "\($0)" } ?? "nil",
                author.mentor.map { "\($0.id)" } ?? "nil", author.home?.city ?? "nil",
                text(author.note),
            ]
            pupils = author.pupils.map(\.id).sorted()
            books = Array(author.books.map(\.title))
            favourites = author.favourites.map(\.title).sorted()
            var bySubject: [String: String] = [:]
            for (key, book) in author.bySubject.asKeyValueSequence() {
                bySubject[key] = book?.title ?? "nil"
            }
            self.bySubject = bySubject
            scores = Array(author.scores)
            words = author.words.sorted()
            var counts: [String: Int] = [:]
            for (key, count) in author.counts.asKeyValueSequence() { counts[key] = count }
            self.counts = counts
            homes = author.homes.map { home in "\(home.city) \(Array(home.rooms))" }
            notes = author.notes.map { note in text(note) }
        }
    }

    let authors: [Int: Entry]
    let titles: [String]

    init(_ realm: Realm) {
        var authors: [Int: Entry] = [:]
        for author in realm.objects(FrozenModels.Author.self) { authors[author.id] = Entry(author) }
        self.authors = authors
        titles = realm.objects(FrozenModels.Book.self).map(\.title).sorted()
    }
}

/// A mixed value as text, with its nested collections and the numbers of authors.
private func text(_ value: AnyRealmValue) -> String {
    switch value {
    case .none: return "none"
    case .int(let number): return "\(number)"
    case .string(let string): return "'\(string)'"
    case .list(let list):
        let parts: [String] = list.map { element in text(element) }
        return "[" + parts.joined(separator: ", ") + "]"
    case .dictionary(let map):
        let parts: [String] = map.keys.sorted().map { key in
            "\(key): \(text(map[key] ?? AnyRealmValue.none))"
        }
        return "{" + parts.joined(separator: ", ") + "}"
    case .object(let object): return "object \(object["id"] ?? "nil")"
    default: return "another type"
    }
}

/// Runs `body` on several threads at once, and returns what each of them returns.
func onThreads<Value: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (_ number: Int) throws -> Value
) throws -> [Value] {
    let threads = (0..<count).map { number in
        BackgroundThread<Value> { _ in try body(number) }
    }
    return try threads.map { try $0.wait() }
}

/// Runs `body` on several threads at once and `change` again and again on this one until they have
/// ended, and returns what each of them returns.
func readOnThreads<Value: Sendable>(
    _ count: Int, while change: () throws -> Void,
    reading body: @escaping @Sendable (_ number: Int) throws -> Value
) throws -> [Value] {
    let threads = (0..<count).map { number in
        BackgroundThread<Value> { _ in try body(number) }
    }
    repeat { try change() } while !threads.allSatisfy(\.isDone)
    return try threads.map { try $0.wait() }
}
