import Foundation
import RealmSwift
import StorageEngine
import Testing
import ToolSupport

/// A Realm in a running run loop, whose next sync is held until it is released.
private struct HeldSyncScene {
    let scene: AsyncScene
    let disk: SystemInterceptor

    init(_ faults: [SystemCallFault] = []) throws {
        let directory = TestDirectory.untilExit()
        disk = SystemInterceptor(scope: .files(pathPrefix: directory.url.path))
        disk.install()
        scene = try AsyncScene(directory.configuration(asyncTypes))
        try scene.realm.write { scene.realm.addItem(0) }
        disk.setFaults([SystemCallFault(.hold, call: .fdatasync, ordinal: 1)] + faults)
    }

    var realm: Realm { scene.realm }

    /// Adds an item in a transaction that allows grouping.
    func add(_ id: Int, _ log: ChangeLog<Int>, _ errors: ChangeLog<Int> = ChangeLog()) {
        realm.beginAsyncWrite { [realm] in
            realm.addItem(id)
            realm.commitAsyncWrite(allowGrouping: true) { error in
                if error == nil { log.append(id) } else { errors.append(id) }
            }
        }
    }
}

private func withHeldSync(
    _ faults: [SystemCallFault] = [], _ body: @escaping @Sendable (HeldSyncScene) throws -> Void
) async throws {
    try await withRunLoopThread {
        let held = try HeldSyncScene(faults)
        defer { held.disk.uninstall() }
        try body(held)
    }
}

/// What a Realm does while its commits are on their way to the disk, and when they do not arrive.
@Suite(.timeLimit(.minutes(10))) struct AsyncDiskTests {
    @Test func theRealmGoesOnWhileTheDiskIsBusy() async throws {
        try await withHeldSync { held in
            let (realm, log) = (held.realm, ChangeLog<Int>())
            realm.writeAsync {
                realm.addItem(1)
            } onComplete: { _ in
                log.append(1)
            }
            try pump { realm.objects(AsyncItem.self).count == 2 }
            held.disk.waitUntilHeld()
            let item = try realm.item(1)
            #expect(realm.isPerformingAsynchronousWriteOperations && !realm.refresh())
            for _ in 0..<5 { turnRunLoop() }
            #expect(log.count == 0 && item.id == 1 && !realm.isInWriteTransaction)
            #expect(try held.scene.idsElsewhere() == [0])
            held.disk.release()
            try pump { log.count == 1 }
            #expect(try held.scene.idsElsewhere() == [0, 1] && item.id == 1)
        }
    }

    @Test func groupedTransactionsShareASync() async throws {
        try await withHeldSync { held in
            let log = ChangeLog<Int>()
            for id in 1...40 { held.add(id, log) }
            try pump { held.realm.objects(AsyncItem.self).count >= 2 }
            held.disk.waitUntilHeld()
            #expect(log.count == 0)
            held.disk.release()
            try pump { log.count == 40 }
            #expect(log.entries == Array(1...40))
            // How many share one depends on how fast they come, and on the size of the file.
            #expect(held.disk.count(of: .fdatasync) < 40)
        }
    }

    @Test func otherTransactionsWaitUntilTheOneBeforeIsDurable() async throws {
        try await withHeldSync { held in
            let (realm, log) = (held.realm, ChangeLog<Int>())
            for id in 1...3 {
                realm.writeAsync {
                    log.append(id)
                    realm.addItem(id)
                }
            }
            try pump { log.count == 1 }
            held.disk.waitUntilHeld()
            for _ in 0..<5 { turnRunLoop() }
            #expect(log.entries == [1])
            held.disk.release()
            try pump { !realm.isPerformingAsynchronousWriteOperations }
            #expect(try log.entries == [1, 2, 3] && held.scene.idsElsewhere() == [0, 1, 2, 3])
        }
    }

    @Test func cancellingATransactionDoesNotWaitForTheOneBefore() async throws {
        try await withHeldSync { held in
            let (realm, log) = (held.realm, ChangeLog<Int>())
            held.add(1, log)
            realm.beginAsyncWrite { realm.addItem(2) }
            realm.beginAsyncWrite {
                realm.addItem(3)
                realm.cancelWrite()
                log.append(realm.objects(AsyncItem.self).count)
            }
            try pump { log.count == 1 }
            #expect(log.entries == [2] && held.scene.ids == [0, 1])
            held.disk.waitUntilHeld()
            held.disk.release()
            try pump { log.count == 2 }
            #expect(try held.scene.idsElsewhere() == [0, 1])
        }
    }

    @Test func observersAreToldOnceTheChangesAreDurable() async throws {
        try await withHeldSync { held in
            let (log, counts) = (ChangeLog<Int>(), ChangeLog<[Int]>())
            let isTold = Handed(false)
            let token = held.scene.items.observe { change in
                if case .initial = change { isTold.value = true }
                if case .update(let items, _, let insertions, _) = change {
                    counts.append([items.count, insertions.count])
                }
            }
            try pump { isTold.value }
            for id in 1...3 { held.add(id, log) }
            try pump { held.scene.items.count >= 2 }
            held.disk.waitUntilHeld()
            for _ in 0..<5 { turnRunLoop() }
            #expect(counts.entries == [])
            held.disk.release()
            try pump { log.count == 3 && counts.entries.reduce(0) { $0 + $1[1] } == 3 }
            #expect(counts.entries.last?[0] == 4)
            token.invalidate()
        }
    }

    @Test func referencesAreMadeOfWhatIsDurable() async throws {
        try await withHeldSync { held in
            let log = ChangeLog<Int>()
            held.add(1, log)
            try pump { held.scene.items.count == 2 }
            held.disk.waitUntilHeld()
            let releasing = BackgroundThread { [disk = held.disk] _ in
                usleep(20_000)
                disk.release()
            }
            let reference = ThreadSafeReference(to: try held.realm.item(1))
            let configuration = held.scene.configuration
            let id = try runThread {
                try Realm(configuration: configuration).resolve(reference)?.id
            }
            #expect(id == 1)
            try releasing.wait()
        }
    }

    // MARK: Failures

    @Test func whatWasShownAndCouldNotBeWrittenIsInvalidated() async throws {
        try await withHeldSync { held in
            let (realm, log, errors) = (held.realm, ChangeLog<Int>(), ChangeLog<Int>())
            held.add(1, log, errors)
            try pump { held.scene.items.count == 2 }
            held.disk.waitUntilHeld()
            held.add(2, log, errors)
            held.add(3, log, errors)
            // The third one may have to wait, because the group of the second takes no other.
            try pump { held.scene.items.count >= 3 }
            let (lost, items) = (try realm.item(2), held.scene.items)
            held.disk.setFaults([
                SystemCallFault(.failForever(errno: ENOSPC), call: .pwritev, ordinal: 1)
            ])
            held.disk.release()
            try pump { log.count == 1 && errors.count == 2 }
            held.disk.setFaults([])
            #expect(log.entries == [1] && errors.entries == [2, 3])
            #expect(lost.isInvalidated && items.isInvalidated)
            #expect(try held.scene.ids == [0, 1] && held.scene.idsElsewhere() == [0, 1])
            held.add(4, log)
            try pump { log.count == 2 }
            #expect(try held.scene.ids == [0, 1, 4] && held.scene.idsElsewhere() == [0, 1, 4])
        }
    }

    @Test func aFailedSyncIsGivenToTheCompletion() async throws {
        let fault = SystemCallFault(.fail(errno: EIO), call: .fdatasync, ordinal: 2)
        try await withHeldSync([fault]) { held in
            let (log, errors) = (ChangeLog<Int>(), ChangeLog<Int>())
            held.add(1, log, errors)
            try pump { held.scene.items.count == 2 }
            held.disk.waitUntilHeld()
            held.add(2, log, errors)
            try pump { held.scene.items.count == 3 }
            held.disk.release()
            try pump { log.count + errors.count == 2 }
            #expect(log.entries == [1] && errors.entries == [2])
            #expect(throws: Realm.Error.self) { try held.realm.write {} }
        }
    }

    // MARK: The lock

    @Test func aThreadThatIsBusyDoesNotKeepOthersFromWriting() async throws {
        try await withAsyncScene { scene in
            let transaction = try HeldTransaction(scene.configuration)
            let log = ChangeLog<Int>()
            let realm = scene.realm
            realm.writeAsync {
                realm.addItem(1)
            } onComplete: { _ in
                log.append(1)
            }
            for _ in 0..<3 { turnRunLoop() }
            try transaction.commit()
            // The lock is offered to this thread, which waits for another one that writes.
            try scene.writeElsewhere { $0.addItem(2) }
            #expect(try scene.idsElsewhere() == [2])
            try pump { log.count == 1 }
            #expect(scene.ids == [1, 2])
        }
    }
}
