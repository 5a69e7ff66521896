import Foundation
import RealmSwift
import Testing
import ToolSupport

/// Tests of updates of objects with collections, under both policies.
@Suite struct ModifiedCollectionTests {
    class Shelf: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var names: List<String?>
        @Persisted var numbers: MutableSet<Int>
        @Persisted var prices: Map<String, Double>
        @Persisted var books: List<Book>
        @Persisted var best: MutableSet<Book>
        @Persisted var lent: Map<String, Book?>
    }

    class Book: Object {
        @Persisted(primaryKey: true) var title: String
        @Persisted var pages = 0
    }

    let directory = TestDirectory()

    @Test(arguments: [Realm.UpdatePolicy.modified, .all])
    func takeOnTheGivenElements(policy: Realm.UpdatePolicy) throws {
        let realm = try directory.realm([Shelf.self, Book.self])
        var random = SeededGenerator(seed: 6)
        func some<T>(_ values: [T]) -> [T] {
            values.shuffled(using: &random).dropLast(
                Int.random(in: 0...values.count, using: &random))
        }
        try realm.write { realm.add(Shelf(value: ["id": 1])) }
        let shelf = try #require(realm.object(ofType: Shelf.self, forPrimaryKey: 1))
        for round in 0..<40 {
            let names = some(["a", "b", "c", nil, "a"])
            let numbers = some([1, 2, 3, 4, 5])
            let prices = Dictionary(uniqueKeysWithValues: some(["x", "y", "z"]).map { ($0, 1.5) })
            let titles = some(["one", "two", "three", "four"])
            let lent = some(["Ann", "Bob", "Eve"])
            let value: [String: Any] = [
                "id": 1, "names": names, "numbers": numbers, "prices": prices,
                "books": titles.map { ["title": $0, "pages": round] as [String: Any] },
                "best": titles.map { ["title": $0] },
                "lent": Dictionary(
                    uniqueKeysWithValues: lent.map { ($0, ["title": "one"] as [String: Any]) }),
            ]
            try realm.write {
                if round % 2 == 0 {
                    realm.create(Shelf.self, value: value, update: policy)
                } else {
                    realm.add(Shelf(value: value), update: policy)
                }
            }
            #expect(Array(shelf.names) == names)
            #expect(Set(shelf.numbers) == Set(numbers))
            #expect(shelf.prices.keys.sorted() == prices.keys.sorted())
            #expect(shelf.books.map(\.title) == titles)
            #expect(Set(shelf.best.map(\.title)) == Set(titles))
            #expect(shelf.lent.keys.sorted() == lent.sorted())
        }
        #expect(realm.objects(Book.self).count <= 4 && realm.objects(Shelf.self).count == 1)
    }
}
