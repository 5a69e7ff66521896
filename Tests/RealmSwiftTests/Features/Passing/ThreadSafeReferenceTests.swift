import Foundation
import RealmSwift
import Testing

/// What can be used on every thread as a type. Swift 6.1 does not ask.
#if compiler(>=6.2)
private typealias TypeOfAllThreads = SendableMetatype
#else
private typealias TypeOfAllThreads = Any
#endif

/// A file with a few tracks and an album.
private struct PassingScene: Sendable {
    let configuration: Realm.Configuration

    init() throws {
        configuration = TestDirectory.untilExit().configuration(observedTypes)
        let realm = try Realm(configuration: configuration)
        try realm.write {
            realm.addTracks(0..<4)
            let album = realm.create(Album.self, value: ["id": 0])
            album.tracks.append(objectsIn: realm.objects(Track.self))
            album.numbers.append(objectsIn: [3, 1, 2])
            album.numberSet.insert(objectsIn: [3, 1, 2])
            album.byKey["a"] = realm.objects(Track.self)[1]
            album.best = realm.objects(Track.self)[2]
        }
    }

    func realm() throws -> Realm { try Realm(configuration: configuration) }

    /// Makes a reference here, and reads it on another thread.
    func pass<Confined: ThreadConfined & TypeOfAllThreads, Value: Sendable>(
        _ make: (Realm) throws -> Confined, _ read: @escaping @Sendable (Confined) -> Value
    ) throws -> Value? {
        let reference = ThreadSafeReference(to: try make(realm()))
        return try runThread {
            let realm = try realm()
            return realm.resolve(reference).map(read)
        }
    }
}

@Suite struct ThreadSafeReferenceTests {
    @Test func objectsAreFoundOnAnotherThread() throws {
        let scene = try PassingScene()
        #expect(try scene.pass({ try $0.track(2) }, { $0.id }) == 2)
        #expect(
            try scene.pass({ $0.dynamicObjects("Track")[1] }, { $0["id"] as? Int }) == 1)
    }

    @Test func collectionsOfAllKindsAreFoundOnAnotherThread() throws {
        let scene = try PassingScene()
        #expect(try scene.pass({ try $0.album().tracks }, { $0.map(\.id) }) == [0, 1, 2, 3])
        #expect(try scene.pass({ try $0.album().numbers }, { Array($0) }) == [3, 1, 2])
        #expect(try scene.pass({ try $0.album().numberSet }, { $0.sorted() }) == [1, 2, 3])
        #expect(try scene.pass({ try $0.album().byKey }, { $0["a"]??.id }) == 1)
        #expect(try scene.pass({ try $0.track(0).albums }, { $0.count }) == 1)
        #expect(
            try scene.pass({ AnyRealmCollection(try $0.album().tracks) }, { $0.count }) == 4)
    }

    @Test func resultsKeepTheirFilterOrderAndOrigin() throws {
        let scene = try PassingScene()
        let found = try scene.pass(
            {
                $0.objects(Track.self).filter("id > 0").sorted(byKeyPath: "id", ascending: false)
                    .distinct(by: ["id"])
            }, { $0.map(\.id) })
        #expect(found == [3, 2, 1])
        #expect(
            try scene.pass({ try $0.album().tracks.filter("id < 2") }, { $0.map(\.id) }) == [0, 1])
        #expect(try scene.pass({ try $0.album().numbers.sorted() }, { Array($0) }) == [1, 2, 3])
        #expect(
            try scene.pass(
                { $0.objects(Track.self).sectioned(by: \.id) }, { $0.allKeys }) == [0, 1, 2, 3])
        #expect(
            try scene.pass(
                { $0.objects(Track.self).sectioned(by: \.id)[2] }, { $0.map(\.id) }) == [2])
    }

    @Test func anObjectThatWasDeletedMeanwhileIsNotFound() throws {
        let scene = try PassingScene()
        let reference = ThreadSafeReference(to: try scene.realm().track(1))
        try runThread {
            let realm = try scene.realm()
            try realm.write { realm.delete(try realm.track(1)) }
        }
        #expect(try runThread { try scene.realm().resolve(reference) == nil })
    }

    @Test func anOlderRealmMovesToTheVersionOfTheReference() throws {
        let scene = try PassingScene()
        let old = try scene.realm()
        #expect(old.objects(Track.self).count == 4)
        let reference = try runThread {
            let realm = try scene.realm()
            try realm.write { realm.addTracks([10]) }
            return ThreadSafeReference(to: try realm.track(10))
        }
        #expect(old.objects(Track.self).count == 4)
        #expect(old.resolve(reference)?.id == 10)
        #expect(old.objects(Track.self).count == 5)
    }

    @Test func anotherFileFindsNothingAndUsesTheReferenceUp() throws {
        let (scene, other) = (try PassingScene(), try PassingScene())
        let reference = ThreadSafeReference(to: try scene.realm().track(1))
        #expect(!reference.isInvalidated)
        #expect(try other.realm().resolve(reference) == nil)
        #expect(reference.isInvalidated)
    }

    @Test func aQueueResolvesToo() async throws {
        let scene = try PassingScene()
        let queue = ObservingQueue()
        let reference = ThreadSafeReference(to: try scene.realm().track(3))
        let found = try await queue.run {
            let realm = try Realm(configuration: scene.configuration, queue: queue.queue)
            return realm.resolve(reference)?.id
        }
        #expect(found == 3)
    }
}

@Suite struct ThreadSafeTests {
    @Test func aWrappedObjectIsReadOnManyThreads() throws {
        let scene = try PassingScene()
        let realm = try scene.realm()
        let wrapper = ThreadSafe(wrappedValue: try realm.track(1))
        for title in ["a", "b"] {
            try runThread {
                let track = try #require(wrapper.wrappedValue)
                try track.realm?.write { track.title = title }
            }
            #expect(try runThread { wrapper.wrappedValue?.title } == title)
        }
        realm.refresh()
        #expect(wrapper.wrappedValue?.title == "b")
    }

    @Test func aWrappedObjectThatIsDeletedIsNil() throws {
        let scene = try PassingScene()
        let realm = try scene.realm()
        let wrapper = ThreadSafe(wrappedValue: try realm.track(1))
        try realm.write { realm.delete(try realm.track(1)) }
        #expect(try runThread { wrapper.wrappedValue == nil })
        wrapper.wrappedValue = try realm.track(2)
        #expect(try runThread { wrapper.wrappedValue?.id } == 2)
        wrapper.wrappedValue = nil
        #expect(wrapper.wrappedValue == nil)
    }
}

private let passingMisuses: [String: Misuse] = [
    "a reference to an unmanaged object": Misuse(
        "Cannot construct reference to unmanaged object, which can be passed across threads "
            + "directly"
    ) { _ = ThreadSafeReference(to: Track()) },
    "a reference to a deleted object": Misuse("Cannot construct reference to invalidated object") {
        let realm = try PassingScene().realm()
        let track = try realm.track(0)
        try realm.write { realm.delete(track) }
        _ = ThreadSafeReference(to: track)
    },
    "a reference resolved twice": Misuse("Can only resolve a thread safe reference once.") {
        let realm = try PassingScene().realm()
        let reference = ThreadSafeReference(to: try realm.track(0))
        _ = realm.resolve(reference)
        _ = realm.resolve(reference)
    },
    "an unmanaged object as thread safe": Misuse(
        "Only managed objects may be wrapped as thread safe."
    ) { _ = ThreadSafe(wrappedValue: Track()) },
    "a Realm opened outside of its queue": Misuse("Realm opened from incorrect dispatch queue.") {
        _ = try Realm(
            configuration: PassingScene().configuration, queue: DispatchQueue(label: "other"))
    },
    "a Realm of a queue used outside of it": Misuse("Realm accessed from incorrect thread.") {
        let (scene, queue) = (try PassingScene(), DispatchQueue(label: "own"))
        let realm = try queue.sync {
            Handed(try Realm(configuration: scene.configuration, queue: queue))
        }
        _ = realm.value.objects(Track.self).count
    },
]

@Suite struct PassingTrapTests {
    @Test(arguments: passingMisuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try passingMisuses[name]?.body() }
        passingMisuses.expectStop(name, result)
    }
}
