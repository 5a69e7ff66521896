import Foundation
import RealmSwift
import Testing

// `cancelAsyncWrite`. Documented: "Canceling a begin cancels that transaction entirely, while
// canceling a commit merely cancels the invocation of the completion callback, and the commit will
// still happen. Transactions can only be canceled before the block is invoked, and calling
// cancelAsyncWrite from within the block is a no-op."

@Suite(.timeLimit(.minutes(10))) struct AsyncCancellationTests {
    @Test func aCancelledWriteRunsNeitherBlockNorCompletion() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<String>())
            let id = realm.writeAsync {
                log.append("block")
                realm.addItem(1)
            } onComplete: { _ in
                log.append("complete")
            }
            try realm.cancelAsyncWrite(id)
            realm.writeAsync {
                realm.addItem(2)
            } onComplete: { _ in
                log.append("next")
            }
            try pump { log.count > 0 && !realm.isPerformingAsynchronousWriteOperations }
            #expect(log.entries == ["next"] && scene.ids == [2])
        }
    }

    @Test func cancellingTheOnlyRequestEndsThePerforming() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<String>())
            let id = realm.writeAsync { log.append("block") }
            try realm.cancelAsyncWrite(id)
            try pump { !realm.isPerformingAsynchronousWriteOperations }
            try realm.write { realm.addItem(1) }
            #expect(log.count == 0)
            #expect(try scene.idsElsewhere() == [1])
        }
    }

    @Test func aCancelledBeginRunsNoBlock() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<String>())
            let id = realm.beginAsyncWrite {
                log.append("block")
                realm.addItem(1)
                realm.commitAsyncWrite { _ in log.append("complete") }
            }
            try realm.cancelAsyncWrite(id)
            realm.writeAsync {
            } onComplete: { _ in
                log.append("next")
            }
            try pump { log.count > 0 && !realm.isPerformingAsynchronousWriteOperations }
            #expect(log.entries == ["next"] && scene.realm.isEmpty)
        }
    }

    @Test func onlyTheCancelledOneOfSeveralIsLeftOut() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<Int>())
            let ids = (0..<9).map { number in
                realm.writeAsync {
                    realm.addItem(number)
                } onComplete: { _ in
                    log.append(number)
                }
            }
            for number in [0, 4, 8] { try realm.cancelAsyncWrite(ids[number]) }
            try pump { log.count == 6 && !realm.isPerformingAsynchronousWriteOperations }
            #expect(log.entries == [1, 2, 3, 5, 6, 7] && scene.ids == [1, 2, 3, 5, 6, 7])
        }
    }

    @Test func cancellingACommitCancelsItsCompletionOnly() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<String>())
            realm.beginWrite()
            realm.addItem(1)
            let id = realm.commitAsyncWrite { _ in log.append("complete") }
            try realm.cancelAsyncWrite(id)
            try pump { !realm.isPerformingAsynchronousWriteOperations }
            realm.writeAsync {
                realm.addItem(2)
            } onComplete: { _ in
                log.append("next")
            }
            try pump { log.count > 0 }
            #expect(log.entries == ["next"])
            #expect(try scene.idsElsewhere() == [1, 2])
        }
    }

    @Test func cancellingACommitInsideABlockCancelsItsCompletionOnly() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<String>())
            realm.beginAsyncWrite {
                realm.addItem(1)
                let id = realm.commitAsyncWrite { _ in log.append("complete") }
                do { try realm.cancelAsyncWrite(id) } catch { Issue.record(error) }
            }
            realm.writeAsync {
            } onComplete: { _ in
                log.append("next")
            }
            try pump { log.count > 0 && !realm.isPerformingAsynchronousWriteOperations }
            #expect(log.entries == ["next"])
            #expect(try scene.idsElsewhere() == [1])
        }
    }

    @Test func cancellingFromWithinTheBlockDoesNothing() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<String>())
            let id = Handed<AsyncTransactionId?>(nil)
            id.value = realm.writeAsync {
                do {
                    if let own = id.value { try realm.cancelAsyncWrite(own) }
                } catch {
                    Issue.record(error)
                }
                log.append("block")
                realm.addItem(1)
            } onComplete: { error in
                log.append(error == nil ? "complete" : "failed")
            }
            try pump { log.count == 2 }
            #expect(log.entries == ["block", "complete"])
            #expect(try scene.idsElsewhere() == [1])
        }
    }

    @Test func cancellingAfterTheCompletionDoesNothing() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<String>())
            let id = realm.writeAsync {
                realm.addItem(1)
            } onComplete: { _ in
                log.append("done")
            }
            try pump { log.count == 1 }
            try realm.cancelAsyncWrite(id)
            try realm.cancelAsyncWrite(id)
            realm.writeAsync {
                realm.addItem(2)
            } onComplete: { _ in
                log.append("done")
            }
            try pump { log.count == 2 }
            #expect(try scene.idsElsewhere() == [1, 2])
        }
    }

    @Test func cancellingTwiceDoesNothingMore() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<String>())
            let first = realm.writeAsync { log.append("first") }
            let second = realm.writeAsync { log.append("second") }
            try realm.cancelAsyncWrite(first)
            try realm.cancelAsyncWrite(first)
            try pump { log.count == 1 && !realm.isPerformingAsynchronousWriteOperations }
            #expect(log.entries == ["second"])
            try realm.cancelAsyncWrite(second)
        }
    }

    @Test func aBlockCancelsALaterRequest() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<String>())
            let later = Handed<AsyncTransactionId?>(nil)
            realm.writeAsync {
                log.append("first")
                do {
                    if let id = later.value { try realm.cancelAsyncWrite(id) }
                } catch {
                    Issue.record(error)
                }
            }
            later.value = realm.writeAsync { log.append("cancelled") }
            realm.writeAsync { log.append("last") }
            try pump { log.count >= 2 && !realm.isPerformingAsynchronousWriteOperations }
            #expect(log.entries == ["first", "last"])
        }
    }

    @Test func aRequestThatWaitsForAnotherThreadIsCancelled() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<String>())
            let held = try HeldTransaction(scene.configuration) { $0.addItem(7) }
            let id = realm.writeAsync { log.append("block") }
            for _ in 0..<3 { turnRunLoop() }
            try realm.cancelAsyncWrite(id)
            try held.commit()
            try scene.writeElsewhere { $0.addItem(8) }
            realm.writeAsync {
                realm.addItem(9)
            } onComplete: { _ in
                log.append("next")
            }
            try pump { log.count > 0 }
            #expect(log.entries == ["next"])
            #expect(try scene.idsElsewhere() == [7, 8, 9])
        }
    }

    @Test func everythingIsCancelledAndTheLockIsFree() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<Int>())
            let ids = (0..<10).map { number in realm.writeAsync { log.append(number) } }
            for id in ids { try realm.cancelAsyncWrite(id) }
            try scene.writeElsewhere { $0.addItem(1) }
            try pump { !realm.isPerformingAsynchronousWriteOperations }
            try realm.write { realm.addItem(2) }
            #expect(log.count == 0)
            #expect(try scene.idsElsewhere() == [1, 2])
        }
    }
}
