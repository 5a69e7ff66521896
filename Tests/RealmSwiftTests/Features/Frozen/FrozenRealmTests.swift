import Foundation
import RealmSwift
import Testing

// Documented: "A frozen Realm is an immutable snapshot view of a particular version of a Realm's
// data. Unlike normal Realm instances, it does not live-update to reflect writes made to the
// Realm, and can be accessed from any thread."

@Suite struct FrozenRealmTests {
    private typealias Author = FrozenModels.Author
    private typealias Book = FrozenModels.Book

    @Test func onlyTheSnapshotIsFrozen() throws {
        let realm = try FrozenScene().realm
        let frozen = realm.freeze()
        #expect(frozen.isFrozen)
        #expect(!realm.isFrozen)
    }

    @Test func aSnapshotKeepsEverythingAsItWas() throws {
        let scene = try FrozenScene()
        let before = FrozenContents(scene.realm)
        let frozen = scene.realm.freeze()
        #expect(FrozenContents(frozen) == before)
        try scene.changeEverything()
        #expect(FrozenContents(frozen) == before)
        #expect(FrozenContents(scene.realm) != before)
    }

    @Test func aSnapshotThatIsReadOnlyAfterTheChangesIsAsBeforeThem() throws {
        let scene = try FrozenScene()
        let before = FrozenContents(scene.realm)
        let frozen = scene.realm.freeze()
        for _ in 0..<5 { try scene.changeEverything() }
        #expect(FrozenContents(frozen) == before)
    }

    @Test func aSnapshotShowsTheVersionThatTheRealmShows() throws {
        let scene = try FrozenScene()
        #expect(scene.authors.count == 4)
        try scene.writeElsewhere { $0.addAuthors(10..<12) }
        let old = scene.realm.freeze()
        scene.realm.refresh()
        let new = scene.realm.freeze()
        #expect(old.objects(Author.self).count == 4)
        #expect(new.objects(Author.self).count == 6)
    }

    @Test func snapshotsOfManyVersionsKeepTheirOwnContents() throws {
        let scene = try FrozenScene(authors: 0)
        var frozen: [Realm] = []
        for id in 0..<30 {
            frozen.append(scene.realm.freeze())
            try scene.realm.write { scene.realm.addAuthors(id..<(id + 1)) }
        }
        let counts = frozen.map { $0.objects(Author.self).count }
        #expect(counts == Array(0..<30))
        for (id, realm) in frozen.enumerated().reversed() {
            #expect(realm.objects(Author.self).max(of: \.id) == (id == 0 ? nil : id - 1))
        }
    }

    @Test func whatIsReadFromASnapshotIsFrozen() throws {
        let frozen = try FrozenScene().realm.freeze()
        let author = try frozen.author(1)
        #expect(author.isFrozen && frozen.objects(Author.self).isFrozen)
        #expect(author.realm == frozen && frozen.objects(Book.self).realm == frozen)
        #expect(frozen.objects(Book.self).first?.isFrozen == true)
        #expect(frozen.dynamicObjects(Author.className()).isFrozen)
        let name = Author.className()
        #expect(frozen.dynamicObject(ofType: name, forPrimaryKey: 1)?.isFrozen == true)
    }

    @Test func whatIsReadFromTheLiveRealmIsNotFrozen() throws {
        let scene = try FrozenScene()
        let frozen = scene.realm.freeze()
        let author = try scene.author(1)
        #expect(!author.isFrozen && !scene.authors.isFrozen && !author.books.isFrozen)
        #expect(!author.words.isFrozen && !author.counts.isFrozen && !author.pupils.isFrozen)
        #expect(author.home?.isFrozen == false)
        #expect(author.realm != frozen)
    }

    @Test func unmanagedThingsAreNotFrozen() {
        let author = Author()
        #expect(!author.isFrozen && !author.books.isFrozen && !author.words.isFrozen)
        #expect(!author.counts.isFrozen && !author.pupils.isFrozen)
        #expect(!FrozenModels.Home().isFrozen && !List<Int>().isFrozen)
        #expect(!MutableSet<Int>().isFrozen && !Map<String, Int>().isFrozen)
    }

    @Test func freezingASnapshotGivesTheSnapshot() throws {
        let frozen = try FrozenScene().realm.freeze()
        #expect(frozen.freeze() == frozen)
        #expect(frozen.freeze().isFrozen)
    }

    @Test func snapshotsOfOneVersionAreEqual() throws {
        let realm = try FrozenScene().realm
        let frozen = realm.freeze()
        #expect(realm.freeze() == frozen)
    }

    @Test func aSnapshotDiffersFromItsRealmAndFromOtherVersions() throws {
        let scene = try FrozenScene()
        let first = scene.realm.freeze()
        #expect(first != scene.realm)
        try scene.changeEverything()
        let second = scene.realm.freeze()
        #expect(first != second && second != scene.realm)
    }

    @Test func thawingGivesTheLiveRealmOfThisThread() throws {
        let scene = try FrozenScene()
        let frozen = scene.realm.freeze()
        let thawed = frozen.thaw()
        #expect(!thawed.isFrozen && thawed == scene.realm)
        try thawed.write { thawed.addAuthors(10..<11) }
        #expect(scene.authors.count == 5)
        #expect(frozen.objects(Author.self).count == 4)
    }

    @Test func thawingALiveRealmGivesIt() throws {
        let realm = try FrozenScene().realm
        #expect(realm.thaw() == realm)
        #expect(!realm.thaw().isFrozen)
    }

    @Test func aSnapshotHasTheConfigurationAndClassesOfItsRealm() throws {
        let scene = try FrozenScene()
        let frozen = scene.realm.freeze()
        #expect(frozen.configuration == scene.realm.configuration)
        #expect(frozen.configuration.fileURL == scene.configuration.fileURL)
        #expect(frozen.schema == scene.realm.schema)
        #expect(try frozen.author(0).objectSchema == scene.author(0).objectSchema)
    }

    @Test func aSnapshotIsNeverInATransaction() throws {
        let scene = try FrozenScene()
        let frozen = scene.realm.freeze()
        #expect(!frozen.isInWriteTransaction)
        scene.realm.beginWrite()
        #expect(scene.realm.isInWriteTransaction && !frozen.isInWriteTransaction)
        scene.realm.cancelWrite()
    }

    @Test func aSnapshotNeverRefreshesItself() throws {
        let scene = try FrozenScene()
        let frozen = scene.realm.freeze()
        #expect(!frozen.autorefresh)
        try scene.changeEverything()
        #expect(!frozen.refresh())
        #expect(try frozen.author(1).name == "author 1")
    }

    @Test func isEmptyTellsOfTheSnapshot() throws {
        let scene = try FrozenScene(authors: 0)
        let empty = scene.realm.freeze()
        try scene.realm.write { scene.realm.addAuthors(0..<1) }
        let full = scene.realm.freeze()
        try scene.realm.write { scene.realm.deleteAll() }
        #expect(empty.isEmpty && !full.isEmpty && scene.realm.isEmpty)
    }

    @Test func uncommittedChangesOfAnotherThreadAreNotInASnapshot() throws {
        let scene = try FrozenScene()
        let configuration = scene.configuration
        let count = try runThread {
            let realm = try Realm(configuration: configuration)
            realm.beginWrite()
            realm.addAuthors(10..<11)
            let seen = try runThread {
                try Realm(configuration: configuration).freeze().objects(Author.self).count
            }
            realm.cancelWrite()
            return seen
        }
        #expect(count == 4)
    }

    @Test func aCancelledTransactionLeavesASnapshotAlone() throws {
        let scene = try FrozenScene()
        let before = FrozenContents(scene.realm)
        let frozen = scene.realm.freeze()
        scene.realm.beginWrite()
        scene.realm.changeEverything()
        #expect(FrozenContents(frozen) == before)
        scene.realm.cancelWrite()
        #expect(FrozenContents(frozen) == before && FrozenContents(scene.realm) == before)
    }

    @Test func aSnapshotIsReadInsideATransactionOfItsRealm() throws {
        let scene = try FrozenScene()
        let frozen = scene.realm.freeze()
        try scene.realm.write {
            for author in frozen.objects(Author.self) {
                let live = try scene.author(author.id)
                live.age = author.age * 2
                live.name = "\(author.name) (\(author.books.count))"
            }
        }
        #expect(try scene.author(2).age == 80)
        #expect(try frozen.author(2).age == 40)
        #expect(try scene.author(2).name == "author 2 (2)")
    }

    @Test func inMemoryRealmsCanBeFrozen() throws {
        let realm = try temporaryRealm(FrozenModels.all)
        try realm.write { realm.addAuthors(0..<3) }
        let before = FrozenContents(realm)
        let frozen = realm.freeze()
        try realm.write { realm.changeEverything() }
        #expect(FrozenContents(frozen) == before)
        #expect(frozen.thaw() == realm)
    }

    @Test func encryptedRealmsCanBeFrozen() throws {
        var configuration = TestDirectory.untilExit().configuration(FrozenModels.all)
        configuration.encryptionKey = Data(repeating: 3, count: 64)
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.addAuthors(0..<3) }
        let before = FrozenContents(realm)
        let frozen = Carried(realm.freeze())
        try realm.write { realm.changeEverything() }
        #expect(FrozenContents(frozen.value) == before)
        #expect(try runThread { FrozenContents(frozen.value) } == before)
    }

    @Test func aRealmOfAQueueCanBeFrozen() throws {
        let scene = try FrozenScene()
        let before = FrozenContents(scene.realm)
        let configuration = scene.configuration
        let queue = DispatchQueue(label: "freezing")
        let frozen: Carried<Realm> = try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            let frozen = realm.freeze()
            try realm.write { realm.changeEverything() }
            return Carried(frozen)
        }
        // Neither this thread nor the other one is the queue's.
        #expect(FrozenContents(frozen.value) == before)
        #expect(try runThread { FrozenContents(frozen.value) } == before)
    }

    @Test func freezingManyTimesIsOfNoConsequence() throws {
        let scene = try FrozenScene()
        for _ in 0..<200 {
            let author = try scene.realm.freeze().author(1)
            #expect(author.isFrozen && author.name == "author 1")
        }
        try scene.changeEverything()
        #expect(try scene.realm.freeze().author(1).name == "author 1!")
    }
}

/// The methods of `Realm` that freeze and thaw something that is given.
@Suite struct FreezingByRealmTests {
    private typealias Author = FrozenModels.Author

    @Test func objectsAreFrozenAndThawed() throws {
        let scene = try FrozenScene()
        let live = try scene.author(1)
        let frozen = scene.realm.freeze(live)
        #expect(frozen.isFrozen && frozen.name == "author 1")
        try scene.changeEverything()
        #expect(frozen.name == "author 1")
        let thawed = try #require(scene.realm.thaw(frozen))
        #expect(!thawed.isFrozen && thawed.name == "author 1!" && thawed == live)
    }

    @Test func aLiveObjectIsThawedAlready() throws {
        let scene = try FrozenScene()
        let live = try scene.author(1)
        #expect(scene.realm.thaw(live) === live)
    }

    @Test func anObjectThatIsGoneIsNotThawed() throws {
        let scene = try FrozenScene()
        let frozen = scene.realm.freeze(try scene.author(0))
        try scene.realm.write { scene.realm.delete(try scene.author(0)) }
        #expect(scene.realm.thaw(frozen) == nil)
    }

    @Test func collectionsAreFrozen() throws {
        let scene = try FrozenScene()
        let author = try scene.author(1)
        let results = scene.realm.freeze(scene.authors)
        let list = scene.realm.freeze(author.books)
        let set = scene.realm.freeze(author.words)
        let linking = scene.realm.freeze(author.pupils)
        let erased = scene.realm.freeze(AnyRealmCollection(author.books))
        #expect(results.isFrozen && list.isFrozen && set.isFrozen)
        #expect(linking.isFrozen && erased.isFrozen)
        try scene.changeEverything()
        #expect(Array(results.map(\.id)) == [0, 1, 2, 3])
        #expect(Array(list.map(\.title)) == ["book 1", "book 0"])
        #expect(Set(set) == ["common", "word 1"])
        #expect(Array(linking.map(\.id)) == [2])
        #expect(erased.count == 2)
    }
}
