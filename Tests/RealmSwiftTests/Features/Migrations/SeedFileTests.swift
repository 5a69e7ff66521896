import Foundation
import Glibc
import RealmSwift
import StorageEngine
import Testing
import ToolSupport

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
        try #require(chmod(seed.path, 0o444) == 0)
        let realm = try Realm(configuration: seeded())
        try realm.write { realm.create(First.Article.self, value: ["title": "three"]) }
        #expect(realm.objects(First.Article.self).count == 3)
    }

    /// The user owns the copy, whoever may write to the seed.
    @Test(
        arguments: [
            (0o444, 0o644), (0o755, 0o644), (0o666, 0o644), (0o400, 0o600), (0o640, 0o600),
        ] as [(mode_t, mode_t)])
    func theCopyHasTheRightsOfANewFile(ofSeed: mode_t, ofCopy: mode_t) throws {
        try makeSeed()
        try #require(chmod(seed.path, ofSeed) == 0)
        #expect(try titles(seeded()) == ["one", "two"])
        let other = file.directory.url.appendingPathComponent("other").path
        close(open(other, O_WRONLY | O_CREAT, ofCopy))
        var (status, expected) = (stat(), stat())
        try #require(stat(file.url.path, &status) == 0 && stat(other, &expected) == 0)
        #expect(status.st_mode == expected.st_mode)
        #expect(status.st_uid == getuid() && status.st_gid == expected.st_gid)
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

    @Test func aSeedMayHaveAKeyOfItsOwn() throws {
        try makeSeed(key: key)
        var configuration = seeded(key: otherKey)
        configuration.seedEncryptionKey = key
        #expect(configuration.description.contains("\tseedEncryptionKey = <64 bytes>;"))
        #expect(configuration == seeded(key: otherKey))
        #expect(try titles(configuration) == ["one", "two"])
        // The file has the key of the configuration, and needs the other one no more.
        configuration.seedEncryptionKey = nil
        #expect(try titles(configuration) == ["one", "two"])
        #expect(failureOfOpening(file.configuration(First.types))?.code == .invalidDatabase)
        #expect(try titles(seedConfiguration(key: key)) == ["one", "two"])
    }

    @Test func aSeedWithAKeyOfItsOwnCanBeCopiedWithoutOne() throws {
        try makeSeed(key: key)
        var configuration = seeded()
        configuration.seedEncryptionKey = key
        #expect(try titles(configuration) == ["one", "two"])
        #expect(try titles(file.configuration(First.types)) == ["one", "two"])
    }

    /// A key that is given is the key of the seed: no other one is tried.
    @Test func aSeedOpensWithTheKeyThatIsGivenOnly() throws {
        var configuration = seeded(key: key)
        configuration.seedEncryptionKey = otherKey
        for keyOfSeed in [key, nil] {
            try makeSeed(key: keyOfSeed)
            #expect(failureOfOpening(configuration)?.code == .invalidDatabase)
            #expect(!FileManager.default.fileExists(atPath: file.url.path))
            try FileManager.default.removeItem(at: seed)
        }
    }

    @Test func theSettingsOfTheSeedAreIndependent() {
        var configuration = Realm.Configuration()
        configuration.seedEncryptionKey = key
        #expect(configuration.seedEncryptionKey == key && configuration.seedFilePath == nil)
        configuration.seedFilePath = seed
        configuration.seedEncryptionKey = nil
        #expect(configuration.seedEncryptionKey == nil && configuration.seedFilePath == seed)
        configuration.seedEncryptionKey = otherKey
        configuration.seedFilePath = nil
        #expect(configuration.seedEncryptionKey == otherKey && configuration.seedFilePath == nil)
        #expect(!Realm.Configuration().description.contains("seed"))
    }

    @Test func aKeyOfAnotherLengthStops() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            var configuration = Realm.Configuration()
            configuration.seedEncryptionKey = Data(count: 63)
        }
        expectStop("Encryption key must be exactly 64 bytes long", result)
    }

    // MARK: Interruptions

    /// The names that begin like that of the file, and those of copies that were not finished.
    private func namesBesideTheSeed() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: file.directory.url.path)
            .filter { $0.hasPrefix("test.realm") || $0.hasPrefix(".realm-copy") }
    }

    /// Each call that changes files fails once, as on a full disk.
    @Test func aCopyThatFailsLeavesNoFile() throws {
        try makeSeed()
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: file.directory.url.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        var failures = 0
        for ordinal in 1... {
            interceptor.setFaults([SystemCallFault(.fail(errno: ENOSPC), ordinal: ordinal)])
            let error = failureOfOpening(seeded())
            let isBehindTheLastCall = interceptor.changeCount < ordinal
            interceptor.setFaults([])
            if isBehindTheLastCall { break }
            if error != nil { failures += 1 }
            // Once it has its name, it is complete.
            if FileManager.default.fileExists(atPath: file.url.path) {
                #expect(try titles(file.configuration(First.types)) == ["one", "two"])
            } else {
                #expect(try namesBesideTheSeed() == [])
            }
            #expect(try titles(seeded()) == ["one", "two"])
            _ = try Realm.deleteFiles(for: seeded())
            try? FileManager.default.removeItem(atPath: file.url.path + ".lock")
        }
        #expect(failures > 3)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 8, 10, 12])
    func afterAKillThereIsNoFileOrTheWholeOne(ordinal: Int) async throws {
        try makeSeed()
        await killProcess(before: ordinal, file.url.path, seed.path)
        if FileManager.default.fileExists(atPath: file.url.path) {
            #expect(try titles(file.configuration(First.types)) == ["one", "two"])
        }
        #expect(try titles(seeded()) == ["one", "two"])
    }

    private func killProcess(before ordinal: Int, _ path: String, _ seed: String) async {
        await #expect(processExitsWith: .signal(SIGKILL)) { [ordinal, path, seed] in
            let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
            let interceptor = SystemInterceptor(
                scope: .files(pathPrefix: directory),
                faults: [SystemCallFault(.killBefore, ordinal: ordinal)])
            interceptor.install()
            var configuration = migratedConfiguration(path, First.types)
            configuration.seedFilePath = URL(fileURLWithPath: seed)
            openOrStop(configuration)
            // There were fewer operations.
            _ = kill(getpid(), SIGKILL)
        }
    }

    /// A file that appears while the seed is copied is opened as it is.
    @Test func aFileThatAnotherProcessMakesMeanwhileStays() throws {
        try makeSeed()
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: file.directory.url.path),
            faults: [SystemCallFault(.hold, call: .rename, ordinal: 1)])
        interceptor.install()
        defer { interceptor.uninstall() }
        let configuration = seeded()
        let opening = BackgroundThread { _ in try Realm(configuration: configuration).isEmpty }
        while interceptor.count(of: .rename) == 0 { usleep(1000) }
        interceptor.setFaults([])
        try file.write(First.types) { realm in
            realm.create(First.Article.self, value: ["title": "own"])
        }
        interceptor.release()
        #expect(try !opening.wait())
        #expect(try titles(seeded()) == ["own"])
        #expect(try namesBesideTheSeed().sorted() == ["test.realm", "test.realm.lock"])
    }

    @Test func aLinkThatLeadsNowhereIsNoFileAndNotReplaced() throws {
        try makeSeed()
        try #require(symlink("none/test.realm", file.url.path) == 0)
        #expect(failureOfOpening(seeded()) != nil)
        #expect(try namesBesideTheSeed() == ["test.realm"])
    }

    // MARK: Plain seeds

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
