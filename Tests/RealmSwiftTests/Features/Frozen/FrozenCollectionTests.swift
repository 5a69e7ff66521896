import Foundation
import RealmSwift
import Testing

// Documented: "The frozen copy is an immutable collection which contains the same data as the
// given collection currently contains, but will not update when writes are made to the containing
// Realm. Unlike live collections, frozen collections can be accessed from any thread."

@Suite struct FrozenListTests {
    private typealias Author = FrozenModels.Author
    private typealias Book = FrozenModels.Book

    @Test func aListOfValuesKeepsItsElements() throws {
        let scene = try FrozenScene()
        let live = try scene.author(1).scores
        let frozen = live.freeze()
        try scene.realm.write {
            live.append(9)
            live[0] = -1
            live.move(from: 0, to: 2)
        }
        #expect(Array(frozen) == [1, 2, 3] && frozen.count == 3 && frozen.isFrozen)
        #expect(frozen[2] == 3 && frozen.first == 1 && frozen.last == 3)
        #expect(frozen.index(of: 2) == 1 && frozen.contains(3) && !frozen.contains(9))
        #expect(Array(live) == [2, 3, -1, 9])
    }

    @Test func aListOfObjectsKeepsItsElements() throws {
        let scene = try FrozenScene()
        let live = try scene.author(2).books
        let frozen = live.freeze()
        try scene.realm.write {
            live[0].title = "changed"
            live.removeLast()
            scene.realm.delete(scene.realm.objects(Book.self).filter("title == 'book 0'"))
        }
        #expect(Array(frozen.map(\.title)) == ["book 2", "book 0"])
        #expect(Array(live.map(\.title)) == ["changed"])
        #expect(frozen.index(of: frozen[1]) == 1)
    }

    @Test func aListIsReadOnlyAfterItsOwnerIsGone() throws {
        let scene = try FrozenScene()
        let live = try scene.author(2).books
        let frozen = live.freeze()
        try scene.realm.write { scene.realm.delete(try scene.author(2)) }
        #expect(live.isInvalidated && !frozen.isInvalidated)
        #expect(frozen.count == 2 && frozen.first?.title == "book 2")
        #expect(frozen.filter("title ENDSWITH '0'").count == 1)
    }

    @Test func aListThatIsEmptiedKeepsItsCount() throws {
        let scene = try FrozenScene()
        let live = try scene.author(2).books
        let frozen = live.freeze()
        try scene.realm.write { scene.realm.delete(live) }
        #expect(live.isEmpty && frozen.count == 2 && !frozen.isEmpty)
        #expect(frozen.reduce(0) { $0 + $1.pages } == 202)
    }

    @Test func iterationSlicesAndSelectionsAreOfTheVersion() throws {
        let scene = try FrozenScene()
        let frozen = try scene.author(1).scores.freeze()
        var iterator = frozen.makeIterator()
        #expect(iterator.next() == 1)
        try scene.changeEverything()
        #expect(iterator.next() == 2 && iterator.next() == 3 && iterator.next() == nil)
        #expect(Array(frozen[1..<3]) == [2, 3])
        #expect(frozen.objects(at: [0, 2]) == [1, 3])
    }

    @Test func filtersSortsAndAggregatesAreOfTheVersion() throws {
        let scene = try FrozenScene()
        let author = try scene.author(2)
        let (books, scores) = (author.books.freeze(), author.scores.freeze())
        try scene.changeEverything()
        #expect(Array(books.filter("pages > 100").map(\.title)) == ["book 2"])
        #expect(Array(books.sorted(byKeyPath: "pages").map(\.pages)) == [100, 102])
        #expect(Array(books.where { $0.title == "book 0" }.map(\.pages)) == [100])
        #expect(books.sum(of: \.pages) == 202 && books.max(of: \.pages) == 102)
        #expect(books.min(of: \.pages) == 100 && books.average(ofProperty: "pages") == 101.0)
        #expect(scores.sum() == 9 && scores.min() == 2 && scores.max() == 4)
        #expect(Array(scores.sorted(ascending: false)) == [4, 3, 2])
        #expect(Array(scores.distinct()).count == 3)
        #expect(books.filter("pages > 100").isFrozen && scores.sorted(ascending: true).isFrozen)
    }

    @Test func aListIsEqualToAnotherFrozenCopyOfTheVersion() throws {
        let scene = try FrozenScene()
        let live = try scene.author(1).books
        let frozen = live.freeze()
        #expect(live.freeze() == frozen && frozen != live)
        #expect(frozen.freeze() == frozen)
        #expect(try scene.author(1).freeze().books == frozen)
    }

    @Test func aThawedListIsLive() throws {
        let scene = try FrozenScene()
        let live = try scene.author(1).scores
        let frozen = live.freeze()
        let thawed = try #require(frozen.thaw())
        #expect(!thawed.isFrozen && thawed == live && thawed.realm == scene.realm)
        try scene.realm.write { thawed.append(7) }
        #expect(Array(live) == [1, 2, 3, 7] && Array(frozen) == [1, 2, 3])
    }

    @Test func aListWhoseOwnerIsGoneIsNotThawed() throws {
        let scene = try FrozenScene()
        let frozen = try scene.author(1).scores.freeze()
        try scene.realm.write { scene.realm.delete(try scene.author(1)) }
        #expect(frozen.thaw()?.isInvalidated ?? true)
        #expect(Array(frozen) == [1, 2, 3])
    }

    @Test func aLongListIsReadCompletely() throws {
        let scene = try FrozenScene(authors: 1)
        let live = try scene.author(0).scores
        try scene.realm.write {
            live.removeAll()
            live.append(objectsIn: 0..<20_000)
        }
        let frozen = live.freeze()
        try scene.realm.write {
            for position in stride(from: 19_999, through: 0, by: -2) { live.remove(at: position) }
        }
        #expect(live.count == 10_000 && frozen.count == 20_000)
        #expect(frozen.elementsEqual(0..<20_000))
        #expect(frozen.sum() == 199_990_000)
    }
}

@Suite struct FrozenSetAndMapTests {
    private typealias Book = FrozenModels.Book

    @Test func aSetOfValuesKeepsItsElements() throws {
        let scene = try FrozenScene()
        let live = try scene.author(1).words
        let frozen = live.freeze()
        try scene.realm.write {
            live.insert("new")
            live.remove("common")
        }
        #expect(Set(frozen) == ["common", "word 1"] && frozen.count == 2 && frozen.isFrozen)
        #expect(frozen.contains("common") && !frozen.contains("new"))
        #expect(Set(live) == ["new", "word 1"])
    }

    @Test func aSetOfObjectsKeepsItsElements() throws {
        let scene = try FrozenScene()
        let live = try scene.author(1).favourites
        let frozen = live.freeze()
        try scene.realm.write {
            live.insert(objectsIn: Array(scene.realm.objects(Book.self)))
            scene.realm.delete(try #require(live.filter("title == 'book 1'").first))
        }
        #expect(frozen.map(\.title) == ["book 1"])
        #expect(frozen.first.map { frozen.contains($0) } == true)
        #expect(frozen.filter("pages == 101").count == 1 && frozen.sum(of: \.pages) == 101)
        #expect(live.count == 3)
    }

    @Test func frozenSetsAreCompared() throws {
        let scene = try FrozenScene()
        let one = try scene.author(1).words.freeze()
        let two = try scene.author(2).words.freeze()
        try scene.realm.write { try scene.author(1).words.removeAll() }
        #expect(one.intersects(two) && !one.isSubset(of: two) && one.isSubset(of: one))
        #expect(try scene.author(1).words.isEmpty)
    }

    @Test func aSetOutlivesItsOwner() throws {
        let scene = try FrozenScene()
        let frozen = try scene.author(1).words.freeze()
        try scene.realm.write { scene.realm.delete(try scene.author(1)) }
        #expect(!frozen.isInvalidated && frozen.count == 2)
        #expect(frozen.thaw()?.isInvalidated ?? true)
    }

    @Test func aThawedSetIsLive() throws {
        let scene = try FrozenScene()
        let live = try scene.author(1).words
        let thawed = try #require(live.freeze().thaw())
        #expect(!thawed.isFrozen && thawed == live)
        try scene.realm.write { thawed.insert("more") }
        #expect(live.contains("more"))
    }

    @Test func aMapOfValuesKeepsItsEntries() throws {
        let scene = try FrozenScene()
        let live = try scene.author(1).counts
        let frozen = live.freeze()
        try scene.realm.write {
            live["a"] = 99
            live["c"] = 3
            live.removeObject(for: "b")
        }
        #expect(frozen.isFrozen && frozen.count == 2 && frozen["a"] == 1 && frozen["b"] == 10)
        #expect(frozen["c"] == nil && frozen.keys.sorted() == ["a", "b"])
        #expect(frozen.values.sorted() == [1, 10])
        #expect(frozen.sum() == 11 && frozen.max() == 10 && frozen.min() == 1)
        #expect(live["a"] == 99 && live.count == 2)
    }

    @Test func aMapOfObjectsKeepsItsEntries() throws {
        let scene = try FrozenScene()
        let live = try scene.author(1).bySubject
        let frozen = live.freeze()
        try scene.realm.write {
            scene.realm.delete(scene.realm.objects(Book.self).filter("title == 'book 1'"))
        }
        #expect(live["art"] == .some(nil))
        #expect(frozen["art"]??.title == "book 1" && frozen["none"] == .some(nil))
        #expect(frozen["missing"] == nil && frozen.count == 2)
        #expect(frozen.filter("pages == 101").count == 1)
        #expect(frozen.contains(where: { key, book in key == "art" && book?.pages == 101 }))
    }

    @Test func entriesOfAMapAreIteratedInTheVersion() throws {
        let scene = try FrozenScene()
        let frozen = try scene.author(1).counts.freeze()
        try scene.changeEverything()
        var pairs: [String: Int] = [:]
        for entry in frozen { pairs[entry.key] = entry.value }
        #expect(pairs == ["a": 1, "b": 10])
    }

    @Test func aMapOutlivesItsOwner() throws {
        let scene = try FrozenScene()
        let frozen = try scene.author(1).counts.freeze()
        try scene.realm.write { scene.realm.delete(try scene.author(1)) }
        #expect(!frozen.isInvalidated && frozen["b"] == 10)
        #expect(frozen.thaw()?.isInvalidated ?? true)
    }

    @Test func aThawedMapIsLive() throws {
        let scene = try FrozenScene()
        let live = try scene.author(1).counts
        let frozen = live.freeze()
        let thawed = try #require(frozen.thaw())
        #expect(!thawed.isFrozen && thawed == live)
        try scene.realm.write { thawed["a"] = 5 }
        #expect(live["a"] == 5 && frozen["a"] == 1)
    }

    @Test func frozenCopiesOfOneVersionAreEqual() throws {
        let author = try FrozenScene().author(1)
        #expect(author.words.freeze() == author.words.freeze())
        #expect(author.counts.freeze() == author.counts.freeze())
        #expect(author.words.freeze() != author.words && author.counts.freeze() != author.counts)
    }
}

@Suite struct FrozenLinkingObjectsTests {
    @Test func linkingObjectsAreThoseOfTheVersion() throws {
        let scene = try FrozenScene()
        let live = try scene.author(1).pupils
        let frozen = live.freeze()
        try scene.realm.write {
            try scene.author(3).mentor = scene.author(1)
            try scene.author(2).name = "changed"
        }
        #expect(frozen.isFrozen && frozen.count == 1 && live.count == 2)
        #expect(frozen.first?.id == 2 && frozen.first?.name == "author 2")
        #expect(frozen.filter("id == 3").isEmpty && live.filter("id == 3").count == 1)
        #expect(frozen.sum(of: \.age) == 40)
    }

    @Test func linkingObjectsOutliveTheirObject() throws {
        let scene = try FrozenScene()
        let frozen = try scene.author(1).pupils.freeze()
        try scene.realm.write { scene.realm.deleteAll() }
        #expect(!frozen.isInvalidated && Array(frozen.map(\.id)) == [2])
    }

    @Test func thawedLinkingObjectsAreLive() throws {
        let scene = try FrozenScene()
        let live = try scene.author(1).pupils
        let thawed = try #require(live.freeze().thaw())
        #expect(!thawed.isFrozen && thawed == live)
        try scene.realm.write { try scene.author(3).mentor = scene.author(1) }
        #expect(thawed.count == 2)
    }
}
