import Foundation
import RealmSwift
import StorageEngine
import Testing

@Suite struct RealmObservationTests {
    @Test func aCommitCallsTheHandlerBeforeItReturns() async throws {
        try await observing { scene in
            let log = ChangeLog<Realm.Notification>()
            let token = scene.realm.observe { notification, _ in log.append(notification) }
            #expect(log.entries.isEmpty)
            try scene.realm.write { scene.realm.addTracks([10]) }
            #expect(log.entries == [.didChange])
            token.invalidate()
        }
    }

    @Test func aCommitWithoutChangesCallsTheHandlerToo() async throws {
        try await observing { scene in
            let log = ChangeLog<Realm.Notification>()
            let token = scene.realm.observe { notification, _ in log.append(notification) }
            try scene.realm.write {}
            #expect(log.entries == [.didChange])
            token.invalidate()
        }
    }

    @Test func aCommitOnAnotherThreadCallsTheHandlerFromTheRunLoop() async throws {
        try await observing { scene in
            let log = ChangeLog<Int>()
            let token = scene.realm.observe { notification, realm in
                #expect(notification == .didChange)
                log.append(realm.objects(Track.self).count)
            }
            try scene.writeElsewhere { $0.addTracks([10]) }
            #expect(log.entries.isEmpty && scene.tracks.count == 4)
            try pump { log.count > 0 }
            #expect(log.entries == [5])
            token.invalidate()
        }
    }

    @Test func theHandlerRunsOnTheThreadThatRegisteredIt() async throws {
        try await observing { scene in
            let here = Thread.current
            let log = ChangeLog<Bool>()
            let token = scene.realm.observe { _, _ in log.append(Thread.current === here) }
            try scene.writeElsewhere { $0.addTracks([10]) }
            try pump { log.count > 0 }
            try scene.realm.write {}
            #expect(log.count >= 2 && log.entries.allSatisfy { $0 })
            token.invalidate()
        }
    }

    @Test func theHandlerGetsTheObservedRealm() async throws {
        try await observing { scene in
            let realm = scene.realm
            let log = ChangeLog<Bool>()
            let token = realm.observe { _, changed in log.append(changed == realm) }
            try realm.write {}
            #expect(log.entries == [true])
            token.invalidate()
        }
    }

    @Test func aCancelledTransactionCallsNoHandler() async throws {
        try await observing { scene in
            let log = ChangeLog<Realm.Notification>()
            let token = scene.realm.observe { notification, _ in log.append(notification) }
            scene.realm.beginWrite()
            scene.realm.addTracks([10])
            scene.realm.cancelWrite()
            #expect(log.entries.isEmpty)
            try scene.realm.write {}
            #expect(log.entries == [.didChange])
            token.invalidate()
        }
    }

    @Test func aBlockThatThrowsCallsNoHandler() async throws {
        try await observing { scene in
            let log = ChangeLog<Realm.Notification>()
            let token = scene.realm.observe { notification, _ in log.append(notification) }
            #expect(throws: Missing.self) { try scene.realm.write { throw Missing() } }
            #expect(log.entries.isEmpty)
            token.invalidate()
        }
    }

    @Test func everyHandlerOfARealmIsCalled() async throws {
        try await observing { scene in
            let log = ChangeLog<Int>()
            let tokens = (0..<3).map { number in
                scene.realm.observe { _, _ in log.append(number) }
            }
            try scene.realm.write {}
            #expect(log.entries.sorted() == [0, 1, 2])
            for token in tokens { token.invalidate() }
        }
    }

    @Test func handlersOfOtherRealmsAreNotCalled() async throws {
        try await observing { scene in
            let other = try temporaryRealm(observedTypes)
            let log = ChangeLog<Realm.Notification>()
            let token = other.observe { notification, _ in log.append(notification) }
            try scene.realm.write {}
            try scene.settle()
            #expect(log.entries.isEmpty)
            try other.write {}
            #expect(log.entries == [.didChange])
            token.invalidate()
        }
    }

    @Test func anInMemoryRealmReportsChangesOfOtherThreads() async throws {
        try await withRunLoopThread {
            let configuration = Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: observedTypes)
            let realm = try Realm(configuration: configuration)
            let log = ChangeLog<Int>()
            let token = realm.observe { _, realm in log.append(realm.objects(Track.self).count) }
            try runThread {
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.addTracks([1]) }
            }
            try pump { log.count > 0 }
            #expect(log.entries == [1])
            token.invalidate()
        }
    }

    @Test func anEncryptedRealmReportsChangesOfOtherThreads() async throws {
        try await withRunLoopThread {
            let directory = TestDirectory()
            var configuration = directory.configuration(observedTypes)
            configuration.encryptionKey = Data(repeating: 7, count: 64)
            let realm = try Realm(configuration: configuration)
            let log = ChangeLog<Int>()
            let token = realm.observe { _, realm in log.append(realm.objects(Track.self).count) }
            try runThread { [configuration] in
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.addTracks([1]) }
            }
            try pump { log.count > 0 }
            #expect(log.entries == [1])
            token.invalidate()
        }
    }

    @Test func notificationsHaveTheDocumentedRawValues() {
        #expect(Realm.Notification.didChange.rawValue == "RLMRealmDidChangeNotification")
        #expect(
            Realm.Notification.refreshRequired.rawValue == "RLMRealmRefreshRequiredNotification")
    }
}

@Suite struct AutorefreshTests {
    @Test func realmsRefreshThemselvesByDefault() async throws {
        try await observing { scene in
            #expect(scene.realm.autorefresh)
            try scene.writeElsewhere { $0.addTracks([10]) }
            try pump { scene.tracks.count == 5 }
        }
    }

    @Test func withoutItTheHandlerIsToldThatARefreshIsRequired() async throws {
        try await observing { scene in
            scene.realm.autorefresh = false
            let log = ChangeLog<Realm.Notification>()
            let token = scene.realm.observe { notification, _ in log.append(notification) }
            try scene.writeElsewhere { $0.addTracks([10]) }
            try pump { log.count > 0 }
            #expect(log.entries == [.refreshRequired])
            #expect(scene.tracks.count == 4)
            #expect(scene.realm.refresh())
            #expect(scene.tracks.count == 5)
            #expect(log.entries.last == .didChange)
            token.invalidate()
        }
    }

    @Test func withoutItCollectionsAreReportedByRefresh() async throws {
        try await observing { scene in
            let log = ChangeLog<Recorded>()
            let token = scene.tracks.observe { log.append(Recorded($0)) }
            try pump { log.entries == [.initial(4)] }
            scene.realm.autorefresh = false
            let required = ChangeLog<Realm.Notification>()
            let other = scene.realm.observe { notification, _ in required.append(notification) }
            try scene.writeElsewhere { $0.addTracks([10]) }
            try pump { required.count > 0 }
            #expect(log.count == 1)
            #expect(scene.realm.refresh())
            #expect(log.entries == [.initial(4), .inserted(4)])
            token.invalidate()
            other.invalidate()
        }
    }

    @Test func withoutItOwnCommitsAreStillReported() async throws {
        try await observing { scene in
            scene.realm.autorefresh = false
            let log = ChangeLog<Recorded>()
            let token = scene.tracks.observe { log.append(Recorded($0)) }
            try pump { log.entries == [.initial(4)] }
            try scene.realm.write { scene.realm.addTracks([10]) }
            try pump { log.count > 1 }
            #expect(log.entries == [.initial(4), .inserted(4)])
            token.invalidate()
        }
    }

    @Test func withoutItNothingHappensAgainAndAgain() async throws {
        try await observing { scene in
            scene.realm.autorefresh = false
            let log = ChangeLog<Recorded>()
            let token = scene.tracks.observe { log.append(Recorded($0)) }
            try pump { log.count == 1 }
            try scene.writeElsewhere { $0.addTracks([10]) }
            // The run loop is left alone: it returns when something has happened, or after 20 ms.
            var turns = 0
            let end = ContinuousClock.now + .milliseconds(400)
            while ContinuousClock.now < end {
                turnRunLoop()
                turns += 1
            }
            #expect(turns < 100)
            #expect(log.count == 1)
            token.invalidate()
        }
    }

    @Test func anInvalidatedRealmPinsNothing() async throws {
        try await observing { scene in
            scene.realm.invalidate()
            try scene.writeElsewhere { $0.addTracks([10]) }
            for _ in 0..<10 { turnRunLoop() }
            let path = try #require(scene.configuration.fileURL?.path)
            #expect(try Database.open(path: path).statistics().pinnedVersions.isEmpty)
            #expect(scene.realm.objects(Track.self).count == 5)
        }
    }

    @Test func turningItOnAgainCatchesUp() async throws {
        try await observing { scene in
            scene.realm.autorefresh = false
            try scene.writeElsewhere { $0.addTracks([10]) }
            turnRunLoop()
            #expect(scene.tracks.count == 4)
            scene.realm.autorefresh = true
            try scene.writeElsewhere { $0.addTracks([11]) }
            try pump { scene.tracks.count == 6 }
        }
    }

    @Test func refreshTellsWhetherTheVersionAdvanced() async throws {
        try await observing { scene in
            #expect(!scene.realm.refresh())
            try scene.writeElsewhere { $0.addTracks([10]) }
            #expect(scene.realm.refresh())
            #expect(!scene.realm.refresh())
        }
    }
}
