import Foundation
import RealmSwift
import Testing

// Documented: objects with a primary key and frozen objects are equal if they are the same object
// of the same Realm. Objects of different Realms, a frozen one and a live one among them, are never
// equal.

@Suite struct FrozenEqualityTests {
    private typealias Author = FrozenModels.Author
    private typealias Book = FrozenModels.Book

    @Test func frozenCopiesOfOneVersionAreEqual() throws {
        let scene = try FrozenScene()
        let live = try scene.author(1)
        let (one, two) = (live.freeze(), live.freeze())
        #expect(one == two && one.hashValue == two.hashValue)
        #expect(Set([one, two]).count == 1)
    }

    @Test func objectsWithoutAPrimaryKeyAreEqualOnceTheyAreFrozen() throws {
        let scene = try FrozenScene()
        let books = scene.realm.objects(Book.self)
        let (live, same) = (books[0], books[0])
        let (one, two) = (live.freeze(), same.freeze())
        #expect(one == two && one.hashValue == two.hashValue)
        #expect(one != books[1].freeze())
        #expect(Set([one, two, books[1].freeze()]).count == 2)
    }

    @Test func aFrozenObjectIsFoundByEveryPathToIt() throws {
        let frozen = try FrozenScene().realm.freeze()
        let author = try frozen.author(1)
        let (key, found) = (try frozen.author(2).mentor, frozen.objects(Author.self)[1])
        #expect(key == author && found == author)
        #expect(author.books.last == frozen.objects(Author.self)[0].books.first)
        #expect(try author.pupils.first == frozen.author(2))
    }

    @Test func differentObjectsAreNotEqual() throws {
        let frozen = try FrozenScene().realm.freeze()
        #expect(try frozen.author(1) != frozen.author(2))
        #expect(frozen.objects(Book.self)[0] != frozen.objects(Book.self)[1])
    }

    @Test func frozenAndLiveObjectsAreNotEqual() throws {
        let scene = try FrozenScene()
        let live = try scene.author(1)
        let frozen = live.freeze()
        #expect(frozen != live && live != frozen)
        #expect(frozen.thaw() == live)
        let book = scene.realm.objects(Book.self)[0]
        #expect(book.freeze() != book)
    }

    @Test func copiesOfDifferentVersionsAreNotEqual() throws {
        let scene = try FrozenScene()
        let live = try scene.author(1)
        let before = live.freeze()
        try scene.realm.write { live.age += 1 }
        #expect(before != live.freeze())
    }

    @Test func frozenObjectsAreKeysOfDictionaries() throws {
        let scene = try FrozenScene()
        let frozen = scene.realm.freeze()
        var pages: [Book: Int] = [:]
        for book in frozen.objects(Book.self) { pages[book] = book.pages }
        try scene.realm.write { scene.realm.deleteAll() }
        for book in frozen.objects(Book.self) { #expect(pages[book] == book.pages) }
        #expect(pages.count == 4)
        let book = try #require(try frozen.author(2).books.first)
        #expect(pages[book] == 102)
    }

    @Test func hashesOfFrozenObjectsStayWhatTheyWere() throws {
        let scene = try FrozenScene()
        let frozen = try scene.author(1).freeze()
        let hash = frozen.hashValue
        try scene.realm.write { scene.realm.deleteAll() }
        #expect(frozen.hashValue == hash)
        let carried = Carried(frozen)
        #expect(try runThread { carried.value.hashValue } == hash)
    }

    @Test func threadsAgreeOnEquality() throws {
        let scene = try FrozenScene()
        let frozen = Carried(scene.realm.freeze())
        let author = Carried(try frozen.value.author(1))
        let book = Carried(try #require(author.value.books.first))
        try scene.changeEverything()
        let agree = try onThreads(4) { _ in
            let own = try frozen.value.author(1)
            return own == author.value && own.hashValue == author.value.hashValue
                && own.books.first == book.value && own.books.index(of: book.value) == 0
                && own.isSameObject(as: author.value)
        }
        #expect(agree == [true, true, true, true])
    }

    @Test func embeddedObjectsAreEqualOnceTheyAreFrozen() throws {
        let scene = try FrozenScene()
        let author = try scene.author(1).freeze()
        let (one, two) = (try #require(author.home), try #require(author.home))
        #expect(one == two && one.hashValue == two.hashValue)
        #expect(author.homes[0] != author.homes[1] && author.homes.index(of: author.homes[1]) == 1)
    }
}
