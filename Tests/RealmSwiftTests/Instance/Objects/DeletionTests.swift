import Foundation
import RealmSwift
import Testing

@Suite struct DeletionTests {
    typealias Shelf = ModifiedCollectionTests.Shelf
    typealias Book = ModifiedCollectionTests.Book

    let directory = TestDirectory()

    private func openRealm() throws -> (Realm, Shelf) {
        let realm = try directory.realm([Shelf.self, Book.self])
        let shelf = Shelf(value: ["id": 1])
        let books = ["one", "two"].map { Book(value: ["title": $0]) }
        shelf.books.append(objectsIn: books + books)
        shelf.best.insert(objectsIn: books)
        shelf.lent["Ann"] = books[0]
        shelf.lent["Bob"] = books[1]
        try realm.write { realm.add(shelf) }
        return (realm, shelf)
    }

    @Test func sequencesMayHoldAnObjectTwice() throws {
        let (realm, shelf) = try openRealm()
        try realm.write { realm.delete(Array(shelf.books)) }
        #expect(realm.objects(Book.self).isEmpty && shelf.books.isEmpty)
    }

    @Test func embeddedObjectsOfAListAreDeletedTogether() throws {
        let realm = try directory.realm(EmbeddedModels.all)
        let resident = EmbeddedModels.Resident(
            value: ["id": 1, "earlier": [["a"], ["b"]], "byName": ["x": ["c"]]])
        try realm.write { realm.add(resident) }
        try realm.write {
            realm.delete(resident.earlier)
            realm.delete(resident.byName)
        }
        #expect(resident.earlier.isEmpty && resident.byName.count == 0)
        #expect(realm.dynamicObjects(EmbeddedModels.Address.className()).isEmpty)
        try realm.write { resident.earlier.append(EmbeddedModels.Address()) }
        try realm.write { realm.deleteAll() }
        #expect(realm.isEmpty && resident.isInvalidated)
    }

    @Test func deletedObjectsStayDeletedAfterReopening() throws {
        try autoreleasepool {
            let (realm, shelf) = try openRealm()
            try realm.write { realm.delete(shelf) }
        }
        let realm = try directory.realm([Shelf.self, Book.self])
        #expect(realm.objects(Shelf.self).isEmpty && realm.objects(Book.self).count == 2)
    }
}
