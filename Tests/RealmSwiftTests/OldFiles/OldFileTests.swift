import Foundation
import RealmSwift
import StorageEngine
import Testing

/// A file that an earlier version of the library has written; see `Fixtures/README.md`.
private struct OldFixture: CustomTestStringConvertible {
    let name: String
    var format = 6
    var version: UInt64 = 0
    var isEncrypted = false

    /// Those that can be opened.
    static let all = [
        OldFixture(name: "format5-first", format: 5), OldFixture(name: "format5", format: 5),
        OldFixture(name: "format6-first"), OldFixture(name: "format6"),
        OldFixture(name: "format6-migrated", version: 2), OldFixture(name: "format7", format: 7),
        OldFixture(name: "format8", format: 8), OldFixture(name: "format9", format: 9),
    ].flatMap { fixture in
        var encrypted = fixture
        encrypted.isEncrypted = true
        return [fixture, encrypted]
    }

    var testDescription: String { isEncrypted ? "\(name)-encrypted" : name }

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Fixtures")

    /// Unpacks the file, which has the runs of bytes that are not zero: offset, number, bytes.
    static func unpack(_ name: String, to url: URL) throws {
        let packed = try Data(contentsOf: folder.appendingPathComponent("\(name).runs"))
        try packed.withUnsafeBytes { packed in
            func number<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> Int {
                Int(Number(littleEndian: packed.loadUnaligned(fromByteOffset: offset, as: type)))
            }
            var file = Data(count: number(UInt64.self, at: 0))
            var position = 8
            while position < packed.count {
                let offset = number(UInt32.self, at: position)
                let count = number(UInt32.self, at: position + 4)
                file.replaceSubrange(
                    offset..<offset + count, with: packed[(position + 8)...].prefix(count))
                position += 8 + count
            }
            try file.write(to: url)
        }
    }

    /// What its writer has read from the file, a line for each object.
    var contents: [String] {
        get throws {
            let url = Self.folder.appendingPathComponent("contents.txt")
            let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
            // The encrypted files have no readings, because their pages take as much as they are.
            return lines.map(String.init).filter { !isEncrypted || $0.contains("|") }
        }
    }
}

/// Files of every format and every coding of schemas that have been written.
@Suite struct OldFileTests {
    private let directory = TestDirectory()

    private var url: URL { directory.url.appendingPathComponent("test.realm") }

    private func unpack(_ fixture: OldFixture) throws -> Realm.Configuration {
        try OldFixture.unpack(fixture.testDescription, to: url)
        return Realm.Configuration(
            fileURL: url, encryptionKey: fixture.isEncrypted ? OldFile.key : nil,
            schemaVersion: fixture.version, objectTypes: OldFile.types)
    }

    private func lines(_ configuration: Realm.Configuration) throws -> [String] {
        OldFile.lines(of: try Realm(configuration: configuration))
    }

    /// Looks at all pages of a file that was written to with the engine, and at those of a copy.
    private func expectSound(_ fixture: OldFixture) throws {
        var options = Database.Options()
        if fixture.isEncrypted { options.encryptionKey = Array(OldFile.key) }
        let connection = try Connection(Database.open(path: url.path, options: options))
        #expect(try connection.verify() == [])
        #expect(connection.database.formatVersion == 10)
        #expect(connection.database.isEncrypted == fixture.isEncrypted)
        let copy = directory.url.appendingPathComponent("copy-\(UUID().uuidString)").path
        try connection.writeCopy(toPath: copy, encryptionKey: options.encryptionKey)
        #expect(try Connection(Database.open(path: copy, options: options)).verify() == [])
    }

    @Test(arguments: OldFixture.all) private func itHoldsWhatItsWriterHasWritten(
        _ fixture: OldFixture
    ) throws {
        var configuration = try unpack(fixture)
        let before = try Data(contentsOf: url)
        #expect(
            try schemaVersionAtURL(url, encryptionKey: configuration.encryptionKey)
                == fixture.version)
        configuration.readOnly = true
        #expect(try lines(configuration) == fixture.contents)
        #expect(try Data(contentsOf: url) == before)
        configuration.readOnly = false
        #expect(try lines(configuration) == fixture.contents)
        try expectSound(fixture)
    }

    @Test(arguments: OldFixture.all) private func theEngineReadsItsTables(
        _ fixture: OldFixture
    ) throws {
        let configuration = try unpack(fixture)
        var options = Database.Options()
        options.encryptionKey = configuration.encryptionKey.map(Array.init)
        let connection = try Connection(Database.open(path: url.path, options: options))
        #expect(try connection.schemaVersion() == fixture.version)
        let definitions = try connection.tableDefinitions().sorted { $0.name < $1.name }
        #expect(definitions.map(\.name) == ["Reading", "Specimen", "SpecimenLabel"])
        #expect(definitions.map(\.isEmbedded) == [false, false, true])
        #expect(definitions.map(\.columns.count) == [2, 27, 2])
        let specimens = try #require(try connection.table(named: "Specimen"))
        let readings = try #require(try connection.table(named: "Reading"))
        #expect(try specimens.count() == 11)
        #expect(try readings.count() == (fixture.isEncrypted ? 0 : 660))
        if !fixture.isEncrypted {
            let index = try #require(definitions[0].columns.firstIndex { $0.name == "index" })
            let values = try (0..<660).map { position -> Int64? in
                let value = try readings.value(index, of: readings.key(at: position))
                if case .integer(let number) = value { return number }
                return nil
            }
            #expect(values == Array(0..<20) + Array(60..<700))
        }
    }

    @Test(arguments: OldFixture.all) private func itIsWrittenAndOpenedAgain(
        _ fixture: OldFixture
    ) throws {
        let configuration = try unpack(fixture)
        for round in 1...3 {
            let realm = try Realm(configuration: configuration)
            try realm.write {
                for index in 0..<400 {
                    realm.create(Reading.self, value: ["index": round * 1000 + index])
                }
                let specimen = realm.object(ofType: Specimen.self, forPrimaryKey: round)
                specimen?.name = "renamed \(round)"
                specimen?.counts.append(objectsIn: 0..<300)
                specimen?.note = .string(String(repeating: "\(round)", count: 5000))
                realm.delete(realm.objects(Specimen.self).filter("number == %@", 12 - round))
            }
        }
        let realm = try Realm(configuration: configuration)
        #expect(realm.objects(Specimen.self).map(\.number).sorted() == [0, 1, 2, 3, 4, 6, 7, 8])
        let found = realm.objects(Specimen.self).filter("name BEGINSWITH 'renamed'")
        #expect(found.map(\.number).sorted() == [1, 2, 3])
        #expect(realm.objects(Specimen.self).filter("name == 'Größe 4'").map(\.number) == [4])
        #expect(found.allSatisfy { $0.counts.count == $0.number + 300 })
        #expect(realm.objects(Reading.self).filter("index >= 1000").count == 1200)
        #expect(
            realm.object(ofType: Specimen.self, forPrimaryKey: 0)?.behind.count == 0)
        // What has no changed object in it reads as before.
        let unchanged = [4, 6, 7].map { "\($0) " }
        let contents = try fixture.contents
        for (line, start) in zip(OldFile.lines(of: realm).dropFirst(4), unchanged) {
            let expected = try #require(contents.first { $0.hasPrefix(start) && $0.contains("|") })
            #expect(line == expected)
        }
        try expectSound(fixture)
    }

    /// The first migration of a file changes the coding of its schema.
    @Test(arguments: OldFixture.all) private func itIsMigratedThereAndBack(
        _ fixture: OldFixture
    ) throws {
        let configuration = try unpack(fixture)
        var changed = configuration
        changed.objectTypes = ChangedSpecimens.types
        #expect(failureOfOpening(changed)?.code == .schemaMismatch)
        var migrated = configuration
        try ChangedSpecimens.migrate(&migrated)
        #expect(try lines(migrated) == fixture.contents)
        try expectSound(fixture)
    }

    @Test(arguments: OldFixture.all) private func compactedItHasThePresentFormat(
        _ fixture: OldFixture
    ) throws {
        var configuration = try unpack(fixture)
        configuration.shouldCompactOnLaunch = { _, _ in true }
        #expect(try lines(configuration) == fixture.contents)
        configuration.shouldCompactOnLaunch = nil
        #expect(try lines(configuration) == fixture.contents)
        try expectSound(fixture)
    }

    /// The schemas of format 5, and the first ones of format 6, do not say how wide integers are.
    @Test(arguments: OldFixture.all) private func narrowerIntegersAreADifference(
        _ fixture: OldFixture
    ) throws {
        let configuration = try unpack(fixture)
        var narrow = configuration
        narrow.objectTypes = [NarrowReading.self]
        let error = failureOfOpening(narrow)
        if fixture.isEncrypted && fixture.version == 0 && fixture.format < 7 {
            // There are no readings, so any width fits where the schema names none.
            #expect(error == nil)
        } else {
            #expect(error?.code == .schemaMismatch)
            #expect(
                error?.localizedDescription.contains(
                    "- Property 'Reading.index' has been changed from 'int' to 'int8'.") == true)
        }
        #expect(try lines(configuration) == fixture.contents)
    }

    // MARK: Refused

    /// Documented: "Database has an unsupported version (2) and cannot be upgraded".
    @Test(arguments: 1...4) func anOlderFormatIsRefusedAndLeftAlone(format: Int) throws {
        try OldFixture.unpack("format\(format)", to: url)
        let before = try Data(contentsOf: url)
        let configuration = Realm.Configuration(fileURL: url, objectTypes: OldFile.types)
        var readOnly = configuration
        readOnly.readOnly = true
        var deleting = configuration
        deleting.deleteRealmIfMigrationNeeded = true
        var compacting = configuration
        compacting.shouldCompactOnLaunch = { _, _ in true }
        var encrypted = configuration
        encrypted.encryptionKey = OldFile.key
        let text =
            "Realm file at path '\(url.path)' cannot be opened: Database has an unsupported "
            + "version (\(format)) and cannot be upgraded. Open it with the version of this "
            + "library that wrote it."
        for configuration in [configuration, readOnly, deleting, compacting, encrypted] {
            let error = failureOfOpening(configuration)
            #expect(error?.code == .unsupportedFileFormatVersion)
            #expect(error?.localizedDescription == text)
        }
        #expect(throws: Realm.Error(.unsupportedFileFormatVersion)) { try schemaVersionAtURL(url) }
        #expect(throws: Realm.Error(.unsupportedFileFormatVersion)) {
            try Realm.performMigration(for: configuration)
        }
        let error = #expect(throws: StorageError.self) { try Database.open(path: url.path) }
        #expect(error?.code == .unsupportedFormat)
        #expect(try Data(contentsOf: url) == before)
        #expect(try Realm.deleteFiles(for: configuration))
    }

    /// Whoever gives files another format keeps one of the format before.
    @Test func everyFormatHasItsFiles() throws {
        let database = try Database.open(path: url.path)
        #expect(Set(OldFixture.all.map(\.format)).union(1...4) == Set(1..<database.formatVersion))
    }
}

/// The readings of another application, for which small integers are enough.
private final class NarrowReading: Object {
    @Persisted var index: Int8
    @Persisted var value: Double

    override class func className() -> String { "Reading" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
