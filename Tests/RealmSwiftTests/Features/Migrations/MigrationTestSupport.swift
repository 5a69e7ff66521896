import Foundation
import RealmSwift
import StorageEngine
import Testing

/// A file that is opened with one version of its classes after another.
struct MigratedFile {
    let directory = TestDirectory()

    var url: URL { directory.url.appendingPathComponent("migrated.realm") }

    func configuration(
        _ types: [ObjectBase.Type], version: UInt64 = 0, _ block: MigrationBlock? = nil
    ) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: url, schemaVersion: version, migrationBlock: block, objectTypes: types)
    }

    func open(
        _ types: [ObjectBase.Type], version: UInt64 = 0, _ block: MigrationBlock? = nil
    ) throws -> Realm {
        try Realm(configuration: configuration(types, version: version, block))
    }

    /// Makes the file, with objects that `fill` adds.
    func make(
        _ types: [ObjectBase.Type], version: UInt64 = 0, _ fill: (Realm) -> Void = { _ in }
    ) throws {
        let realm = try open(types, version: version)
        try realm.write { fill(realm) }
    }

    /// The problems that the engine finds in the file, and in a copy.
    func problems() throws -> [String] {
        let connection = try Connection(Database.open(path: url.path))
        let copy = url.path + "-copy"
        try connection.writeCopy(toPath: copy)
        defer { try? FileManager.default.removeItem(atPath: copy) }
        return try connection.verify() + Connection(Database.open(path: copy)).verify()
    }
}

/// What a block has done, which several closures note.
// Unchecked because a migration calls its block on the thread of the test.
final class Notes<Value>: @unchecked Sendable {
    var values: [Value] = []
}

func message(_ body: () throws -> Void) -> String {
    do {
        try body()
        return "no error"
    } catch { return error.localizedDescription }
}

func numbers(_ value: Any?) -> Int { (value as? NSNumber)?.intValue ?? (value as? Int) ?? -1 }
