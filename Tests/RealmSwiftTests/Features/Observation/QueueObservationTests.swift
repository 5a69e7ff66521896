import Foundation
import RealmSwift
import Testing

/// A Realm that is confined to a queue.
private final class QueueScene: Sendable {
    let directory: Handed<TestDirectory>
    let configuration: Realm.Configuration
    let observing = ObservingQueue()
    /// Used on the queue only.
    let realm = Handed<Realm?>(nil)
    let tokens = Handed<[NotificationToken]>([])

    init() throws {
        let directory = TestDirectory()
        self.directory = Handed(directory)
        configuration = directory.configuration(observedTypes)
        try write { realm in
            realm.addTracks(0..<4)
            realm.create(Album.self, value: ["id": 0])
        }
    }

    func write(_ body: @escaping @Sendable (Realm) throws -> Void) throws {
        try runThread { [configuration] in
            let realm = try Realm(configuration: configuration)
            try realm.write { try body(realm) }
        }
    }

    /// Runs `body` on the queue with the Realm of the queue.
    func run(_ body: @escaping @Sendable (QueueScene, Realm) throws -> Void) async throws {
        try await observing.run { [self] in
            let opened =
                try realm.value
                ?? Realm(
                    configuration: configuration, queue: observing.queue)
            realm.value = opened
            try body(self, opened)
        }
    }

    func wait(until condition: @escaping @Sendable () -> Bool) async throws {
        try await observing.wait(until: condition)
    }

    func close() async throws {
        try await observing.run { [self] in
            tokens.value = []
            realm.value = nil
        }
    }
}

@Suite struct QueueRealmObservationTests {
    @Test func collectionsOfAQueueAreReportedOnTheQueue() async throws {
        let scene = try QueueScene()
        let log = ChangeLog<Recorded>()
        try await scene.run { scene, realm in
            scene.tokens.value.append(
                realm.objects(Track.self).observe { change in
                    dispatchPrecondition(condition: .onQueue(scene.observing.queue))
                    log.append(Recorded(change))
                })
        }
        try await scene.wait { log.count == 1 }
        try scene.write { $0.addTracks([10]) }
        try await scene.wait { log.count == 2 }
        try await scene.run { _, realm in try realm.write { try realm.track(1).title = "new" } }
        try await scene.wait { log.count == 3 }
        #expect(log.entries == [.initial(4), .inserted(4), .modified(1)])
        try await scene.close()
    }

    @Test func objectsOfAQueueAreReportedOnTheQueue() async throws {
        let scene = try QueueScene()
        let log = ChangeLog<RecordedObject>()
        try await scene.run { scene, realm in
            scene.tokens.value.append(
                try realm.track(0).observe { (change: ObjectChange<Track>) in
                    dispatchPrecondition(condition: .onQueue(scene.observing.queue))
                    log.append(RecordedObject(change))
                })
        }
        try scene.write { realm in try realm.track(0).rank = 9 }
        try await scene.wait { log.count == 1 }
        try scene.write { realm in try realm.delete(realm.track(0)) }
        try await scene.wait { log.count == 2 }
        #expect(
            log.entries == [.change([.init(name: "rank", old: "0", new: "9")]), .deleted])
        try await scene.close()
    }

    @Test func realmsOfAQueueReportOwnCommitsAtOnceAndOthersLater() async throws {
        let scene = try QueueScene()
        let log = ChangeLog<Int>()
        try await scene.run { scene, realm in
            scene.tokens.value.append(
                realm.observe { _, realm in log.append(realm.objects(Track.self).count) })
            try realm.write { realm.addTracks([10]) }
            #expect(log.entries == [5])
        }
        try scene.write { $0.addTracks([11]) }
        try await scene.wait { log.count == 2 }
        #expect(log.entries == [5, 6])
        try await scene.close()
    }
}

/// `observe(on: queue)` on a thread with a run loop, or none.
@Suite struct ObserveOnQueueTests {
    @Test func changesAreReportedOnTheGivenQueue() async throws {
        try await observing { scene in
            let observing = ObservingQueue()
            let log = ChangeLog<Recorded>()
            let token = scene.tracks.observe(on: observing.queue) { change in
                dispatchPrecondition(condition: .onQueue(observing.queue))
                log.append(Recorded(change))
            }
            try pump { log.count == 1 }
            try scene.writeElsewhere { $0.addTracks([10]) }
            try pump { log.count == 2 }
            try scene.realm.write { try scene.track(2).title = "new" }
            try pump { log.count == 3 }
            #expect(log.entries == [.initial(4), .inserted(4), .modified(2)])
            token.invalidate()
        }
    }

    @Test func theThreadThatRegistersNeedsNoRunLoop() async throws {
        let directory = TestDirectory()
        let configuration = directory.configuration(observedTypes)
        let observing = ObservingQueue()
        let log = ChangeLog<Recorded>()
        let token = Handed<NotificationToken?>(nil)
        try await onThread {
            let realm = try Realm(configuration: configuration)
            token.value = realm.objects(Track.self).observe(on: observing.queue) { change in
                log.append(Recorded(change))
            }
        }
        try await observing.wait { log.count == 1 }
        try await onThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.addTracks([1]) }
        }
        try await observing.wait { log.count == 2 }
        #expect(log.entries == [.initial(0), .inserted(0)])
        #expect(token.value?.invalidate() == true)
        withExtendedLifetime(directory) {}
    }

    @Test func theCollectionOfAChangeBelongsToTheQueue() async throws {
        try await observing { scene in
            let observing = ObservingQueue()
            let log = ChangeLog<[Int]>()
            let token = scene.tracks.filter("rank > 1").observe(on: observing.queue) { change in
                switch change {
                case .initial(let tracks), .update(let tracks, _, _, _):
                    log.append(tracks.map(\.id))
                case .error(let error): Issue.record(error)
                }
            }
            try pump { log.count == 1 }
            try scene.writeElsewhere { $0.addTracks([10]) }
            try pump { log.count == 2 }
            #expect(log.entries == [[2, 3], [2, 3, 10]])
            token.invalidate()
        }
    }

    @Test func listsMapsAndObjectsAreReportedOnTheGivenQueue() async throws {
        try await observing { scene in
            let observing = ObservingQueue()
            let list = ChangeLog<Recorded>()
            let map = ChangeLog<RecordedKeys>()
            let object = ChangeLog<RecordedObject>()
            let tokens = [
                try scene.album.numbers.observe(on: observing.queue) { list.append(Recorded($0)) },
                try scene.album.numberMap.observe(on: observing.queue) {
                    map.append(RecordedKeys($0))
                },
                try scene.track(0).observe(on: observing.queue) { (change: ObjectChange<Track>) in
                    object.append(RecordedObject(change))
                },
            ]
            try pump { list.count == 1 && map.count == 1 }
            try scene.writeElsewhere { realm in
                try realm.album().numbers.append(1)
                try realm.album().numberMap["a"] = 1
                try realm.track(0).rank = 9
            }
            try pump { list.count == 2 && map.count == 2 && object.count == 1 }
            #expect(list.entries.last == .inserted(0))
            #expect(map.entries.last == .update(insertions: ["a"]))
            #expect(object.entries.map(\.names) == [["rank"]])
            for token in tokens { token.invalidate() }
        }
    }

    @Test func severalCommitsWhileTheQueueIsBusyBecomeOneChange() async throws {
        try await observing { scene in
            let observing = ObservingQueue()
            let log = ChangeLog<Recorded>()
            let token = scene.tracks.observe(on: observing.queue) { log.append(Recorded($0)) }
            try pump { log.count == 1 }
            let isFree = DispatchSemaphore(value: 0)
            observing.queue.async { isFree.wait() }
            for id in 10..<13 { try scene.writeElsewhere { $0.addTracks([id]) } }
            isFree.signal()
            try pump { log.count > 1 }
            #expect(log.entries == [.initial(4), .inserted(4, 5, 6)])
            token.invalidate()
        }
    }
}
