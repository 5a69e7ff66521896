import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine

/// Two syncs at a time. Linux may report a failure to only one of them.
@Suite struct OverlappingSyncTests {
    let directory = TestDirectory()

    @Test func aFailedSyncInTheBackgroundFailsTheCommitBesideIt() throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        let pager = try Pager(database: .open(path: directory.file()))
        try pager.write { try $0.set(0, value(1)) }
        interceptor.setFaults([.init(.failOverlapped(errno: EIO), call: .fdatasync, ordinal: 1)])
        try pager.beginWrite()
        try ValueStore(pager).set(0, value(2))
        _ = try pager.commit(.relaxed)
        while interceptor.count(of: .fdatasync) == 0 { usleep(500) }
        let error = #expect(throws: StorageError.self) {
            try pager.write { try $0.set(1, value(3)) }
        }
        #expect(error?.code == .outcomeUnknown)
        #expect(pager.database.coordinator.isPoisoned)
        #expect(pager.database.coordinator.durableVersion == 1)
    }

    /// The process may have opened the file after the failure was reported to another one.
    @Test func nobodyBelievesItsOwnSyncOnceAnotherProcessKnowsOfAFailure() throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        let path = directory.file()
        let database = try Database.open(path: path)
        let other = try Database.openUnregistered(path: path)
        let pager = try Pager(database: database)
        try pager.write { try $0.set(0, value(1)) }
        interceptor.setFaults([.init(.hold, call: .fdatasync, ordinal: 1)])
        let writer = BackgroundThread<StorageError?> { [database] _ in
            let pager = try Pager(database: database)
            do {
                try pager.write { try $0.set(0, value(2)) }
                return nil
            } catch let error as StorageError {
                return error
            }
        }
        interceptor.waitUntilHeld()
        other.coordinator.poison()
        interceptor.release()
        #expect(try writer.wait()?.code == .outcomeUnknown)
        #expect(database.coordinator.visibleVersion == 1)
    }

    @Test func noSyncFollowsOneThatFailed() throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        let database = try Database.open(path: directory.file())
        interceptor.setFaults([.init(.fail(errno: EIO), call: .fdatasync, ordinal: 1)])
        for _ in 0..<2 {
            let error = #expect(throws: StorageError.self) { try database.file.sync() }
            #expect(error?.code == .outcomeUnknown)
        }
        #expect(interceptor.count(of: .fdatasync) == 1)
    }

    // MARK: The model

    private func event(
        _ change: SystemTraceEvent.Change, at position: Int
    ) -> SystemTraceEvent {
        var event = SystemTraceEvent(
            failedSyncOf: 3, path: "a", position: position, begun: position)
        event.change = change
        return event
    }

    @Test func whatAFailedSyncLeftIsNotMadeDurableByTheNext() {
        var history = PowerLossHistory(durable: [0, 0, 0], pending: [], acknowledged: 0)
        history.add(event(.write(offset: 0, bytes: [1, 1, 1]), at: 0))
        history.add(event(.failedSync, at: 1))
        history.add(event(.write(offset: 1, bytes: [2]), at: 2))
        var sync = event(.sync, at: 3)
        sync.begun = 3
        history.add(sync)
        let moment = history.moments.last!
        #expect(moment.durable == [0, 2, 0])
        // The values that were written again are not those that the failed sync left.
        #expect(moment.present == [1, 2, 1])
        #expect(moment.image(.nothing) == [0, 2, 0])
    }
}
