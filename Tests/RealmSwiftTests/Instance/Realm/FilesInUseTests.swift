import Foundation
import RealmSwift
import Testing

/// Tests of one file under several paths, versions and threads.
@Suite struct FilesInUseTests {
    private final class Item: Object {
        @Persisted var number: Int
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    private let directory = TestDirectory()

    private func isRefused(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return false
        } catch Realm.Error.alreadyOpen {
            return true
        } catch {
            return false
        }
    }

    @Test func openFilesAreNotDeletedUnderAnotherPath() throws {
        let configuration = directory.configuration([Item.self])
        let realm = try Realm(configuration: configuration)
        let name = directory.url.lastPathComponent
        let folderLink = directory.url.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(
            at: folderLink, withDestinationURL: directory.url)
        for path in [
            "\(directory.url.path)/../\(name)/test.realm", "\(folderLink.path)/test.realm",
        ] {
            let other = Realm.Configuration(
                fileURL: URL(fileURLWithPath: path), objectTypes: [Item.self])
            #expect(isRefused { _ = try Realm.deleteFiles(for: other) })
        }
        try realm.write { realm.create(Item.self, value: ["number": 1]) }
        #expect(Realm.fileExists(for: configuration))
    }

    @Test func openFilesAreNotDeletedWhileAnObjectOfAnEndedThreadLives() throws {
        let configuration = directory.configuration([Item.self])
        nonisolated(unsafe) var kept: Item?
        try runThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { kept = realm.create(Item.self, value: ["number": 1]) }
        }
        #expect(isRefused { _ = try Realm.deleteFiles(for: configuration) })
        withExtendedLifetime(kept) {}
    }

    @Test func everyOpeningAnswersForItsSchemaVersion() throws {
        var configuration = directory.configuration([Item.self])
        configuration.schemaVersion = 1
        let first = try Realm(configuration: configuration)
        configuration.schemaVersion = 2
        #expect(try Realm(configuration: configuration).configuration.schemaVersion == 2)
        configuration.schemaVersion = 0
        #expect(throws: (any Error).self) { try Realm(configuration: configuration) }
        withExtendedLifetime(first) {}
    }

    @Test func iteratorsGoOnWithLiveObjectsAfterACancelledTransaction() throws {
        let realm = try directory.realm([Item.self])
        realm.beginWrite()
        for number in 0..<3 { realm.create(Item.self, value: ["number": number]) }
        var iterator = realm.objects(Item.self).makeIterator()
        _ = iterator.next()
        realm.cancelWrite()
        try realm.write {
            for number in 10..<13 { realm.create(Item.self, value: ["number": number]) }
        }
        let object = iterator.next()
        realm.beginWrite()
        realm.create(Item.self)
        realm.cancelWrite()
        #expect(object?.isInvalidated != true)
    }
}
