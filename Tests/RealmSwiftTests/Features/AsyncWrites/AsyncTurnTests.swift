import Foundation
import Glibc
import StorageEngine
import Testing

@testable import RealmSwift

/// Requests behind one that does not get its turn, or cannot use it.
@Suite(.timeLimit(.minutes(10))) struct AsyncTurnTests {
    /// The transaction has cancelled the request for the lock, and then fails to begin.
    @Test func aRequestGoesOnAfterATransactionThatCannotBegin() async throws {
        try await withAsyncScene { scene in
            let transaction = try HeldTransaction(scene.configuration)
            let (realm, log) = (scene.realm, ChangeLog<Int>())
            realm.writeAsync {
                realm.addItem(1)
            } onComplete: { _ in
                log.append(1)
            }
            for _ in 0..<3 { turnRunLoop() }
            let writes = try #require(realm.instance.asyncWrites)
            #expect(try !writes.beginAtOnce { _ in false })
            try transaction.commit()
            try pump { log.count == 1 }
            #expect(scene.ids == [1])
        }
    }

    /// A task whose transaction cannot begin leaves its turn to the next one.
    @Test func everyTaskIsToldOfAFailedSync() async throws {
        let directory = TestDirectory.untilExit()
        let disk = SystemInterceptor(scope: .files(pathPrefix: directory.url.path))
        disk.install()
        defer { disk.uninstall() }
        let failures = try await failures(in: directory.configuration(asyncTypes), on: disk)
        #expect(failures == [1, 2, 3, 4])
    }

    /// Returns the tasks that fail, of four whose first sync fails when all have asked.
    @AsyncTestActor private func failures(
        in configuration: Realm.Configuration, on disk: SystemInterceptor
    ) async throws -> [Int] {
        let realm = try await Realm.open(configuration: configuration)
        try await realm.asyncWrite { realm.addItem(0) }
        disk.setFaults([
            SystemCallFault(.hold, call: .fdatasync, ordinal: 1),
            SystemCallFault(.fail(errno: EIO), call: .fdatasync, ordinal: 1),
        ])
        let asked = ChangeLog<Int>()
        let tasks = (1...4).map { id in
            Task { @AsyncTestActor in
                let realm = try await Realm.open(configuration: configuration)
                asked.append(id)
                do {
                    try await realm.asyncWrite { realm.addItem(id) }
                    return false
                } catch {
                    return true
                }
            }
        }
        try await yieldToOthers { asked.count == 4 }
        disk.release()
        var failures: [Int] = []
        for (index, task) in tasks.enumerated() where try await task.value {
            failures.append(index + 1)
        }
        return failures
    }
}
