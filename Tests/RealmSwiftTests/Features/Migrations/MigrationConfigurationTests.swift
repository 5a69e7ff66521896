import Foundation
import RealmSwift
import Testing

// What `Realm.Configuration` says about migrations, and settings that contradict.

private enum Model {
    class Item: VersionedObject {
        @Persisted var number: Int
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

@Suite struct MigrationConfigurationTests {
    private let file = MigratedFile()

    @Test func aNewConfigurationHasNoMigration() {
        let configuration = Realm.Configuration()
        #expect(configuration.schemaVersion == 0 && configuration.migrationBlock == nil)
        #expect(!configuration.deleteRealmIfMigrationNeeded && configuration.seedFilePath == nil)
        #expect(!configuration.readOnly && configuration.shouldCompactOnLaunch == nil)
        #expect(configuration.encryptionKey == nil && configuration.objectTypes == nil)
        #expect(configuration.maximumNumberOfActiveVersions == nil)
    }

    @Test func everySettingIsAnArgument() {
        let configuration = Realm.Configuration(
            fileURL: file.url, encryptionKey: Data(count: 64), schemaVersion: 4,
            migrationBlock: { _, _ in }, deleteRealmIfMigrationNeeded: true,
            shouldCompactOnLaunch: { _, _ in false }, objectTypes: Model.types,
            seedFilePath: file.directory.url)
        #expect(configuration.schemaVersion == 4 && configuration.migrationBlock != nil)
        #expect(configuration.deleteRealmIfMigrationNeeded)
        #expect(configuration.seedFilePath == file.directory.url)
        #expect(configuration.shouldCompactOnLaunch != nil)
    }

    /// The book prints a new configuration.
    @Test func aConfigurationPrintsItsSettings() {
        let lines = Realm.Configuration(fileURL: file.url).description
            .components(separatedBy: "\n")
        #expect(lines.first == "Realm.Configuration {" && lines.last == "}")
        for line in [
            "fileURL = \(file.url.absoluteString);", "encryptionKey = (null);", "readOnly = 0;",
            "schemaVersion = 0;", "migrationBlock = (null);",
            "deleteRealmIfMigrationNeeded = 0;", "shouldCompactOnLaunch = (null);",
        ] {
            #expect(lines.contains { $0.hasSuffix("\t" + line) }, "\(line)")
        }
        var other = Realm.Configuration(fileURL: file.url, schemaVersion: 3)
        other.migrationBlock = { _, _ in }
        other.deleteRealmIfMigrationNeeded = true
        let text = other.description
        #expect(text.contains("schemaVersion = 3;"))
        #expect(text.contains("deleteRealmIfMigrationNeeded = 1;"))
        #expect(!text.contains("migrationBlock = (null);") && text.contains("migrationBlock = "))
    }

    /// Documented: "Equality ignores blocks and objectTypes".
    @Test func equalityIgnoresBlocks() {
        let configuration = file.configuration(Model.types, version: 1)
        var other = file.configuration([Keyed.self], version: 1) { _, _ in }
        #expect(configuration == other)
        other.shouldCompactOnLaunch = { _, _ in true }
        #expect(configuration == other)
        other.schemaVersion = 2
        #expect(configuration != other)
    }

    @Test func theConfigurationOfARealmHasItsVersionAndBlock() throws {
        try file.open(Model.types, version: 3, migrating: { _, _ in }) { realm in
            #expect(realm.configuration.schemaVersion == 3)
            #expect(realm.configuration.migrationBlock != nil)
            #expect(!realm.configuration.deleteRealmIfMigrationNeeded)
        }
    }

    /// Documented: "You can have multiple configuration objects, so you can control the version,
    /// schema and location of each Realm independently."
    @Test func filesHaveVersionsOfTheirOwn() throws {
        let (calls, other) = (MigrationLog<String>(), MigratedFile())
        try file.write(Model.types, version: 1) { _ in }
        try other.write(Model.types, version: 5) { _ in }
        try file.migrate(to: Model.types, version: 2) { _, old in calls.note("file \(old)") }
        try other.migrate(to: Model.types, version: 7) { _, old in calls.note("other \(old)") }
        #expect(calls.all == ["file 1", "other 5"])
        #expect(try file.version() == 2)
        #expect(try other.version() == 7)
    }

    /// The documentation's sample: the default configuration is set, and `Realm()` migrates.
    @Test func theDefaultConfigurationMigrates() async throws {
        try file.write(Model.types) { realm in
            realm.create(Model.Item.self, value: ["number": 5])
        }
        await openDefault(at: file.url.path)
        #expect(try file.version() == 1)
    }

    private func openDefault(at path: String) async {
        await #expect(processExitsWith: .success) { [path] in
            let calls = MigrationLog<UInt64>()
            var configuration = Realm.Configuration.defaultConfiguration
            configuration.fileURL = URL(fileURLWithPath: path)
            configuration.objectTypes = Model.types
            configuration.schemaVersion = 1
            configuration.migrationBlock = { _, old in calls.note(old) }
            Realm.Configuration.defaultConfiguration = configuration
            let realm = try Realm()
            precondition(realm.objects(Model.Item.self).first?.number == 5)
            let again = try Realm()
            precondition(again == realm && calls.all == [0])
        }
    }

    // MARK: Versions of an open file

    @Test func anotherThreadOpensTheFileWithTheSameVersion() throws {
        let calls = MigrationLog<UInt64>()
        let configuration = file.configuration(Model.types, version: 2) { _, old in
            calls.note(old)
        }
        let realm = try Realm(configuration: configuration)
        let version = try runThread {
            try Realm(configuration: configuration).configuration.schemaVersion
        }
        #expect(version == 2 && calls.all == [] && realm.isEmpty)
    }

    @Test func anotherThreadCannotOpenTheFileWithALowerVersion() throws {
        let realm = try Realm(configuration: file.configuration(Model.types, version: 2))
        let lower = file.configuration(Model.types, version: 1)
        let text = try runThread { failureOfOpening(lower)?.localizedDescription }
        #expect(text == "Provided schema version 1 is less than last set version 2.")
        #expect(realm.isEmpty)
    }

    @Test func anOpenFileIsNotDeletedBecauseOfItsSchema() throws {
        try file.open(Model.types) { realm in
            try realm.write { realm.create(Model.Item.self, value: ["number": 5]) }
            var configuration = file.configuration([Changed.Item.self])
            configuration.deleteRealmIfMigrationNeeded = true
            let refusing = configuration
            #expect(try runThread { failureOfOpening(refusing)?.code == .alreadyOpen })
            #expect(realm.objects(Model.Item.self).first?.number == 5)
        }
        try file.open(Model.types) { realm in #expect(realm.objects(Model.Item.self).count == 1) }
    }
}

private enum Changed {
    class Item: VersionedObject {
        @Persisted var number: String
    }
}

private class TooLong: VersionedObject {
    @Persisted var number: Int
    override class func className() -> String { String(repeating: "c", count: 58) }
}

// MARK: Contradictions

/// A setting with which a file is opened.
private enum Setting: String, Codable, Sendable {
    case plain, readOnly, key, otherKey

    func configuration(at path: String) -> Realm.Configuration {
        var configuration = migratedConfiguration(path, Model.types)
        switch self {
        case .plain: break
        case .readOnly: configuration.readOnly = true
        case .key: configuration.encryptionKey = Data(repeating: 7, count: 64)
        case .otherKey: configuration.encryptionKey = Data(repeating: 8, count: 64)
        }
        return configuration
    }
}

private let misuses: [String: Misuse] = [
    "deleting a read-only Realm": Misuse(
        "Cannot set `deleteRealmIfMigrationNeeded` when `readOnly` is set."
    ) {
        var configuration = Realm.Configuration(readOnly: true)
        configuration.deleteRealmIfMigrationNeeded = true
    },
    "a read-only Realm that is to be deleted": Misuse(
        "Cannot set `readOnly` when `deleteRealmIfMigrationNeeded` is set."
    ) {
        var configuration = Realm.Configuration(deleteRealmIfMigrationNeeded: true)
        configuration.readOnly = true
    },
    "compacting a read-only Realm": Misuse(
        "Cannot set `shouldCompactOnLaunch` when `readOnly` is set."
    ) {
        var configuration = Realm.Configuration(readOnly: true)
        configuration.shouldCompactOnLaunch = { _, _ in false }
    },
    "a read-only Realm that is to be compacted": Misuse(
        "Cannot set `readOnly` when `shouldCompactOnLaunch` is set."
    ) {
        var configuration = Realm.Configuration(shouldCompactOnLaunch: { _, _ in false })
        configuration.readOnly = true
    },
    "an empty identifier": Misuse("In-memory identifier must not be empty") {
        _ = Realm.Configuration(inMemoryIdentifier: "")
    },
    "an empty path": Misuse("Realm path must not be empty") {
        var configuration = Realm.Configuration()
        configuration.fileURL = URL(string: "file:")
    },
    "neither a path nor an identifier": Misuse(
        "A Realm Configuration must specify a path or an in-memory identifier."
    ) {
        var configuration = Realm.Configuration()
        configuration.fileURL = nil
        _ = try Realm(configuration: configuration)
    },
]

@Suite struct MigrationConfigurationMisuses {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }

    @Test func bothAtOnceInTheInitialiserStop() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Realm.Configuration(readOnly: true, deleteRealmIfMigrationNeeded: true) }
        expectEnd("`deleteRealmIfMigrationNeeded`", result)
    }

    @Test(arguments: [false, true]) func anOpenFileIsNotOpenedReadOnly(elsewhere: Bool) async {
        let file = MigratedFile()
        let path = file.url.path
        let result = await open(at: path, .plain, .readOnly, elsewhere: elsewhere)
        expectStop("Realm at path '\(path)' already opened with different read permissions", result)
    }

    @Test func aReadOnlyFileIsNotOpenedForWriting() async throws {
        let file = MigratedFile()
        try file.write(Model.types) { _ in }
        let path = file.url.path
        let result = await open(at: path, .readOnly, .plain, elsewhere: false)
        expectStop("Realm at path '\(path)' already opened with different read permissions", result)
    }

    @Test(arguments: [false, true]) func anOpenFileIsNotOpenedWithAKey(elsewhere: Bool) async {
        let file = MigratedFile()
        let path = file.url.path
        let result = await open(at: path, .plain, .key, elsewhere: elsewhere)
        expectStop("Realm at path '\(path)' already opened with different encryption key", result)
    }

    @Test func anEncryptedFileIsNotOpenedWithAnotherKey() async {
        let file = MigratedFile()
        let path = file.url.path
        let result = await open(at: path, .key, .otherKey, elsewhere: false)
        expectStop("Realm at path '\(path)' already opened with different encryption key", result)
    }

    private func open(
        at path: String, _ first: Setting, _ second: Setting, elsewhere: Bool
    ) async -> ExitTest.Result? {
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [path, first, second, elsewhere] in
            let realm = try Realm(configuration: first.configuration(at: path))
            if elsewhere {
                try runThread { _ = try Realm(configuration: second.configuration(at: path)) }
            } else {
                _ = try Realm(configuration: second.configuration(at: path))
            }
            _ = realm.isEmpty
        }
    }

    /// Documented: "Class names are limited to a maximum of 57 UTF8 characters."
    @Test func aClassWithTooLongANameStopsBeforeTheBlock() async throws {
        let file = MigratedFile()
        try file.write(Model.types) { realm in
            realm.create(Model.Item.self, value: ["number": 5])
        }
        let result = await openTooLong(at: file.url.path)
        expectEnd("Class names are limited to a maximum of 57 UTF8 characters.", result)
        #expect(try file.version() == 0)
        try file.open(Model.types) { realm in #expect(realm.objects(Model.Item.self).count == 1) }
    }

    private func openTooLong(at path: String) async -> ExitTest.Result? {
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [path] in
            openOrStop(
                migratedConfiguration(path, [TooLong.self], version: 1) { _, _ in
                    print("the block was called")
                    exit(EXIT_SUCCESS)
                })
        }
    }

    /// A Realm in memory and a file have one path.
    @Test func aRealmInMemoryIsNotOpenedAsAFile() async throws {
        let name = "realm-tests-\(UUID().uuidString)"
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        let result = await openInMemory(name)
        expectStop(
            "Realm at path '\(path)' already opened with different inMemory settings", result)
    }

    private func openInMemory(_ name: String) async -> ExitTest.Result? {
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [name] in
            let memory = try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: name, objectTypes: Model.types))
            let path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
            _ = try Realm(configuration: migratedConfiguration(path, Model.types))
            _ = memory.isEmpty
        }
    }
}
