import Foundation
import RealmSwift
import Testing

/// A key that is in the source and protects nothing.
private let key = Data((0..<64).map { UInt8($0) })

@Suite struct EncryptionTests {
    let directory = TestDirectory()

    private func configuration(_ key: Data?, name: String = "test.realm") -> Realm.Configuration {
        var configuration = directory.configuration(name: name)
        configuration.encryptionKey = key
        return configuration
    }

    private func fill(_ configuration: Realm.Configuration) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.create(Person.self, value: ["name": "Confidential Ann"]) }
    }

    private func names(_ configuration: Realm.Configuration) throws -> [String] {
        try Realm(configuration: configuration).objects(Person.self).map(\.name)
    }

    private func openError(_ configuration: Realm.Configuration) -> Realm.Error? {
        do {
            _ = try Realm(configuration: configuration)
            return nil
        } catch { return error as? Realm.Error }
    }

    @Test func anEncryptedRealmIsReadWithItsKey() throws {
        try fill(configuration(key))
        #expect(try names(configuration(key)) == ["Confidential Ann"])
        let bytes = try Data(contentsOf: configuration(key).fileURL!)
        #expect(bytes.range(of: Data("Confidential".utf8)) == nil)
        #expect(bytes.range(of: Data("birthdate".utf8)) == nil)
    }

    @Test func otherThreadsOpenItWithTheSameKey() throws {
        let configuration = configuration(key)
        try fill(configuration)
        let realm = try Realm(configuration: configuration)
        try runThread {
            let other = try Realm(configuration: configuration)
            try other.write { other.create(Person.self, value: ["name": "Bob"]) }
        }
        realm.refresh()
        #expect(realm.objects(Person.self).count == 2)
    }

    @Test func aWrongKeyIsAnErrorThatSaysSo() throws {
        try fill(configuration(key))
        let path = try #require(configuration(key).fileURL).path
        for wrong in [nil, Data(repeating: 1, count: 64)] {
            let error = try #require(openError(configuration(wrong)))
            #expect(error.code == .invalidDatabase)
            #expect(error.fileURL?.path == path)
            let text = error.localizedDescription
            #expect(
                text.hasPrefix(
                    "Failed to open Realm file at path '\(path)': Realm file decryption failed"))
        }
        // The right key still opens it.
        #expect(try names(configuration(key)) == ["Confidential Ann"])
    }

    @Test func aKeyForAPlainRealmIsAnError() throws {
        try fill(configuration(nil))
        let error = try #require(openError(configuration(key)))
        #expect(error.code == .invalidDatabase)
        #expect(error.localizedDescription.contains("is not encrypted"))
        #expect(try names(configuration(nil)) == ["Confidential Ann"])
    }

    @Test func copiesAreEncryptedWithTheKeyThatIsGiven() throws {
        let other = Data(repeating: 7, count: 64)
        try fill(configuration(key))
        do {
            let realm = try Realm(configuration: configuration(key))
            try realm.writeCopy(toFile: configuration(nil, name: "plain").fileURL!)
            try realm.writeCopy(
                toFile: configuration(nil, name: "other").fileURL!, encryptionKey: other)
            try realm.writeCopy(configuration: configuration(key, name: "same"))
            #expect(throws: Realm.Error(.fileExists)) {
                try realm.writeCopy(configuration: configuration(key, name: "same"))
            }
            #expect(throws: Realm.Error(.invalidInput)) {
                try realm.writeCopy(configuration: .init(inMemoryIdentifier: "copy"))
            }
        }
        #expect(try names(configuration(nil, name: "plain")) == ["Confidential Ann"])
        #expect(try names(configuration(other, name: "other")) == ["Confidential Ann"])
        #expect(try names(configuration(key, name: "same")) == ["Confidential Ann"])
        #expect(openError(configuration(nil, name: "other"))?.code == .invalidDatabase)
        #expect(openError(configuration(other, name: "same"))?.code == .invalidDatabase)
    }

    @Test func aCopyHoldsUncommittedChanges() throws {
        let realm = try Realm(configuration: configuration(nil))
        realm.beginWrite()
        realm.create(Person.self, value: ["name": "uncommitted"])
        try realm.writeCopy(configuration: configuration(key, name: "copy"))
        realm.cancelWrite()
        #expect(try names(configuration(key, name: "copy")) == ["uncommitted"])
    }

    @Test func realmsInMemoryIgnoreKeys() throws {
        let identifier = UUID().uuidString
        let first = try Realm(
            configuration: .init(
                inMemoryIdentifier: identifier, encryptionKey: key, objectTypes: allTypes))
        let second = try Realm(
            configuration: .init(inMemoryIdentifier: identifier, objectTypes: allTypes))
        #expect(first == second)
    }

    @Test func configurationsTellKeysApartAndDoNotShowThem() {
        let url = URL(fileURLWithPath: "/a.realm")
        let encrypted = Realm.Configuration(fileURL: url, encryptionKey: key)
        #expect(encrypted.encryptionKey == key)
        #expect(encrypted != Realm.Configuration(fileURL: url))
        #expect(encrypted == Realm.Configuration(fileURL: url, encryptionKey: key))
        #expect(
            encrypted != Realm.Configuration(fileURL: url, encryptionKey: Data(key.reversed())))
        #expect(encrypted.description.contains("encryptionKey = <64 bytes>;"))
        #expect(!encrypted.description.contains("0001"))
        #expect(
            Realm.Configuration(fileURL: url).description.contains("encryptionKey = (null);"))
    }
}

@Suite struct EncryptionTrapTests {
    @Test func aKeyOfAnotherLength() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            var configuration = Realm.Configuration()
            configuration.encryptionKey = Data(repeating: 1, count: 63)
        }
        expectStop("Encryption key must be exactly 64 bytes long", result)
        let initialised = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Realm.Configuration(encryptionKey: Data()) }
        expectStop("Encryption key must be exactly 64 bytes long", initialised)
    }

    @Test func aCopyWithAKeyOfAnotherLength() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try Realm(
                configuration: .init(inMemoryIdentifier: "source", objectTypes: allTypes))
            try realm.writeCopy(
                toFile: URL(fileURLWithPath: "/tmp/never"), encryptionKey: Data(count: 65))
        }
        expectStop("Encryption key must be exactly 64 bytes long", result)
    }

    @Test func anotherKeyWhileOpen() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            var configuration = Realm.Configuration(
                fileURL: FileManager.default.temporaryDirectory
                    .appendingPathComponent("realm-tests-keys.realm"),
                encryptionKey: Data(repeating: 3, count: 64), objectTypes: [Person.self])
            // The previous process that ran this test left its file.
            _ = try Realm.deleteFiles(for: configuration)
            let realm = try Realm(configuration: configuration)
            configuration.encryptionKey = nil
            _ = try Realm(configuration: configuration)
            _ = realm
        }
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("realm-tests-keys.realm").path
        expectStop("Realm at path '\(path)' already opened with different encryption key", result)
    }
}
