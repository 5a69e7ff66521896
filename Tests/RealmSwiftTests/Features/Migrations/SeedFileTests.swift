import Foundation
import RealmSwift
import Testing

// Bundled Realms: `seedFilePath`, and files that are opened where they are.

private enum First {
    class Article: VersionedObject {
        @Persisted var title: String
    }

    static let types: [ObjectBase.Type] = [Article.self]
}

private enum Second {
    class Article: VersionedObject {
        @Persisted var title: String
        @Persisted var length: Int
    }

    static let types: [ObjectBase.Type] = [Article.self]
}

private let key = Data(repeating: 7, count: 64)
private let otherKey = Data(repeating: 8, count: 64)

@Suite struct SeedFileTests {
    private let file = MigratedFile()

    private var seed: URL { file.directory.url.appendingPathComponent("seed.realm") }

    private func seedConfiguration(key: Data? = nil) -> Realm.Configuration {
        var configuration = migratedConfiguration(seed.path, First.types)
        configuration.encryptionKey = key
        return configuration
    }

    /// Makes a Realm with two articles, and the seed as a compacted copy of it.
    private func makeSeed(key: Data? = nil) throws {
        let source = file.directory.configuration(First.types, name: "source.realm")
        do {
            let realm = try Realm(configuration: source)
            try realm.write {
                for title in ["one", "two"] {
                    realm.create(First.Article.self, value: ["title": title])
                }
            }
            try realm.writeCopy(toFile: seed, encryptionKey: key)
        }
        _ = try Realm.deleteFiles(for: source)
    }

    private func seeded(
        _ types: [ObjectBase.Type] = First.types, version: UInt64 = 0, key: Data? = nil,
        migrating block: MigrationBlock? = nil
    ) -> Realm.Configuration {
        var configuration = file.configuration(types, version: version, migrating: block)
        configuration.encryptionKey = key
        configuration.seedFilePath = seed
        return configuration
    }

    private func titles(_ configuration: Realm.Configuration) throws -> [String] {
        try Realm(configuration: configuration).objects(First.Article.self).map(\.title).sorted()
    }

    @Test func aConfigurationHasNoSeedByDefault() {
        #expect(Realm.Configuration().seedFilePath == nil)
        #expect(Realm.Configuration(seedFilePath: seed).seedFilePath == seed)
        #expect(seeded() == file.configuration(First.types))
    }

    @Test func aNewFileBeginsAsACopyOfTheSeed() throws {
        try makeSeed()
        let realm = try Realm(configuration: seeded())
        #expect(realm.objects(First.Article.self).map(\.title).sorted() == ["one", "two"])
        #expect(realm.configuration.fileURL == file.url)
    }

    @Test func theSeedIsNotChanged() throws {
        try makeSeed()
        let before = try Data(contentsOf: seed)
        do {
            let realm = try Realm(configuration: seeded())
            try realm.write { realm.create(First.Article.self, value: ["title": "three"]) }
        }
        #expect(try Data(contentsOf: seed) == before)
        #expect(try titles(seedConfiguration()) == ["one", "two"])
        #expect(try titles(seeded()) == ["one", "three", "two"])
    }

    /// Documented: the seed "is copied only when no file exists at `fileURL`".
    @Test func theSeedIsNotCopiedOverAFile() throws {
        try makeSeed()
        try file.write(First.types) { realm in
            realm.create(First.Article.self, value: ["title": "own"])
        }
        #expect(try titles(seeded()) == ["own"])
    }

    @Test func theSeedIsCopiedAgainAfterTheFileWasDeleted() throws {
        try makeSeed()
        do {
            let realm = try Realm(configuration: seeded())
            try realm.write { realm.deleteAll() }
        }
        #expect(try titles(seeded()) == [])
        #expect(try Realm.deleteFiles(for: seeded()))
        #expect(try titles(seeded()) == ["one", "two"])
    }

    @Test func aSeedThatDoesNotExistIsAnError() throws {
        let error = try #require(failureOfOpening(seeded()))
        #expect(error.code == .fileNotFound)
        #expect(error.localizedDescription.contains(seed.path))
        #expect(!FileManager.default.fileExists(atPath: file.url.path))
    }

    @Test func aSeedThatDoesNotExistIsNoErrorIfTheFileDoes() throws {
        try file.write(First.types) { _ in }
        #expect(try titles(seeded()) == [])
    }

    @Test func aSeedThatIsNoRealmIsAnErrorAndLeavesNoFile() throws {
        try Data(repeating: 7, count: 10_000).write(to: seed)
        #expect(failureOfOpening(seeded())?.code == .invalidDatabase)
        let names = try FileManager.default.contentsOfDirectory(atPath: file.directory.url.path)
        #expect(!names.contains { $0.hasPrefix("test.realm") })
        try FileManager.default.removeItem(at: seed)
        try makeSeed()
        #expect(try titles(seeded()) == ["one", "two"])
    }

    @Test func aSeedMayBeReadOnly() throws {
        try makeSeed()
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: seed.path)
        let realm = try Realm(configuration: seeded())
        try realm.write { realm.create(First.Article.self, value: ["title": "three"]) }
        #expect(realm.objects(First.Article.self).count == 3)
    }

    @Test func aSeedOfAnOlderVersionIsMigrated() throws {
        try makeSeed()
        let calls = MigrationLog<UInt64>()
        let configuration = seeded(Second.types, version: 2) { migration, version in
            calls.note(version)
            migration.enumerateObjects(ofType: "Article") { old, new in
                new?["length"] = (old?["title"] as? String)?.count ?? -1
            }
        }
        do {
            let realm = try Realm(configuration: configuration)
            #expect(realm.objects(Second.Article.self).map(\.length) == [3, 3])
        }
        #expect(calls.all == [0])
        #expect(try schemaVersionAtURL(seed) == 0)
        #expect(try file.version() == 2)
    }

    @Test func threadsThatOpenTheFileTogetherCopyTheSeedOnce() async throws {
        try makeSeed()
        let configuration = seeded()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 0..<8 {
                group.addTask {
                    try await onThread {
                        let realm = try Realm(configuration: configuration)
                        try realm.write {
                            realm.create(First.Article.self, value: ["title": "thread \(id)"])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try titles(seeded()).count == 10)
    }

    @Test func realmsInMemoryHaveNoSeed() throws {
        var configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: First.types)
        configuration.seedFilePath = seed
        #expect(try Realm(configuration: configuration).isEmpty)
    }

    // MARK: Encryption

    @Test func anEncryptedSeedIsOpenedWithItsKey() throws {
        try makeSeed(key: key)
        #expect(try titles(seeded(key: key)) == ["one", "two"])
        #expect(failureOfOpening(file.configuration(First.types))?.code == .invalidDatabase)
    }

    @Test func anEncryptedSeedIsNotOpenedWithoutItsKey() throws {
        try makeSeed(key: key)
        for wrong in [nil, otherKey] {
            #expect(failureOfOpening(seeded(key: wrong))?.code == .invalidDatabase)
        }
        // What was copied in vain is not in the way.
        #expect(try titles(seeded(key: key)) == ["one", "two"])
    }

    @Test func aPlainSeedIsEncryptedWithTheKeyOfTheFile() throws {
        try makeSeed()
        #expect(try titles(seeded(key: key)) == ["one", "two"])
        let bytes = try Data(contentsOf: file.url)
        #expect(bytes.range(of: Data("Article".utf8)) == nil)
        #expect(failureOfOpening(file.configuration(First.types))?.code == .invalidDatabase)
        #expect(try titles(seedConfiguration()) == ["one", "two"])
    }

    // MARK: Without a seed path

    /// Documented: fixed data is opened "directly from the bundle path by setting readOnly".
    @Test func aBundledFileIsReadWhereItIs() throws {
        try makeSeed()
        var configuration = seedConfiguration()
        configuration.readOnly = true
        let before = try Data(contentsOf: seed)
        #expect(try titles(configuration) == ["one", "two"])
        #expect(try Data(contentsOf: seed) == before)
    }

    /// Documented: initial data that is modified is copied with the file manager.
    @Test func aBundledFileIsCopiedByTheFileManager() throws {
        try makeSeed()
        try FileManager.default.copyItem(at: seed, to: file.url)
        try file.write(First.types) { realm in
            realm.create(First.Article.self, value: ["title": "three"])
        }
        #expect(try titles(file.configuration(First.types)) == ["one", "three", "two"])
        #expect(try titles(seedConfiguration()) == ["one", "two"])
    }
}
