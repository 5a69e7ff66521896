import Foundation
import RealmSwift
import StorageEngine
import Testing

// Changes as an asynchronous sequence. A task on the actor of the Realm iterates; the test waits
// for what it has seen.

@Suite(.timeLimit(.minutes(10))) struct ChangeSequenceTests {
    @Test func theInitialContentsAreTheFirstElement() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let first = try await watcher.run { _, realm in
            for await change in realm.objects(Track.self).changes { return Recorded(change) }
            return Recorded.failed
        }
        #expect(first == .initial(4))
        await watcher.close()
    }

    @Test func changesFollow() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<Recorded>()
        let task = Task {
            try await watcher.run { _, realm in
                for await change in realm.objects(Track.self).changes {
                    log.append(Recorded(change))
                    if log.count == 4 { break }
                }
            }
        }
        try await log.wait(count: 1)
        try await scene.write { $0.addTracks([10]) }
        try await log.wait(count: 2)
        try await scene.write { realm in try realm.track(1).title = "new" }
        try await log.wait(count: 3)
        try await scene.write { realm in try realm.delete(realm.track(0)) }
        try await task.value
        #expect(log.entries == [.initial(4), .inserted(4), .modified(1), .deleted(0)])
        await watcher.close()
    }

    @Test func keyPathsChooseTheModifications() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<Recorded>()
        let task = Task {
            try await watcher.run { _, realm in
                for await change in realm.objects(Track.self).changes(keyPaths: ["title"]) {
                    log.append(Recorded(change))
                    if log.count == 3 { break }
                }
            }
        }
        try await log.wait(count: 1)
        try await scene.write { realm in try realm.track(0).rank = 9 }
        try await watcher.settle(scene)
        try await scene.write { realm in try realm.track(1).title = "new" }
        try await log.wait(count: 2)
        try await scene.write { $0.addTracks([10]) }
        try await task.value
        #expect(log.entries == [.initial(4), .modified(1), .inserted(4)])
        await watcher.close()
    }

    @Test func cancellationEndsTheSequence() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<Recorded>()
        let task = Task {
            try await watcher.run { _, realm in
                for await change in realm.objects(Track.self).changes {
                    log.append(Recorded(change))
                }
                return Task.isCancelled
            }
        }
        try await log.wait(count: 1)
        task.cancel()
        #expect(try await task.value)
        try await scene.write { $0.addTracks([10]) }
        try await watcher.settle(scene)
        #expect(log.entries == [.initial(4)])
        await watcher.close()
    }

    @Test func cancellationWhileAChangeIsBeingHandledEndsTheSequence() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<Recorded>()
        let gate = TestGate()
        let task = Task {
            try await watcher.run { _, realm in
                for await change in realm.objects(Track.self).changes {
                    log.append(Recorded(change))
                    await gate.wait()
                }
            }
        }
        try await log.wait(count: 1)
        try await scene.write { $0.addTracks([10]) }
        task.cancel()
        gate.open()
        try await task.value
        #expect(log.entries == [.initial(4)])
        await watcher.close()
    }

    @Test func aTaskThatIsCancelledAlreadyGetsNoElement() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let gate = TestGate()
        _ = try await watcher.run { _, realm in realm.objects(Track.self).count }
        let task = Task {
            await gate.wait()
            return try await watcher.run { _, realm in
                var count = 0
                for await _ in realm.objects(Track.self).changes { count += 1 }
                return count
            }
        }
        task.cancel()
        gate.open()
        #expect(try await task.value == 0)
        await watcher.close()
    }

    @Test func aSlowConsumerIsToldSeveralCommitsAtOnce() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<Recorded>()
        let gate = TestGate()
        let task = Task {
            try await watcher.run { _, realm in
                for await change in realm.objects(Track.self).changes {
                    log.append(Recorded(change))
                    if log.count == 1 { await gate.wait() } else { break }
                }
            }
        }
        try await log.wait(count: 1)
        for id in 10..<13 { try await scene.write { $0.addTracks([id]) } }
        try await scene.write { realm in try realm.track(2).title = "new" }
        try await scene.write { realm in try realm.delete(realm.track(0)) }
        gate.open()
        try await task.value
        #expect(
            log.entries == [
                .initial(4),
                .update(deletions: [0], insertions: [3, 4, 5], modifications: [2]),
            ])
        await watcher.close()
    }

    @Test func aMirrorOfASlowConsumerStaysRight() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let told = AwaitedLog<[Int]>()
        let task = Task {
            try await watcher.run { _, realm in
                var mirror: [Int] = []
                for await change in realm.objects(Track.self).changes {
                    switch change {
                    case .initial(let tracks): mirror = Array(tracks).map(\.id)
                    case .update(let tracks, let deletions, let insertions, _):
                        for index in deletions.reversed() { mirror.remove(at: index) }
                        for index in insertions { mirror.insert(tracks[index].id, at: index) }
                        #expect(mirror == Array(tracks).map(\.id))
                    case .error(let error): Issue.record(error)
                    }
                    told.append(mirror)
                    if mirror.last == 99 { break }
                    // Leaves the actor to others, so that commits come in between.
                    for _ in 0..<10 { await Task.yield() }
                }
            }
        }
        try await told.wait(count: 1)
        for id in 10..<40 {
            try await scene.write { realm in
                realm.addTracks([id])
                if id % 3 == 0 { realm.delete(realm.objects(Track.self)[1]) }
            }
        }
        try await scene.write { $0.addTracks([99]) }
        try await task.value
        let contents = try await watcher.run { _, realm in
            realm.refresh()
            return Array(realm.objects(Track.self)).map(\.id)
        }
        #expect(told.entries.last == contents)
        await watcher.close()
    }

    @Test func aSequenceThatIsNoLongerIteratedKeepsNoVersion() async throws {
        let scene = try await ActorScene()
        let path = try #require(scene.configuration.fileURL?.path)
        let watcher = Watcher(scene)
        let log = AwaitedLog<Recorded>()
        let task = Task {
            try await watcher.run { _, realm in
                for await change in realm.objects(Track.self).changes {
                    log.append(Recorded(change))
                }
            }
        }
        try await log.wait(count: 1)
        try await scene.write { $0.addTracks([10]) }
        try await log.wait(count: 2)
        task.cancel()
        try await task.value
        await watcher.close()
        try await scene.write { $0.addTracks([11]) }
        try await waitAsync {
            try Database.open(path: path).statistics().pinnedVersions.isEmpty
        }
    }

    @Test func breakingEndsTheObservation() async throws {
        let scene = try await ActorScene()
        let path = try #require(scene.configuration.fileURL?.path)
        let watcher = Watcher(scene)
        try await watcher.run { _, realm in
            for await _ in realm.objects(Track.self).changes { break }
        }
        await watcher.close()
        try await scene.write { $0.addTracks([11]) }
        try await waitAsync {
            try Database.open(path: path).statistics().pinnedVersions.isEmpty
        }
    }

    @Test func eachIterationBeginsWithTheContentsOfItsTime() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let counts = try await watcher.run { _, realm in
            let changes = realm.objects(Track.self).changes
            var counts: [Recorded] = []
            for id in 10..<13 {
                for await change in changes {
                    counts.append(Recorded(change))
                    break
                }
                try commitHere(realm) { $0.addTracks([id]) }
            }
            return counts
        }
        #expect(counts == [.initial(4), .initial(5), .initial(6)])
        await watcher.close()
    }

    @Test func severalTasksIterateOverOneCollection() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let logs = (0..<5).map { _ in AwaitedLog<Recorded>() }
        let tasks = logs.map { log in
            Task {
                try await watcher.run { _, realm in
                    for await change in realm.objects(Track.self).changes {
                        log.append(Recorded(change))
                        if log.count == 2 { break }
                    }
                }
            }
        }
        for log in logs { try await log.wait(count: 1) }
        try await scene.write { $0.addTracks([10]) }
        for task in tasks { try await task.value }
        #expect(logs.allSatisfy { $0.entries == [.initial(4), .inserted(4)] })
        await watcher.close()
    }

    @Test func aConsumerMayWriteBetweenTwoElements() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let changes = try await watcher.run { _, realm in
            var changes: [Recorded] = []
            for await change in realm.objects(Track.self).changes {
                changes.append(Recorded(change))
                if changes.count == 4 { break }
                let id = 100 + changes.count
                try commitHere(realm) { $0.addTracks([id]) }
            }
            return changes
        }
        #expect(changes == [.initial(4), .inserted(4), .inserted(5), .inserted(6)])
        await watcher.close()
    }

    @MainActor @Test func aSequenceOfTheMainActorIsIteratedThere() async throws {
        let scene = try await ActorScene()
        let realm = try await Realm.open(configuration: scene.configuration)
        var changes: [Recorded] = []
        for await change in realm.objects(Track.self).changes {
            MainActor.preconditionIsolated()
            changes.append(Recorded(change))
            if changes.count == 2 { break }
            try await scene.write { $0.addTracks([10]) }
        }
        #expect(changes == [.initial(4), .inserted(4)])
    }
}

/// Sequences of changes of everything else that is observed.
@Suite(.timeLimit(.minutes(10))) struct OtherChangeSequenceTests {
    @Test func listsSetsAndLinkingObjectsHaveChanges() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let list = AwaitedLog<Recorded>()
        let set = AwaitedLog<Recorded>()
        let links = AwaitedLog<Recorded>()
        let tasks = [
            Task {
                try await watcher.run { _, realm in
                    for await change in try realm.album().tracks.changes {
                        list.append(Recorded(change))
                    }
                }
            },
            Task {
                try await watcher.run { _, realm in
                    for await change in try realm.album().favourites.changes {
                        set.append(Recorded(change))
                    }
                }
            },
            Task {
                try await watcher.run { _, realm in
                    for await change in try realm.track(0).albums.changes(keyPaths: ["name"]) {
                        links.append(Recorded(change))
                    }
                }
            },
        ]
        for log in [list, set, links] { try await log.wait(count: 1) }
        try await scene.write { realm in
            try realm.album().tracks.move(from: 3, to: 0)
            try realm.album().favourites.insert(realm.track(1))
            try realm.album().name = "new"
        }
        for log in [list, set, links] { try await log.wait(count: 2) }
        #expect(list.entries == [.initial(4), .update(deletions: [3], insertions: [0])])
        #expect(set.entries == [.initial(0), .inserted(0)])
        #expect(links.entries == [.initial(1), .modified(0)])
        for task in tasks { task.cancel() }
        for task in tasks { try await task.value }
        await watcher.close()
    }

    @Test func mapsHaveChangesOfKeys() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<RecordedKeys>()
        let task = Task {
            try await watcher.run { _, realm in
                for await change in try realm.album().numberMap.changes {
                    log.append(RecordedKeys(change))
                    if log.count == 2 { break }
                }
            }
        }
        try await log.wait(count: 1)
        try await scene.write { realm in try realm.album().numberMap["a"] = 1 }
        try await task.value
        #expect(log.entries == [.initial(0), .update(insertions: ["a"])])
        await watcher.close()
    }

    @Test func sectionsHaveChanges() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<RecordedSections>()
        let task = Task {
            try await watcher.run { _, realm in
                let sections = realm.objects(Track.self).sectioned(by: \.group)
                for await change in sections.changes {
                    log.append(RecordedSections(change))
                    if log.count == 2 { break }
                }
            }
        }
        try await log.wait(count: 1)
        try await scene.write { realm in try realm.track(0).group = 1 }
        try await task.value
        let change = RecordedSections.changed(deletions: [[0, 0]], insertions: [[1, 0]])
        #expect(log.entries == [.initial(2), change])
        await watcher.close()
    }

    /// An object has no initial element. Assumed: its deletion is the last one.
    @Test func objectsHaveChangesUntilTheyAreDeleted() async throws {
        let scene = try await ActorScene()
        let watcher = Watcher(scene)
        let log = AwaitedLog<[String]>()
        let isIterating = TestGate()
        let task = Task {
            try await watcher.run { _, realm in
                let track = try realm.track(0)
                let changes = track.changes
                isIterating.open()
                for await change in changes { log.append(RecordedObject(change).names) }
            }
        }
        // The actor is given up when the task waits for the first element.
        await isIterating.wait()
        try await watcher.settle(scene)
        try await scene.write { realm in try realm.track(0).title = "new" }
        try await log.wait(count: 1)
        try await scene.write { realm in try realm.delete(realm.track(0)) }
        try await task.value
        #expect(log.entries == [["title"], []])
        await watcher.close()
    }
}
