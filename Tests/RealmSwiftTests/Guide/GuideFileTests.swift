import Foundation
import RealmSwift
import Testing

// The guide's samples about files, unchanged.

private enum GuideFileSample {
    final class Person: Object {
        @Persisted var name: String
    }
}

/// Tests that set what the whole process uses run in processes of their own.
@Suite struct GuideFileTests {
    fileprivate typealias Person = GuideFileSample.Person

    @Test func opening() async throws {
        await #expect(processExitsWith: .success) {
            let test = TestDirectory()
            let directory = test.url
            var configuration = Realm.Configuration()
            configuration.fileURL = directory.appendingPathComponent("people.realm")
            configuration.objectTypes = [Person.self]
            try Self.openTwice(configuration, in: directory)
            try Self.openSeeded(
                at: directory.appendingPathComponent("own.realm"),
                directory.appendingPathComponent("bundled.realm"))
            var archive = configuration
            archive.readOnly = true
            let old = try Realm(configuration: archive)
            print(old.objects(Person.self).count)
            precondition(old.objects(Person.self).count == 1)

            let scratch = try Realm(configuration: .init(inMemoryIdentifier: "scratch"))
            precondition(scratch.isEmpty)

            var wrong = archive
            wrong.fileURL = directory.appendingPathComponent("none.realm")
            try Self.openWrong(wrong)
        }
        try GuideSamples(page: "opening.md").expectAll()
    }

    /// Opens the Realm twice. A separate function, so that no reference to the Realm is left when
    /// it returns.
    private static func openTwice(_ given: Realm.Configuration, in directory: URL) throws {
        var configuration = Realm.Configuration()
        configuration.fileURL = directory.appendingPathComponent("people.realm")
        configuration.objectTypes = [Person.self]
        let realm = try Realm(configuration: configuration)

        Realm.Configuration.defaultConfiguration = configuration
        let same = try Realm()

        precondition(same == realm)
        try realm.write { realm.create(Person.self, value: ["name": "Ada"]) }
    }

    private static func openSeeded(at file: URL, _ bundled: URL) throws {
        let keyOfTheApplication = Data(repeating: 1, count: 64)
        let keyOfTheUser = Data(repeating: 2, count: 64)
        try Realm().writeCopy(toFile: bundled, encryptionKey: keyOfTheApplication)

        var seeded = Realm.Configuration(fileURL: file)
        seeded.seedFilePath = bundled

        seeded.seedEncryptionKey = keyOfTheApplication
        seeded.encryptionKey = keyOfTheUser

        seeded.objectTypes = [Person.self]
        let realm = try Realm(configuration: seeded)
        precondition(realm.objects(Person.self).first?.name == "Ada")
    }

    private static func openWrong(_ wrong: Realm.Configuration) throws {
        var refused = false
        do {
            _ = try Realm(configuration: wrong)
        } catch Realm.Error.fileNotFound {
            print("there is no such file")
            refused = true
        }
        precondition(refused)
        do {
            _ = try Realm(configuration: wrong)
        } catch Realm.Error.fileNotFound {
            print("there is no such file")
        } catch let error as Realm.Error {
            print(error.code, error.localizedDescription)
        }
    }

    @Test func encryption() throws {
        let directory = TestDirectory()
        let url = directory.url.appendingPathComponent("secret.realm")
        let other = directory.url.appendingPathComponent("other.realm")
        let newKey = Data(repeating: 7, count: 64)

        var generator = SystemRandomNumberGenerator()
        let key = Data((0..<64).map { _ in UInt8.random(in: .min ... .max, using: &generator) })

        try Self.encrypt(url, with: key, copyTo: other, newKey)
        for (url, key) in [(url, key), (other, newKey)] {
            let right = Realm.Configuration(
                fileURL: url, encryptionKey: key, objectTypes: [Person.self])
            #expect(try Realm(configuration: right).objects(Person.self).first?.name == "Ada")
            var wrong = right
            wrong.encryptionKey = Data(repeating: 1, count: 64)
            #expect {
                _ = try Realm(configuration: wrong)
            } throws: { ($0 as? Realm.Error)?.code == .invalidDatabase }
        }
        try GuideSamples(page: "encryption.md").expectAll()
    }

    private static func encrypt(
        _ url: URL, with key: Data, copyTo other: URL, _ newKey: Data
    ) throws {
        var configuration = Realm.Configuration(fileURL: url)
        configuration.encryptionKey = key
        let realm = try Realm(configuration: configuration)

        try realm.write { realm.create(Person.self, value: ["name": "Ada"]) }

        try realm.writeCopy(toFile: other, encryptionKey: newKey)
    }

    @Test func filesAndSpace() throws {
        let directory = TestDirectory()
        let backup = directory.url.appendingPathComponent("backup.realm")
        var configuration = directory.configuration([Person.self])

        configuration.shouldCompactOnLaunch = { total, used in
            total > 100 << 20 && used < total / 2
        }

        try Self.copy(configuration, to: backup)
        let existed = try Realm.deleteFiles(for: configuration)

        #expect(existed)
        let copied = Realm.Configuration(fileURL: backup, objectTypes: [Person.self])
        #expect(try Realm(configuration: copied).objects(Person.self).count == 1)
        try GuideSamples(page: "files.md").expectAll()
    }

    private static func copy(_ configuration: Realm.Configuration, to backup: URL) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.create(Person.self, value: ["name": "Ada"]) }

        try realm.writeCopy(toFile: backup)
    }
}
