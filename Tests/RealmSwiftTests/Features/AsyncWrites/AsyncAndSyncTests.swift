import Foundation
import RealmSwift
import Testing

// Asynchronous writes beside synchronous ones, other Realms, threads and queues.

@Suite(.timeLimit(.minutes(10))) struct AsyncAndSyncTests {
    @Test func aSynchronousWriteInBetweenRunsFirst() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<String>())
            realm.writeAsync {
                log.append("asynchronous")
                #expect(realm.itemIds == [1])
                realm.addItem(2)
            }
            try realm.write {
                log.append("synchronous")
                realm.addItem(1)
            }
            #expect(scene.ids == [1])
            try pump { !realm.isPerformingAsynchronousWriteOperations }
            #expect(log.entries == ["synchronous", "asynchronous"] && scene.ids == [1, 2])
        }
    }

    @Test func synchronousAndAsynchronousWritesAlternate() async throws {
        try await withAsyncScene { scene in
            let realm = scene.realm
            for step in 0..<20 {
                realm.writeAsync { realm.addItem(step * 2) }
                try realm.write { realm.addItem(step * 2 + 1) }
                if step % 5 == 0 { turnRunLoop(for: 0.001) }
            }
            try pump { !realm.isPerformingAsynchronousWriteOperations }
            #expect(try scene.idsElsewhere() == Array(0..<40))
        }
    }

    @Test func aRequestInsideASynchronousTransactionRunsAfterIt() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<String>())
            try realm.write {
                realm.addItem(1)
                realm.writeAsync {
                    log.append("asynchronous \(realm.itemIds)")
                    realm.addItem(2)
                }
                log.append("synchronous")
            }
            try pump { !realm.isPerformingAsynchronousWriteOperations }
            #expect(log.entries == ["synchronous", "asynchronous [1]"] && scene.ids == [1, 2])
        }
    }

    @Test func aSynchronousWriteWaitsForACommitUnderWay() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<Bool>())
            realm.beginWrite()
            realm.addItem(1)
            realm.commitAsyncWrite { error in log.append(error == nil) }
            try realm.write { realm.addItem(2) }
            #expect(try scene.idsElsewhere() == [1, 2])
            try pump { log.count == 1 }
            #expect(log.entries == [true])
        }
    }

    @Test func aCancelledSynchronousTransactionDelaysNothing() async throws {
        try await withAsyncScene { scene in
            let realm = scene.realm
            realm.writeAsync { realm.addItem(2) }
            realm.beginWrite()
            realm.addItem(1)
            realm.cancelWrite()
            try pump { !realm.isPerformingAsynchronousWriteOperations }
            #expect(scene.ids == [2])
            #expect(try scene.idsElsewhere() == [2])
        }
    }

    @Test func aRequestDoesNotWaitForTheTransactionOfAnotherThread() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<[Int]>())
            let held = try HeldTransaction(scene.configuration) { $0.addItem(1) }
            realm.writeAsync {
                log.append(realm.itemIds)
                realm.addItem(2)
            }
            for _ in 0..<5 { turnRunLoop() }
            #expect(log.count == 0 && realm.isPerformingAsynchronousWriteOperations)
            #expect(scene.ids == [])
            try held.commit()
            try pump { !realm.isPerformingAsynchronousWriteOperations }
            #expect(log.entries == [[1]])
            #expect(try scene.idsElsewhere() == [1, 2])
        }
    }

    @Test func otherThreadsWriteBetweenAsynchronousTransactions() async throws {
        try await withAsyncScene { scene in
            let realm = scene.realm
            for round in 0..<10 {
                realm.writeAsync { realm.addItem(round * 2) }
                try scene.writeElsewhere { $0.addItem(round * 2 + 1) }
                try pump { !realm.isPerformingAsynchronousWriteOperations }
            }
            #expect(scene.ids == Array(0..<20))
        }
    }

    /// No increment is lost, whoever makes it.
    @Test func twoThreadsWriteAsynchronously() async throws {
        let configuration = asyncConfiguration()
        try writeAsyncItems(to: configuration) { $0.addItem(0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    try await withRunLoopThread {
                        let realm = try Realm(configuration: configuration)
                        let log = ChangeLog<Bool>()
                        for _ in 0..<25 {
                            realm.writeAsync {
                                realm.objects(AsyncItem.self).first?.count += 1
                            } onComplete: { error in
                                log.append(error == nil)
                            }
                        }
                        try pump { log.count == 25 }
                        #expect(log.entries.allSatisfy { $0 })
                    }
                }
            }
            try await group.waitForAll()
        }
        let count = try await onThread {
            try Realm(configuration: configuration).objects(AsyncItem.self).first?.count
        }
        #expect(count == 75)
    }

    @Test func asynchronousAndSynchronousThreadsShareTheLock() async throws {
        let configuration = asyncConfiguration()
        try writeAsyncItems(to: configuration) { $0.addItem(0) }
        async let asynchronous: Void = withRunLoopThread {
            let realm = try Realm(configuration: configuration)
            for _ in 0..<30 {
                realm.writeAsync { realm.objects(AsyncItem.self).first?.count += 1 }
            }
            try pump { !realm.isPerformingAsynchronousWriteOperations }
        }
        async let synchronous: Void = onThread {
            for _ in 0..<30 {
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.objects(AsyncItem.self).first?.count += 1 }
            }
        }
        _ = try await (asynchronous, synchronous)
        let count = try await onThread {
            try Realm(configuration: configuration).objects(AsyncItem.self).first?.count
        }
        #expect(count == 60)
    }

    @Test func realmsOfTwoFilesOnOneThreadAreIndependent() async throws {
        try await withAsyncScene { scene in
            let other = try AsyncScene()
            let (log, held) = (ChangeLog<String>(), try HeldTransaction(scene.configuration))
            let (one, two) = (scene.realm, other.realm)
            one.writeAsync {
                one.addItem(1)
            } onComplete: { _ in
                log.append("one")
            }
            two.writeAsync {
                two.addItem(2)
            } onComplete: { _ in
                log.append("two")
            }
            try pump { log.count == 1 }
            #expect(log.entries == ["two"] && !two.isPerformingAsynchronousWriteOperations)
            try held.commit()
            try pump { log.count == 2 }
            #expect(scene.ids == [1] && other.ids == [2])
        }
    }

    // MARK: The life of the Realm

    @Test func theBlockKeepsItsRealmAlive() async throws {
        let configuration = asyncConfiguration()
        try await withRunLoopThread {
            let log = ChangeLog<Bool>()
            func request() throws {
                let realm = try Realm(configuration: configuration)
                realm.writeAsync {
                    realm.addItem(1)
                } onComplete: { error in
                    log.append(error == nil)
                }
            }
            try request()
            try pump { log.count == 1 }
            #expect(log.entries == [true])
            #expect(try asyncIds(in: configuration) == [1])
        }
    }

    @Test func aCommitUnderWayOutlivesTheReferencesToItsRealm() async throws {
        let configuration = asyncConfiguration()
        try await withRunLoopThread {
            func commit() throws {
                let realm = try Realm(configuration: configuration)
                realm.beginWrite()
                realm.addItem(1)
                realm.commitAsyncWrite()
            }
            try commit()
            try pump { try asyncIds(in: configuration) == [1] }
        }
        #expect(try asyncIds(in: configuration) == [1])
    }

    @Test func theFileIsClosedOnceEverythingIsCompleted() async throws {
        let configuration = asyncConfiguration()
        try await withRunLoopThread {
            let log = ChangeLog<Bool>()
            func request() throws {
                let realm = try Realm(configuration: configuration)
                for id in 0..<3 {
                    realm.writeAsync {
                        realm.addItem(id)
                    } onComplete: { _ in
                        log.append(true)
                    }
                }
            }
            try request()
            try pump { log.count == 3 }
            try pump {
                do {
                    return try Realm.deleteFiles(for: configuration)
                } catch Realm.Error.alreadyOpen {
                    return false
                }
            }
        }
    }

    /// Documented: invalidating blocks until scheduled work has completed.
    @Test func invalidatingWaitsForTheCommit() async throws {
        try await withAsyncScene { scene in
            let realm = scene.realm
            realm.beginWrite()
            realm.addItem(1)
            realm.commitAsyncWrite()
            realm.invalidate()
            #expect(try scene.idsElsewhere() == [1])
            #expect(scene.ids == [1])
            try realm.write { realm.addItem(2) }
            #expect(try scene.idsElsewhere() == [1, 2])
        }
    }

    @Test func aThreadThatEndsGivesTheLockBack() async throws {
        let configuration = asyncConfiguration()
        try writeAsyncItems(to: configuration) { $0.addItem(0) }
        let held = try HeldTransaction(configuration)
        try await withRunLoopThread {
            let realm = try Realm(configuration: configuration)
            realm.writeAsync { realm.addItem(1) }
            turnRunLoop()
        }
        try held.commit()
        // The thread has ended without another turn of its run loop, so its block cannot run.
        try writeAsyncItems(to: configuration) { $0.addItem(2) }
        #expect(try asyncIds(in: configuration) == [0, 2])
    }

    @Test func aRolledBackTransactionLeavesNothingInTheFile() async throws {
        let configuration = asyncConfiguration()
        try await withRunLoopThread {
            let realm = try Realm(configuration: configuration)
            realm.beginAsyncWrite { realm.addItem(1) }
            try pump { !realm.isPerformingAsynchronousWriteOperations }
        }
        #expect(try asyncIds(in: configuration) == [])
    }
}

/// Realms of serial queues.
@Suite(.timeLimit(.minutes(10))) struct QueueAsyncWriteTests {
    private final class QueueScene: Sendable {
        let configuration = asyncConfiguration()
        let observing = ObservingQueue()
        /// Used on the queue only.
        let realm = Handed<Realm?>(nil)

        /// Runs `body` on the queue, with the Realm of the queue.
        func run<Value: Sendable>(
            _ body: @escaping @Sendable (Realm) throws -> Value
        ) async throws -> Value {
            try await observing.run { [self] in
                let opened =
                    try realm.value ?? Realm(configuration: configuration, queue: observing.queue)
                realm.value = opened
                return try body(opened)
            }
        }

        func wait(until condition: @escaping @Sendable () -> Bool) async throws {
            try await observing.wait(until: condition)
        }

        func close() async throws {
            try await observing.run { [self] in realm.value = nil }
        }
    }

    @Test func blockAndCompletionRunOnTheQueue() async throws {
        let (scene, log) = (QueueScene(), ChangeLog<String>())
        let queue = scene.observing.queue
        try await scene.run { realm in
            realm.writeAsync {
                dispatchPrecondition(condition: .onQueue(queue))
                log.append("block")
                realm.addItem(1)
            } onComplete: { error in
                dispatchPrecondition(condition: .onQueue(queue))
                log.append(error == nil ? "complete" : "failed")
            }
            log.append("returned")
        }
        try await scene.wait { log.count == 3 }
        #expect(log.entries == ["returned", "block", "complete"])
        #expect(try asyncIds(in: scene.configuration) == [1])
        try await scene.close()
    }

    @Test func blocksOfAQueueRunInOrder() async throws {
        let scene = QueueScene()
        let (blocks, completions) = (ChangeLog<Int>(), ChangeLog<Int>())
        try await scene.run { realm in
            for id in 0..<25 {
                realm.writeAsync {
                    blocks.append(id)
                    realm.addItem(id)
                } onComplete: { _ in
                    completions.append(id)
                }
            }
        }
        try await scene.wait { completions.count == 25 }
        #expect(blocks.entries == Array(0..<25) && completions.entries == Array(0..<25))
        #expect(try asyncIds(in: scene.configuration) == Array(0..<25))
        try await scene.close()
    }

    @Test func requestsOfSeveralBlocksOfTheQueueKeepTheirOrder() async throws {
        let (scene, log) = (QueueScene(), ChangeLog<Int>())
        for id in 0..<10 {
            _ = try await scene.run { realm in
                realm.writeAsync {
                    log.append(id)
                    realm.addItem(id)
                }
            }
        }
        try await scene.wait { log.count == 10 }
        #expect(log.entries == Array(0..<10))
        try await scene.close()
    }

    @Test func aQueueGoesOnWhileItsRequestWaits() async throws {
        let (scene, log) = (QueueScene(), ChangeLog<String>())
        try await scene.run { realm in _ = try realm.write { realm.addItem(0) } }
        let held = try HeldTransaction(scene.configuration)
        _ = try await scene.run { realm in
            realm.writeAsync {
                realm.addItem(1)
            } onComplete: { _ in
                log.append("complete")
            }
        }
        let ids = try await scene.run { realm in realm.itemIds }
        #expect(ids == [0] && log.count == 0)
        try held.commit()
        try await scene.wait { log.count == 1 }
        #expect(try asyncIds(in: scene.configuration) == [0, 1])
        try await scene.close()
    }

    @Test func aRequestOfAQueueIsCancelled() async throws {
        let (scene, log) = (QueueScene(), ChangeLog<String>())
        try await scene.run { realm in
            let id = realm.writeAsync { log.append("cancelled") }
            realm.writeAsync {
                realm.addItem(1)
            } onComplete: { _ in
                log.append("complete")
            }
            try realm.cancelAsyncWrite(id)
        }
        try await scene.wait { log.count > 0 }
        #expect(log.entries == ["complete"])
        try await scene.close()
    }

    @Test func aTransactionOfAQueueIsCommittedAsynchronously() async throws {
        let (scene, log) = (QueueScene(), ChangeLog<Bool>())
        try await scene.run { realm in
            for id in 0..<5 {
                realm.beginWrite()
                realm.addItem(id)
                realm.commitAsyncWrite(allowGrouping: true) { error in log.append(error == nil) }
            }
        }
        try await scene.wait { log.count == 5 }
        #expect(log.entries.allSatisfy { $0 })
        #expect(try asyncIds(in: scene.configuration) == Array(0..<5))
        try await scene.close()
    }

    @Test func aBlockOfAQueueThatDoesNotCommitIsRolledBack() async throws {
        let (scene, log) = (QueueScene(), ChangeLog<String>())
        try await scene.run { realm in
            realm.beginAsyncWrite {
                realm.addItem(1)
                log.append("block")
            }
            realm.writeAsync {
            } onComplete: { _ in
                log.append("next")
            }
        }
        try await scene.wait { log.count == 2 }
        #expect(log.entries == ["block", "next"])
        #expect(try asyncIds(in: scene.configuration) == [])
        try await scene.close()
    }

    @Test func twoQueuesWriteTheSameFile() async throws {
        let configuration = asyncConfiguration()
        try writeAsyncItems(to: configuration) { $0.addItem(0) }
        let log = ChangeLog<Bool>()
        let queues = (0..<3).map { _ in ObservingQueue() }
        let realms = queues.map { _ in Handed<Realm?>(nil) }
        for (queue, kept) in zip(queues, realms) {
            try await queue.run {
                let realm = try Realm(configuration: configuration, queue: queue.queue)
                kept.value = realm
                for _ in 0..<20 {
                    realm.writeAsync {
                        realm.objects(AsyncItem.self).first?.count += 1
                    } onComplete: { error in
                        log.append(error == nil)
                    }
                }
            }
        }
        try await queues[0].wait { log.count == 60 }
        #expect(log.entries.allSatisfy { $0 })
        let count = try await onThread {
            try Realm(configuration: configuration).objects(AsyncItem.self).first?.count
        }
        #expect(count == 60)
        for (queue, kept) in zip(queues, realms) { try await queue.run { kept.value = nil } }
    }

    @Test func theMainQueueWritesAsynchronously() async throws {
        let (configuration, log) = (asyncConfiguration(), ChangeLog<String>())
        DispatchQueue.main.async {
            do {
                let realm = try Realm(configuration: configuration, queue: .main)
                realm.writeAsync {
                    dispatchPrecondition(condition: .onQueue(.main))
                    realm.addItem(1)
                } onComplete: { error in
                    dispatchPrecondition(condition: .onQueue(.main))
                    log.append(error == nil ? "complete" : "failed")
                }
            } catch {
                log.append("\(error)")
            }
        }
        try await ObservingQueue().wait { log.count == 1 }
        #expect(log.entries == ["complete"])
        #expect(try asyncIds(in: configuration) == [1])
    }
}
