import Foundation
import RealmSwift
import Testing

@Suite struct FrozenResultsTests {
    private typealias Author = FrozenModels.Author
    private typealias Book = FrozenModels.Book

    private func ids(_ results: Results<Author>) -> [Int] { Array(results.map(\.id)) }

    @Test func resultsKeepTheirElements() throws {
        let scene = try FrozenScene()
        let live = scene.authors
        let frozen = live.freeze()
        #expect(frozen.isFrozen && !live.isFrozen && frozen.realm?.isFrozen == true)
        try scene.realm.write {
            scene.realm.addAuthors(10..<12)
            scene.realm.delete(try scene.author(1))
        }
        #expect(ids(frozen) == [0, 1, 2, 3] && frozen.count == 4 && live.count == 5)
        #expect(frozen[1].name == "author 1" && frozen[1].isFrozen)
        #expect(frozen.first?.id == 0 && frozen.last?.id == 3)
    }

    @Test func resultsThatWereNeverReadAreFrozenAsTheyAre() throws {
        let scene = try FrozenScene()
        let frozen = scene.authors.filter("age > 20").sorted(byKeyPath: "age", ascending: false)
            .freeze()
        try scene.changeEverything()
        #expect(ids(frozen) == [3, 2, 1])
    }

    @Test func resultsKeepFilterSortAndDistinct() throws {
        let scene = try FrozenScene(authors: 6)
        try scene.realm.write {
            for author in scene.authors { author.rating = Double(author.id % 3) }
        }
        let live = scene.authors.filter("id > 0")
            .sorted(by: [
                SortDescriptor(keyPath: "rating"), SortDescriptor(keyPath: "id", ascending: false),
            ])
            .distinct(by: ["rating"])
        let frozen = live.freeze()
        #expect(ids(live) == [3, 4, 5])
        try scene.realm.write { for author in scene.authors { author.rating = 1 } }
        #expect(ids(live) == [5])
        #expect(ids(frozen) == [3, 4, 5] && frozen[2].rating == 2)
    }

    @Test func deletingAllObjectsLeavesFrozenResultsFull() throws {
        let scene = try FrozenScene()
        let frozen = scene.authors.freeze()
        try scene.realm.write { scene.realm.deleteAll() }
        #expect(scene.authors.isEmpty && frozen.count == 4)
        #expect(frozen.map(\.name).sorted() == (0..<4).map { "author \($0)" })
    }

    @Test func queriesOnFrozenResultsAreOfTheVersion() throws {
        let scene = try FrozenScene()
        let frozen = scene.authors.freeze()
        try scene.changeEverything()
        #expect(ids(frozen.filter("age >= 40")) == [2, 3])
        #expect(ids(frozen.filter("name == %@", "author 1")) == [1])
        #expect(ids(frozen.filter("mentor.name == 'author 1'")) == [2])
        #expect(ids(frozen.filter("ANY books.title == 'book 3'")) == [3])
        #expect(ids(frozen.filter("pupils.@count == 0")) == [3])
        #expect(ids(frozen.filter("scores.@sum > 9")) == [3])
        #expect(ids(frozen.filter("counts['a'] == 2")) == [2])
        #expect(ids(frozen.filter("home.city == 'city 1'")) == [1])
        #expect(ids(frozen.filter("rating == nil")) == [1])
        #expect(ids(frozen.filter("SUBQUERY(books, $b, $b.pages > 101).@count > 0")) == [2, 3])
        #expect(ids(frozen.where { $0.age < 30 || $0.words.contains("word 2") }) == [0, 2])
        #expect(frozen.filter("age > 1000").isEmpty)
        #expect(frozen.index(matching: "id == %@", 2) == 2)
        #expect(frozen.index(matching: { $0.id == 3 }) == 3)
    }

    @Test func frozenObjectsAreSoughtInFrozenResults() throws {
        let scene = try FrozenScene()
        let frozen = scene.realm.freeze()
        try scene.changeEverything()
        let authors = frozen.objects(Author.self)
        let one = try frozen.author(1)
        let book = try #require(one.books.last)
        #expect(authors.index(of: one) == 1)
        #expect(ids(authors.filter("mentor == %@", one)) == [2])
        #expect(ids(authors.filter("ANY books == %@", book)) == [0, 1, 2, 3])
        #expect(ids(authors.where { $0.mentor == one }) == [2])
    }

    @Test func sortsOfFrozenResultsAreOfTheVersion() throws {
        let scene = try FrozenScene()
        let frozen = scene.authors.freeze()
        try scene.realm.write { for author in scene.authors { author.age = -author.age } }
        #expect(ids(frozen.sorted(byKeyPath: "age")) == [0, 1, 2, 3])
        #expect(ids(frozen.sorted(by: \.age, ascending: false)) == [3, 2, 1, 0])
        let byMentor = frozen.sorted(byKeyPath: "mentor.age", ascending: false)
        #expect(ids(byMentor.filter("id > 0")) == [3, 2, 1])
        #expect(ids(frozen.sorted(byKeyPath: "rating")).first == 1)
    }

    @Test func aggregatesOfFrozenResultsAreOfTheVersion() throws {
        let scene = try FrozenScene()
        let frozen = scene.authors.freeze()
        try scene.realm.write { for author in scene.authors { author.age *= 10 } }
        #expect(frozen.sum(of: \.age) == 140 && frozen.average(ofProperty: "age") == 35.0)
        #expect(frozen.min(of: \.age) == 20 && frozen.max(of: \.age) == 50)
        #expect(frozen.max(ofProperty: "age") as Int? == 50)
        #expect(frozen.sum(ofProperty: "age") as Int == 140)
        #expect(frozen.value(forKeyPath: "@avg.age") as? Double == 35)
        #expect(frozen.value(forKey: "age") as? [Int] == [20, 30, 40, 50])
    }

    @Test func whatIsDerivedFromFrozenResultsIsFrozen() throws {
        let frozen = try FrozenScene().authors.freeze()
        #expect(frozen.filter("age > 1").isFrozen && frozen.where { $0.age > 1 }.isFrozen)
        #expect(frozen.sorted(byKeyPath: "age").isFrozen && frozen.distinct(by: ["age"]).isFrozen)
        #expect(frozen.filter("age > 1").sorted(byKeyPath: "age").first?.isFrozen == true)
        #expect(frozen.sectioned(by: \.age).isFrozen)
    }

    @Test func freezingADerivedCollectionOfAFrozenOneGivesTheSame() throws {
        let frozen = try FrozenScene().authors.freeze().filter("age > 20")
        #expect(frozen.freeze() == frozen && frozen.freeze().count == 3)
    }

    @Test func thawedResultsAreLive() throws {
        let scene = try FrozenScene()
        let frozen = scene.authors.filter("age >= 40").sorted(byKeyPath: "age", ascending: false)
            .freeze()
        let thawed = try #require(frozen.thaw())
        #expect(!thawed.isFrozen && thawed.realm == scene.realm && ids(thawed) == [3, 2])
        try scene.realm.write { try scene.author(1).age = 100 }
        #expect(ids(thawed) == [1, 3, 2] && ids(frozen) == [3, 2])
    }

    @Test func resultsAreThawedWhenNothingIsLeft() throws {
        let scene = try FrozenScene()
        let frozen = scene.authors.freeze()
        try scene.realm.write { scene.realm.deleteAll() }
        let thawed = try #require(frozen.thaw())
        #expect(thawed.isEmpty && frozen.count == 4)
        try scene.realm.write { scene.realm.addAuthors(0..<1) }
        #expect(thawed.count == 1)
    }

    @Test func resultsOfAListAreFrozenAndThawed() throws {
        let scene = try FrozenScene()
        let books = try scene.author(2).books
        let frozen = books.filter("pages > 100").freeze()
        try scene.realm.write { books.removeAll() }
        #expect(Array(frozen.map(\.title)) == ["book 2"])
        #expect(frozen.thaw()?.isEmpty == true)
    }

    @Test func sortedValuesAreFrozen() throws {
        let scene = try FrozenScene()
        let live = try scene.author(1).scores
        let frozen = live.sorted(ascending: false).freeze()
        try scene.realm.write { live.append(9) }
        #expect(Array(frozen) == [3, 2, 1] && frozen.isFrozen)
        #expect(frozen.thaw().map { Array($0) } == [9, 3, 2, 1])
    }

    @Test func resultsInsideATransactionGoOnFromTheFrozenOnes() throws {
        let scene = try FrozenScene()
        let frozen = scene.authors.freeze()
        try scene.realm.write {
            for author in frozen { scene.realm.delete(try scene.author(author.id)) }
            #expect(scene.authors.isEmpty && frozen.count == 4)
        }
        #expect(ids(frozen) == [0, 1, 2, 3])
    }

    @Test func manyObjectsAreReadCompletely() throws {
        let scene = try FrozenScene(authors: 0)
        try scene.realm.write {
            for number in 0..<5_000 {
                let book = scene.realm.create(Book.self)
                book.pages = number
                book.title = "title \(number % 7)"
            }
        }
        let live = scene.realm.objects(Book.self)
        let (all, few) = (live.freeze(), live.filter("title == 'title 3'").freeze())
        try scene.realm.write {
            for book in live where book.pages % 2 == 0 { scene.realm.delete(book) }
            for book in live { book.title = "title 3" }
        }
        #expect(live.count == 2_500 && all.count == 5_000 && few.count == 714)
        #expect(all.sum(of: \.pages) == 12_497_500)
        #expect(few.allSatisfy { $0.pages % 7 == 3 && $0.title == "title 3" })
        #expect(all.filter("title == 'title 3'").count == 714)
    }

    @Test func elementsAreTakenOneByOneWhileTheRealmChanges() throws {
        let scene = try FrozenScene()
        let frozen = scene.authors.sorted(byKeyPath: "id").freeze()
        var names: [String] = []
        for author in frozen {
            try scene.changeEverything()
            names.append(author.name)
        }
        #expect(names == ["author 0", "author 1", "author 2", "author 3"])
    }
}

@Suite struct FrozenAnyRealmCollectionTests {
    private typealias Author = FrozenModels.Author

    @Test func erasedCollectionsAreFrozen() throws {
        let scene = try FrozenScene()
        let author = try scene.author(2)
        let results = AnyRealmCollection(scene.authors).freeze()
        let list = AnyRealmCollection(author.books).freeze()
        let set = AnyRealmCollection(author.favourites).freeze()
        let linking = AnyRealmCollection(author.pupils).freeze()
        try scene.realm.write { scene.realm.deleteAll() }
        #expect(results.isFrozen && list.isFrozen && set.isFrozen && linking.isFrozen)
        #expect(Array(results.map(\.id)) == [0, 1, 2, 3])
        #expect(Array(list.map(\.title)) == ["book 2", "book 0"])
        #expect(set.first?.title == "book 2" && set.count == 1)
        #expect(Array(linking.map(\.id)) == [3])
        #expect(results.filter("age > 20").count == 3 && results.filter("age > 20").isFrozen)
    }

    @Test func aThawedErasedCollectionIsLive() throws {
        let scene = try FrozenScene()
        let frozen = AnyRealmCollection(scene.authors).freeze()
        let thawed = try #require(frozen.thaw())
        try scene.realm.write { scene.realm.addAuthors(10..<11) }
        #expect(!thawed.isFrozen && thawed.count == 5 && frozen.count == 4)
    }

    /// Generic code over all collections.
    private func frozenCount<C: RealmCollection>(_ collection: C) -> Int {
        let frozen: C = collection.freeze()
        return frozen.isFrozen && !collection.isFrozen ? frozen.count : -1
    }

    @Test func genericCodeFreezesAnyCollection() throws {
        let scene = try FrozenScene()
        let author = try scene.author(2)
        #expect(frozenCount(scene.authors) == 4 && frozenCount(author.books) == 2)
        #expect(frozenCount(author.scores) == 3 && frozenCount(author.words) == 2)
        #expect(frozenCount(author.pupils) == 1 && frozenCount(author.notes) == 2)
        #expect(frozenCount(AnyRealmCollection(author.books)) == 2)
    }
}
