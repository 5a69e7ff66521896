import Foundation
import RealmSwift
import StorageEngine
import Synchronization
import Testing

// `deleteRealmIfMigrationNeeded`, `schemaVersionAtURL` and `Realm.performMigration`.

private enum First {
    class Item: VersionedObject {
        @Persisted var number: Int
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

private enum Second {
    class Item: VersionedObject {
        @Persisted var number: Int
        @Persisted var text: String
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

extension MigratedFile {
    fileprivate func fill(version: UInt64 = 0) throws {
        try write(First.types, version: version) { realm in
            realm.create(First.Item.self, value: ["number": 5])
        }
    }
}

@Suite struct DeleteIfMigrationNeededTests {
    private let file = MigratedFile()
    private let calls = MigrationLog<UInt64>()

    private func deleting(
        _ types: [ObjectBase.Type], version: UInt64 = 0
    ) -> Realm.Configuration {
        var configuration = file.configuration(types, version: version) { [calls] _, old in
            calls.note(old)
        }
        configuration.deleteRealmIfMigrationNeeded = true
        return configuration
    }

    @Test func theDefaultIsNotToDelete() {
        #expect(!Realm.Configuration().deleteRealmIfMigrationNeeded)
        #expect(
            Realm.Configuration(deleteRealmIfMigrationNeeded: true).deleteRealmIfMigrationNeeded)
    }

    @Test func aFileThatDoesNotFitIsReplacedByAnEmptyOne() throws {
        try file.fill()
        do {
            let realm = try Realm(configuration: deleting(Second.types))
            #expect(realm.isEmpty)
            try realm.write { realm.create(Second.Item.self, value: ["text": "new"]) }
        }
        try file.open(Second.types) { realm in
            #expect(realm.objects(Second.Item.self).map(\.text) == ["new"])
        }
    }

    @Test func theBlockIsNotCalled() throws {
        try file.fill()
        let realm = try Realm(configuration: deleting(Second.types, version: 3))
        #expect(realm.isEmpty && calls.all == [])
        #expect(try file.version() == 3)
    }

    /// A version that differs is reason enough, also without another difference.
    @Test(arguments: [0, 2] as [UInt64]) func aFileOfAnotherVersionIsReplaced(
        version: UInt64
    ) throws {
        try file.fill(version: 1)
        let realm = try Realm(configuration: deleting(First.types, version: version))
        #expect(realm.isEmpty && calls.all == [])
        #expect(try file.version() == version)
    }

    @Test func aFileThatFitsIsKept() throws {
        try file.fill()
        for _ in 0..<2 {
            let realm = try Realm(configuration: deleting(First.types))
            #expect(realm.objects(First.Item.self).map(\.number) == [5])
        }
    }

    @Test func aFileToWhichOnlyClassesAreAddedIsKept() throws {
        try file.fill()
        let realm = try Realm(configuration: deleting(First.types + [Keyed.self]))
        #expect(realm.objects(First.Item.self).count == 1)
    }

    @Test func withoutAFileOneIsMade() throws {
        let realm = try Realm(configuration: deleting(First.types))
        #expect(realm.isEmpty && Realm.fileExists(for: file.configuration(First.types)))
    }

    @Test func anEncryptedFileIsReplacedByAnEncryptedOne() throws {
        var old = file.configuration(First.types)
        old.encryptionKey = Data(repeating: 7, count: 64)
        do {
            let realm = try Realm(configuration: old)
            try realm.write { realm.create(First.Item.self) }
        }
        var new = deleting(Second.types)
        new.encryptionKey = old.encryptionKey
        do { #expect(try Realm(configuration: new).isEmpty) }
        #expect(failureOfOpening(file.configuration(Second.types))?.code == .invalidDatabase)
    }

    /// Another key is no difference of the schema.
    @Test func aFileWithAnotherKeyIsNotDeleted() throws {
        var old = file.configuration(First.types)
        old.encryptionKey = Data(repeating: 7, count: 64)
        do {
            let realm = try Realm(configuration: old)
            try realm.write { realm.create(First.Item.self, value: ["number": 5]) }
        }
        var wrong = deleting(Second.types)
        wrong.encryptionKey = Data(repeating: 8, count: 64)
        #expect(failureOfOpening(wrong)?.code == .invalidDatabase)
        #expect(try Realm(configuration: old).objects(First.Item.self).count == 1)
    }

    @Test func aFileThatAnotherProcessHasOpenIsNotDeleted() throws {
        try file.fill()
        do {
            let other = try Connection(Database.openUnregistered(path: file.url.path))
            for _ in 0..<2 {
                let error = failureOfOpening(deleting(Second.types, version: 1))
                #expect(error?.code == .alreadyOpen)
                #expect(error?.localizedDescription.contains(file.url.path) == true)
            }
            #expect(try other.refresh() == false)
            #expect(try other.table(named: "Item")?.count() == 1)
        }
        #expect(try Realm(configuration: deleting(Second.types, version: 1)).isEmpty)
        #expect(calls.all == [])
    }

    @Test func aFileOfWhichAFrozenRealmIsThereIsNotDeleted() throws {
        try file.fill()
        do {
            let frozen = try file.open(First.types) { $0.freeze() }
            #expect(failureOfOpening(deleting(Second.types))?.code == .alreadyOpen)
            #expect(frozen.objects(First.Item.self).map(\.number) == [5])
        }
        #expect(try Realm(configuration: deleting(Second.types)).isEmpty)
    }

    /// None of them finds that it cannot be deleted because the others are about to do so.
    @Test func ofThreadsThatOpenTheFileTogetherOneReplacesIt() async throws {
        for _ in 0..<10 {
            try file.fill()
            let configuration = deleting(Second.types, version: 1)
            let all = Countdown(8)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for id in 0..<8 {
                    group.addTask {
                        try await onThread {
                            let realm = try Realm(configuration: configuration)
                            try realm.write {
                                realm.create(Second.Item.self, value: ["number": id])
                            }
                            // The others find the file open.
                            try all.countDownAndWait()
                            realm.refresh()
                            return realm.objects(Second.Item.self).count
                        }
                    }
                }
                for try await count in group { #expect(count == 8) }
            }
            #expect(try Realm.deleteFiles(for: configuration))
        }
    }

    @Test func aFileThatIsNoRealmIsNotDeleted() throws {
        let letter = Data(repeating: 7, count: 10_000)
        try letter.write(to: file.url)
        #expect(failureOfOpening(deleting(First.types))?.code == .invalidDatabase)
        #expect(try Data(contentsOf: file.url) == letter)
    }
}

/// Lets threads go on together once all of them have come.
private final class Countdown: Sendable {
    private let missing: Mutex<Int>

    init(_ count: Int) { missing = Mutex(count) }

    func countDownAndWait() throws {
        missing.withLock { $0 -= 1 }
        let deadline = ContinuousClock.now + .seconds(60)
        while missing.withLock({ $0 > 0 }) {
            if ContinuousClock.now > deadline { throw CocoaError(.userCancelled) }
            usleep(500)
        }
    }
}

@Suite struct SchemaVersionAtURLTests {
    private let file = MigratedFile()

    private func failure(key: Data? = nil) -> Realm.Error? {
        do {
            _ = try schemaVersionAtURL(file.url, encryptionKey: key)
            return nil
        } catch { return error as? Realm.Error }
    }

    @Test(arguments: [0, 1, 2, 1000, UInt64(Int64.max)])
    func theVersionOfAFileIsRead(version: UInt64) throws {
        try file.fill(version: version)
        #expect(try schemaVersionAtURL(file.url) == version)
    }

    @Test func theVersionIsReadWhileTheFileIsOpen() throws {
        try file.open(First.types, version: 4) { realm in
            #expect(try schemaVersionAtURL(file.url) == 4)
            try realm.write {
                realm.create(First.Item.self)
                let version = try schemaVersionAtURL(file.url)
                #expect(version == 4)
            }
        }
    }

    @Test func readingTheVersionLeavesTheFileClosedAndUnchanged() throws {
        try file.fill()
        let before = try Data(contentsOf: file.url)
        #expect(try schemaVersionAtURL(file.url) == 0)
        #expect(try Data(contentsOf: file.url) == before)
        #expect(try Realm.deleteFiles(for: file.configuration(First.types)))
    }

    @Test func theVersionOfAnEncryptedFileIsReadWithItsKey() throws {
        let key = Data(repeating: 7, count: 64)
        var configuration = file.configuration(First.types, version: 3)
        configuration.encryptionKey = key
        do { _ = try Realm(configuration: configuration) }
        #expect(try schemaVersionAtURL(file.url, encryptionKey: key) == 3)
        for wrong in [nil, Data(repeating: 8, count: 64)] {
            #expect(failure(key: wrong)?.code == .invalidDatabase)
        }
    }

    @Test func aFileThatDoesNotExistHasNoVersion() throws {
        let error = try #require(failure())
        #expect(error.code == .invalidDatabase)
        #expect(
            error.localizedDescription
                == "Realm at path '\(file.url.path)' has not been initialized.")
        #expect(!FileManager.default.fileExists(atPath: file.url.path))
        #expect(!FileManager.default.fileExists(atPath: file.url.path + ".lock"))
    }

    @Test func aFileThatIsNoRealmHasNoVersion() throws {
        try Data(repeating: 7, count: 10_000).write(to: file.url)
        #expect(failure()?.code == .invalidDatabase)
    }
}

@Suite struct PerformMigrationTests {
    private let file = MigratedFile()
    private let calls = MigrationLog<UInt64>()

    private func configuration(_ types: [ObjectBase.Type], version: UInt64) -> Realm.Configuration {
        file.configuration(types, version: version) { [calls] migration, old in
            calls.note(old)
            migration.enumerateObjects(ofType: "Item") { old, new in
                new?["text"] = "\(old?["number"] as? Int ?? -1)"
            }
        }
    }

    @Test func theMigrationIsPerformedWithoutOpeningTheRealm() throws {
        try file.fill()
        try Realm.performMigration(for: configuration(Second.types, version: 2))
        #expect(calls.all == [0])
        #expect(try file.version() == 2)
        // Nothing holds the file open.
        let types = file.configuration(Second.types, version: 2)
        do {
            let realm = try Realm(configuration: types)
            #expect(realm.objects(Second.Item.self).map(\.text) == ["5"])
        }
        #expect(try Realm.deleteFiles(for: types))
    }

    @Test func theBlockIsNotCalledAgainByOpening() throws {
        try file.fill()
        let configuration = configuration(Second.types, version: 2)
        try Realm.performMigration(for: configuration)
        let realm = try Realm(configuration: configuration)
        #expect(calls.all == [0] && realm.objects(Second.Item.self).count == 1)
    }

    @Test func aFileOfTheSameVersionIsLeftAlone() throws {
        try file.fill(version: 2)
        try Realm.performMigration(for: configuration(First.types, version: 2))
        #expect(calls.all == [])
    }

    @Test func aMigrationThatIsMissingIsThrown() throws {
        try file.fill()
        let error = #expect(throws: Realm.Error.self) {
            try Realm.performMigration(for: file.configuration(Second.types))
        }
        #expect(error?.code == .schemaMismatch)
    }

    @Test func aLowerVersionIsThrown() throws {
        try file.fill(version: 2)
        let error = #expect(throws: Realm.Error.self) {
            try Realm.performMigration(for: file.configuration(First.types, version: 1))
        }
        #expect(
            error?.localizedDescription
                == "Provided schema version 1 is less than last set version 2.")
    }

    @Test func theDefaultConfigurationIsTheDefault() async throws {
        try file.fill()
        await performDefault(at: file.url.path)
        #expect(try file.version() == 6)
    }

    private func performDefault(at path: String) async {
        await #expect(processExitsWith: .success) { [path] in
            Realm.Configuration.defaultConfiguration = migratedConfiguration(
                path, Second.types, version: 6
            ) { _, _ in }
            try Realm.performMigration()
            let version = try schemaVersionAtURL(URL(fileURLWithPath: path))
            precondition(version == 6)
        }
    }

    @Test func anOpenRealmIsNotMigrated() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let file = MigratedFile()
            try file.open(First.types) { realm in
                try Realm.performMigration(for: file.configuration(First.types, version: 1))
                _ = realm.isEmpty
            }
        }
        expectStop("Cannot migrate Realms that are already open.", result)
    }

    @Test func aRealmThatAnotherThreadHasOpenIsNotMigrated() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let file = MigratedFile()
            let first = file.configuration(First.types)
            let second = file.configuration(First.types, version: 1)
            try runThread {
                let realm = try Realm(configuration: first)
                try runThread { try Realm.performMigration(for: second) }
                _ = realm.isEmpty
            }
        }
        expectStop("Cannot migrate Realms that are already open.", result)
    }
}
