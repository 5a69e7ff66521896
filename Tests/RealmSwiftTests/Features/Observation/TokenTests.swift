import Foundation
import RealmSwift
import Testing

@Suite struct NotificationTokenTests {
    @Test func onlyTheFirstInvalidationDoesSomething() async throws {
        try await observing { scene in
            let tokens = [
                scene.tracks.observe { _ in },
                try scene.album.numberMap.observe { _ in },
                try scene.track(0).observe { (_: ObjectChange<Track>) in },
                scene.realm.observe { _, _ in },
            ]
            try scene.settle()
            for token in tokens {
                #expect(token.invalidate())
                #expect(!token.invalidate())
            }
        }
    }

    @Test func afterInvalidationNothingIsReported() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.tracks)
            try scene.writeElsewhere { $0.addTracks([10]) }
            recording.token?.invalidate()
            #expect(try recording.take() == [])
        }
    }

    @Test func invalidatingBeforeTheInitialContentsPreventsThem() async throws {
        try await observing { scene in
            let log = ChangeLog<Recorded>()
            let token = scene.tracks.observe { log.append(Recorded($0)) }
            #expect(token.invalidate())
            try scene.settle()
            #expect(log.entries.isEmpty)
        }
    }

    @Test func droppingATokenStopsItsNotifications() async throws {
        try await observing { scene in
            let collection = try scene.record(scene.tracks)
            let object = try scene.record(scene.track(0))
            let realmLog = ChangeLog<Realm.Notification>()
            var token: NotificationToken? = scene.realm.observe { notification, _ in
                realmLog.append(notification)
            }
            try scene.realm.write {}
            #expect(token != nil && realmLog.count == 1)
            (collection.token, object.token, token) = (nil, nil, nil)
            try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
            #expect(try collection.take() == [])
            #expect(object.log.entries == [])
            try scene.realm.write {}
            #expect(realmLog.count == 1)
        }
    }

    @Test func aTokenThatIsNotKeptRegistersNothing() async throws {
        try await observing { scene in
            let log = ChangeLog<Recorded>()
            _ = scene.tracks.observe { log.append(Recorded($0)) }
            try scene.settle()
            #expect(log.entries.isEmpty)
        }
    }

    @Test func theCollectionNeedNotBeKept() async throws {
        try await observing { scene in
            let log = ChangeLog<Recorded>()
            let token = scene.tracks.filter("rank > 1").observe { log.append(Recorded($0)) }
            try scene.settle()
            try scene.writeElsewhere { $0.addTracks([10]) }
            try pump { log.count == 2 }
            #expect(log.entries == [.initial(2), .inserted(2)])
            token.invalidate()
        }
    }

    @Test func aTokenMayBeInvalidatedOnAnotherThread() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.tracks)
            let token = Handed(try #require(recording.token))
            let isValid = try runThread { token.value.invalidate() }
            #expect(isValid)
            try scene.writeElsewhere { $0.addTracks([10]) }
            #expect(try recording.take() == [])
            #expect(!token.value.invalidate())
        }
    }

    @Test func aTokenMayBeDroppedOnAnotherThread() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.tracks)
            let token = Handed(recording.token)
            recording.token = nil
            try runThread { token.value = nil }
            try scene.writeElsewhere { $0.addTracks([10]) }
            #expect(try recording.take() == [])
        }
    }

    @Test func oneTokenStopsOnlyItsOwnHandler() async throws {
        try await observing { scene in
            let first = try scene.record(scene.tracks)
            let second = try scene.record(scene.tracks)
            first.token?.invalidate()
            try scene.writeElsewhere { $0.addTracks([10]) }
            #expect(try first.take() == [])
            #expect(second.log.entries == [.inserted(4)])
        }
    }

    @Test func handlersAreReleasedWithTheirTokens() async throws {
        final class Witness {}
        try await observing { scene in
            weak var weakWitness: Witness?
            var token: NotificationToken?
            do {
                let witness = Witness()
                weakWitness = witness
                token = scene.tracks.observe { _ in withExtendedLifetime(witness) {} }
            }
            try scene.settle()
            #expect(weakWitness != nil)
            token?.invalidate()
            token = nil
            try scene.settle()
            #expect(weakWitness == nil)
        }
    }

    @Test func manyTokensComeAndGo() async throws {
        try await observing { scene in
            var recordings: [ChangeRecording<RecordedObject>] = []
            for round in 0..<200 {
                recordings.append(scene.record(try scene.track(round % 4)))
                if round % 3 == 2 { recordings.remove(at: round % recordings.count) }
            }
            let kept = recordings.count
            try scene.writeElsewhere { realm in
                for id in 0..<4 { try realm.track(id).rank = 50 }
            }
            try scene.settle()
            #expect(recordings.filter { $0.log.entries.map(\.names) == [["rank"]] }.count == kept)
        }
    }
}

@Suite struct RegistrationInATransactionTests {
    @Test func aCollectionMayBeObservedBeforeTheFirstChange() async throws {
        try await observing { scene in
            let log = ChangeLog<Recorded>()
            scene.realm.beginWrite()
            let token = scene.tracks.observe { log.append(Recorded($0)) }
            try scene.realm.commitWrite()
            try pump { log.count == 1 }
            #expect(log.entries == [.initial(4)])
            try scene.writeElsewhere { $0.addTracks([10]) }
            try pump { log.count == 2 }
            #expect(log.entries == [.initial(4), .inserted(4)])
            token.invalidate()
        }
    }

    @Test func changesAfterTheRegistrationAreNotLost() async throws {
        try await observing { scene in
            let mirror = Handed<[Int]>([])
            scene.realm.beginWrite()
            let token = scene.tracks.observe { change in
                switch change {
                case .initial(let tracks): mirror.value = tracks.map(\.id)
                case .update(let tracks, _, let insertions, _):
                    for index in insertions { mirror.value.insert(tracks[index].id, at: index) }
                case .error(let error): Issue.record(error)
                }
            }
            scene.realm.addTracks([10])
            try scene.realm.commitWrite()
            try scene.settle()
            #expect(mirror.value == [0, 1, 2, 3, 10])
            token.invalidate()
        }
    }

    @Test func aRegistrationSurvivesTheCancellationOfItsTransaction() async throws {
        try await observing { scene in
            let log = ChangeLog<Recorded>()
            scene.realm.beginWrite()
            let token = scene.tracks.observe { log.append(Recorded($0)) }
            scene.realm.addTracks([10])
            scene.realm.cancelWrite()
            try scene.settle()
            try scene.writeElsewhere { $0.addTracks([11]) }
            try pump { log.count == 2 }
            #expect(log.entries == [.initial(4), .inserted(4)])
            token.invalidate()
        }
    }
}
