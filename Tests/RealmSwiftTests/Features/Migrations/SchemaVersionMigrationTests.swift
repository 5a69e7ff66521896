import Foundation
import RealmSwift
import Testing

// `schemaVersion` and `migrationBlock`: when the block is called, how often, and with what.

private enum First {
    class Person: VersionedObject {
        @Persisted var firstName: String
        @Persisted var lastName: String
        @Persisted var age: Int
    }

    static let types: [ObjectBase.Type] = [Person.self]
}

private enum Second {
    class Person: VersionedObject {
        @Persisted var fullName: String
        @Persisted var age: Int
    }

    static let types: [ObjectBase.Type] = [Person.self]
}

@Suite struct MigrationBlockTests {
    private let file = MigratedFile()
    private let calls = MigrationLog<UInt64>()

    /// A block that only notes the version with which it is called.
    private var noting: MigrationBlock {
        { [calls] _, oldVersion in calls.note(oldVersion) }
    }

    private func fill(version: UInt64 = 0) throws {
        try file.write(First.types, version: version) { realm in
            realm.create(
                First.Person.self, value: ["firstName": "Ann", "lastName": "Lee", "age": 30])
        }
    }

    /// Documented: "if you've never set a schema version before, the version is 0".
    @Test func aFileWithoutAVersionHasVersionZero() throws {
        #expect(Realm.Configuration().schemaVersion == 0)
        try fill()
        #expect(try file.version() == 0)
        try file.migrate(to: Second.types, noting)
        #expect(calls.all == [0])
    }

    @Test func theBlockIsCalledWithTheVersionOfTheFile() throws {
        try fill(version: 3)
        try file.migrate(to: Second.types, version: 10, noting)
        #expect(calls.all == [3])
    }

    @Test func theBlockIsCalledAlsoIfNothingButTheVersionChanged() throws {
        try fill(version: 1)
        try file.migrate(to: First.types, version: 2, noting)
        #expect(calls.all == [1])
        #expect(try file.version() == 2)
    }

    @Test func theBlockIsNotCalledForAFileOfTheSameVersion() throws {
        try fill(version: 2)
        try file.migrate(to: First.types, version: 2, noting)
        #expect(calls.all == [])
    }

    @Test func theBlockIsNotCalledForANewFile() throws {
        try file.migrate(to: First.types, version: 7, noting)
        #expect(calls.all == [])
        #expect(try file.version() == 7)
    }

    @Test func theBlockIsNotCalledForARealmInMemory() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, schemaVersion: 4, migrationBlock: noting,
                objectTypes: First.types))
        #expect(calls.all == [] && realm.isEmpty)
    }

    /// Documented: a migration "runs exactly once when you open the old file for the first time".
    @Test func aMigrationRunsOnce() throws {
        try fill()
        for _ in 0..<3 { try file.migrate(to: Second.types, noting) }
        #expect(calls.all == [0])
    }

    @Test func aMigrationRunsOnceAlsoWhileTheFileStaysOpen() throws {
        try fill()
        try file.open(Second.types, version: 1, migrating: noting) { realm in
            let again = try Realm(
                configuration: file.configuration(Second.types, version: 1, migrating: noting))
            #expect(again == realm)
        }
        #expect(calls.all == [0])
    }

    @Test func ofThreadsThatOpenTheFileTogetherOneMigratesIt() async throws {
        try fill()
        let configuration = file.configuration(Second.types, version: 1) { [calls] _, version in
            calls.note(version)
            // Others wait for the write lock by then.
            Thread.sleep(forTimeInterval: 0.05)
        }
        let counts: [Int] = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await onThread {
                        try Realm(configuration: configuration).objects(Second.Person.self).count
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 1, count: 8))
        #expect(calls.all == [0])
    }

    /// Documented: "At the very minimum we need to update the version with an empty block".
    @Test func anEmptyBlockLetsTheChangesBeAppliedByThemselves() throws {
        try fill()
        try file.migrate(to: Second.types) { _, _ in }
        try file.open(Second.types, version: 1) { realm in
            let person = try #require(realm.objects(Second.Person.self).first)
            #expect(person.age == 30 && person.fullName == "")
        }
    }

    @Test func aHigherVersionIsStoredWithTheFile() throws {
        try fill()
        try file.migrate(to: Second.types, version: 5)
        #expect(try file.version() == 5)
    }

    @Test func theHighestVersionCanBeReached() throws {
        try fill(version: .max - 2)
        try file.migrate(to: First.types, version: .max - 1, noting)
        #expect(calls.all == [.max - 2])
        #expect(try file.version() == .max - 1)
    }

    /// Documented: "Lowering the schema version is not supported."
    @Test func aLowerVersionThanThatOfTheFileIsAnError() throws {
        try fill(version: 1)
        let error = file.failure(opening: First.types, version: 0, migrating: noting)
        #expect(
            error?.localizedDescription
                == "Provided schema version 0 is less than last set version 1.")
        #expect(calls.all == [])
        #expect(try file.version() == 1)
    }

    @Test func theErrorOfALowerVersionNamesBothVersions() throws {
        try fill(version: 17)
        let error = file.failure(opening: First.types, version: 12)
        #expect(
            error?.localizedDescription
                == "Provided schema version 12 is less than last set version 17.")
    }

    @Test func theBlockMayBeAFunction() throws {
        try fill()
        try file.migrate(to: Second.types, joinNames)
        try file.open(Second.types, version: 1) { realm in
            #expect(realm.objects(Second.Person.self).first?.fullName == "Ann Lee")
        }
    }

    /// Documented: "Once the migration is successfully completed, the Realm and all of its objects
    /// can be accessed as usual".
    @Test func afterAMigrationTheRealmIsUsedAsUsual() throws {
        try fill()
        try file.open(Second.types, version: 1, migrating: joinNames) { realm in
            #expect(!realm.isInWriteTransaction)
            try realm.write {
                realm.create(Second.Person.self, value: ["fullName": "Bo Day", "age": 4])
            }
            let names = realm.objects(Second.Person.self).sorted(byKeyPath: "age").map(\.fullName)
            #expect(Array(names) == ["Bo Day", "Ann Lee"])
            #expect(realm.objects(Second.Person.self).filter("fullName == 'Ann Lee'").count == 1)
        }
    }

    @Test func aRealmOfAQueueIsMigratedOnThatQueue() throws {
        try fill()
        let queue = DispatchQueue(label: "migrating")
        let configuration = file.configuration(Second.types, version: 1) { migration, version in
            dispatchPrecondition(condition: .onQueue(queue))
            joinNames(migration, version)
        }
        let names = try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            return Array(realm.objects(Second.Person.self).map(\.fullName))
        }
        #expect(names == ["Ann Lee"])
    }

    @Test func anEncryptedFileIsMigrated() throws {
        let key = Data(repeating: 7, count: 64)
        var old = file.configuration(First.types)
        old.encryptionKey = key
        try addAnn(to: old)
        var new = file.configuration(Second.types, version: 1, migrating: joinNames)
        new.encryptionKey = key
        do {
            let realm = try Realm(configuration: new)
            #expect(realm.objects(Second.Person.self).first?.fullName == "Ann Lee")
        }
        let bytes = try Data(contentsOf: file.url)
        #expect(bytes.range(of: Data("Ann Lee".utf8)) == nil)
        #expect(bytes.range(of: Data("fullName".utf8)) == nil)
    }

    private func addAnn(to configuration: Realm.Configuration) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write {
            realm.create(First.Person.self, value: ["firstName": "Ann", "lastName": "Lee"])
        }
    }

    @Test func theBlockIsNotCalledWithTheWrongKey() throws {
        var old = file.configuration(First.types)
        old.encryptionKey = Data(repeating: 7, count: 64)
        try addAnn(to: old)
        for wrong in [nil, Data(repeating: 8, count: 64)] {
            var new = file.configuration(Second.types, version: 1, migrating: noting)
            new.encryptionKey = wrong
            #expect(failureOfOpening(new)?.code == .invalidDatabase)
        }
        #expect(calls.all == [])
        #expect(try schemaVersionAtURL(file.url, encryptionKey: old.encryptionKey) == 0)
    }

    @Test func aFileIsCompactedAndMigratedByOneOpening() throws {
        try fill()
        let sizes = MigrationLog<Int>()
        var configuration = file.configuration(Second.types, version: 1, migrating: joinNames)
        configuration.shouldCompactOnLaunch = { total, _ in
            sizes.note(total)
            return true
        }
        let realm = try Realm(configuration: configuration)
        #expect(sizes.all.count == 1)
        #expect(realm.objects(Second.Person.self).first?.fullName == "Ann Lee")
    }

    @Test func aReadOnlyRealmIsNotMigrated() throws {
        try fill()
        let before = try Data(contentsOf: file.url)
        var configuration = file.configuration(Second.types, version: 1, migrating: noting)
        configuration.readOnly = true
        #expect(failureOfOpening(configuration) != nil)
        #expect(calls.all == [])
        #expect(try Data(contentsOf: file.url) == before)
    }
}

@Sendable private func joinNames(_ migration: Migration, _ oldVersion: UInt64) {
    migration.enumerateObjects(ofType: "Person") { old, new in
        let first = old?["firstName"] as? String ?? ""
        let last = old?["lastName"] as? String ?? ""
        new?["fullName"] = "\(first) \(last)"
    }
}

/// Documented: opening asynchronously performs "potentially time-consuming migrations on a
/// background thread".
@Suite(.timeLimit(.minutes(10))) struct AsyncMigrationTests {
    private let file = MigratedFile()
    private let wasMain = MigrationLog<Bool>()

    private func filled() throws -> Realm.Configuration {
        try file.write(First.types) { realm in
            realm.create(First.Person.self, value: ["firstName": "Ann", "lastName": "Lee"])
        }
        return file.configuration(Second.types, version: 1) { [wasMain] migration, version in
            wasMain.note(Thread.isMainThread)
            joinNames(migration, version)
        }
    }

    @MainActor @Test func openingOnTheMainActorMigratesOnAnotherThread() async throws {
        let configuration = try filled()
        let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
        #expect(wasMain.all == [false])
        #expect(realm.objects(Second.Person.self).first?.fullName == "Ann Lee")
    }

    @Test func asyncOpenDeliversTheMigratedRealm() throws {
        let configuration = try filled()
        let (names, done) = (MigrationLog<[String]>(), DispatchSemaphore(value: 0))
        let queue = DispatchQueue(label: "migrated")
        Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
            let realm = try? result.get()
            names.note(realm.map { $0.objects(Second.Person.self).map(\.fullName) } ?? [])
            done.signal()
        }
        done.wait()
        #expect(names.all == [["Ann Lee"]] && wasMain.all == [false])
    }

    @Test func asyncOpenDeliversTheErrorOfAMigration() throws {
        var configuration = try filled()
        configuration.migrationBlock = nil
        configuration.schemaVersion = 0
        let (codes, done) = (MigrationLog<Realm.Error.Code?>(), DispatchSemaphore(value: 0))
        let queue = DispatchQueue(label: "refused")
        Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
            if case .failure(let error) = result { codes.note((error as? Realm.Error)?.code) }
            done.signal()
        }
        done.wait()
        #expect(codes.all == [.schemaMismatch])
    }
}
