import Foundation
import StorageEngine
import Testing

@testable import RealmSwift

private func cancelDeletion(of album: Album, in realm: Realm) {
    realm.beginWrite()
    realm.delete(album)
    realm.cancelWrite()
}

/// Sequences end when nothing more can be told, whoever waits for them.
@Suite(.timeLimit(.minutes(10))) struct SequenceEndTests {
    @Test func severalTasksMayWaitForOneIterator() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<Recorded>()
        let ends = AwaitedLog<Int>()
        let iterator = try await watcher.run { _, realm in
            Handed(realm.objects(Track.self).changes.makeAsyncIterator())
        }
        let tasks = (0..<3).map { number in
            Task {
                try await watcher.run { watcher, _ in
                    var copy = iterator.value
                    while let change = await copy.next(isolation: watcher) {
                        log.append(Recorded(change))
                    }
                    ends.append(number)
                }
            }
        }
        try await log.wait(count: 1)
        for id in 10..<13 {
            try await scene.write { $0.addTracks([id]) }
            try await log.wait(count: id - 8)
        }
        #expect(log.entries == [.initial(4), .inserted(4), .inserted(5), .inserted(6)])
        tasks[0].cancel()
        try await ends.wait(count: 3)
        for task in tasks { try await task.value }
        await watcher.close()
    }

    @Test func theChangesOfAnObjectThatIsGoneAreNone() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let count = try await watcher.run { _, realm in
            let changes = try realm.track(0).changes
            try scene.writeBlocking { realm in try realm.delete(realm.track(0)) }
            realm.refresh()
            var count = 0
            for await _ in changes { count += 1 }
            for await _ in changes { count += 1 }
            return count
        }
        #expect(count == 0)
        await watcher.close()
    }

    @Test func theChangesOfAListThatIsGoneAreNone() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let count = try await watcher.run { _, realm in
            let changes = try realm.album().tracks.changes
            let results = try realm.album().tracks.filter("rank > 0").changes
            let map = try realm.album().byKey.changes
            try scene.writeBlocking { realm in try realm.delete(realm.album()) }
            realm.refresh()
            var count = 0
            for await _ in changes { count += 1 }
            for await _ in results { count += 1 }
            for await _ in map { count += 1 }
            return count
        }
        #expect(count == 0)
        await watcher.close()
    }

    /// What an album has, whose changes end with it.
    enum Part: CaseIterable {
        case list, emptyList, set, map, values, filtered, sections, backlinks, emptyBacklinks
    }

    /// An empty collection is told of once only, at the beginning, others of their last change.
    @Test(arguments: Part.allCases)
    func aSequenceEndsWhenItsOwnerIsDeleted(_ part: Part) async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<Int>()
        let task = Task {
            try await watcher.run { watcher, realm in
                let album = try realm.album()
                let track = try realm.track(0)
                switch part {
                case .list: for await _ in album.tracks.changes { log.append(0) }
                case .emptyList: for await _ in album.numbers.changes { log.append(0) }
                case .set: for await _ in album.favourites.changes { log.append(0) }
                case .map: for await _ in album.numberMap.changes { log.append(0) }
                case .values: for await _ in album.numbers.sorted().changes { log.append(0) }
                case .filtered:
                    for await _ in album.tracks.filter("rank >= 0").changes { log.append(0) }
                case .sections:
                    for await _ in album.tracks.sectioned(by: \.group).changes { log.append(0) }
                case .backlinks: for await _ in track.albums.changes { log.append(0) }
                case .emptyBacklinks: for await _ in track.previous.changes { log.append(0) }
                }
            }
        }
        try await log.wait(count: 1)
        try await scene.write { realm in
            realm.delete(try realm.album())
            realm.delete(try realm.track(0))
        }
        try await task.value
        let empty: [Part] = [.emptyList, .set, .map, .values, .emptyBacklinks]
        let isEmpty = empty.contains(part)
        #expect(log.count == (isEmpty ? 1 : 2))
        await watcher.close()
    }

    @Test func invalidatingTheRealmEndsItsSequences() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<Int>()
        let tasks = [
            Task {
                try await watcher.run { _, realm in
                    for await _ in realm.objects(Track.self).changes { log.append(0) }
                }
            },
            Task {
                try await watcher.run { _, realm in
                    let changes = try realm.track(0).changes
                    log.append(1)
                    for await _ in changes { log.append(2) }
                }
            },
        ]
        try await log.wait(count: 2)
        try await watcher.settle(scene)
        try await watcher.run { _, realm in realm.invalidate() }
        for task in tasks { try await task.value }
        #expect(log.count == 2)
        await watcher.close()
    }

    @Test func aCancelledDeletionEndsTheSequence() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<Int>()
        let task = Task {
            try await watcher.run { _, realm in
                for await _ in try realm.album().tracks.changes { log.append(0) }
            }
        }
        try await log.wait(count: 1)
        try await watcher.run { _, realm in
            cancelDeletion(of: try realm.album(), in: realm)
        }
        try await task.value
        #expect(log.count == 1)
        await watcher.close()
    }

    /// What takes its reports is told that its thread has ended.
    @Test func theEndOfTheThreadEndsWhatWaits() async throws {
        let configuration = TestDirectory.untilExit().configuration(observedTypes)
        let log = ChangeLog<String>()
        let kept = Handed<[Any]>([])
        try runOnRunLoopThread {
            let realm = try Realm(configuration: configuration)
            let notifier = realm.instance.observableNotifier()
            let tracks = realm.objects(Track.self)
            let registration = try notifier.register(
                tracks._backing.identity(nil), in: realm.instance, isInitial: true,
                making: { tracks._backing.observed(in: $0, nil) },
                delivery: .pull(wake: { log.append("wake") }, end: { log.append("end") }))
            try pump { log.count == 1 }
            let handler = RealmHandler({ _, _ in }, whenThreadEnds: { log.append("end") })
            kept.value = [registration, try notifier.register(handler, in: realm.instance)]
        }
        try pump { log.count == 3 }
        #expect(log.entries == ["wake", "end", "end"])
        kept.value = []
    }

    /// A task that writes all the time, on the actor that observes.
    @Test func theInitialContentsComeAlthoughTheRealmWritesAllTheTime() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<Recorded>()
        let writes = AwaitedLog<Int>()
        let reader = Task {
            try await watcher.run { _, realm in
                for await change in realm.objects(Track.self).filter("rank >= 0").changes {
                    log.append(Recorded(change))
                    break
                }
            }
        }
        let writer = Task {
            try await watcher.run { _, realm in
                for id in 100..<2_100 where log.count == 0 {
                    try commitHere(realm) { $0.addTracks([id]) }
                    writes.append(id)
                    await Task.yield()
                }
            }
        }
        try await writer.value
        #expect(writes.count < 2_000)
        try await reader.value
        await watcher.close()
    }
}
