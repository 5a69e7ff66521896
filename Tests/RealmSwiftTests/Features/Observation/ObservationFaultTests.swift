import Foundation
import RealmSwift
import StorageEngine
import Testing
import ToolSupport

// Tests for what a review of the notifier found. What would stop the process runs in another one.

/// Stops this process unless a condition holds. For use in the process of an exit test, which only
/// tells how it has ended.
private func require(_ condition: Bool, _ text: @autoclosure () -> String) {
    if !condition { fatalError(text()) }
}

private func inScene(_ body: @escaping @Sendable (ObservationScene) throws -> Void) throws {
    try runOnRunLoopThread { try body(ObservationScene(tracks: 4)) }
}

/// Observes a collection, and reads what a handler is told that was inserted.
private func observeReading<C: RealmCollection>(
    _ collection: C, _ calls: ChangeLog<Int>
) -> NotificationToken where C.Index == Int {
    collection.observe { change in
        if case .update(let collection, _, let insertions, _) = change {
            for index in insertions { _ = collection[index] }
        }
        calls.append(1)
    }
}

private func turnSomeTimes() { for _ in 0..<20 { turnRunLoop() } }

@Suite struct ReentrantHandlerTests {
    @Test func severalHandlersMayWrite() async {
        await #expect(processExitsWith: .success) {
            try inScene { scene in
                let realm = scene.realm
                let log = ChangeLog<Int>()
                let tokens = (0..<3).map { number in
                    scene.tracks.observe { change in
                        guard case .update = change, !log.entries.contains(number) else { return }
                        log.append(number)
                        do {
                            try realm.write { _ = realm.create(Marker.self) }
                        } catch {
                            fatalError("\(error)")
                        }
                    }
                }
                try scene.settle()
                try scene.writeElsewhere { $0.addTracks([10]) }
                try pump { log.count == 3 }
                for token in tokens { token.invalidate() }
            }
        }
    }

    @Test func aHandlerOfTheRealmAndOneOfACollectionMayBothWrite() async {
        await #expect(processExitsWith: .success) {
            try inScene { scene in
                let realm = scene.realm
                let log = ChangeLog<String>()
                let write: (String) -> Void = { name in
                    if log.entries.contains(name) { return }
                    log.append(name)
                    do {
                        try realm.write { _ = realm.create(Marker.self) }
                    } catch {
                        fatalError("\(error)")
                    }
                }
                let second = scene.tracks.observe { change in
                    if case .update = change { write("tracks") }
                }
                let third = scene.tracks.filter("rank > 0").observe { change in
                    if case .update = change { write("filtered") }
                }
                try scene.settle()
                let first = realm.observe { _, _ in write("realm") }
                try scene.writeElsewhere { $0.addTracks([10]) }
                try pump { log.count == 3 }
                for token in [first, second, third] { token.invalidate() }
            }
        }
    }

    /// A handler that writes does not make others run inside of its transaction.
    @Test func othersAreNotCalledInsideTheTransactionOfAHandler() async throws {
        try await observing { scene in
            let realm = scene.realm
            let isWriting = ChangeLog<Bool>()
            let first = scene.tracks.observe { change in
                guard case .update = change, isWriting.count == 0 else { return }
                do {
                    try realm.write { _ = realm.create(Marker.self) }
                } catch {
                    Issue.record(error)
                }
            }
            let second = scene.tracks.observe { change in
                if case .update = change { isWriting.append(realm.isInWriteTransaction) }
            }
            try scene.settle()
            try scene.writeElsewhere { $0.addTracks([10]) }
            try pump { isWriting.count > 0 }
            #expect(isWriting.entries == [false])
            first.invalidate()
            second.invalidate()
        }
    }
}

@Suite struct InvalidatedRealmObservationTests {
    @Test func aRealmThatDoesNotRefreshItselfMayBeInvalidated() async {
        await #expect(processExitsWith: .success) {
            try inScene { scene in
                let log = ChangeLog<Recorded>()
                let token = scene.tracks.observe { change in
                    if case .initial = change { log.append(.initial(0)) }
                }
                try pump { log.count == 1 }
                scene.realm.autorefresh = false
                scene.realm.invalidate()
                try scene.writeElsewhere { $0.addTracks([10]) }
                turnSomeTimes()
                scene.realm.refresh()
                require(scene.tracks.count == 5, "the Realm does not refresh")
                token.invalidate()
            }
        }
    }

    @Test func anObservedObjectMayBeInvalidatedWithItsRealm() async {
        await #expect(processExitsWith: .success) {
            try inScene { scene in
                let token = try scene.track(0).observe { (_: ObjectChange<Track>) in }
                turnSomeTimes()
                scene.realm.invalidate()
                try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
                turnSomeTimes()
                require(try scene.track(0).title == "new", "the Realm does not refresh")
                token.invalidate()
            }
        }
    }

    @Test func anObservedObjectMayBeDeletedInACancelledTransaction() async {
        await #expect(processExitsWith: .success) {
            try inScene { scene in
                let track = try scene.track(0)
                let token = track.observe { (_: ObjectChange<Track>) in }
                turnSomeTimes()
                scene.realm.beginWrite()
                scene.realm.delete(track)
                scene.realm.cancelWrite()
                require(track.isInvalidated, "the object is valid again")
                try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
                turnSomeTimes()
                require(try scene.track(0).title == "new", "the Realm does not refresh")
                token.invalidate()
            }
        }
    }

    /// Collections of an object that was deleted in a cancelled transaction cannot be read,
    /// although the object exists.
    @Test func collectionsOfAnObjectMayBeDeletedInACancelledTransaction() async {
        await #expect(processExitsWith: .success) {
            try inScene { scene in
                let (album, track) = (try scene.album, try scene.track(0))
                let calls = ChangeLog<Int>()
                var tokens = [
                    observeReading(album.tracks, calls), observeReading(album.favourites, calls),
                    observeReading(track.albums, calls),
                    observeReading(album.tracks.filter("rank >= 0"), calls),
                    observeReading(track.albums.filter("id >= 0"), calls),
                    observeReading(album.numbers.sorted(), calls),
                ]
                tokens.append(
                    album.numberMap.observe { change in
                        if case .update(let map, _, let insertions, _) = change {
                            require(insertions.allSatisfy { map[$0] != nil }, "no value")
                        }
                        calls.append(1)
                    })
                let sections = album.tracks.sectioned(by: \.rank)
                tokens.append(
                    sections.observe { change in
                        if case .update(let sections, _, let insertions, _, _, _) = change {
                            for path in insertions { _ = sections[path].title }
                        }
                        calls.append(1)
                    })
                try pump { calls.count == 8 }
                scene.realm.beginWrite()
                scene.realm.delete(album)
                scene.realm.delete(track)
                scene.realm.cancelWrite()
                require(album.isInvalidated && track.isInvalidated, "the objects are valid again")
                try scene.writeElsewhere { realm in
                    realm.addTracks([10])
                    let (album, added) = (try realm.album(), try realm.track(10))
                    album.tracks.append(added)
                    album.favourites.insert(added)
                    album.numbers.append(1)
                    album.numberMap["a"] = 1
                    let other = realm.create(Album.self, value: ["id": 1])
                    other.tracks.append(try realm.track(0))
                }
                try scene.settle()
                require(calls.count == 8, "something was told")
                for token in tokens { token.invalidate() }
            }
        }
    }

    @Test func aListThatIsDeletedBeforeTheQueueRegistersItIsNotRead() async {
        await #expect(processExitsWith: .success) {
            try inScene { scene in
                let observing = ObservingQueue()
                let isFree = DispatchSemaphore(value: 0)
                observing.queue.async { isFree.wait() }
                let token = try scene.album.tracks.observe(on: observing.queue) { change in
                    switch change {
                    case .initial(let tracks), .update(let tracks, _, _, _): _ = tracks.count
                    case .error(let error): fatalError("\(error)")
                    }
                }
                try scene.writeElsewhere { realm in try realm.delete(realm.album()) }
                isFree.signal()
                observing.queue.sync {}
                turnSomeTimes()
                observing.queue.sync {}
                token.invalidate()
            }
        }
    }
}

@Suite struct EndedRegistrationTests {
    /// A view ends its token, which it owns, and is owned by the handler.
    @Test func anInvalidatedTokenReleasesItsHandler() async throws {
        final class Witness {}
        try await observing { scene in
            weak var weakWitness: Witness?
            let tokens: [NotificationToken]
            do {
                let witness = Witness()
                weakWitness = witness
                tokens = [
                    scene.tracks.observe { _ in withExtendedLifetime(witness) {} },
                    try scene.album.numberMap.observe { _ in withExtendedLifetime(witness) {} },
                    try scene.track(0).observe { (_: ObjectChange<Track>) in
                        withExtendedLifetime(witness) {}
                    },
                    scene.realm.observe { _, _ in withExtendedLifetime(witness) {} },
                ]
            }
            try scene.settle()
            #expect(weakWitness != nil)
            for token in tokens { token.invalidate() }
            try scene.settle()
            #expect(weakWitness == nil)
            withExtendedLifetime(tokens) {}
        }
    }

    @Test func anInvalidatedTokenKeepsNoVersion() async throws {
        try await observing { scene in
            let log = ChangeLog<Recorded>()
            let token = scene.tracks.filter("rank > 1").observe { log.append(Recorded($0)) }
            try pump { log.count == 1 }
            token.invalidate()
            for id in 10..<13 {
                try scene.writeElsewhere { $0.addTracks([id]) }
                scene.realm.refresh()
            }
            let path = try #require(scene.configuration.fileURL?.path)
            let pinned = try Database.open(path: path).statistics().pinnedVersions
            // The Realm keeps the version that it shows.
            #expect(pinned.count <= 1)
            withExtendedLifetime(token) {}
        }
    }

    /// The last token ends on another thread while the next one is being registered. The Realm was
    /// opened before the run loop ran, so it does not follow by itself.
    @Test func registeringWhileTheLastTokenEndsElsewhereIsNotLost() throws {
        let configuration = TestDirectory.untilExit().configuration(observedTypes)
        try runThread {
            let realm = Handed<Realm>(try Realm(configuration: configuration))
            try runInLoop {
                let tracks = realm.value.objects(Track.self)
                for _ in 0..<500 {
                    let old = Handed<NotificationToken?>(tracks.observe { _ in })
                    let start = DispatchSemaphore(value: 0)
                    let ending = BackgroundThread { _ in
                        start.wait()
                        old.value = nil
                    }
                    let log = ChangeLog<Recorded>()
                    start.signal()
                    let token = tracks.observe { log.append(Recorded($0)) }
                    try ending.wait()
                    try pump { log.count > 0 }
                    token.invalidate()
                }
            }.get()
        }
    }
}

@Suite struct SlowRunLoopTests {
    /// The work between two turns of the run loop takes longer than a result is kept, and there are
    /// commits all the time.
    @Test func aThreadWithLongTurnsIsToldInTheEnd() async throws {
        try await observing { scene in
            let log = ChangeLog<Recorded>()
            let token = scene.realm.objects(Marker.self).observe { log.append(Recorded($0)) }
            try pump { log.count == 1 }
            let writer = BackgroundThread { [configuration = scene.configuration] isStopped in
                while !isStopped() {
                    let realm = try Realm(configuration: configuration)
                    try realm.write { _ = realm.create(Marker.self) }
                    Thread.sleep(forTimeInterval: 0.005)
                }
            }
            // Usually the first of them; a minute on a machine that does much else.
            for _ in 0..<400 where log.count == 1 {
                Thread.sleep(forTimeInterval: 0.15)
                turnRunLoop(for: 0)
            }
            try writer.finish()
            #expect(log.count > 1)
            token.invalidate()
        }
    }
}
