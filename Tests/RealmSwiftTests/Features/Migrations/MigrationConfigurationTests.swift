import Foundation
import RealmSwift
import StorageEngine
import Testing
import ToolSupport

private enum First {
    class Item: Object {
        @Persisted var number: Int
        override class func className() -> String { "Item" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private enum Second {
    class Item: Object {
        @Persisted var number: Int
        @Persisted var text: String
        override class func className() -> String { "Item" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private let conflicts: [String: Misuse] = [
    "readOnlyAndDeletion": Misuse(
        "Cannot set `deleteRealmIfMigrationNeeded` when `readOnly` is set."
    ) { _ = Realm.Configuration(readOnly: true, deleteRealmIfMigrationNeeded: true) },
    "deletionSetAfterReadOnly": Misuse(
        "Cannot set `deleteRealmIfMigrationNeeded` when `readOnly` is set."
    ) {
        var configuration = Realm.Configuration(readOnly: true)
        configuration.deleteRealmIfMigrationNeeded = true
    },
    "readOnlySetAfterDeletion": Misuse(
        "Cannot set `readOnly` when `deleteRealmIfMigrationNeeded` is set."
    ) {
        var configuration = Realm.Configuration(deleteRealmIfMigrationNeeded: true)
        configuration.readOnly = true
    },
    "openRealmPerformed": Misuse("Cannot migrate Realms that are already open.") {
        let file = MigratedFile()
        let realm = try file.open([First.Item.self])
        try Realm.performMigration(
            for: file.configuration([Second.Item.self], version: 1) { _, _ in })
        _ = realm
    },
    "openRealmReopened": Misuse("Cannot migrate Realms that are already open.") {
        let file = MigratedFile()
        let realm = try file.open([First.Item.self])
        _ = try file.open([Second.Item.self], version: 1) { _, _ in }
        _ = realm
    },
    "renamedMissing": renaming("first", "text", "Item", "'Item.first' because it does not exist."),
    "renamedMissingClass": renaming("number", "text", "None", nil),
]

private func renaming(_ old: String, _ new: String, _ type: String, _ text: String?) -> Misuse {
    Misuse(
        text.map { "Cannot rename property \($0)" }
            ?? "Cannot rename properties for type '\(type)' because it does not exist."
    ) {
        let file = MigratedFile()
        do { _ = try file.open([First.Item.self]) }
        _ = try file.open([Second.Item.self], version: 1) { migration, _ in
            migration.renameProperty(onType: type, from: old, to: new)
        }
    }
}

/// The settings of a configuration that concern migrations and the beginning of a file.
@Suite struct MigrationConfigurationTests {
    private let file = MigratedFile()

    @Test(arguments: conflicts.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try conflicts[name]?.body() }
        conflicts.expectStop(name, result)
    }

    @Test func performingAMigrationLeavesTheFileClosed() throws {
        try file.make([First.Item.self]) { $0.add(First.Item(value: ["number": 4])) }
        try Realm.performMigration(
            for: file.configuration([Second.Item.self], version: 7) { migration, _ in
                migration.enumerateObjects(ofType: "Item") { $1!["text"] = "\($0!["number"]!)" }
            })
        #expect(try schemaVersionAtURL(file.url) == 7)
        let realm = try file.open([Second.Item.self], version: 7)
        #expect(realm.objects(Second.Item.self).map(\.text) == ["4"])
    }

    @Test func theVersionOfAFileThatIsNotThereIsAnError() throws {
        #expect(throws: Realm.Error(.invalidDatabase)) { try schemaVersionAtURL(file.url) }
        #expect(
            message { _ = try schemaVersionAtURL(file.url) }
                == "Realm at path '\(file.url.path)' has not been initialized.")
        #expect(!FileManager.default.fileExists(atPath: file.url.path))
    }

    @Test func theVersionOfAnEncryptedFileNeedsItsKey() throws {
        let key = Data(0..<64)
        var configuration = file.configuration([First.Item.self], version: 5)
        configuration.encryptionKey = key
        do { _ = try Realm(configuration: configuration) }
        #expect(try schemaVersionAtURL(file.url, encryptionKey: key) == 5)
        #expect(throws: Realm.Error(.invalidDatabase)) { try schemaVersionAtURL(file.url) }
    }

    @Test(arguments: [0, 1, 2] as [UInt64])
    func aFileThatNeedsAMigrationIsDeletedIfThatIsWanted(version: UInt64) throws {
        try file.make([First.Item.self], version: 1) { $0.add(First.Item()) }
        let calls = Notes<UInt64>()
        var configuration = file.configuration([Second.Item.self], version: version) {
            calls.values.append($1)
        }
        configuration.deleteRealmIfMigrationNeeded = true
        do {
            let realm = try Realm(configuration: configuration)
            #expect(realm.isEmpty && calls.values.isEmpty)
            try realm.write { realm.add(Second.Item()) }
        }
        #expect(try schemaVersionAtURL(file.url) == version)
        #expect(try Realm(configuration: configuration).objects(Second.Item.self).count == 1)
    }

    @Test func aFileThatIsOpenIsNotDeleted() throws {
        let realm = try file.open([First.Item.self])
        var configuration = file.configuration([Second.Item.self])
        configuration.deleteRealmIfMigrationNeeded = true
        #expect(throws: Realm.Error(.alreadyOpen)) { try Realm(configuration: configuration) }
        #expect(realm.isEmpty)
    }

    @Test func aSeedIsCopiedOnlyIfThereIsNoFile() throws {
        let seed = file.directory.url.appendingPathComponent("seed.realm")
        do {
            let realm = try file.open([First.Item.self])
            try realm.write { realm.add(First.Item(value: ["number": 3])) }
            try realm.writeCopy(toFile: seed)
        }
        var configuration = Realm.Configuration(
            fileURL: file.directory.url.appendingPathComponent("copy.realm"),
            objectTypes: [First.Item.self], seedFilePath: seed)
        do {
            let realm = try Realm(configuration: configuration)
            #expect(realm.objects(First.Item.self).map(\.number) == [3])
            try realm.write { realm.add(First.Item(value: ["number": 4])) }
        }
        #expect(try Realm(configuration: configuration).objects(First.Item.self).count == 2)
        configuration.fileURL = file.directory.url.appendingPathComponent("other.realm")
        configuration.seedFilePath = file.directory.url.appendingPathComponent("none.realm")
        #expect(throws: Realm.Error(.fileNotFound)) { try Realm(configuration: configuration) }
        let names = try FileManager.default.contentsOfDirectory(atPath: file.directory.url.path)
        #expect(!names.contains { $0.contains("seed-") || $0 == "other.realm" })
    }

    @Test func ofThreadsThatOpenAFileAtOnceOneMigratesIt() throws {
        try file.make([First.Item.self]) { $0.add(First.Item(value: ["number": 3])) }
        let calls = Notes<UInt64>()
        let configuration = file.configuration([Second.Item.self], version: 1) {
            migration, version in
            calls.values.append(version)
            // Others wait for the write lock by then.
            Thread.sleep(forTimeInterval: 0.05)
            migration.enumerateObjects(ofType: "Item") { $1!["text"] = "new" }
        }
        let threads = (0..<4).map { _ in
            BackgroundThread { _ in
                let realm = try Realm(configuration: configuration)
                return Array(realm.objects(Second.Item.self).map(\.text))
            }
        }
        for thread in threads { #expect(try thread.wait() == ["new"]) }
        #expect(calls.values == [0])
    }

    // MARK: Others

    /// Migrates the file as another process does.
    private func migrateElsewhere() throws {
        let connection = try Connection(Database.open(path: file.url.path))
        try connection.beginWrite()
        let migration = try SchemaMigration(
            connection,
            to: [
                TableDefinition(
                    name: "Item",
                    columns: [
                        ColumnDefinition(name: "number", type: .int),
                        ColumnDefinition(name: "text", type: .string),
                    ])
            ])
        try migration.finish()
        try connection.setSchemaVersion(1)
        try connection.commit()
    }

    @Test func anOpenRealmStaysAtTheVersionBeforeAndIsToldWhenItWrites() throws {
        try file.make([First.Item.self]) { $0.add(First.Item(value: ["number": 3])) }
        do {
            let realm = try file.open([First.Item.self])
            let items = realm.objects(First.Item.self)
            let item = try #require(items.first)
            try migrateElsewhere()
            #expect(!realm.refresh() && !realm.refresh())
            #expect(item.number == 3 && items.count == 1)
            let error = #expect(throws: Realm.Error.self) { try realm.write {} }
            #expect(error?.code == .schemaMismatch)
            #expect(!realm.isInWriteTransaction)
            #expect(item.number == 3 && items.count == 1)
            try Realm.performMigrationElsewhereIsSeen(file)
        }
        let realm = try file.open([Second.Item.self], version: 1)
        try realm.write { realm.objects(Second.Item.self).first?.text = "new" }
        #expect(realm.objects(Second.Item.self).map(\.text) == ["new"])
    }

    @Test func aMigrationThatIsRolledBackDisturbsNobody() throws {
        try file.make([First.Item.self]) { $0.add(First.Item(value: ["number": 3])) }
        let realm = try file.open([First.Item.self])
        let connection = try Connection(Database.open(path: file.url.path))
        try connection.beginWrite()
        _ = try SchemaMigration(connection, to: [TableDefinition(name: "Item", columns: [])])
        connection.rollback()
        try connection.beginWrite()
        _ = try connection.table(named: "Item")?.deleteAll()
        try connection.commit()
        #expect(realm.refresh())
        #expect(realm.objects(First.Item.self).isEmpty)
        try realm.write { realm.add(First.Item()) }
        #expect(try connection.refresh())
        #expect(try connection.table(named: "Item")?.count() == 1)
    }
}

extension Realm {
    /// The same process may open the migrated file beside a Realm that has stayed behind.
    fileprivate static func performMigrationElsewhereIsSeen(_ file: MigratedFile) throws {
        let realm = try file.open([Second.Item.self], version: 1)
        #expect(realm.objects(Second.Item.self).map(\.number) == [3])
    }
}
