import Foundation
import RealmSwift
import Testing

// Frozen things are read by many threads at once while the live Realm changes. What they show must
// stay the same.

@Suite(.timeLimit(.minutes(10))) struct FrozenThreadTests {
    private typealias Author = FrozenModels.Author
    private typealias Book = FrozenModels.Book

    @Test func aSnapshotIsReadOnAnotherThread() throws {
        let scene = try FrozenScene()
        let before = FrozenContents(scene.realm)
        let frozen = Carried(scene.realm.freeze())
        #expect(try runThread { FrozenContents(frozen.value) } == before)
        try scene.changeEverything()
        #expect(try runThread { FrozenContents(frozen.value) } == before)
    }

    @Test func manyThreadsReadOneSnapshotWhileItsRealmChanges() throws {
        let scene = try FrozenScene()
        let before = FrozenContents(scene.realm)
        let frozen = Carried(scene.realm.freeze())
        var number = 10
        let wrong = try readOnThreads(4) {
            try scene.realm.write {
                scene.realm.changeEverything()
                scene.realm.addAuthors(number..<(number + 1))
            }
            number += 1
        } reading: { _ in
            (0..<40).filter { _ in FrozenContents(frozen.value) != before }.count
        }
        #expect(wrong == [0, 0, 0, 0])
        #expect(FrozenContents(scene.realm) != before)
    }

    @Test func manyThreadsReadTheSameObjectsAndCollections() throws {
        let scene = try FrozenScene()
        let author = Carried(try scene.author(2).freeze())
        let books = Carried(try scene.author(2).books.freeze())
        let words = Carried(try scene.author(2).words.freeze())
        let counts = Carried(try scene.author(2).counts.freeze())
        let results = Carried(scene.authors.filter("age > 20").sorted(byKeyPath: "age").freeze())
        let entry = FrozenContents.Entry(author.value)
        let wrong = try readOnThreads(4) {
            try scene.changeEverything()
        } reading: { _ in
            var wrong = 0
            for _ in 0..<100 {
                if FrozenContents.Entry(author.value) != entry { wrong += 1 }
                if Array(books.value.map(\.title)) != ["book 2", "book 0"] { wrong += 1 }
                if Set(words.value) != ["common", "word 2"] { wrong += 1 }
                if counts.value["a"] != 2 || counts.value.count != 2 { wrong += 1 }
                if Array(results.value.map(\.id)) != [1, 2, 3] { wrong += 1 }
            }
            return wrong
        }
        #expect(wrong == [0, 0, 0, 0])
    }

    /// The first reads happen on all threads at the same moment.
    @Test func manyThreadsReadWhatWasNeverReadBefore() throws {
        for _ in 0..<20 {
            let scene = try FrozenScene(authors: 8)
            let results = Carried(
                scene.authors.filter("age >= 40").sorted(byKeyPath: "age", ascending: false)
                    .freeze())
            let author = Carried(try scene.author(3).freeze())
            let sections = Carried(scene.authors.sectioned(by: \.rating).freeze())
            let start = StartingLine(count: 4)
            let seen = try onThreads(4) { _ in
                start.wait()
                let ids = Array(results.value.map(\.id))
                let entry = FrozenContents.Entry(author.value)
                return FirstReads(ids: ids, entry: entry, sections: sections.value.count)
            }
            #expect(seen[0].ids == [7, 6, 5, 4, 3, 2] && seen[0].sections == 8)
            #expect(seen.allSatisfy { $0 == seen[0] })
        }
    }

    private struct FirstReads: Equatable, Sendable {
        let ids: [Int]
        let entry: FrozenContents.Entry
        let sections: Int
    }

    @Test func manyThreadsReadManyVersionsInDifferentOrders() throws {
        let scene = try FrozenScene(authors: 0)
        var versions: [Realm] = []
        for id in 0..<24 {
            versions.append(scene.realm.freeze())
            try scene.realm.write { scene.realm.addAuthors(id..<(id + 1)) }
        }
        let frozen = Carried(versions)
        let counts = try onThreads(4) { thread in
            var counts = [Int](repeating: -1, count: 24)
            for step in 0..<24 {
                let index = (step * 7 + thread * 5) % 24
                counts[index] = frozen.value[index].objects(Author.self).count
            }
            return counts
        }
        #expect(counts.allSatisfy { $0 == Array(0..<24) })
    }

    @Test func manyThreadsQueryOneFrozenCollection() throws {
        let scene = try FrozenScene(authors: 12)
        let frozen = Carried(scene.authors.freeze())
        let wrong = try readOnThreads(4) {
            try scene.realm.write { for author in scene.authors { author.age = 0 } }
        } reading: { thread in
            var wrong = 0
            for step in 0..<50 {
                let limit = 20 + 10 * ((step + thread) % 12)
                let found = frozen.value.filter("age >= %@", limit)
                    .sorted(byKeyPath: "age", ascending: false)
                let expected = Array(stride(from: 130, through: limit, by: -10))
                if Array(found.map(\.age)) != expected { wrong += 1 }
                let sum: Int = frozen.value.sum(of: \.age)
                if sum != 900 { wrong += 1 }
            }
            return wrong
        }
        #expect(wrong == [0, 0, 0, 0])
    }

    @Test func iteratorsOfDifferentThreadsDoNotDisturbEachOther() throws {
        let scene = try FrozenScene(authors: 0)
        try scene.realm.write {
            for number in 0..<2_000 { scene.realm.create(Book.self).pages = number }
        }
        let frozen = Carried(scene.realm.objects(Book.self).freeze())
        let sums = try readOnThreads(4) {
            try scene.realm.write { for book in scene.realm.objects(Book.self) { book.pages = 0 } }
        } reading: { _ in
            var sums = Set<Int>()
            for _ in 0..<10 {
                var sum = 0
                for book in frozen.value { sum += book.pages }
                sums.insert(sum)
            }
            return sums
        }
        #expect(sums.allSatisfy { $0 == [1_999_000] })
    }

    /// Amounts move between two authors. Their sum is the same in every version.
    @Test func everyThreadFreezesACompleteVersion() throws {
        let scene = try FrozenScene(authors: 2)
        try scene.realm.write {
            try scene.author(0).age = 500
            try scene.author(1).age = 500
        }
        let configuration = scene.configuration
        var step = 0
        let wrong = try readOnThreads(3) {
            step += 1
            try scene.realm.write {
                try scene.author(0).age -= step % 7
                try scene.author(1).age += step % 7
            }
        } reading: { _ in
            var wrong = 0
            for _ in 0..<50 {
                let realm = try Realm(configuration: configuration)
                realm.refresh()
                let frozen = Carried(realm.freeze())
                let sums = try onThreads(2) { _ in
                    frozen.value.objects(Author.self).map(\.age).reduce(0, +)
                }
                if sums != [1_000, 1_000] { wrong += 1 }
            }
            return wrong
        }
        #expect(wrong == [0, 0, 0])
    }

    @Test func whatWasFrozenOnAnotherThreadIsReadHere() throws {
        let scene = try FrozenScene()
        let configuration = scene.configuration
        let frozen = try runThread {
            Carried(try Realm(configuration: configuration).author(2).freeze())
        }
        try scene.changeEverything()
        #expect(frozen.value.name == "author 2" && frozen.value.mentor?.id == 1)
        #expect(try runThread { frozen.value.books.count } == 2)
    }

    @Test func whatAnotherThreadReadsFromAFrozenThingIsReadHere() throws {
        let scene = try FrozenScene()
        let frozen = Carried(scene.realm.freeze())
        let parts = try runThread {
            let author = try frozen.value.author(2)
            return Carried((author.books, author.mentor, author.bySubject, author.note))
        }
        try scene.changeEverything()
        let (books, mentor, map, note) = parts.value
        #expect(books.count == 2 && books[0].title == "book 2" && books.isFrozen)
        #expect(mentor?.name == "author 1" && map["art"]??.title == "book 2")
        #expect(note.dictionaryValue?["number"] == .int(2))
    }

    @Test func aTaskReadsFrozenThingsAfterItMovedToAnotherThread() async throws {
        let frozen = Carried(try FrozenScene().author(2).freeze())
        for _ in 0..<20 {
            let name = await Task.detached { frozen.value.name }.value
            #expect(name == "author 2" && frozen.value.books.count == 2)
            await Task.yield()
        }
    }

    @Test func anActorReadsFrozenThings() async throws {
        actor Reader {
            func names(_ authors: Carried<Results<FrozenModels.Author>>) -> [String] {
                Array(authors.value.map(\.name))
            }
        }
        let frozen = Carried(try FrozenScene().authors.sorted(byKeyPath: "id").freeze())
        let names = await Reader().names(frozen)
        #expect(names == ["author 0", "author 1", "author 2", "author 3"])
    }

    @Test func lastReferencesGoOnAnyThread() throws {
        let scene = try FrozenScene()
        for step in 0..<30 {
            let kept = Kept(Carried(try scene.author(2).freeze()))
            try scene.realm.write { try scene.author(2).age = step }
            let names = try onThreads(3) { _ in
                let name = kept.value?.value.name
                kept.release()
                return name ?? "author 2"
            }
            #expect(names == ["author 2", "author 2", "author 2"])
        }
        #expect(try scene.author(2).age == 29)
    }

    @Test func theLiveThingsStayWithTheirThread() throws {
        let scene = try FrozenScene()
        let live = try scene.author(2)
        let frozen = Carried(live.freeze())
        _ = try runThread { frozen.value.name }
        try scene.realm.write { live.name = "here" }
        #expect(live.name == "here" && frozen.value.name == "author 2")
    }
}

/// Lets threads begin at the same moment. Unchecked because the condition guards the number.
private final class StartingLine: @unchecked Sendable {
    private let condition = NSCondition()
    private var missing: Int

    init(count: Int) { missing = count }

    func wait() {
        condition.lock()
        defer { condition.unlock() }
        missing -= 1
        condition.broadcast()
        let limit = Date(timeIntervalSinceNow: 60)
        while missing > 0, condition.wait(until: limit) {}
    }
}

/// A value that threads release. Unchecked because the lock guards it.
private final class Kept<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Value?

    init(_ value: Value) { stored = value }

    var value: Value? { lock.withLock { stored } }
    func release() { lock.withLock { stored = nil } }
}
