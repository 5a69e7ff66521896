import Foundation
import RealmSwift
import StorageEngine
import Synchronization
import Testing

/// A model class as one version of an application declares it.
///
/// Versions of a class are declared in enums, such as `First.Person` and `Second.Person`. Their
/// name in the file is `Person`, without the names of the enums. They are not in the default
/// schema.
class VersionedObject: Object {
    override class func className() -> String { String(describing: self) }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// An embedded class as one version of an application declares it; see ``VersionedObject``.
class VersionedEmbeddedObject: EmbeddedObject {
    override class func className() -> String { String(describing: self) }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A Realm file that versions of an application open one after the other.
struct MigratedFile {
    let directory = TestDirectory()

    var url: URL { directory.url.appendingPathComponent("test.realm") }

    func configuration(
        _ types: [ObjectBase.Type], version: UInt64 = 0, migrating block: MigrationBlock? = nil
    ) -> Realm.Configuration {
        migratedConfiguration(url.path, types, version: version, migrating: block)
    }

    /// Opens the file. It is closed when `body` has returned.
    @discardableResult
    func open<Result>(
        _ types: [ObjectBase.Type], version: UInt64 = 0, migrating block: MigrationBlock? = nil,
        _ body: (Realm) throws -> Result
    ) throws -> Result {
        let configuration = configuration(types, version: version, migrating: block)
        return try body(Realm(configuration: configuration))
    }

    func opened(
        _ types: [ObjectBase.Type], version: UInt64 = 0, _ block: MigrationBlock? = nil
    ) throws -> Realm {
        try Realm(configuration: configuration(types, version: version, migrating: block))
    }

    /// Opens the file, and runs `body` in a transaction.
    func write(
        _ types: [ObjectBase.Type], version: UInt64 = 0, _ body: (Realm) throws -> Void
    ) throws {
        try open(types, version: version) { realm in try realm.write { try body(realm) } }
    }

    /// Migrates the file to a version, and closes it.
    func migrate(
        to types: [ObjectBase.Type], version: UInt64 = 1,
        _ block: @escaping MigrationBlock = { _, _ in }
    ) throws {
        try open(types, version: version, migrating: block) { _ in }
    }

    /// Returns the error with which the file cannot be opened; nil if it was opened.
    func failure(
        opening types: [ObjectBase.Type], version: UInt64 = 0,
        migrating block: MigrationBlock? = nil
    ) -> Realm.Error? {
        failureOfOpening(configuration(types, version: version, migrating: block))
    }

    func version() throws -> UInt64 { try schemaVersionAtURL(url) }

    /// The problems that the engine finds in the file, and in a copy.
    func problems() throws -> [String] {
        let connection = try Connection(Database.open(path: url.path))
        let copy = url.path + "-copy"
        try connection.writeCopy(toPath: copy)
        defer { try? FileManager.default.removeItem(atPath: copy) }
        return try connection.verify() + Connection(Database.open(path: copy)).verify()
    }
}

func migratedConfiguration(
    _ path: String, _ types: [ObjectBase.Type], version: UInt64 = 0,
    migrating block: MigrationBlock? = nil
) -> Realm.Configuration {
    Realm.Configuration(
        fileURL: URL(fileURLWithPath: path), schemaVersion: version, migrationBlock: block,
        objectTypes: types)
}

/// Returns the error with which a Realm cannot be opened; nil if it was opened.
func failureOfOpening(_ configuration: Realm.Configuration) -> Realm.Error? {
    do {
        _ = try Realm(configuration: configuration)
        return nil
    } catch let error as Realm.Error {
        return error
    } catch {
        Issue.record("not an error of a Realm: \(error)")
        return nil
    }
}

/// What migration blocks saw, in the order in which they saw it.
final class MigrationLog<Entry: Sendable>: Sendable {
    private let entries = Mutex<[Entry]>([])

    var all: [Entry] { entries.withLock { $0 } }
    func note(_ entry: Entry) { entries.withLock { $0.append(entry) } }
}

/// The text of the error that `body` throws.
func message(_ body: () throws -> Void) -> String {
    do {
        try body()
        return "no error"
    } catch { return error.localizedDescription }
}

// MARK: In processes of their own

/// Opens a Realm. If this throws, the process ends as if it had stopped with the error's message.
///
/// For tests of what is an error in a migration block, which cannot throw itself.
func openOrStop(_ configuration: Realm.Configuration) {
    do {
        _ = try Realm(configuration: configuration)
    } catch {
        let line = "Fatal error: \(error.localizedDescription)\n"
        FileHandle.standardError.write(Data(line.utf8))
        exit(EXIT_FAILURE)
    }
}

/// Makes a file with version 0 of a schema, and migrates it to version 1, in a directory that is
/// removed when the process ends.
func migrateNewFile(
    from old: [ObjectBase.Type], to new: [ObjectBase.Type], filling fill: (Realm) -> Void,
    _ block: @escaping MigrationBlock
) throws {
    let path = TestDirectory.untilExit().url.appendingPathComponent("test.realm").path
    try fillFile(at: path, old, fill)
    openOrStop(migratedConfiguration(path, new, version: 1, migrating: block))
}

private func fillFile(
    at path: String, _ types: [ObjectBase.Type], _ fill: (Realm) -> Void
) throws {
    let realm = try Realm(configuration: migratedConfiguration(path, types))
    try realm.write { fill(realm) }
}

/// Expects that a process ended with a message that contains `text`.
func expectEnd(
    _ text: String, _ result: ExitTest.Result?, sourceLocation: SourceLocation = #_sourceLocation
) {
    guard let result else { return }
    let output = String(decoding: result.standardErrorContent, as: UTF8.self)
    let message = output.split(separator: "\n").first { $0.contains("Fatal error") } ?? "none"
    #expect(message.contains(text), "\(message)", sourceLocation: sourceLocation)
}
