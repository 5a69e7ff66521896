import Foundation
import RealmSwift
import Testing

// Documented: "Returns a live (mutable) reference of this object. This method creates a managed
// accessor to a live copy of the same frozen object. Will return self if called on an already live
// object."

@Suite struct ThawTests {
    private typealias Author = FrozenModels.Author

    @Test func aThawedObjectShowsTheNewestValues() throws {
        let scene = try FrozenScene()
        let live = try scene.author(2)
        let frozen = live.freeze()
        try scene.realm.write { live.name = "new" }
        let thawed = try #require(frozen.thaw())
        #expect(!thawed.isFrozen && thawed.name == "new" && thawed == live)
        #expect(thawed.realm == scene.realm && thawed.isSameObject(as: live))
        #expect(frozen.isFrozen && frozen.name == "author 2")
    }

    @Test func aThawedObjectIsWritten() throws {
        let scene = try FrozenScene()
        let frozen = try scene.author(2).freeze()
        let thawed = try #require(frozen.thaw())
        try scene.realm.write {
            thawed.name = "written"
            thawed.scores.append(9)
        }
        #expect(try scene.author(2).name == "written" && frozen.scores.count == 3)
        #expect(try scene.author(2).scores.last == 9)
    }

    @Test func whatAThawedObjectLeadsToIsLive() throws {
        let scene = try FrozenScene()
        let thawed = try #require(try scene.author(2).freeze().thaw())
        #expect(!thawed.books.isFrozen && thawed.mentor?.isFrozen == false)
        #expect(!thawed.words.isFrozen && !thawed.counts.isFrozen && !thawed.pupils.isFrozen)
        #expect(thawed.home?.isFrozen == false && thawed.note.dictionaryValue?.isFrozen == false)
    }

    @Test func liveThingsAreThawedAlready() throws {
        let scene = try FrozenScene()
        let author = try scene.author(2)
        let (list, set, map) = (author.books, author.words, author.counts)
        #expect(author.thaw() === author)
        #expect(list.thaw() == list && set.thaw() == set && map.thaw() == map)
        #expect(author.pupils.thaw() == author.pupils)
        let results = scene.authors
        #expect(results.thaw() == results)
        #expect(author.home?.thaw()?.isFrozen == false)
    }

    @Test func whatIsGoneIsNotThawed() throws {
        let scene = try FrozenScene()
        let author = try scene.author(2).freeze()
        let book = try #require(author.books.first)
        try scene.realm.write { scene.realm.deleteAll() }
        #expect(author.thaw() == nil && book.thaw() == nil && author.home?.thaw() == nil)
        #expect(author.name == "author 2")
    }

    @Test func anObjectDeletedElsewhereIsThawedUntilTheRealmKnows() throws {
        let scene = try FrozenScene()
        let frozen = try scene.author(2).freeze()
        try scene.writeElsewhere { $0.delete(try $0.author(2)) }
        #expect(frozen.thaw()?.name == "author 2")
        scene.realm.refresh()
        #expect(frozen.thaw() == nil)
    }

    @Test func anObjectCreatedAgainUnderTheSameKeyIsAnother() throws {
        let scene = try FrozenScene()
        let frozen = try scene.author(3).freeze()
        try scene.realm.write {
            scene.realm.delete(try scene.author(3))
            scene.realm.create(Author.self, value: ["id": 3, "name": "second"])
        }
        #expect(frozen.name == "author 3")
        #expect(try scene.author(3).name == "second")
    }

    @Test func anotherThreadThawsForItself() throws {
        let scene = try FrozenScene()
        let frozen = Carried(try scene.author(2).freeze())
        let configuration = scene.configuration
        let isItsOwn = try runThread {
            let realm = try Realm(configuration: configuration)
            let thawed = try #require(frozen.value.thaw())
            try realm.write { thawed.name = "written elsewhere" }
            return thawed.realm == realm && !thawed.isFrozen && frozen.value.realm?.thaw() == realm
        }
        #expect(isItsOwn)
        #expect(try scene.author(2).name == "author 2")
        scene.realm.refresh()
        #expect(try scene.author(2).name == "written elsewhere")
        #expect(frozen.value.name == "author 2")
    }

    @Test func aThreadWithoutARealmThawsTheNewestVersion() throws {
        let scene = try FrozenScene()
        let frozen = Carried(try scene.author(2).freeze())
        let results = Carried(scene.authors.freeze())
        try scene.realm.write {
            try scene.author(2).name = "new"
            scene.realm.addAuthors(10..<11)
        }
        let seen = try runThread {
            let name = frozen.value.thaw()?.name ?? "none"
            return [name, "\(results.value.thaw()?.count ?? -1)"]
        }
        #expect(seen == ["new", "5"])
    }

    @Test func collectionsAreThawedOnAnotherThread() throws {
        let scene = try FrozenScene()
        let author = try scene.author(2)
        let list = Carried(author.scores.freeze())
        let set = Carried(author.words.freeze())
        let map = Carried(author.counts.freeze())
        let sections = Carried(scene.authors.sectioned(by: \.age).freeze())
        try runThread {
            let live = try #require(list.value.thaw())
            try live.realm?.write {
                live.append(9)
                set.value.thaw()?.insert("elsewhere")
                map.value.thaw()?["z"] = 26
            }
            #expect(sections.value.thaw()?.count == 4)
        }
        scene.realm.refresh()
        #expect(Array(author.scores) == [2, 3, 4, 9] && author.words.contains("elsewhere"))
        #expect(author.counts["z"] == 26 && map.value["z"] == nil && list.value.count == 3)
    }

    @Test func manyThreadsThawAndWrite() throws {
        let scene = try FrozenScene()
        let frozen = Carried(try scene.author(2).freeze())
        let written = try onThreads(4) { _ in
            var written = 0
            for _ in 0..<10 {
                guard let live = frozen.value.thaw(), let realm = live.realm else { continue }
                try realm.write { live.age += 1 }
                written += 1
            }
            return written
        }
        #expect(written == [10, 10, 10, 10])
        scene.realm.refresh()
        #expect(try scene.author(2).age == 80 && frozen.value.age == 40)
    }

    @Test func aQueueThaws() throws {
        let scene = try FrozenScene()
        let frozen = Carried(try scene.author(2).freeze())
        let queue = DispatchQueue(label: "thawing")
        try queue.sync {
            let thawed = try #require(frozen.value.thaw())
            #expect(!thawed.isFrozen)
            try thawed.realm?.write { thawed.name = "written on a queue" }
        }
        scene.realm.refresh()
        #expect(try scene.author(2).name == "written on a queue")
    }

    @Test func aSnapshotIsThawedAfterItsLiveRealmIsGone() throws {
        let configuration = try runThread { try FrozenScene().configuration }
        let frozen = try runThread { Carried(try Realm(configuration: configuration).freeze()) }
        let realm = frozen.value.thaw()
        try realm.write { realm.addAuthors(10..<11) }
        #expect(realm.objects(Author.self).count == 5 && !realm.isFrozen)
        #expect(frozen.value.objects(Author.self).count == 4)
        #expect(try realm == Realm(configuration: configuration))
    }

    @Test func thawingAfterInvalidationReadsAfresh() throws {
        let scene = try FrozenScene()
        let frozen = try scene.author(2).freeze()
        scene.realm.invalidate()
        let thawed = try #require(frozen.thaw())
        #expect(thawed.name == "author 2" && !thawed.isInvalidated)
    }

    @Test func thawingWorksInsideATransaction() throws {
        let scene = try FrozenScene()
        let frozen = try scene.author(2).freeze()
        try scene.realm.write {
            let thawed = try #require(frozen.thaw())
            thawed.name = "inside"
        }
        #expect(try scene.author(2).name == "inside")
    }
}
