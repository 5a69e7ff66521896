import Foundation
import RealmSwift
import Testing

// `writeAsync`. Documented: "Asynchronously performs actions contained within the given block
// inside a write transaction. The write transaction is begun asynchronously as if calling
// beginAsyncWrite, and by default the transaction is committed asynchronously after the block
// completes."

@Suite(.timeLimit(.minutes(10))) struct WriteAsyncTests {
    @Test func theBlockRunsLaterAndIsCommitted() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<String>())
            realm.writeAsync {
                log.append("block")
                realm.addItem(1, "one")
            } onComplete: { error in
                log.append(error == nil ? "complete" : "failed")
            }
            log.append("returned")
            try pump { log.count == 3 }
            #expect(log.entries == ["returned", "block", "complete"])
            #expect(try scene.item(1).text == "one")
            #expect(try scene.idsElsewhere() == [1])
        }
    }

    @Test func theBlockRunsInsideATransactionAndTheCompletionOutside() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<Bool>())
            realm.writeAsync {
                log.append(realm.isInWriteTransaction)
            } onComplete: { _ in
                log.append(realm.isInWriteTransaction)
            }
            #expect(!realm.isInWriteTransaction)
            try pump { log.count == 2 }
            #expect(log.entries == [true, false] && !realm.isInWriteTransaction)
        }
    }

    @Test func blockAndCompletionRunOnTheThreadOfTheRealm() async throws {
        try await withAsyncScene { scene in
            let (here, log) = (Thread.current, ChangeLog<Bool>())
            for _ in 0..<5 {
                scene.realm.writeAsync {
                    log.append(Thread.current === here)
                } onComplete: { _ in
                    log.append(Thread.current === here)
                }
            }
            try pump { log.count == 10 }
            #expect(log.entries.allSatisfy { $0 })
        }
    }

    @Test func theCompletionMayBeLeftOut() async throws {
        try await withAsyncScene { scene in
            let realm = scene.realm
            realm.writeAsync { realm.addItem(1) }
            try pump { !realm.isPerformingAsynchronousWriteOperations }
            #expect(scene.ids == [1])
            #expect(try scene.idsElsewhere() == [1])
        }
    }

    @Test func blocksRunInTheOrderOfTheirRequests() async throws {
        try await withAsyncScene { scene in
            let (blocks, completions) = (ChangeLog<Int>(), ChangeLog<Int>())
            let realm = scene.realm
            for number in 0..<40 {
                realm.writeAsync {
                    blocks.append(number)
                    #expect(realm.objects(AsyncItem.self).count == number)
                    realm.addItem(number)
                } onComplete: { error in
                    #expect(error == nil)
                    #expect(blocks.entries.contains(number))
                    completions.append(number)
                }
            }
            try pump { completions.count == 40 }
            #expect(blocks.entries == Array(0..<40) && completions.entries == Array(0..<40))
            #expect(try scene.idsElsewhere() == Array(0..<40))
        }
    }

    @Test func theBlockSeesTheNewestVersion() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<[Int]>())
            #expect(scene.ids == [])
            realm.writeAsync { log.append(realm.itemIds) }
            try scene.writeElsewhere { $0.addItem(7) }
            try pump { log.count == 1 }
            #expect(log.entries == [[7]])
        }
    }

    @Test func itRefreshesEvenWithoutAutorefresh() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<[Int]>())
            realm.autorefresh = false
            #expect(scene.ids == [])
            try scene.writeElsewhere { $0.addItem(7) }
            #expect(scene.ids == [])
            realm.writeAsync {
                log.append(realm.itemIds)
                realm.addItem(8)
            }
            try pump { !realm.isPerformingAsynchronousWriteOperations }
            #expect(log.entries == [[7]] && scene.ids == [7, 8])
        }
    }

    @Test func objectsReadBeforeShowTheChanges() async throws {
        try await withAsyncScene { scene in
            let realm = scene.realm
            let item = try realm.write { realm.addItem(1, "old") }
            let matching = scene.items.filter("text == 'new'")
            #expect(matching.isEmpty)
            let log = ChangeLog<String>()
            realm.writeAsync {
                item.text = "new"
                log.append("\(matching.count)")
            } onComplete: { _ in
                log.append(item.text)
            }
            #expect(item.text == "old")
            try pump { log.count == 2 }
            #expect(log.entries == ["1", "new"] && matching.count == 1)
        }
    }

    @Test func anEmptyTransactionIsCompletedToo() async throws {
        try await withAsyncScene { scene in
            let log = ChangeLog<Bool>()
            scene.realm.writeAsync({}, onComplete: { error in log.append(error == nil) })
            try pump { log.count == 1 }
            #expect(log.entries == [true] && scene.realm.isEmpty)
        }
    }

    @Test func aBlockMayCancelItsTransaction() async throws {
        try await withAsyncScene { scene in
            let realm = scene.realm
            let added = Handed<AsyncItem?>(nil)
            realm.writeAsync {
                added.value = realm.addItem(1)
                realm.cancelWrite()
                #expect(!realm.isInWriteTransaction)
            }
            realm.writeAsync { realm.addItem(2) }
            try pump { !realm.isPerformingAsynchronousWriteOperations }
            #expect(scene.ids == [2] && added.value?.isInvalidated == true)
            #expect(try scene.idsElsewhere() == [2])
        }
    }

    @Test func aBlockMayCommitItsTransaction() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<[Int]>())
            realm.writeAsync {
                realm.addItem(1)
                do {
                    try realm.commitWrite()
                    log.append(try scene.idsElsewhere())
                } catch {
                    Issue.record(error)
                }
            }
            try pump { !realm.isPerformingAsynchronousWriteOperations }
            #expect(log.entries == [[1]] && scene.ids == [1] && !realm.isInWriteTransaction)
        }
    }

    @Test func aBlockMayRequestMore() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<String>())
            realm.writeAsync {
                log.append("outer begins")
                realm.writeAsync {
                    log.append("inner")
                    realm.addItem(2)
                }
                realm.addItem(1)
                log.append("outer ends")
            }
            realm.writeAsync {
                log.append("next")
                realm.addItem(3)
            }
            try pump { scene.ids.count == 3 && !realm.isPerformingAsynchronousWriteOperations }
            #expect(log.entries == ["outer begins", "outer ends", "next", "inner"])
        }
    }

    @Test func aCompletionMayRequestMore() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<Int>())
            func addNext(_ id: Int) {
                realm.writeAsync {
                    realm.addItem(id)
                } onComplete: { _ in
                    log.append(id)
                    if id < 5 { addNext(id + 1) }
                }
            }
            addNext(1)
            try pump { log.count == 5 }
            #expect(log.entries == [1, 2, 3, 4, 5] && scene.ids == [1, 2, 3, 4, 5])
        }
    }

    @Test func aCompletionMayWrite() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<String>())
            realm.writeAsync {
                realm.addItem(1)
            } onComplete: { _ in
                do {
                    try realm.write { realm.addItem(2) }
                    log.append("written")
                } catch {
                    Issue.record(error)
                }
            }
            try pump { log.count == 1 }
            #expect(try scene.idsElsewhere() == [1, 2])
        }
    }

    @Test func itIsPerformingFromRequestToCompletion() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<Bool>())
            #expect(!realm.isPerformingAsynchronousWriteOperations)
            realm.writeAsync {
                log.append(realm.isPerformingAsynchronousWriteOperations)
            } onComplete: { _ in
                log.append(true)
            }
            #expect(realm.isPerformingAsynchronousWriteOperations)
            try pump { log.count == 2 }
            try pump { !realm.isPerformingAsynchronousWriteOperations }
            #expect(log.entries == [true, true])
        }
    }

    @Test func idsOfTransactionsDiffer() async throws {
        try await withAsyncScene { scene in
            let realm = scene.realm
            var ids = Set<AsyncTransactionId>()
            for _ in 0..<10 {
                ids.insert(realm.writeAsync {})
                ids.insert(realm.beginAsyncWrite {})
            }
            #expect(ids.count == 20)
            try pump { !realm.isPerformingAsynchronousWriteOperations }
        }
    }

    @Test func changesAreReportedToObservers() async throws {
        try await withAsyncScene { scene in
            let realm = scene.realm
            let (changes, notifications) = (ChangeLog<Recorded>(), ChangeLog<Int>())
            let token = scene.items.observe { changes.append(Recorded($0)) }
            let realmToken = realm.observe { _, realm in notifications.append(realm.itemIds.count) }
            try pump { changes.count == 1 }
            realm.writeAsync { realm.addItem(1) }
            try pump { changes.count == 2 && notifications.count > 0 }
            realm.writeAsync { realm.addItem(2) }
            try pump { changes.count == 3 && notifications.entries.last == 2 }
            #expect(changes.entries == [.initial(0), .inserted(0), .inserted(1)])
            token.invalidate()
            realmToken.invalidate()
        }
    }

    @Test func aTokenThatWasInvalidatedIsToldNothing() async throws {
        try await withAsyncScene { scene in
            let (realm, changes) = (scene.realm, ChangeLog<Recorded>())
            let token = scene.items.observe { changes.append(Recorded($0)) }
            let notified = ChangeLog<Realm.Notification>()
            let realmToken = realm.observe { notification, _ in notified.append(notification) }
            try pump { changes.count == 1 }
            realm.writeAsync { realm.addItem(1) }
            token.invalidate()
            realmToken.invalidate()
            let other = ChangeLog<Recorded>()
            let later = scene.items.observe { other.append(Recorded($0)) }
            try pump { !realm.isPerformingAsynchronousWriteOperations && other.count > 0 }
            realm.writeAsync { realm.addItem(2) }
            try pump { scene.ids == [1, 2] && other.count > 1 }
            #expect(changes.entries == [.initial(0)] && notified.count == 0)
            later.invalidate()
        }
    }

    @Test func otherThreadsAreToldOfTheChanges() async throws {
        let configuration = asyncConfiguration()
        let observing = ObservingQueue()
        let (changes, token) = (ChangeLog<Recorded>(), Handed<NotificationToken?>(nil))
        try await observing.run {
            let realm = try Realm(configuration: configuration, queue: observing.queue)
            token.value = realm.objects(AsyncItem.self).observe { changes.append(Recorded($0)) }
        }
        try await observing.wait { changes.count == 1 }
        try await withRunLoopThread {
            let realm = try AsyncScene(configuration).realm
            realm.writeAsync { realm.addItem(1) }
            try pump { !realm.isPerformingAsynchronousWriteOperations }
        }
        try await observing.wait { changes.count == 2 }
        #expect(changes.entries == [.initial(0), .inserted(0)])
        try await observing.run { token.value = nil }
    }

    @Test func inMemoryAndEncryptedRealmsAreWrittenToo() async throws {
        var encrypted = asyncConfiguration()
        encrypted.encryptionKey = Data(repeating: 5, count: 64)
        let inMemory = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: asyncTypes)
        for configuration in [encrypted, inMemory] {
            try await withRunLoopThread {
                let scene = try AsyncScene(configuration)
                let (realm, log) = (scene.realm, ChangeLog<Bool>())
                realm.writeAsync {
                    realm.addItem(1)
                } onComplete: { error in
                    log.append(error == nil)
                }
                try pump { log.count == 1 }
                #expect(log.entries == [true])
                #expect(try scene.idsElsewhere() == [1])
            }
        }
    }

    @Test func largeTransactionsAreWritten() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<Bool>())
            for batch in 0..<3 {
                realm.writeAsync {
                    for number in 0..<5_000 { realm.addItem(batch * 5_000 + number) }
                } onComplete: { error in
                    log.append(error == nil)
                }
            }
            try pump { log.count == 3 }
            #expect(log.entries == [true, true, true])
            #expect(try scene.idsElsewhere() == Array(0..<15_000))
        }
    }
}
