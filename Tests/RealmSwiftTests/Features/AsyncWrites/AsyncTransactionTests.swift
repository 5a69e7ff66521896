import Foundation
import RealmSwift
import Testing

// `beginAsyncWrite` and `commitAsyncWrite`.

@Suite(.timeLimit(.minutes(10))) struct AsyncTransactionTests {
    @Test func aTransactionIsBegunLaterAndCommitted() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<String>())
            realm.beginAsyncWrite {
                log.append("block \(realm.isInWriteTransaction)")
                realm.addItem(1)
                realm.commitAsyncWrite { error in
                    log.append(error == nil ? "complete" : "failed")
                }
                log.append("committing \(realm.isInWriteTransaction)")
            }
            log.append("returned \(realm.isInWriteTransaction)")
            try pump { log.count == 4 }
            #expect(
                log.entries == ["returned false", "block true", "committing false", "complete"])
            #expect(try scene.idsElsewhere() == [1])
        }
    }

    @Test func aBlockThatDoesNotCommitIsRolledBack() async throws {
        try await withAsyncScene { scene in
            let realm = scene.realm
            let item = try realm.write { realm.addItem(1, "old") }
            let added = Handed<AsyncItem?>(nil)
            realm.beginAsyncWrite {
                item.text = "new"
                added.value = realm.addItem(2)
            }
            try pump { !realm.isPerformingAsynchronousWriteOperations }
            #expect(!realm.isInWriteTransaction)
            #expect(item.text == "old" && scene.ids == [1])
            #expect(added.value?.isInvalidated == true)
            try realm.write { realm.addItem(3) }
            #expect(try scene.idsElsewhere() == [1, 3])
        }
    }

    @Test func theNextBlockRunsAfterOneThatDidNotCommit() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<String>())
            realm.beginAsyncWrite {
                log.append("first")
                realm.addItem(1)
            }
            realm.beginAsyncWrite {
                log.append("second")
                realm.addItem(2)
                realm.commitAsyncWrite { _ in log.append("complete") }
            }
            try pump { log.count == 3 }
            #expect(log.entries == ["first", "second", "complete"] && scene.ids == [2])
        }
    }

    @Test func aBlockMayCommitOrCancelSynchronously() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<[Int]>())
            realm.beginAsyncWrite {
                realm.addItem(1)
                do {
                    try realm.commitWrite()
                    log.append(try scene.idsElsewhere())
                } catch {
                    Issue.record(error)
                }
            }
            realm.beginAsyncWrite {
                realm.addItem(2)
                realm.cancelWrite()
                log.append(realm.itemIds)
            }
            try pump { !realm.isPerformingAsynchronousWriteOperations }
            #expect(log.entries == [[1], [1]] && scene.ids == [1])
        }
    }

    @Test func aTransactionBegunSynchronouslyIsCommittedAsynchronously() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<Bool>())
            realm.beginWrite()
            realm.addItem(1)
            realm.commitAsyncWrite { error in log.append(error == nil) }
            #expect(!realm.isInWriteTransaction && log.count == 0)
            #expect(realm.isPerformingAsynchronousWriteOperations && scene.ids == [1])
            try pump { log.count == 1 }
            #expect(log.entries == [true])
            #expect(try scene.idsElsewhere() == [1])
            try pump { !realm.isPerformingAsynchronousWriteOperations }
        }
    }

    @Test func aCommitNeedsNoCompletion() async throws {
        try await withAsyncScene { scene in
            let realm = scene.realm
            realm.beginWrite()
            realm.addItem(1)
            realm.commitAsyncWrite()
            try pump { !realm.isPerformingAsynchronousWriteOperations }
            #expect(try scene.idsElsewhere() == [1])
        }
    }

    @Test func transactionsFollowEachOtherBeforeTheFirstIsDurable() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<Int>())
            for id in 0..<10 {
                realm.beginWrite()
                realm.addItem(id)
                realm.commitAsyncWrite { error in
                    #expect(error == nil)
                    log.append(id)
                }
            }
            #expect(scene.ids == Array(0..<10))
            try pump { log.count == 10 }
            #expect(log.entries == Array(0..<10))
            #expect(try scene.idsElsewhere() == Array(0..<10))
        }
    }

    @Test(arguments: [false, true])
    func commitsAreCompletedInOrder(allowGrouping: Bool) async throws {
        try await withAsyncScene { scene in
            let realm = scene.realm
            let (blocks, completions) = (ChangeLog<Int>(), ChangeLog<Int>())
            for id in 0..<30 {
                realm.beginAsyncWrite {
                    blocks.append(id)
                    realm.addItem(id)
                    realm.commitAsyncWrite(allowGrouping: allowGrouping) { error in
                        #expect(error == nil)
                        completions.append(id)
                    }
                }
            }
            try pump { completions.count == 30 }
            #expect(blocks.entries == Array(0..<30) && completions.entries == Array(0..<30))
            #expect(try scene.idsElsewhere() == Array(0..<30))
            try pump { !realm.isPerformingAsynchronousWriteOperations }
        }
    }

    @Test func aGroupOfCommitsBegunSynchronouslyIsCompleted() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<Int>())
            for id in 0..<20 {
                realm.beginWrite()
                realm.addItem(id)
                realm.commitAsyncWrite(allowGrouping: true) { _ in log.append(id) }
            }
            try pump { log.count == 20 }
            #expect(log.entries == Array(0..<20))
            #expect(try scene.idsElsewhere() == Array(0..<20))
        }
    }

    @Test func groupedAndOtherCommitsMix() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<Int>())
            for id in 0..<20 {
                realm.beginAsyncWrite {
                    realm.addItem(id)
                    realm.commitAsyncWrite(allowGrouping: id % 3 != 0) { _ in log.append(id) }
                }
            }
            try pump { log.count == 20 }
            #expect(log.entries == Array(0..<20))
            #expect(try scene.idsElsewhere() == Array(0..<20))
        }
    }

    @Test func aLoneGroupedCommitIsCompleted() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<Bool>())
            realm.beginWrite()
            realm.addItem(1)
            realm.commitAsyncWrite(allowGrouping: true) { error in log.append(error == nil) }
            try pump { log.count == 1 }
            #expect(log.entries == [true])
            #expect(try scene.idsElsewhere() == [1])
        }
    }

    @Test func requestsOfAllKindsKeepTheirOrder() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<String>())
            realm.writeAsync { log.append("write 1") }
            realm.beginAsyncWrite {
                log.append("begin 2")
                realm.commitAsyncWrite()
            }
            realm.beginAsyncWrite { log.append("begin 3, not committed") }
            realm.writeAsync {
                log.append("write 4")
                realm.cancelWrite()
            }
            realm.writeAsync { log.append("write 5") }
            try pump { !realm.isPerformingAsynchronousWriteOperations }
            #expect(
                log.entries == [
                    "write 1", "begin 2", "begin 3, not committed", "write 4", "write 5",
                ])
        }
    }

    @Test func aBlockBeginsAnotherTransactionAfterItsCommit() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<String>())
            realm.beginAsyncWrite {
                realm.addItem(1)
                realm.commitAsyncWrite { _ in log.append("complete 1") }
                realm.beginAsyncWrite {
                    realm.addItem(2)
                    realm.commitAsyncWrite { _ in log.append("complete 2") }
                }
            }
            try pump { log.count == 2 }
            #expect(log.entries == ["complete 1", "complete 2"] && scene.ids == [1, 2])
        }
    }

    @Test func eachCompletionIsCalledOnce() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<Int>())
            for id in 0..<5 {
                realm.writeAsync {
                    realm.addItem(id)
                } onComplete: { _ in
                    log.append(id)
                }
            }
            try pump { !realm.isPerformingAsynchronousWriteOperations && log.count >= 5 }
            realm.writeAsync {
            } onComplete: { _ in
                log.append(5)
            }
            try pump { log.entries.contains(5) }
            #expect(log.entries == [0, 1, 2, 3, 4, 5])
        }
    }

    @Test func anObserverOfTheRealmIsToldOfEachCommit() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<Int>())
            let token = realm.observe { notification, realm in
                #expect(notification == .didChange)
                log.append(realm.itemIds.count)
            }
            realm.beginWrite()
            realm.addItem(1)
            realm.commitAsyncWrite()
            try pump { log.count == 1 }
            realm.beginAsyncWrite {
                realm.addItem(2)
                realm.commitAsyncWrite()
            }
            try pump { log.count == 2 }
            #expect(log.entries == [1, 2])
            token.invalidate()
        }
    }

    // MARK: Failures

    @Test func aCommitThatFailsTellsItsCompletion() async throws {
        try await withRunLoopThread {
            let disk = AsyncDisk()
            let scene = try AsyncScene(disk.configuration)
            let (realm, log) = (scene.realm, ChangeLog<Realm.Error.Code?>())
            try realm.write { realm.addItem(1, "old") }
            disk.fill()
            realm.writeAsync {
                realm.addItem(2, longAsyncText)
                realm.objects(AsyncItem.self).first?.text = "new"
            } onComplete: { error in
                log.append((error as? Realm.Error)?.code)
            }
            try pump { log.count == 1 }
            #expect(log.entries == [.outOfDiskSpace])
            #expect(!realm.isInWriteTransaction && scene.ids == [1])
            #expect(try scene.item(1).text == "old")
            disk.empty()
            realm.writeAsync {
                realm.addItem(3)
            } onComplete: { error in
                log.append((error as? Realm.Error)?.code)
            }
            try pump { log.count == 2 }
            #expect(log.entries.last == .some(nil))
            #expect(try scene.idsElsewhere() == [1, 3])
        }
    }

    @Test func aCommitOfASynchronousTransactionThatFailsTellsItsCompletion() async throws {
        try await withRunLoopThread {
            let disk = AsyncDisk()
            let scene = try AsyncScene(disk.configuration)
            let (realm, log) = (scene.realm, ChangeLog<Realm.Error.Code?>())
            try realm.write { realm.addItem(1) }
            disk.fill()
            realm.beginWrite()
            realm.addItem(2, longAsyncText)
            realm.commitAsyncWrite { error in log.append((error as? Realm.Error)?.code) }
            try pump { log.count == 1 }
            #expect(log.entries == [.outOfDiskSpace] && scene.ids == [1])
            disk.empty()
            try realm.write { realm.addItem(3) }
            #expect(try scene.idsElsewhere() == [1, 3])
        }
    }

    @Test func transactionsAfterOneThatFailedGoOn() async throws {
        try await withRunLoopThread {
            let disk = AsyncDisk()
            let scene = try AsyncScene(disk.configuration)
            let (realm, log) = (scene.realm, ChangeLog<String>())
            try realm.write { realm.addItem(1) }
            realm.writeAsync {
                disk.fill()
                realm.addItem(2, longAsyncText)
            } onComplete: { error in
                log.append("first \(error != nil)")
                disk.empty()
            }
            realm.writeAsync {
                log.append("cancelled")
                realm.cancelWrite()
            }
            try pump { log.count == 2 }
            try pump { !realm.isPerformingAsynchronousWriteOperations }
            realm.writeAsync {
                realm.addItem(3)
            } onComplete: { error in
                log.append("last \(error == nil)")
            }
            try pump { log.count == 3 }
            #expect(log.entries.contains("first true") && log.entries.contains("cancelled"))
            #expect(log.entries.last == "last true")
            #expect(try scene.idsElsewhere() == [1, 3])
        }
    }
}
