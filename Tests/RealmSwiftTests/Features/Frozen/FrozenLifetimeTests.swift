import Foundation
import RealmSwift
import StorageEngine
import Testing

// How long frozen things can be read, and what they hold.

/// A reference that can be given up. Unchecked because tests use it on one thread at a time.
private final class Held<Value>: @unchecked Sendable {
    var value: Value?
    init(_ value: Value) { self.value = value }
}

@Suite struct FrozenLifetimeTests {
    private typealias Author = FrozenModels.Author

    /// A file with authors that no Realm has open.
    private func closedFile() throws -> Realm.Configuration {
        try runThread { try FrozenScene().configuration }
    }

    @Test func frozenThingsOutliveInvalidation() throws {
        let scene = try FrozenScene()
        let before = FrozenContents(scene.realm)
        let live = try scene.author(2)
        let (realm, author, list) = (scene.realm.freeze(), live.freeze(), live.books.freeze())
        scene.realm.invalidate()
        #expect(live.isInvalidated && !author.isInvalidated && !list.isInvalidated)
        #expect(FrozenContents(realm) == before)
        #expect(author.name == "author 2" && list.count == 2)
    }

    @Test func frozenThingsOutliveChangesAfterInvalidation() throws {
        let scene = try FrozenScene()
        let before = FrozenContents(scene.realm)
        let frozen = scene.realm.freeze()
        scene.realm.invalidate()
        for _ in 0..<10 { try scene.changeEverything() }
        #expect(FrozenContents(frozen) == before)
    }

    @Test func frozenThingsOutliveTheirLiveRealm() throws {
        let configuration = try closedFile()
        let frozen = try runThread {
            let realm = try Realm(configuration: configuration)
            let author = try realm.author(1).freeze()
            return Carried((realm.freeze(), author, realm.objects(Author.self).freeze()))
        }
        let (realm, author, results) = frozen.value
        #expect(FrozenContents(realm).authors.count == 4)
        #expect(author.name == "author 1" && author.mentor?.id == 0 && results.count == 4)
        #expect(results.filter("age > 30").count == 2)
    }

    @Test func frozenThingsOutliveTheirLiveRealmAndManyCommits() throws {
        let configuration = try closedFile()
        let frozen = try runThread {
            Carried(try Realm(configuration: configuration).freeze())
        }
        let before = FrozenContents(frozen.value)
        for _ in 0..<20 {
            try runThread {
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.changeEverything() }
            }
        }
        #expect(FrozenContents(frozen.value) == before)
        #expect(try runThread { FrozenContents(frozen.value) } == before)
    }

    @Test func oneObjectKeepsItsSnapshotAlive() throws {
        let scene = try FrozenScene()
        let author: Author = try {
            let snapshot = scene.realm.freeze()
            return try snapshot.author(2)
        }()
        try scene.changeEverything()
        #expect(author.name == "author 2" && author.mentor?.mentor?.name == "author 0")
        #expect(author.realm?.objects(Author.self).count == 4)
    }

    @Test func aThreadThatEndedLeavesASnapshotUsable() throws {
        let scene = try FrozenScene()
        let frozen = Carried(scene.realm.freeze())
        let before = FrozenContents(scene.realm)
        for _ in 0..<20 {
            let seen = try runThread { FrozenContents(frozen.value) }
            #expect(seen == before)
            try scene.changeEverything()
        }
        #expect(FrozenContents(frozen.value) == before)
    }

    @Test func aSnapshotKeepsItsFileOpen() throws {
        let configuration = try closedFile()
        let held = Held(try runThread { Carried(try Realm(configuration: configuration).freeze()) })
        #expect(throws: Realm.Error(.alreadyOpen)) { try Realm.deleteFiles(for: configuration) }
        #expect(held.value?.value.isEmpty == false)
        held.value = nil
        // The thread may not have let go of what it ran.
        try pump { (try? Realm.deleteFiles(for: configuration)) == true }
    }

    @Test func theFileIsClosedAfterManyThreadsHaveReadASnapshot() throws {
        let configuration = try closedFile()
        let held = Held(try runThread { Carried(try Realm(configuration: configuration).freeze()) })
        try {
            let frozen = try #require(held.value)
            let counts = try onThreads(4) { _ in FrozenContents(frozen.value).authors.count }
            #expect(counts == [4, 4, 4, 4])
            #expect(FrozenContents(frozen.value).authors.count == 4)
        }()
        held.value = nil
        // The threads may not have let go of what they ran.
        try pump { (try? Realm.deleteFiles(for: configuration)) == true }
    }

    /// A thread that has read a snapshot and goes on living does not hold it.
    @Test func theFileIsClosedWhileReadersAreStillThere() throws {
        let configuration = try closedFile()
        let held = Held(try runThread { Carried(try Realm(configuration: configuration).freeze()) })
        let (hasRead, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let reader = Thread {
            if let frozen = held.value { _ = FrozenContents(frozen.value) }
            hasRead.signal()
            mayEnd.wait()
        }
        reader.start()
        let inTime = hasRead.wait(timeout: .now() + 600)
        #expect(inTime == .success)
        held.value = nil
        // The thread may not have let go of what it ran.
        try pump { (try? Realm.deleteFiles(for: configuration)) == true }
        mayEnd.signal()
    }

    @Test func onlyWhatIsFrozenHoldsItsVersion() throws {
        let configuration = try closedFile()
        let path = try #require(configuration.fileURL?.path)
        let held = Held(
            try runThread { Carried(try Realm(configuration: configuration).author(1).freeze()) })
        try runThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.changeEverything() }
        }
        #expect(try Database.open(path: path).statistics().pinnedVersions.isEmpty == false)
        #expect(held.value?.value.name == "author 1")
        held.value = nil
        #expect(try Database.open(path: path).statistics().pinnedVersions.isEmpty)
    }

    @Test func snapshotsThatWereReleasedHoldNothing() throws {
        let scene = try FrozenScene()
        let path = try #require(scene.configuration.fileURL?.path)
        for _ in 0..<20 {
            _ = try scene.realm.freeze().author(1).name
            try scene.realm.write { try scene.author(1).age += 1 }
        }
        scene.realm.invalidate()
        #expect(try Database.open(path: path).statistics().pinnedVersions.isEmpty)
    }

    @Test func frozenThingsOutliveInMemoryData() throws {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: FrozenModels.all)
        let held = Held(
            try runThread {
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.addAuthors(0..<2) }
                return Carried(realm.freeze())
            })
        #expect(held.value.map { FrozenContents($0.value).authors.count } == 2)
        // The snapshot keeps the data, so that a second Realm finds them.
        let count = try runThread {
            try Realm(configuration: configuration).objects(Author.self).count
        }
        #expect(count == 2)
        held.value = nil
        // The thread that made it may not have let go of it.
        try pump { try runThread { try Realm(configuration: configuration).isEmpty } }
    }
}
