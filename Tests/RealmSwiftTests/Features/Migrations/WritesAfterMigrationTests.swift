import Foundation
import RealmSwift
import StorageEngine
import Testing
import ToolSupport

// What a Realm is told that writes asynchronously, observes, or passes objects on, when another
// process migrates its file: it reads on, and cannot write.

/// Another process, as far as the engine knows, which migrates a file by adding a property.
private struct OtherProcess {
    private let connection: Connection

    init(_ configuration: Realm.Configuration) throws {
        connection = try Connection(
            Database.openUnregistered(path: configuration.fileURL?.path ?? ""))
    }

    func beginMigration() throws { try connection.beginWrite() }

    func finishMigration() throws {
        var tables = try connection.tableDefinitions()
        tables[0].columns.append(ColumnDefinition(name: "added", type: .string))
        try SchemaMigration(connection, to: tables).finish()
        try connection.setSchemaVersion(1)
        try connection.commit()
    }

    func migrate() throws {
        try beginMigration()
        try finishMigration()
    }

    /// Deletes the items.
    func deleteAll() throws {
        try connection.beginWrite()
        try connection.table(named: "AsyncItem")?.deleteAll()
        try connection.commit()
    }

    func count() throws -> Int? {
        _ = try connection.refresh()
        return try connection.table(named: "AsyncItem")?.count()
    }
}

/// The next version of the class.
private class ChangedItem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text: String
    @Persisted var count: Int
    @Persisted var added: String

    override class func className() -> String { "AsyncItem" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// An actor with a Realm of its own.
private actor ItemKeeper {
    /// Implicitly unwrapped, so that `self` can be passed to `Realm(actor:)` within `init`.
    private var realm: Realm!

    init(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    var ids: [Int] { realm.itemIds }
    var isWriting: Bool { realm.isPerformingAsynchronousWriteOperations }

    func add(_ id: Int) async throws { try await realm.asyncWrite { realm.addItem(id) } }
    func refresh() async -> Bool { await realm.asyncRefresh() }
}

/// Waits where nothing else needs the thread.
private func waitForSignal(_ semaphore: DispatchSemaphore) -> Bool { waitInTime(semaphore) }

private func isMismatch(_ error: (any Error)?) -> Bool {
    (error as? Realm.Error)?.code == .schemaMismatch
}

private let text = "were changed by a migration. Close the file, and open it again with the new"

@Suite(.timeLimit(.minutes(10))) struct WritesAfterMigrationTests {
    @Test func asynchronousWritesAreToldAndTheirBlocksAreNotCalled() async throws {
        try await withAsyncScene { scene in
            let realm = scene.realm
            try realm.write { realm.addItem(1, "one") }
            try OtherProcess(scene.configuration).migrate()
            let log = ChangeLog<String>()
            for _ in 0..<3 {
                realm.writeAsync {
                    log.append("called")
                } onComplete: {
                    log.append(isMismatch($0) ? "told" : "not told")
                }
            }
            try pump { log.count == 3 }
            try pump { !realm.isPerformingAsynchronousWriteOperations }
            #expect(log.entries == ["told", "told", "told"])
            #expect(try scene.item(1).text == "one")
            #expect(!realm.isInWriteTransaction)
        }
    }

    /// The migration has the write lock when the writes are asked for.
    @Test func writesThatWaitForAMigrationAreTold() async throws {
        try await withAsyncScene { scene in
            let realm = scene.realm
            try realm.write { realm.addItem(1, "one") }
            let (other, log) = (try OtherProcess(scene.configuration), ChangeLog<String>())
            try other.beginMigration()
            for number in 2...3 {
                realm.writeAsync {
                    realm.addItem(number)
                } onComplete: {
                    log.append(isMismatch($0) ? "told" : "not told")
                }
            }
            for _ in 0..<3 { turnRunLoop() }
            #expect(log.entries == [])
            try other.finishMigration()
            try pump { log.count == 2 }
            #expect(log.entries == ["told", "told"])
            #expect(scene.ids == [1])
            #expect(try other.count() == 1)
        }
    }

    @Test func aCommitThatIsUnderWayIsPartOfTheFile() async throws {
        try await withAsyncScene { scene in
            let (realm, log) = (scene.realm, ChangeLog<String>())
            realm.writeAsync {
                realm.addItem(1, "one")
                log.append("called")
            } onComplete: {
                log.append($0 == nil ? "written" : "failed")
            }
            try pump { log.count >= 1 }
            let other = try OtherProcess(scene.configuration)
            try other.migrate()
            try pump { log.count == 2 }
            #expect(log.entries == ["called", "written"])
            #expect(try other.count() == 1)
            #expect(throws: Realm.Error(.schemaMismatch)) { try realm.write {} }
        }
    }

    @Test func observersHearNoMore() async throws {
        try await withAsyncScene { scene in
            let realm = scene.realm
            try realm.write { realm.addItem(1, "one") }
            let log = ChangeLog<Int>()
            let results = scene.items.observe { _ in log.append(1) }
            try pump { log.count == 1 }
            let changes = realm.observe { _, _ in log.append(2) }
            let other = try OtherProcess(scene.configuration)
            try other.migrate()
            try other.deleteAll()
            #expect(!realm.refresh())
            for _ in 0..<10 { turnRunLoop() }
            #expect(log.entries == [1] && scene.ids == [1])
            results.invalidate()
            changes.invalidate()
        }
    }

    @Test func whatIsFrozenOrPassedOnShowsTheVersionBefore() async throws {
        try await withAsyncScene { scene in
            let realm = scene.realm
            try realm.write { realm.addItem(1, "one") }
            let configuration = scene.configuration
            let early = ThreadSafeReference(to: try scene.item(1))
            let (opened, migrated) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let thread = BackgroundThread { _ in
                let realm = try Realm(configuration: configuration)
                opened.signal()
                guard waitInTime(migrated) else { throw WaitingTooLong() }
                return realm.resolve(early)?.text
            }
            #expect(waitInTime(opened))
            let other = try OtherProcess(configuration)
            try other.migrate()
            try other.deleteAll()
            migrated.signal()
            #expect(try thread.wait() == "one")
            #expect(!realm.refresh())
            let frozen = try scene.item(1).freeze()
            #expect(frozen.text == "one" && frozen.thaw()?.text == "one")
            #expect(
                try runThread { failureOfOpening(configuration)?.localizedDescription }
                    == "Provided schema version 0 is less than last set version 1.")
        }
    }

    @Test func theFileIsOpenedAgainWithTheNewClasses() async throws {
        let configuration = asyncConfiguration()
        try await withRunLoopThread {
            let scene = try AsyncScene(configuration)
            try scene.realm.write { scene.realm.addItem(1, "one") }
            try OtherProcess(configuration).migrate()
            #expect(!scene.realm.refresh())
        }
        var changed = configuration
        changed.schemaVersion = 1
        changed.objectTypes = [ChangedItem.self]
        let later = changed
        try await withRunLoopThread {
            let (realm, log) = (try Realm(configuration: later), ChangeLog<Bool>())
            realm.writeAsync {
                realm.objects(ChangedItem.self).first?.added = "new"
            } onComplete: {
                log.append($0 == nil)
            }
            try pump { log.count == 1 }
            #expect(log.entries == [true])
            #expect(realm.objects(ChangedItem.self).map(\.added) == ["new"])
        }
    }

    // MARK: Actors

    @Test func tasksAreTold() async throws {
        let configuration = asyncConfiguration()
        let keeper = try await ItemKeeper(configuration)
        try await keeper.add(1)
        try await onThread { try OtherProcess(configuration).migrate() }
        #expect(await keeper.refresh() == false)
        await #expect(throws: Realm.Error(.schemaMismatch)) { try await keeper.add(2) }
        let ids = await keeper.ids
        #expect(ids == [1])
    }

    @Test func tasksThatWaitForAMigrationAreTold() async throws {
        let configuration = asyncConfiguration()
        let keeper = try await ItemKeeper(configuration)
        try await keeper.add(1)
        let (begun, mayFinish) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let migration = BackgroundThread { _ in
            let other = try OtherProcess(configuration)
            try other.beginMigration()
            begun.signal()
            guard waitInTime(mayFinish) else { throw WaitingTooLong() }
            try other.finishMigration()
            return try other.count()
        }
        #expect(waitForSignal(begun))
        let waiting = Task { try await keeper.add(2) }
        while await !keeper.isWriting { await Task.yield() }
        mayFinish.signal()
        await #expect(throws: Realm.Error(.schemaMismatch)) { try await waiting.value }
        let ids = await keeper.ids
        #expect(ids == [1])
        #expect(try migration.wait() == 1)
    }

    // MARK: What cannot throw

    @Test func beginningATransactionStops() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try await withAsyncScene { scene in
                try OtherProcess(scene.configuration).migrate()
                scene.realm.beginWrite()
            }
        }
        expectEnd(text, result)
    }

    @Test func beginningAnAsynchronousTransactionStops() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try await withAsyncScene { scene in
                try OtherProcess(scene.configuration).migrate()
                scene.realm.beginAsyncWrite { scene.realm.addItem(1) }
                try pump { false }
            }
        }
        expectEnd(text, result)
    }
}
