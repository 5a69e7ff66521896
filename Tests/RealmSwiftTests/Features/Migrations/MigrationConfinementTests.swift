import Foundation
import RealmSwift
import Testing
import ToolSupport

// Where and when the objects of a migration may be used, and what others see that have the file
// open.

private enum First {
    class Item: VersionedObject {
        @Persisted var id: Int
        @Persisted var text: String
    }

    static let types: [ObjectBase.Type] = [Item.self]

    static func fill(_ realm: Realm) {
        for id in 0..<5 { realm.create(Item.self, value: ["id": id, "text": "text \(id)"]) }
    }
}

private enum Second {
    class Item: VersionedObject {
        @Persisted var id: Int
        @Persisted var text: String
        @Persisted var added: Int
    }

    static let types: [ObjectBase.Type] = [Item.self]

    @Sendable static func change(_ migration: Migration, _ version: UInt64) {
        migration.enumerateObjects(ofType: "Item") { old, new in
            new?["added"] = (old?["id"] as? Int ?? 0) * 10
        }
    }
}

/// Keeps what a block had. Unchecked because only one thread at a time uses it.
private final class Kept<Value>: @unchecked Sendable {
    var value: Value?
}

/// Migrates a new file with a block that keeps something of the migration, and returns that.
private func kept<Value>(
    _ choose: @escaping @Sendable (Migration, MigrationObject?, MigrationObject?) -> Value?
) throws -> Value? {
    let kept = Kept<Value>()
    try migrateNewFile(from: First.types, to: Second.types, filling: First.fill) { migration, _ in
        migration.enumerateObjects(ofType: "Item") { old, new in
            kept.value = choose(migration, old, new)
        }
    }
    return kept.value
}

/// Migrates a new file with a block that uses something of the migration on another thread.
private func useElsewhere(
    _ use: @escaping @Sendable (Migration, MigrationObject?, MigrationObject?) -> Void
) throws {
    try migrateNewFile(from: First.types, to: Second.types, filling: First.fill) { migration, _ in
        migration.enumerateObjects(ofType: "Item") { old, new in
            nonisolated(unsafe) let objects = (migration, old, new)
            _ = try? runThread { use(objects.0, objects.1, objects.2) }
        }
    }
}

private let invalidated = "Object has been deleted or invalidated."
private let wrongThread = "Realm accessed from incorrect thread."

private let misuses: [String: Misuse] = [
    "reading an old object after the block": Misuse(invalidated) {
        _ = try kept { _, old, _ in old }?["text"]
    },
    "reading a new object after the block": Misuse(invalidated) {
        _ = try kept { _, _, new in new }?["text"]
    },
    "writing a new object after the block": Misuse(invalidated) {
        try kept { _, _, new in new }?["text"] = "late"
    },
    "reading an old object on another thread": Misuse(wrongThread) {
        try useElsewhere { _, old, _ in _ = old?["text"] }
    },
    "reading a new object on another thread": Misuse(wrongThread) {
        try useElsewhere { _, _, new in _ = new?["text"] }
    },
    "writing a new object on another thread": Misuse(wrongThread) {
        try useElsewhere { _, _, new in new?["text"] = "elsewhere" }
    },
    "enumerating on another thread": Misuse(wrongThread) {
        try useElsewhere { migration, _, _ in
            migration.enumerateObjects(ofType: "Item") { _, _ in }
        }
    },
    "creating on another thread": Misuse(wrongThread) {
        try useElsewhere { migration, _, _ in migration.create("Item") }
    },
]

@Suite struct MigrationConfinementMisuses {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }

    @Test func usingAMigrationAfterItsBlockStops() async {
        await #expect(processExitsWith: .failure) {
            let migration = try kept { migration, _, _ in migration }
            migration?.enumerateObjects(ofType: "Item") { old, _ in _ = old?["text"] }
            migration?.create("Item")
        }
    }

    @Test func objectsOfAMigrationAreInvalidatedAfterTheBlock() async {
        await #expect(processExitsWith: .success) {
            let old = try kept { _, old, _ in old }
            let new = try kept { _, _, new in new }
            precondition(old?.isInvalidated == true && new?.isInvalidated == true)
        }
    }
}

/// Tests of a file that somebody has open with its old version while it is migrated.
@Suite(.timeLimit(.minutes(10))) struct MigrationBesideOthersTests {
    private let file = MigratedFile()

    private func expectNew() throws {
        #expect(try file.version() == 1)
        try file.open(Second.types, version: 1) { realm in
            let items = realm.objects(Second.Item.self)
            #expect(items.filter("id < 5").allSatisfy { $0.added == $0.id * 10 })
            #expect(items.filter("id < 5").count == 5)
        }
    }

    /// A process migrates the file that a thread of this one has open, and the thread reads on.
    @Test func whatIsOpenElsewhereStaysReadable() async throws {
        try file.write(First.types, First.fill)
        let configuration = file.configuration(First.types)
        let (opened, migrated) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let reading = BackgroundThread { _ in
            let realm = try Realm(configuration: configuration)
            let (frozen, items) = (realm.freeze(), realm.objects(First.Item.self))
            #expect(items.count == 5)
            opened.signal()
            #expect(waitInTime(migrated))
            #expect(items.map(\.text) == (0..<5).map { "text \($0)" })
            #expect(frozen.objects(First.Item.self).map(\.id) == Array(0..<5))
        }
        #expect(waitInTime(opened))
        await migrate(at: file.url.path)
        migrated.signal()
        try reading.wait()
        try expectNew()
    }

    private func migrate(at path: String) async {
        await #expect(processExitsWith: .success) { [path] in
            openOrStop(
                migratedConfiguration(path, Second.types, version: 1, migrating: Second.change))
        }
    }

    /// Required: other processes "are told, not broken".
    @Test func aProcessThatHasTheFileOpenCannotDamageIt() async throws {
        try file.write(First.types, First.fill)
        let path = file.url.path
        async let migration = migrateWhenOpen(at: path)
        await outliveMigration(at: path)
        let isMigrated = await migration
        #expect(isMigrated)
        try expectNew()
    }

    /// Runs a process that opens the file, waits for its migration, and goes on.
    private func outliveMigration(at path: String) async {
        await #expect(processExitsWith: .success) { [path] in
            let realm = try Realm(configuration: migratedConfiguration(path, First.types))
            precondition(realm.objects(First.Item.self).count == 5)
            let url = URL(fileURLWithPath: path)
            try Data().write(to: url.appendingPathExtension("opened"))
            var waits = 0
            while waits < 10_000, try schemaVersionAtURL(url) == 0 {
                waits += 1
                usleep(1000)
            }
            // It reads on, and is told when it writes.
            precondition(!realm.refresh())
            precondition(realm.objects(First.Item.self).first?.text == "text 0")
            precondition(!realm.refresh())
            let expected =
                "The classes in the file at path '\(path)' were changed by a migration. "
                + "Close the file, and open it again with the new classes."
            do {
                try realm.write { realm.delete(realm.objects(First.Item.self)) }
                preconditionFailure("a Realm of the old classes was written")
            } catch let error as Realm.Error {
                precondition(error.code == .schemaMismatch)
                precondition(error.localizedDescription == expected)
            }
            precondition(realm.objects(First.Item.self).map(\.id) == Array(0..<5))
        }
    }

    /// In one process, a migration needs that no Realm of the file is open.
    @Test func aFileThatAThreadHasOpenIsNotMigrated() throws {
        try file.write(First.types, First.fill)
        let realm = try Realm(configuration: file.configuration(First.types))
        let new = file.configuration(Second.types, version: 1, migrating: Second.change)
        let error = try runThread { failureOfOpening(new) }
        #expect(error?.code == .alreadyOpen)
        #expect(error?.localizedDescription == "Cannot migrate Realms that are already open.")
        #expect(failureOfOpening(new)?.code == .alreadyOpen)
        #expect(realm.objects(First.Item.self).map(\.text) == (0..<5).map { "text \($0)" })
        #expect(try file.version() == 0)
        try realm.write { realm.create(First.Item.self, value: ["id": 5]) }
    }

    /// A frozen Realm shows the version before, which is kept for it.
    @Test func aFrozenRealmDoesNotPreventAMigration() throws {
        try file.write(First.types, First.fill)
        let frozen = try file.open(First.types) { $0.freeze() }
        try file.migrate(to: Second.types, Second.change)
        #expect(frozen.objects(First.Item.self).map(\.text) == (0..<5).map { "text \($0)" })
        try expectNew()
    }

    @Test func theFileIsMigratedOnceTheLastOtherRealmIsGone() throws {
        try file.write(First.types, First.fill)
        try runThread { [configuration = file.configuration(First.types)] in
            let realm = try Realm(configuration: configuration)
            #expect(realm.objects(First.Item.self).count == 5)
        }
        try file.migrate(to: Second.types, Second.change)
        try expectNew()
    }

    /// A frozen copy of the old file can be read while the original is migrated.
    @Test func aCopyIsMigratedBesideItsOriginal() throws {
        try file.write(First.types, First.fill)
        try file.open(First.types) { realm in
            let copy = file.directory.url.appendingPathComponent("copy.realm")
            try realm.writeCopy(toFile: copy)
            #expect(try schemaVersionAtURL(copy) == 0)
            let configuration = migratedConfiguration(
                copy.path, Second.types, version: 1, migrating: Second.change)
            let migrated = try Realm(configuration: configuration)
            #expect(migrated.objects(Second.Item.self).map(\.added) == [0, 10, 20, 30, 40])
            #expect(realm.objects(First.Item.self).count == 5)
        }
        #expect(try file.version() == 0)
    }
}

/// Migrates the file on a thread of its own once another process has it open. Returns whether it
/// did.
private func migrateWhenOpen(at path: String) async -> Bool {
    let configuration = migratedConfiguration(
        path, Second.types, version: 1, migrating: Second.change)
    let isMigrated = try? await onThread {
        for _ in 0..<10_000 where !FileManager.default.fileExists(atPath: path + ".opened") {
            usleep(1000)
        }
        _ = try Realm(configuration: configuration)
        return true
    }
    return isMigrated == true
}
