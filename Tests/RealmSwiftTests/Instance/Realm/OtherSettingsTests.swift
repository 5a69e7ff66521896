import Foundation
import Glibc
import RealmSwift
import StorageEngine
import Testing
import ToolSupport

// Settings of a configuration that contradict each other, or those with which the file is open.

private final class Note: Object {
    @Persisted var text: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Pinboard: Object {
    @Persisted var notes: List<Note>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private func settings(_ path: String) -> Realm.Configuration {
    Realm.Configuration(fileURL: URL(fileURLWithPath: path), objectTypes: [Note.self])
}

private func readOnlySettings(_ path: String) -> Realm.Configuration {
    var configuration = settings(path)
    configuration.readOnly = true
    return configuration
}

private func encryptedSettings(_ path: String) -> Realm.Configuration {
    var configuration = settings(path)
    configuration.encryptionKey = Data(repeating: 7, count: 64)
    return configuration
}

private func permissions(_ path: String) -> String {
    "Realm at path '\(path)' already opened with different read permissions"
}

/// Whoever opens a file: settings hold for all Realms of it in the process.
@Suite(.timeLimit(.minutes(10))) struct OtherSettingsTests {
    private let directory = TestDirectory()

    private var path: String { directory.url.appendingPathComponent("test.realm").path }

    @Test func aRealmOfAQueueContradictsThatOfAThread() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [path = path as String] in
            let realm = try Realm(configuration: settings(path))
            let queue = DispatchQueue(label: "other")
            try queue.sync {
                _ = try Realm(configuration: readOnlySettings(path), queue: queue)
            }
            _ = realm.isEmpty
        }
        expectStop(permissions(path), result)
    }

    @Test func aRealmOfAnActorContradictsThatOfAThread() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [path = path as String] in
            let (opened, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let thread = BackgroundThread { _ in
                let realm = try Realm(configuration: settings(path))
                opened.signal()
                _ = waitInTime(ended)
                _ = realm.isEmpty
            }
            _ = waitForStart(opened)
            await openOnActor(readOnlySettings(path))
            ended.signal()
            try thread.wait()
        }
        expectStop(permissions(path), result)
    }

    @Test func openingInTheBackgroundContradictsToo() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [path = path as String] in
            try runOnRunLoopThread {
                let realm = try Realm(configuration: settings(path))
                let encrypted = encryptedSettings(path)
                Realm.asyncOpen(configuration: encrypted, callbackQueue: .global()) { _ in }
                try pump { false }
                _ = realm.isEmpty
            }
        }
        expectStop(
            "Realm at path '\(path)' already opened with different encryption key", result)
    }

    /// A symbolic link to the file.
    private func link() throws -> String {
        let link = directory.url.appendingPathComponent("link.realm").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        return link
    }

    @Test func aKeyContradictsUnderAnotherPathToo() async throws {
        let link = try link()
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [path = path as String, link = link as String] in
            let realm = try Realm(configuration: settings(path))
            _ = try? Realm(configuration: encryptedSettings(link))
            _ = realm.isEmpty
        }
        expectStop(
            "Realm at path '\(link)' already opened with different encryption key", result)
    }

    @Test func readPermissionsContradictUnderAnotherPathToo() async throws {
        let link = try link()
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [path = path as String, link = link as String] in
            let realm = try Realm(configuration: settings(path))
            _ = try Realm(configuration: readOnlySettings(link))
            _ = realm.isEmpty
        }
        expectStop(permissions(link), result)
    }

    @Test func otherFilesContradictNothing() throws {
        let realm = try Realm(configuration: settings(path))
        let other = directory.url.appendingPathComponent("other.realm").path
        #expect(try Realm(configuration: encryptedSettings(other)).isEmpty && realm.isEmpty)
    }

    @Test func afterTheLastRealmIsGoneOtherSettingsAreTaken() throws {
        do {
            let realm = try Realm(configuration: settings(path))
            try realm.write { realm.create(Note.self, value: ["text": "one"]) }
        }
        do {
            let realm = try Realm(configuration: readOnlySettings(path))
            #expect(realm.objects(Note.self).map(\.text) == ["one"])
        }
        // A key that the file does not have is an error of the file then.
        #expect(throws: Realm.Error(.invalidDatabase)) {
            try Realm(configuration: encryptedSettings(path))
        }
        let realm = try Realm(configuration: settings(path))
        try realm.write { realm.create(Note.self, value: ["text": "two"]) }
        #expect(realm.objects(Note.self).count == 2)
    }

    /// The settings that do not contradict: other classes, limits and functions.
    @Test func otherClassesAndFunctionsAreTakenWhileTheFileIsOpen() throws {
        let first = try Realm(configuration: settings(path))
        var other = settings(path)
        other.objectTypes = [Note.self, Pinboard.self]
        other.maximumNumberOfActiveVersions = 100
        other.migrationBlock = { _, _ in }
        other.shouldCompactOnLaunch = { _, _ in true }
        other.deleteRealmIfMigrationNeeded = true
        let second = try Realm(configuration: other)
        try second.write {
            let board = second.create(Pinboard.self)
            board.notes.append(Note(value: ["text": "one"]))
        }
        first.refresh()
        #expect(first.objects(Note.self).map(\.text) == ["one"])
        #expect(first.configuration.objectTypes?.count == 1)
        #expect(second.configuration.objectTypes?.count == 2)
    }

    // MARK: One configuration

    @Test(arguments: ["file:", "file://"]) func anEmptyPathStops(_ text: String) async throws {
        try #require(URL(string: text)?.path.isEmpty == true)
        let set = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [text] in
            var configuration = Realm.Configuration()
            configuration.fileURL = URL(string: text)
        }
        expectStop("Realm path must not be empty", set)
        let given = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [text] in _ = Realm.Configuration(fileURL: URL(string: text)) }
        expectStop("Realm path must not be empty", given)
    }

    /// Documented: "linked types must be listed as well".
    @Test func aLinkedClassThatIsNotListedStops() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = try Realm(
                configuration: Realm.Configuration(
                    inMemoryIdentifier: "pins", objectTypes: [Pinboard.self]))
        }
        let output = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(
            output.contains(
                "- Property 'Pinboard.notes' of type 'array' has unknown object type 'Note'"))
    }

    /// Documented: "`defaultConfiguration` is a process global value".
    @Test func theDefaultConfigurationIsAValueOfAllThreads() async {
        await #expect(processExitsWith: .success) {
            var configuration = Realm.Configuration.defaultConfiguration
            configuration.schemaVersion = 5
            precondition(Realm.Configuration.defaultConfiguration.schemaVersion == 0)
            Realm.Configuration.defaultConfiguration = configuration
            configuration.schemaVersion = 6
            precondition(Realm.Configuration.defaultConfiguration.schemaVersion == 5)
            let elsewhere = try runThread {
                Realm.Configuration.defaultConfiguration.schemaVersion
            }
            precondition(elsewhere == 5)
            // One that is made anew has the defaults of the library.
            precondition(Realm.Configuration().schemaVersion == 0)
        }
    }

    // MARK: Rights

    @Test(arguments: [EACCES, EPERM, EROFS]) func aFileThatMayNotBeOpenedSaysWhatToDo(
        number: Int32
    ) throws {
        do { _ = try Realm(configuration: settings(path)) }
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.url.path),
            faults: [SystemCallFault(.failForever(errno: number), call: .open, ordinal: 1)])
        interceptor.install()
        defer { interceptor.uninstall() }
        let error = failureOfOpening(settings(path))
        #expect(error?.code == .filePermissionDenied && error?.fileURL?.path == path)
        #expect(
            error?.localizedDescription
                == "Failed to open Realm file at path '\(path)': Permission denied. Please use a "
                + "path where your app has read-write permissions.")
    }
}

/// Waits where nothing else needs the thread.
private func waitForStart(_ semaphore: DispatchSemaphore) -> Bool { waitInTime(semaphore) }

@AsyncTestActor private func openOnActor(_ configuration: Realm.Configuration) async {
    _ = try? await Realm(configuration: configuration, actor: AsyncTestActor.shared)
}

// MARK: - In memory

private enum First {
    class Item: VersionedObject {
        @Persisted var number: Int
    }
}

private enum Second {
    class Item: VersionedObject {
        @Persisted var number: String
    }
}

/// A Realm in memory ends with its last reference, so it is never migrated. While it is there, it
/// has its classes.
@Suite struct MemoryClassesTests {
    private let identifier = UUID().uuidString

    private func configuration(
        _ types: [ObjectBase.Type], version: UInt64 = 0
    ) -> Realm.Configuration {
        Realm.Configuration(
            inMemoryIdentifier: identifier, schemaVersion: version,
            migrationBlock: { _, _ in Issue.record("a Realm in memory was migrated") },
            objectTypes: types)
    }

    @Test func otherClassesAreAnErrorWhileItIsThere() throws {
        let realm = try Realm(configuration: configuration([First.Item.self]))
        try realm.write { realm.create(First.Item.self, value: ["number": 1]) }
        let changed = configuration([Second.Item.self])
        let migrating = configuration([Second.Item.self], version: 1)
        #expect(try runThread { failureOfOpening(changed)?.code } == .schemaMismatch)
        #expect(try runThread { failureOfOpening(migrating)?.code } == .alreadyOpen)
        #expect(failureOfOpening(migrating)?.code == .alreadyOpen)
        #expect(realm.objects(First.Item.self).map(\.number) == [1])
    }

    @Test func afterItsEndItMayHaveOtherClasses() throws {
        do {
            let realm = try Realm(configuration: configuration([First.Item.self], version: 1))
            try realm.write { realm.create(First.Item.self, value: ["number": 1]) }
        }
        let realm = try Realm(configuration: configuration([Second.Item.self]))
        #expect(realm.isEmpty)
    }
}
