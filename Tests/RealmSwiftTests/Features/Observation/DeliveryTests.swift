import Foundation
import RealmSwift
import Testing

@Suite struct DeliveryTests {
    @Test func severalCommitsBecomeOneChange() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.tracks)
            for id in 10..<15 { try scene.writeElsewhere { $0.addTracks([id]) } }
            try scene.writeElsewhere { realm in try realm.track(1).title = "new" }
            #expect(
                try recording.take() == [
                    .update(insertions: [4, 5, 6, 7, 8], modifications: [1])
                ])
        }
    }

    @Test func aListsCommitsAreComposed() async throws {
        try await observing { scene in
            let list = try scene.album.numbers
            try scene.realm.write { list.append(objectsIn: [0, 1, 2, 3]) }
            let recording = try scene.record(list)
            try scene.writeElsewhere { realm in try realm.album().numbers.remove(at: 0) }
            try scene.writeElsewhere { realm in try realm.album().numbers.insert(9, at: 1) }
            try scene.writeElsewhere { realm in try realm.album().numbers[2] = 20 }
            #expect(Array(list) == [0, 1, 2, 3])
            #expect(
                try recording.take() == [
                    .update(deletions: [0], insertions: [1], modifications: [2])
                ])
            #expect(Array(list) == [1, 9, 20, 3])
        }
    }

    @Test func whatIsCreatedAndDeletedBetweenTwoDeliveriesIsNotReported() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.tracks)
            try scene.writeElsewhere { $0.addTracks([10]) }
            try scene.writeElsewhere { realm in try realm.delete(realm.track(10)) }
            #expect(try recording.take() == [])
        }
    }

    @Test func anObjectChangedAndThenDeletedIsADeletion() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.tracks.sorted(byKeyPath: "id"))
            try scene.writeElsewhere { realm in try realm.track(1).title = "new" }
            try scene.writeElsewhere { realm in try realm.delete(realm.track(1)) }
            #expect(try recording.take() == [.deleted(1)])
        }
    }

    @Test func ownCommitsAreReportedAfterTheyReturn() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.tracks)
            try scene.realm.write { scene.realm.addTracks([10]) }
            #expect(recording.log.entries.isEmpty)
            try pump { recording.log.count > 0 }
            #expect(recording.log.entries == [.inserted(4)])
        }
    }

    @Test func ownCommitsAndOthersAreReportedTogether() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.tracks)
            try scene.realm.write { scene.realm.addTracks([10]) }
            try scene.writeElsewhere { $0.addTracks([11]) }
            var inserted: [Int] = []
            for case .update(let deletions, let insertions, let modifications)
                in try recording.take()
            {
                #expect(deletions.isEmpty && modifications.isEmpty)
                inserted += insertions
            }
            #expect(inserted == [4, 5])
        }
    }

    @Test func refreshDeliversBeforeItReturns() async throws {
        try await observing { scene in
            let collection = try scene.record(scene.tracks)
            let object = try scene.record(scene.track(0))
            try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
            #expect(collection.log.entries.isEmpty && object.log.entries.isEmpty)
            #expect(scene.realm.refresh())
            #expect(collection.log.entries == [.modified(0)])
            #expect(object.log.entries.map(\.names) == [["title"]])
        }
    }

    @Test func beginningAWriteDeliversFromWithinTheTransaction() async throws {
        try await observing { scene in
            let log = ChangeLog<Bool>()
            let realm = scene.realm
            let token = scene.tracks.observe { change in
                if case .update = change { log.append(realm.isInWriteTransaction) }
            }
            try scene.settle()
            try scene.writeElsewhere { $0.addTracks([10]) }
            scene.realm.beginWrite()
            #expect(log.entries == [true])
            #expect(scene.tracks.count == 5)
            scene.realm.cancelWrite()
            token.invalidate()
        }
    }

    @Test func deliveryFromTheRunLoopIsOutsideOfTransactions() async throws {
        try await observing { scene in
            let log = ChangeLog<Bool>()
            let realm = scene.realm
            let token = scene.tracks.observe { _ in log.append(realm.isInWriteTransaction) }
            try pump { log.count == 1 }
            try scene.writeElsewhere { $0.addTracks([10]) }
            try pump { log.count == 2 }
            #expect(log.entries == [false, false])
            token.invalidate()
        }
    }

    @Test func anEmptyWriteForcesDelivery() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.tracks)
            try scene.writeElsewhere { $0.addTracks([10]) }
            try scene.realm.write {}
            #expect(recording.log.entries == [.inserted(4)])
        }
    }

    @Test func aCancelledTransactionIsNotReported() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.tracks)
            scene.realm.beginWrite()
            scene.realm.addTracks([10])
            try scene.track(0).title = "new"
            scene.realm.cancelWrite()
            #expect(try recording.take() == [])
            try scene.realm.write { try scene.track(1).title = "new" }
            #expect(try recording.take() == [.modified(1)])
        }
    }

    @Test func everyHandlerSeesTheNewVersionOfEverything() async throws {
        try await observing { scene in
            let log = ChangeLog<[Int]>()
            let tracks = scene.tracks
            let list = try scene.album.tracks
            let handler = { log.append([tracks.count, list.count]) }
            let tokens = [
                tracks.observe { if case .update = $0 { handler() } },
                list.observe { if case .update = $0 { handler() } },
            ]
            try scene.settle()
            try scene.writeElsewhere { realm in
                realm.addTracks([10])
                try realm.album().tracks.append(realm.track(10))
            }
            try pump { log.count == 2 }
            #expect(log.entries == [[5, 5], [5, 5]])
            for token in tokens { token.invalidate() }
        }
    }

    @Test func everyObservingThreadIsTold() async throws {
        try await observing { scene in
            let logs = (0..<3).map { _ in ChangeLog<Recorded>() }
            let ended = ChangeLog<Int>()
            for (index, log) in logs.enumerated() {
                Thread.detachNewThread { [configuration = scene.configuration] in
                    let result = runInLoop {
                        let realm = try Realm(configuration: configuration)
                        let token = realm.objects(Track.self).observe { log.append(Recorded($0)) }
                        try pump { log.count == 2 }
                        token.invalidate()
                    }
                    #expect(throws: Never.self) { try result.get() }
                    ended.append(index)
                }
            }
            try pump { logs.allSatisfy { $0.count == 1 } }
            try scene.realm.write { scene.realm.addTracks([10]) }
            try pump { ended.count == 3 }
            #expect(logs.allSatisfy { $0.entries == [.initial(4), .inserted(4)] })
        }
    }

    @Test func anObserverRegisteredLaterBeginsWithTheContentsOfItsDelivery() async throws {
        try await observing { scene in
            let log = ChangeLog<Recorded>()
            let token = scene.tracks.observe { log.append(Recorded($0)) }
            try scene.realm.write { scene.realm.addTracks([10]) }
            try scene.settle()
            let known: [[Recorded]] = [[.initial(5)], [.initial(4), .inserted(4)]]
            #expect(known.contains(log.entries))
            token.invalidate()
        }
    }
}

@Suite struct WithoutNotifyingTests {
    @Test func theGivenTokensAreNotToldOfTheTransaction() async throws {
        try await observing { scene in
            let first = try scene.record(scene.tracks)
            let second = try scene.record(scene.tracks)
            scene.realm.beginWrite()
            scene.realm.addTracks([10])
            try scene.realm.commitWrite(withoutNotifying: [try #require(second.token)])
            #expect(try first.take() == [.inserted(4)])
            #expect(second.log.entries == [])
        }
    }

    @Test func theNextTransactionIsReportedAlone() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.tracks)
            let token = try #require(recording.token)
            try scene.realm.write(withoutNotifying: [token]) { scene.realm.addTracks([10]) }
            try scene.realm.write { scene.realm.addTracks([11]) }
            #expect(try recording.take() == [.inserted(5)])
        }
    }

    @Test func anObserverOfTheRealmIsNotToldEither() async throws {
        try await observing { scene in
            let log = ChangeLog<Realm.Notification>()
            let token = scene.realm.observe { notification, _ in log.append(notification) }
            try scene.realm.write(withoutNotifying: [token]) { scene.realm.addTracks([10]) }
            #expect(log.entries.isEmpty)
            try scene.realm.write {}
            #expect(log.entries == [.didChange])
            token.invalidate()
        }
    }

    @Test func observersOfObjectsAndMapsAreNotToldEither() async throws {
        try await observing { scene in
            let object = try scene.record(scene.track(0))
            let map = try scene.record(scene.album.numberMap)
            let tokens = [try #require(object.token), try #require(map.token)]
            try scene.realm.write(withoutNotifying: tokens) {
                try scene.track(0).title = "new"
                try scene.album.numberMap["a"] = 1
            }
            #expect(try object.take() == [])
            #expect(map.log.entries == [])
            try scene.realm.write { try scene.album.numberMap["b"] = 1 }
            #expect(try map.take() == [.update(insertions: ["b"])])
        }
    }

    @Test func changesOfOtherThreadsBeforeTheTransactionAreReported() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.tracks)
            let token = try #require(recording.token)
            try scene.writeElsewhere { $0.addTracks([10]) }
            try scene.realm.write(withoutNotifying: [token]) { scene.realm.addTracks([11]) }
            #expect(try recording.take() == [.inserted(4)])
        }
    }

    @Test func anInterfaceDrivenWriteLeavesTheMirrorRight() async throws {
        try await observing { scene in
            let list = try scene.album.numbers
            let mirror = ChangeLog<Int>()
            let token = list.observe { change in
                guard case .update(let list, _, let insertions, _) = change else { return }
                for index in insertions { mirror.append(list[index]) }
            }
            try scene.settle()
            try scene.realm.write(withoutNotifying: [token]) { list.insert(1, at: 0) }
            mirror.append(1)
            try scene.writeElsewhere { realm in try realm.album().numbers.append(2) }
            try pump { mirror.count == 2 }
            #expect(mirror.entries == Array(list))
            token.invalidate()
        }
    }
}
