import Foundation
import RealmSwift
import Testing

private enum First {
    class Item: VersionedObject {
        @Persisted var number: Int
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

private enum Indexed {
    class Item: VersionedObject {
        @Persisted(indexed: true) var number: Int
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

private enum Linked {
    class Item: VersionedObject {
        @Persisted var number: Int
        @Persisted var next: Item?
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

private enum Second {
    class Item: VersionedObject {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var text: String
    }

    static let types: [ObjectBase.Type] = [Item.self]
}

/// A migration that takes long says in the log how far it is.
@Suite struct MigrationProgressTests {
    private static func fill(_ file: MigratedFile) throws {
        try file.write(First.types) { realm in
            for number in 0..<5000 { realm.create(First.Item.self, value: ["number": number]) }
        }
    }

    /// In a process of its own, which has a log of its own.
    @Test func aLongMigrationTellsItsProgressOnceASecond() async {
        await #expect(processExitsWith: .success) {
            let messages = MigrationLog<String>()
            Logger.shared = Logger(level: .info) { level, message in
                messages.note("\(level): \(message)")
            }
            let file = MigratedFile()
            try MigrationProgressTests.fill(file)
            try file.migrate(to: Second.types) { migration, _ in
                var isFirst = true
                migration.enumerateObjects(ofType: "Item") { _, new in
                    if isFirst { Thread.sleep(forTimeInterval: 1.1) }
                    isFirst = false
                    new?["text"] = "new"
                }
                // What the end does for each object, such as collecting keys, is told as well.
                Thread.sleep(forTimeInterval: 1.1)
            }
            let told = messages.all.filter { $0.contains("Migrating 'Item': ") }
            precondition(told.count == 2, "\(messages.all)")
            precondition(told.allSatisfy { $0.hasSuffix(" of 5000 objects") })
            precondition(told.allSatisfy { $0.hasPrefix("info: ") })
        }
    }

    /// The migration makes an index of 5000 objects after its block, and deletes as many that are
    /// linked one by one, both more than a second after what was told last.
    @Test func indexesAndDeletionsTellTheirProgress() async {
        await #expect(processExitsWith: .success) {
            let messages = MigrationLog<String>()
            Logger.shared = Logger(level: .info) { level, message in
                messages.note("\(level): \(message)")
            }
            let file = MigratedFile()
            try MigrationProgressTests.fill(file)
            try file.migrate(to: Indexed.types) { _, _ in Thread.sleep(forTimeInterval: 1.1) }
            let indexed = messages.all.filter { $0.hasPrefix("info: Indexing 'Item': ") }
            precondition(indexed.count == 1, "\(messages.all)")
            precondition(indexed.allSatisfy { $0.hasSuffix(" of 5000 objects") })

            let other = MigratedFile()
            try other.write(Linked.types) { realm in
                let first = realm.create(Linked.Item.self)
                for _ in 0..<10 { realm.create(Linked.Item.self, value: [1, first]) }
            }
            try other.migrate(to: First.types) { migration, _ in
                Thread.sleep(forTimeInterval: 1.1)
                migration.deleteData(forType: "Item")
            }
            precondition(
                messages.all.contains("info: Migrating 'Item': 0 of 11 objects"),
                "\(messages.all)")
        }
    }
}
