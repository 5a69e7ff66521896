import Foundation
import RealmSwift
import Testing

// `asyncWrite`. Documented: "This function differs from synchronous write in that it suspends the
// calling task while waiting for its turn to write rather than blocking the thread. In addition,
// the actual i/o to write data to disk is done by a background worker thread."

@Suite(.timeLimit(.minutes(10))) @AsyncTestActor struct AsyncWriteTests {
    private let configuration = asyncConfiguration()

    @Test func theBlockIsCommittedWhenTheCallReturns() async throws {
        let realm = try await Realm.open(configuration: configuration)
        try await realm.asyncWrite {
            #expect(realm.isInWriteTransaction)
            realm.addItem(1, "one")
        }
        #expect(!realm.isInWriteTransaction && realm.itemIds == [1])
        #expect(try asyncIds(in: configuration) == [1])
    }

    @Test func theValueOfTheBlockIsReturned() async throws {
        let realm = try await Realm.open(configuration: configuration)
        let count = try await realm.asyncWrite {
            realm.addItem(1)
            realm.addItem(2)
            return realm.itemIds.count
        }
        let item = try await realm.asyncWrite { realm.addItem(3, "three") }
        #expect(count == 2 && item.text == "three" && item.realm == realm)
    }

    @Test func aThrowingBlockIsRolledBack() async throws {
        let realm = try await Realm.open(configuration: configuration)
        try await realm.asyncWrite { realm.addItem(1, "old") }
        var caught: (any Error)?
        do {
            try await realm.asyncWrite {
                try realm.item(1).text = "new"
                realm.addItem(2)
                throw Refusal()
            }
        } catch {
            caught = error
        }
        #expect(caught is Refusal)
        #expect(!realm.isInWriteTransaction && realm.itemIds == [1])
        #expect(try realm.item(1).text == "old")
        try await realm.asyncWrite { realm.addItem(3) }
        #expect(try asyncIds(in: configuration) == [1, 3])
    }

    @Test func aBlockMayCancel() async throws {
        let realm = try await Realm.open(configuration: configuration)
        try await realm.asyncWrite {
            realm.addItem(1)
            realm.cancelWrite()
        }
        #expect(!realm.isInWriteTransaction && realm.isEmpty)
        #expect(try asyncIds(in: configuration) == [])
    }

    @Test func aBlockMayCancelAndBeginAgain() async throws {
        let realm = try await Realm.open(configuration: configuration)
        try await realm.asyncWrite {
            realm.addItem(1)
            realm.cancelWrite()
            realm.beginWrite()
            realm.addItem(2)
        }
        #expect(!realm.isInWriteTransaction && realm.itemIds == [2])
        #expect(try asyncIds(in: configuration) == [2])
    }

    @Test func aBlockMayCommitItself() async throws {
        let realm = try await Realm.open(configuration: configuration)
        try await realm.asyncWrite {
            realm.addItem(1)
            try realm.commitWrite()
        }
        #expect(!realm.isInWriteTransaction)
        #expect(try asyncIds(in: configuration) == [1])
    }

    @Test func itSeesTheNewestVersion() async throws {
        let realm = try await Realm.open(configuration: configuration)
        try await realm.asyncWrite { realm.addItem(1) }
        try writeAsyncItems(to: configuration) { $0.addItem(2) }
        let ids = try await realm.asyncWrite { realm.itemIds }
        #expect(ids == [1, 2] && realm.itemIds == [1, 2])
    }

    @Test func itRefreshesEvenWithoutAutorefresh() async throws {
        let realm = try await Realm.open(configuration: configuration)
        realm.autorefresh = false
        #expect(realm.itemIds == [])
        try writeAsyncItems(to: configuration) { $0.addItem(1) }
        #expect(realm.itemIds == [])
        try await realm.asyncWrite {}
        #expect(realm.itemIds == [1])
    }

    @Test func objectsAreUsedOnAfterIt() async throws {
        let realm = try await Realm.open(configuration: configuration)
        let item = try await realm.asyncWrite { realm.addItem(1) }
        let matching = realm.objects(AsyncItem.self).filter("count > 2")
        for count in 1...5 {
            try await realm.asyncWrite { item.count = count }
            await Task.yield()
            #expect(item.count == count && matching.count == (count > 2 ? 1 : 0))
        }
    }

    @Test func oneAfterAnotherWritesEverything() async throws {
        let realm = try await Realm.open(configuration: configuration)
        for id in 0..<30 { try await realm.asyncWrite { realm.addItem(id) } }
        #expect(try asyncIds(in: configuration) == Array(0..<30))
    }

    @Test func concurrentTasksOfTheActorLoseNothing() async throws {
        let configuration = configuration
        let realm = try await Realm.open(configuration: configuration)
        try await realm.asyncWrite { realm.addItem(0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { try await increment(configuration) }
            }
            try await group.waitForAll()
        }
        #expect(try realm.item(0).count == 20)
        #expect(!realm.isPerformingAsynchronousWriteOperations)
    }

    // MARK: Waiting

    @Test func waitingForAnotherThreadDoesNotBlockTheActor() async throws {
        let configuration = configuration
        let log = ChangeLog<String>()
        let held = try HeldTransaction(configuration) { $0.addItem(1) }
        let writing = Task { @AsyncTestActor in
            let realm = try await Realm.open(configuration: configuration)
            log.append("asking")
            try await realm.asyncWrite {
                log.append("writing \(realm.itemIds)")
                realm.addItem(2)
            }
        }
        // The actor runs this task again as soon as the other one is suspended in `asyncWrite`.
        try await yieldToOthers { log.count == 1 }
        for _ in 0..<20 { await Task.yield() }
        #expect(log.entries == ["asking"])
        try held.commit()
        try await writing.value
        #expect(log.entries == ["asking", "writing [1]"])
        #expect(try asyncIds(in: configuration) == [1, 2])
    }

    @Test func waitingTasksWriteInTheOrderOfTheirCalls() async throws {
        let configuration = configuration
        let (asked, written) = (ChangeLog<Int>(), ChangeLog<Int>())
        // Held here, so that the tasks find it open.
        let realm = try await Realm.open(configuration: configuration)
        let held = try HeldTransaction(configuration)
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<8 {
            tasks.append(
                Task { @AsyncTestActor in
                    let realm = try await Realm.open(configuration: configuration)
                    asked.append(number)
                    try await realm.asyncWrite {
                        written.append(number)
                        realm.addItem(number)
                    }
                })
            try await yieldToOthers { asked.count == number + 1 }
        }
        #expect(written.count == 0)
        try held.commit()
        for task in tasks { try await task.value }
        #expect(asked.entries == Array(0..<8) && written.entries == Array(0..<8))
        #expect(realm.itemIds == Array(0..<8))
    }

    // MARK: Cancellation

    @Test func aCancelledTaskWritesNothing() async throws {
        let (configuration, log) = (configuration, ChangeLog<String>())
        let task = Task { @AsyncTestActor in
            let realm = try await Realm.open(configuration: configuration)
            cancelThisTask()
            do {
                try await realm.asyncWrite {
                    log.append("block")
                    realm.addItem(1)
                }
                log.append("returned")
            } catch is CancellationError {
                log.append("cancelled")
            }
            return realm.isInWriteTransaction
        }
        let isInWriteTransaction = try await task.value
        #expect(!isInWriteTransaction && log.entries == ["cancelled"])
        #expect(try asyncIds(in: configuration) == [])
    }

    @Test func aTaskThatIsCancelledWhileItWaitsWritesNothing() async throws {
        let (configuration, log) = (configuration, ChangeLog<String>())
        let held = try HeldTransaction(configuration) { $0.addItem(1) }
        let task = Task { @AsyncTestActor in
            let realm = try await Realm.open(configuration: configuration)
            log.append("asking")
            try await realm.asyncWrite {
                log.append("block")
                realm.addItem(2)
            }
        }
        try await yieldToOthers { log.count == 1 }
        task.cancel()
        // The task ends while the other thread still has its transaction.
        let result = await task.result
        #expect(throws: CancellationError.self) { try result.get() }
        try held.commit()
        let realm = try await Realm.open(configuration: configuration)
        try await realm.asyncWrite { realm.addItem(3) }
        #expect(log.entries == ["asking"] && realm.itemIds == [1, 3])
        try writeAsyncItems(to: configuration) { $0.addItem(4) }
        #expect(try asyncIds(in: configuration) == [1, 3, 4])
    }

    @Test func aCancelledTaskLeavesTheOthersWaiting() async throws {
        let (configuration, asked) = (configuration, ChangeLog<Int>())
        let written = ChangeLog<Int>()
        let held = try HeldTransaction(configuration)
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<3 {
            tasks.append(
                Task { @AsyncTestActor in
                    let realm = try await Realm.open(configuration: configuration)
                    asked.append(number)
                    try await realm.asyncWrite {
                        written.append(number)
                        realm.addItem(number)
                    }
                })
            try await yieldToOthers { asked.count == number + 1 }
        }
        tasks[1].cancel()
        _ = await tasks[1].result
        try held.commit()
        try await tasks[0].value
        try await tasks[2].value
        #expect(written.entries == [0, 2])
        #expect(try asyncIds(in: configuration) == [0, 2])
    }

    @Test func aTaskThatCancelsItselfInTheBlockHasWritten() async throws {
        let configuration = configuration
        let task = Task { @AsyncTestActor in
            let realm = try await Realm.open(configuration: configuration)
            try? await realm.asyncWrite {
                realm.addItem(1)
                cancelThisTask()
            }
            // Whether this call throws is not documented; it does not leave a transaction open.
            return realm.isInWriteTransaction
        }
        let isInWriteTransaction = try await task.value
        #expect(!isInWriteTransaction)
        try writeAsyncItems(to: configuration) { $0.addItem(2) }
        #expect(try asyncIds(in: configuration).contains(2))
    }

    // MARK: Failures

    @Test func aFullDiskIsThrown() async throws {
        let disk = AsyncDisk()
        let realm = try await Realm.open(configuration: disk.configuration)
        try await realm.asyncWrite { realm.addItem(1, "old") }
        disk.fill()
        var caught: (any Error)?
        do {
            try await realm.asyncWrite {
                realm.addItem(2, longAsyncText)
                try realm.item(1).text = "new"
            }
        } catch {
            caught = error
        }
        disk.empty()
        #expect((caught as? Realm.Error)?.code == .outOfDiskSpace)
        #expect(!realm.isInWriteTransaction && realm.itemIds == [1])
        #expect(try realm.item(1).text == "old")
        try await realm.asyncWrite { realm.addItem(3) }
        #expect(try asyncIds(in: disk.configuration) == [1, 3])
    }
}

/// `asyncRefresh`. Documented: "This function should be used instead of synchronous refresh in
/// async functions, as it suspends the calling task (if required) rather than blocking."
@Suite(.timeLimit(.minutes(10))) @AsyncTestActor struct AsyncRefreshTests {
    private let configuration = asyncConfiguration()

    @Test func itMovesToTheNewestVersion() async throws {
        let realm = try await Realm.open(configuration: configuration)
        realm.autorefresh = false
        let item = try await realm.asyncWrite { realm.addItem(1, "old") }
        try writeAsyncItems(to: configuration) { other in
            try other.item(1).text = "new"
            other.addItem(2)
        }
        #expect(item.text == "old" && realm.itemIds == [1])
        let hasAdvanced = await realm.asyncRefresh()
        #expect(hasAdvanced)
        #expect(item.text == "new" && realm.itemIds == [1, 2])
    }

    @Test func itTellsWhetherThereWasSomething() async throws {
        let realm = try await Realm.open(configuration: configuration)
        realm.autorefresh = false
        #expect(realm.itemIds == [])
        let hasAdvanced = await realm.asyncRefresh()
        #expect(!hasAdvanced)
        try writeAsyncItems(to: configuration) { $0.addItem(1) }
        let hasAdvancedNow = await realm.asyncRefresh()
        #expect(hasAdvancedNow)
        let hasAdvancedAgain = await realm.asyncRefresh()
        #expect(!hasAdvancedAgain)
    }

    @Test func aCancelledTaskIsToldOfNothing() async throws {
        let configuration = configuration
        let task = Task { @AsyncTestActor in
            let realm = try await Realm.open(configuration: configuration)
            realm.autorefresh = false
            _ = realm.itemIds
            try writeAsyncItems(to: configuration) { $0.addItem(1) }
            cancelThisTask()
            return await realm.asyncRefresh()
        }
        let hasAdvanced = try await task.value
        #expect(!hasAdvanced)
    }

    @Test func severalVersionsAreOneRefresh() async throws {
        let realm = try await Realm.open(configuration: configuration)
        realm.autorefresh = false
        _ = realm.itemIds
        for id in 0..<10 { try writeAsyncItems(to: configuration) { $0.addItem(id) } }
        let hasAdvanced = await realm.asyncRefresh()
        #expect(hasAdvanced)
        #expect(realm.itemIds == Array(0..<10))
        let hasAdvancedNow = await realm.asyncRefresh()
        #expect(!hasAdvancedNow)
    }

    @Test func itDoesNotWaitForATransactionOfAnotherThread() async throws {
        let realm = try await Realm.open(configuration: configuration)
        realm.autorefresh = false
        try await realm.asyncWrite { realm.addItem(1) }
        let held = try HeldTransaction(configuration) { $0.addItem(2) }
        let hasAdvanced = await realm.asyncRefresh()
        #expect(!hasAdvanced)
        #expect(realm.itemIds == [1])
        try held.commit()
        let hasAdvancedNow = await realm.asyncRefresh()
        #expect(hasAdvancedNow)
        #expect(realm.itemIds == [1, 2])
    }

    @Test func objectsThatAreGoneAreInvalidated() async throws {
        let realm = try await Realm.open(configuration: configuration)
        realm.autorefresh = false
        let item = try await realm.asyncWrite { realm.addItem(1) }
        try writeAsyncItems(to: configuration) { $0.deleteAll() }
        #expect(!item.isInvalidated)
        let hasAdvanced = await realm.asyncRefresh()
        #expect(hasAdvanced)
        #expect(item.isInvalidated && realm.isEmpty)
    }
}

/// Increments the first item in a Realm of the actor.
@AsyncTestActor private func increment(_ configuration: Realm.Configuration) async throws {
    let realm = try await Realm.open(configuration: configuration)
    try await realm.asyncWrite { try realm.item(0).count += 1 }
}
