import Foundation
import RealmSwift
import StorageEngine
import Synchronization
import Testing

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

/// What an open Realm shows of a file that another process migrates.
@Suite struct MigrationElsewhereTests {
    private let file = MigratedFile()

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
        try file.write([First.Item.self]) { $0.add(First.Item(value: ["number": 3])) }
        do {
            let realm = try file.opened([First.Item.self])
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
        let realm = try file.opened([Second.Item.self], version: 1)
        try realm.write { realm.objects(Second.Item.self).first?.text = "new" }
        #expect(realm.objects(Second.Item.self).map(\.text) == ["new"])
    }

    @Test func aMigrationThatIsRolledBackDisturbsNobody() throws {
        try file.write([First.Item.self]) { $0.add(First.Item(value: ["number": 3])) }
        let realm = try file.opened([First.Item.self])
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

    /// Whether a file is open is asked of the Realms of all threads, none of which may stay open
    /// for that.
    @Test func otherFilesThatAreMigratedDoNotKeepOneOpen() throws {
        // Asking takes longer where many are open.
        let others = try (0..<120).map {
            try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: "\(file.url.path)-\($0)", objectTypes: [First.Item.self]))
        }
        let failures = Mutex<[String]>([])
        let group = DispatchGroup()
        // Many threads, so that some are interrupted while they ask.
        for _ in 0..<16 {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                let file = MigratedFile()
                do {
                    for version in 0..<150 as Range<UInt64> {
                        try file.migrate(to: [First.Item.self], version: version)
                    }
                } catch { failures.withLock { $0.append("\(error)") } }
            }
        }
        group.wait()
        #expect(failures.withLock { $0 } == [])
        #expect(others.allSatisfy { $0.isEmpty })
    }
}

extension Realm {
    /// The same process may open the migrated file beside a Realm that has stayed behind.
    fileprivate static func performMigrationElsewhereIsSeen(_ file: MigratedFile) throws {
        let realm = try file.opened([Second.Item.self], version: 1)
        #expect(realm.objects(Second.Item.self).map(\.number) == [3])
    }
}
