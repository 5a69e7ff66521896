import Foundation
import RealmSwift
import Testing

private enum First {
    class Item: VersionedObject {
        @Persisted var number: Int
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
}
