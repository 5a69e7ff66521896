import Foundation
import RealmSwift
import Testing

/// `observe(on: actor)`, called on the actor of the Realm.
@Suite(.timeLimit(.minutes(10))) struct ActorObservationTests {
    @Test func resultsAreReportedOnTheActor() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<Recorded>()
        try await watcher.run { watcher, realm in
            let tracks = realm.objects(Track.self)
            let token = await tracks.observe(on: watcher) { watcher, change in
                watcher.preconditionIsolated()
                log.append(Recorded(change))
            }
            watcher.keep(token)
        }
        try await log.wait(count: 1)
        try await scene.write { $0.addTracks([10]) }
        try await log.wait(count: 2)
        try await scene.write { realm in try realm.track(2).title = "new" }
        try await log.wait(count: 3)
        #expect(log.entries == [.initial(4), .inserted(4), .modified(2)])
        await watcher.close()
    }

    @Test func collectionsOfAnObjectAreReportedOnTheActor() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let lists = AwaitedLog<Recorded>()
        let sets = AwaitedLog<Recorded>()
        let maps = AwaitedLog<RecordedKeys>()
        let links = AwaitedLog<Recorded>()
        let erased = AwaitedLog<Recorded>()
        try await watcher.run { watcher, realm in
            let album = try realm.album()
            watcher.keep(
                await album.tracks.observe(on: watcher) { lists.append(Recorded($1)) })
            watcher.keep(
                await album.favourites.observe(on: watcher) { sets.append(Recorded($1)) })
            watcher.keep(
                await album.byKey.observe(on: watcher) { maps.append(RecordedKeys($1)) })
            let referrers = try realm.track(0).albums
            watcher.keep(await referrers.observe(on: watcher) { links.append(Recorded($1)) })
            let any = AnyRealmCollection(album.numbers)
            watcher.keep(await any.observe(on: watcher) { erased.append(Recorded($1)) })
        }
        try await watcher.settle(scene)
        try await scene.write { realm in
            let album = try realm.album()
            album.tracks.remove(at: 1)
            album.favourites.insert(try realm.track(3))
            album.byKey["a"] = try realm.track(2)
            album.numbers.append(5)
        }
        try await watcher.settle(scene)
        #expect(lists.entries == [.initial(4), .deleted(1)])
        #expect(sets.entries == [.initial(0), .inserted(0)])
        #expect(maps.entries == [.initial(0), .update(insertions: ["a"])])
        #expect(links.entries == [.initial(1), .modified(0)])
        #expect(erased.entries == [.initial(0), .inserted(0)])
        await watcher.close()
    }

    @Test func objectsAreReportedOnTheActor() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<RecordedObject>()
        try await watcher.run { watcher, realm in
            let track = try realm.track(0)
            let token = await track.observe(on: watcher) {
                (watcher: isolated Watcher, change: ObjectChange<Track>) in
                watcher.preconditionIsolated()
                log.append(RecordedObject(change))
            }
            watcher.keep(token)
        }
        try await scene.write { realm in try realm.track(0).rank = 9 }
        try await log.wait(count: 1)
        try await scene.write { realm in try realm.delete(realm.track(0)) }
        try await log.wait(count: 2)
        let change = RecordedObject.change([.init(name: "rank", old: "0", new: "9")])
        #expect(log.entries == [change, .deleted])
        await watcher.close()
    }

    @Test func sectionsAndOneSectionAreReportedOnTheActor() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let all = AwaitedLog<RecordedSections>()
        let one = AwaitedLog<RecordedSections>()
        try await watcher.run { watcher, realm in
            let sections = realm.objects(Track.self).sectioned(by: \.group)
            watcher.keep(
                await sections.observe(on: watcher) { all.append(RecordedSections($1)) })
            watcher.keep(
                await sections[1].observe(on: watcher) { one.append(RecordedSections($1)) })
        }
        try await watcher.settle(scene)
        try await scene.write { realm in try realm.track(0).group = 1 }
        try await watcher.settle(scene)
        let change = RecordedSections.changed(deletions: [[0, 0]], insertions: [[1, 0]])
        #expect(all.entries == [.initial(2), change])
        #expect(one.entries.items == [.init(insertions: [0])])
        await watcher.close()
    }

    @Test func projectionsAreReportedOnTheActor() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<[String]>()
        let results = AwaitedLog<Recorded>()
        try await watcher.run { watcher, realm in
            let view = TrackView(projecting: try realm.track(0))
            let token = await view.observe(on: watcher) { _, change in
                log.append(RecordedObject(change).names)
            }
            watcher.keep(token)
            let views = realm.objects(TrackView.self)
            watcher.keep(await views.observe(on: watcher) { results.append(Recorded($1)) })
        }
        try await watcher.settle(scene)
        try await scene.write { realm in try realm.track(0).title = "new" }
        try await watcher.settle(scene)
        #expect(log.entries == [["name"]])
        #expect(results.entries == [.initial(4), .modified(0)])
        await watcher.close()
    }

    @Test func dynamicObjectsAreReportedOnTheActor() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<Recorded>()
        try await watcher.run { watcher, realm in
            let tracks = realm.dynamicObjects("Track")
            let token = await tracks.observe(keyPaths: ["title"], on: watcher) {
                log.append(Recorded($1))
            }
            watcher.keep(token)
        }
        try await watcher.settle(scene)
        try await scene.write { realm in
            try realm.track(0).rank = 9
            try realm.track(1).title = "new"
        }
        try await watcher.settle(scene)
        #expect(log.entries == [.initial(4), .modified(1)])
        await watcher.close()
    }

    @Test func keyPathsChooseTheModifications() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let strings = AwaitedLog<Recorded>()
        let swift = AwaitedLog<Recorded>()
        let object = AwaitedLog<[String]>()
        try await watcher.run { watcher, realm in
            let tracks = realm.objects(Track.self)
            watcher.keep(
                await tracks.observe(keyPaths: ["title"], on: watcher) {
                    strings.append(Recorded($1))
                })
            watcher.keep(
                await tracks.observe(keyPaths: [\Track.title], on: watcher) {
                    swift.append(Recorded($1))
                })
            let track = try realm.track(0)
            watcher.keep(
                await track.observe(keyPaths: [\Track.title], on: watcher) {
                    (_: isolated Watcher, change: ObjectChange<Track>) in
                    object.append(RecordedObject(change).names)
                })
        }
        try await watcher.settle(scene)
        try await scene.write { realm in try realm.track(0).rank = 9 }
        try await watcher.settle(scene)
        try await scene.write { realm in try realm.track(0).title = "new" }
        try await watcher.settle(scene)
        #expect(strings.entries == [.initial(4), .modified(0)])
        #expect(swift.entries == [.initial(4), .modified(0)])
        #expect(object.entries == [["title"]])
        await watcher.close()
    }

    @Test func theCollectionOfAChangeShowsTheVersionThatIsTold() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<[Int]>()
        try await watcher.run { watcher, realm in
            let tracks = realm.objects(Track.self).filter("rank > 1")
            let token = await tracks.observe(on: watcher) { _, change in
                switch change {
                case .initial(let tracks), .update(let tracks, _, _, _):
                    log.append(Array(tracks).map(\.id))
                case .error(let error): Issue.record(error)
                }
            }
            watcher.keep(token)
        }
        try await log.wait(count: 1)
        try await scene.write { $0.addTracks([10]) }
        try await log.wait(count: 2)
        #expect(log.entries == [[2, 3], [2, 3, 10]])
        await watcher.close()
    }

    @Test func nothingIsLostAfterTheCallHasReturned() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        for round in 0..<20 {
            let counts = AwaitedLog<Int>()
            try await watcher.run { watcher, realm in
                let tracks = realm.objects(Track.self)
                let token = await tracks.observe(on: watcher) { _, change in
                    switch change {
                    case .initial(let tracks): counts.append(tracks.count)
                    case .update(let tracks, _, _, _): counts.append(tracks.count)
                    case .error(let error): Issue.record(error)
                    }
                }
                watcher.keep(token)
            }
            try await scene.write { $0.addTracks([10 + round]) }
            try await watcher.settle(scene)
            #expect(counts.entries.last == 5 + round)
        }
        await watcher.close()
    }

    @Test func severalCommitsWhileTheActorIsBusyBecomeOneChange() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<Recorded>()
        try await watcher.run { watcher, realm in
            let tracks = realm.objects(Track.self)
            watcher.keep(await tracks.observe(on: watcher) { log.append(Recorded($1)) })
        }
        try await log.wait(count: 1)
        try await watcher.run { _, _ in
            // No suspension: the actor is busy until all three are committed.
            for id in 10..<13 { try scene.writeBlocking { $0.addTracks([id]) } }
        }
        try await log.wait(count: 2)
        #expect(log.entries == [.initial(4), .inserted(4, 5, 6)])
        await watcher.close()
    }

    @Test func ownCommitsAreReportedAfterTheyReturn() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<Recorded>()
        try await watcher.run { watcher, realm in
            let tracks = realm.objects(Track.self)
            watcher.keep(await tracks.observe(on: watcher) { log.append(Recorded($1)) })
        }
        try await log.wait(count: 1)
        try await watcher.run { _, realm in
            try commitHere(realm) { $0.addTracks([10]) }
            #expect(log.count == 1)
        }
        try await log.wait(count: 2)
        #expect(log.entries == [.initial(4), .inserted(4)])
        await watcher.close()
    }

    @Test func aSkippedTransactionIsNotReported() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<Recorded>()
        try await watcher.run { watcher, realm in
            let tracks = realm.objects(Track.self)
            watcher.keep(await tracks.observe(on: watcher) { log.append(Recorded($1)) })
        }
        try await log.wait(count: 1)
        try await watcher.run { watcher, realm in
            try commitHere(realm, skipping: watcher.tokens) { $0.addTracks([10]) }
        }
        try await watcher.settle(scene)
        #expect(log.entries == [.initial(4)])
        try await watcher.run { _, realm in try commitHere(realm) { $0.addTracks([11]) } }
        try await watcher.settle(scene)
        #expect(log.entries == [.initial(4), .inserted(5)])
        await watcher.close()
    }
}

/// The life of registrations on actors.
@Suite(.timeLimit(.minutes(10))) struct ActorRegistrationTests {
    @Test func afterInvalidationNothingIsReported() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<Recorded>()
        try await watcher.run { watcher, realm in
            let tracks = realm.objects(Track.self)
            watcher.keep(await tracks.observe(on: watcher) { log.append(Recorded($1)) })
        }
        try await log.wait(count: 1)
        let results = try await watcher.run { watcher, _ in
            [watcher.tokens[0].invalidate(), watcher.tokens[0].invalidate()]
        }
        #expect(results == [true, false])
        try await scene.write { $0.addTracks([10]) }
        try await watcher.settle(scene)
        #expect(log.entries == [.initial(4)])
        await watcher.close()
    }

    @Test func droppingTheTokenEndsTheCalls() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<Recorded>()
        try await watcher.run { watcher, realm in
            let tracks = realm.objects(Track.self)
            watcher.keep(await tracks.observe(on: watcher) { log.append(Recorded($1)) })
        }
        try await log.wait(count: 1)
        try await watcher.run { watcher, _ in watcher.tokens = [] }
        try await scene.write { $0.addTracks([10]) }
        try await watcher.settle(scene)
        #expect(log.entries == [.initial(4)])
        await watcher.close()
    }

    @Test func aHandlerMayEndItself() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<Recorded>()
        try await watcher.run { watcher, realm in
            let tracks = realm.objects(Track.self)
            let token = await tracks.observe(on: watcher) { watcher, change in
                log.append(Recorded(change))
                if log.count == 2 { watcher.tokens = [] }
            }
            watcher.keep(token)
        }
        try await log.wait(count: 1)
        for id in 10..<13 {
            try await scene.write { $0.addTracks([id]) }
            try await watcher.settle(scene)
        }
        #expect(log.entries == [.initial(4), .inserted(4)])
        await watcher.close()
    }

    @Test func aCancelledTaskNeverRegisters() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<Recorded>()
        let gate = TestGate()
        _ = try await watcher.run { _, realm in realm.objects(Track.self).count }
        let task = Task {
            await gate.wait()
            return try await watcher.run { watcher, realm in
                let tracks = realm.objects(Track.self)
                let token = await tracks.observe(on: watcher) { log.append(Recorded($1)) }
                watcher.keep(token)
                return token.invalidate()
            }
        }
        task.cancel()
        gate.open()
        #expect(try await task.value == false)
        try await scene.write { $0.addTracks([10]) }
        try await watcher.settle(scene)
        #expect(log.entries.isEmpty)
        await watcher.close()
    }

    @Test func aCancelledTaskNeverRegistersAnObject() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<[String]>()
        let gate = TestGate()
        _ = try await watcher.run { _, realm in realm.objects(Track.self).count }
        let task = Task {
            await gate.wait()
            return try await watcher.run { watcher, realm in
                let track = try realm.track(0)
                let token = await track.observe(on: watcher) {
                    (_: isolated Watcher, change: ObjectChange<Track>) in
                    log.append(RecordedObject(change).names)
                }
                watcher.keep(token)
                return token.invalidate()
            }
        }
        task.cancel()
        gate.open()
        #expect(try await task.value == false)
        try await scene.write { realm in try realm.track(0).title = "new" }
        try await watcher.settle(scene)
        #expect(log.entries.isEmpty)
        await watcher.close()
    }

    @Test func cancellingTheTaskLaterChangesNothing() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<Recorded>()
        let task = Task {
            try await watcher.run { watcher, realm in
                let tracks = realm.objects(Track.self)
                watcher.keep(await tracks.observe(on: watcher) { log.append(Recorded($1)) })
            }
        }
        try await task.value
        task.cancel()
        try await log.wait(count: 1)
        try await scene.write { $0.addTracks([10]) }
        try await log.wait(count: 2)
        #expect(log.entries == [.initial(4), .inserted(4)])
        await watcher.close()
    }

    @Test func aHandlerIsReleasedWithItsToken() async throws {
        final class Witness: Sendable {}
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<Int>()
        let kept = Handed<Witness?>(Witness())
        let reference = WeakReference(kept.value)
        try await watcher.run { watcher, realm in
            guard let witness = kept.value else { return }
            let token = await realm.objects(Track.self).observe(on: watcher) { _, _ in
                withExtendedLifetime(witness) { log.append(1) }
            }
            watcher.keep(token)
        }
        try await log.wait(count: 1)
        kept.value = nil
        #expect(!reference.isGone)
        await watcher.close()
        try await waitAsync { reference.isGone }
    }
}

/// `observe(on: actor)` where the Realm belongs to another actor, or to the main actor.
@Suite(.timeLimit(.minutes(10))) struct OtherActorObservationTests {
    @Test func anotherActorIsToldWithARealmOfItsOwn() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let other = Watcher(scene)
        let log = AwaitedLog<[Int]>()
        try await watcher.run { watcher, realm in
            let tracks = realm.objects(Track.self).filter("rank > 1")
            let token = await tracks.observe(on: other) { other, change in
                other.preconditionIsolated()
                switch change {
                case .initial(let tracks), .update(let tracks, _, _, _):
                    log.append(Array(tracks).map(\.id))
                case .error(let error): Issue.record(error)
                }
            }
            watcher.keep(token)
        }
        try await log.wait(count: 1)
        try await scene.write { $0.addTracks([10]) }
        try await log.wait(count: 2)
        #expect(log.entries == [[2, 3], [2, 3, 10]])
        await watcher.close()
    }

    @Test func anObserverOnAnotherActorMayBeEndedOnEither() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let other = Watcher(scene)
        let log = AwaitedLog<Recorded>()
        try await watcher.run { watcher, realm in
            let tracks = realm.objects(Track.self)
            watcher.keep(await tracks.observe(on: other) { log.append(Recorded($1)) })
        }
        try await log.wait(count: 1)
        await watcher.close()
        try await scene.write { $0.addTracks([10]) }
        try await other.settle(scene)
        #expect(log.entries == [.initial(4)])
        await other.close()
    }

    @MainActor @Test func collectionsOfTheMainActorAreReportedThere() async throws {
        let scene = try await ActorScene()
        let realm = try await Realm.open(configuration: scene.configuration)
        let log = AwaitedLog<Recorded>()
        let token = await realm.objects(Track.self).observe(on: MainActor.shared) { _, change in
            MainActor.preconditionIsolated()
            log.append(Recorded(change))
        }
        try await log.wait(count: 1)
        try await scene.write { $0.addTracks([10]) }
        try await log.wait(count: 2)
        #expect(log.entries == [.initial(4), .inserted(4)])
        token.invalidate()
    }

    @MainActor @Test func theMainActorMayRegisterForAnotherActor() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let realm = try await Realm.open(configuration: scene.configuration)
        let log = AwaitedLog<Recorded>()
        let token = await realm.objects(Track.self).observe(on: watcher) { watcher, change in
            watcher.preconditionIsolated()
            log.append(Recorded(change))
        }
        try await log.wait(count: 1)
        try await scene.write { realm in try realm.track(3).title = "new" }
        try await log.wait(count: 2)
        #expect(log.entries == [.initial(4), .modified(3)])
        token.invalidate()
    }

    @MainActor @Test func handlersWithoutAnActorServeARealmOfTheMainActor() async throws {
        let scene = try await ActorScene()
        let realm = try await Realm.open(configuration: scene.configuration)
        let log = AwaitedLog<Recorded>()
        let token = realm.objects(Track.self).observe { change in
            MainActor.preconditionIsolated()
            log.append(Recorded(change))
        }
        try await log.wait(count: 1)
        try await scene.write { $0.addTracks([10]) }
        try await log.wait(count: 2)
        #expect(log.entries == [.initial(4), .inserted(4)])
        token.invalidate()
    }

    @Test func manyActorsAreAllTold() async throws {
        let scene = try await ActorScene()
        let watchers = (0..<8).map { _ in Watcher(scene) }
        let logs = watchers.map { _ in AwaitedLog<Recorded>() }
        for (watcher, log) in zip(watchers, logs) {
            try await watcher.run { watcher, realm in
                let tracks = realm.objects(Track.self)
                watcher.keep(await tracks.observe(on: watcher) { log.append(Recorded($1)) })
            }
        }
        for log in logs { try await log.wait(count: 1) }
        try await scene.write { $0.addTracks([10]) }
        for log in logs { try await log.wait(count: 2) }
        #expect(logs.allSatisfy { $0.entries == [.initial(4), .inserted(4)] })
        for watcher in watchers { await watcher.close() }
    }
}
