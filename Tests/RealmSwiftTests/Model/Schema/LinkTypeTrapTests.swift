import Foundation
import RealmSwift
import Testing

/// Tests that links and collections of a class do not accept objects of its subclasses.
@Suite struct LinkTypeTrapTests {
    class Novel: ModifiedCollectionTests.Book {
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    typealias Shelf = ModifiedCollectionTests.Shelf

    private static func managed() throws -> (Realm, Shelf) {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [Shelf.self, ModifiedCollectionTests.Book.self, Novel.self]))
        let shelf = Shelf(value: ["id": 1])
        try realm.write { realm.add(shelf) }
        return (realm, shelf)
    }

    private static let novel = "LinkTypeTrapTests_Novel"
    private static let book = "ModifiedCollectionTests_Book"

    @Test func lists() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, shelf) = try LinkTypeTrapTests.managed()
            try realm.write { shelf.books.append(Novel()) }
        }
        expectStop(
            "Object of type '\(Self.novel)' does not match RLMArray type '\(Self.book)'.", result)
    }

    @Test func sets() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, shelf) = try LinkTypeTrapTests.managed()
            try realm.write { shelf.best.insert(Novel()) }
        }
        expectStop(
            "Object of type '\(Self.novel)' does not match RLMSet type '\(Self.book)'.", result)
    }

    @Test func maps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, shelf) = try LinkTypeTrapTests.managed()
            try realm.write { shelf.lent["Ann"] = Novel() }
        }
        expectStop(
            "Value of type '\(Self.novel)' does not match RLMDictionary value type "
                + "'\(Self.book)'.", result)
    }
}
