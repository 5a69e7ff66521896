import Foundation
import RealmSwift
import Testing

private struct Label: CustomPersistable, Hashable {
    typealias PersistedType = String
    var text: String
    init(_ text: String) { self.text = text }
    init(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
}

private class Page: EmbeddedObject {
    @Persisted var title: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Book: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var title: String
    @Persisted var label: Label
    @Persisted var words: MutableSet<String>
    @Persisted var optionals: MutableSet<String?>
    @Persisted var labels: MutableSet<Label>
    @Persisted var mixed: MutableSet<AnyRealmValue>
    @Persisted var list: List<String>
    @Persisted var any: AnyRealmValue
    @Persisted var counts: Map<String, Int>
    @Persisted var values: Map<String, AnyRealmValue>
    @Persisted var pages: Map<String, Page?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private let composed = "\u{e9}"
private let decomposed = "e\u{301}"
private let both = [composed, decomposed]

private func bytes(_ texts: some Sequence<String>) -> [[UInt8]] {
    texts.map { Array($0.utf8) }.sorted { $0.count < $1.count }
}

/// Tests that texts with different bytes for the same characters are distinct values, as they are
/// in the file.
@Suite struct StoredTextTests {
    let directory = TestDirectory()

    private func realm(_ name: String = "test.realm") throws -> Realm {
        try Realm(
            configuration: directory.configuration([Book.self, Page.self], name: name))
    }

    private func expectBoth(_ book: Book, _ comment: Comment? = nil) {
        #expect(bytes(book.words) == bytes(both), comment)
        #expect(bytes(book.optionals.compactMap { $0 }) == bytes(both), comment)
        #expect(bytes(book.labels.map(\.text)) == bytes(both), comment)
        #expect(bytes(book.mixed.compactMap(\.stringValue)) == bytes(both), comment)
        #expect(bytes(book.counts.keys) == bytes(both), comment)
        #expect(book.counts[composed] == 1 && book.counts[decomposed] == 2, comment)
        #expect(bytes(book.values.keys) == bytes(both), comment)
        #expect(bytes(book.any.dictionaryValue?.keys ?? []) == bytes(both), comment)
        #expect(bytes(book.pages.keys) == bytes(both), comment)
        #expect(book.pages[decomposed]??.title == "two", comment)
    }

    private func filled() -> Book {
        let book = Book()
        book.words.insert(objectsIn: both)
        book.optionals.insert(objectsIn: both)
        book.labels.insert(objectsIn: both.map { Label($0) })
        book.mixed.insert(objectsIn: both.map { .string($0) })
        let inner = Map<String, AnyRealmValue>()
        for (index, key) in both.enumerated() {
            book.counts[key] = index + 1
            book.values[key] = .string(key)
            inner[key] = .int(index)
            book.pages[key] = Page(value: ["title": ["one", "two"][index]])
        }
        book.any = .dictionary(inner)
        return book
    }

    @Test func unmanagedCollectionsKeepBoth() {
        let book = filled()
        expectBoth(book)
        #expect(book.words.contains(composed) && book.words.contains(decomposed))
        book.words.remove(composed)
        #expect(bytes(book.words) == bytes([decomposed]) && !book.words.contains(composed))
        book.counts.removeObject(for: decomposed)
        #expect(book.counts[composed] == 1 && book.counts[decomposed] == nil)
        book.counts.merge([(key: decomposed, value: 5)]) { $0 + $1 }
        #expect(book.counts[composed] == 1 && book.counts[decomposed] == 5)
    }

    @Test func addedAndCopiedObjectsKeepBoth() throws {
        let realm = try realm()
        let other = try self.realm("other.realm")
        let added = filled()
        try realm.write { realm.add(added) }
        expectBoth(added, "add")
        let copy = try other.write { other.create(Book.self, value: added) }
        expectBoth(copy, "copy to another Realm")
        let update = filled()
        try realm.write { realm.add(update, update: .modified) }
        expectBoth(added, "modified")
        let all = filled()
        try realm.write { realm.add(all, update: .all) }
        expectBoth(added, "all")
        try realm.write {
            // A copy of the map replaces another value.
            added.values["map"] = added.any
            added.any = .none
            added.any = added.values["map"] ?? .none
            added.values["map"] = nil
        }
        expectBoth(added, "maps in mixed values")
    }

    @Test func valuesGivenByNameKeepBoth() throws {
        let realm = try realm()
        let source = filled()
        let created = try realm.write {
            realm.create(
                Book.self,
                value: [
                    "id": 1, "words": both, "optionals": both, "labels": both, "mixed": both,
                    "counts": source.counts, "values": source.values, "any": source.any,
                    "pages": source.pages,
                ])
        }
        expectBoth(created, "create")
        let dynamic = try realm.write {
            realm.dynamicCreate("Book", value: ["id": 2, "words": both, "counts": source.counts])
        }
        #expect((dynamic.words as? MutableSet<String>)?.count == 2)
        let empty = try realm.write { realm.create(Book.self, value: ["id": 3]) }
        try realm.write {
            empty["words"] = both
            empty.setValue(both, forKey: "optionals")
            empty["labels"] = both
            empty.setValue(both, forKey: "mixed")
            empty["counts"] = source.counts
            empty.setValue(source.values, forKey: "values")
            empty["any"] = source.any
            empty["pages"] = filled().pages
        }
        expectBoth(empty, "set")
        try realm.write {
            let object = realm.dynamicObject(ofType: "Book", forPrimaryKey: 3)
            object?["pages"] = Map<String, Page?>()
            object?["pages"] = filled().pages
        }
        expectBoth(empty, "set on a dynamic object")
    }

    @Test func equalityOfUnmanagedCollectionsIsThatOfBytes() {
        let (left, right) = (Book(), Book())
        left.list.append(composed)
        right.list.append(decomposed)
        #expect(left.list != right.list && left.list.index(of: decomposed) == nil)
        #expect(!left.list.contains(decomposed) && left.list.contains(composed))
        #expect(left.list.firstIndex(of: decomposed) == nil)
        #expect(left.list.lastIndex(of: composed) == 0)
        left.words.insert(composed)
        right.words.insert(decomposed)
        #expect(left.words != right.words && !left.words.intersects(right.words))
        #expect(!left.words.isSubset(of: right.words))
        left.words.formUnion(right.words)
        #expect(left.words.count == 2)
        left.words.subtract(right.words)
        #expect(bytes(left.words) == bytes([composed]))
        left.counts[composed] = 1
        right.counts[decomposed] = 1
        #expect(left.counts != right.counts)
        #expect(AnyRealmValue.string(composed) != .string(decomposed))
        #expect(AnyRealmValue.fromArray([.string(composed)]) != .fromArray([.string(decomposed)]))
        #expect(
            AnyRealmValue.fromDictionary([composed: .none])
                != .fromDictionary([decomposed: .none]))
    }

    @Test func managedCollectionsAnswerByBytes() throws {
        let realm = try realm()
        let book = try realm.write { realm.create(Book.self, value: ["list": [composed]]) }
        #expect(book.list.index(of: decomposed) == nil && !book.list.contains(decomposed))
        #expect(book.list.sorted(ascending: true).index(of: decomposed) == nil)
        #expect(book.list.firstIndex(of: composed) == 0)
    }

    @Test func sectionsAndDistinctUnionsHoldThemApart() throws {
        let realm = try realm()
        try realm.write {
            for (index, text) in both.enumerated() {
                realm.create(
                    Book.self,
                    value: ["id": index, "title": text, "label": text, "any": text])
            }
        }
        let books = realm.objects(Book.self)
        #expect(books.distinct(by: ["title"]).count == 2)
        let sections = books.sectioned(by: \.title)
        #expect(sections.count == 2 && bytes(sections.allKeys) == bytes(both))
        #expect(sections[0] != sections[1] && sections[1].count == 1)
        #expect(books.sectioned(by: \.label).count == 2)
        #expect(books.sectioned(by: \.any).count == 2)
        #expect(books.sectioned(by: { Optional($0.title) }, sortDescriptors: ["title"]).count == 2)
        let union = books.value(forKeyPath: "@distinctUnionOfObjects.title") as? [String]
        #expect(bytes(union ?? []) == bytes(both))
    }

    /// A cached predicate must not be used for a text that is equal but has other bytes.
    @Test func predicatesAreToldApartByTheirBytes() throws {
        let realm = try realm()
        try realm.write {
            for (index, text) in both.enumerated() {
                realm.create(
                    Book.self, value: ["id": index + 1, "title": text, "counts": [text: 1]])
            }
        }
        let books = realm.objects(Book.self)
        for (index, text) in both.enumerated() {
            #expect(books.filter("title == '\(text)'").map(\.id) == [index + 1])
            #expect(books.where { $0.title == text }.map(\.id) == [index + 1])
            #expect(books.filter("counts['\(text)'] == 1").map(\.id) == [index + 1])
            #expect(books.where { $0.counts[text] == 1 }.map(\.id) == [index + 1])
        }
    }

    @Test func filesAreToldApartByTheBytesOfTheirNames() throws {
        let first = try realm("\(composed).realm")
        try first.write { first.create(Book.self, value: ["id": 1]) }
        let second = try realm("\(decomposed).realm")
        #expect(second.isEmpty && !first.isEmpty && first != second)
        let identifiers = both.map {
            Realm.Configuration(inMemoryIdentifier: $0, objectTypes: [Book.self, Page.self])
        }
        #expect(identifiers[0] != identifiers[1])
    }

    @Test func encodingAMapWhoseKeysADictionaryCannotHoldThrows() throws {
        let map = Map<String, Int>()
        map[composed] = 1
        #expect(try JSONEncoder().encode(map).count > 0)
        map[decomposed] = 2
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(map) }
    }
}
