import Foundation
import RealmSwift
import Testing

// Documented: "Holding onto a frozen Realm for an extended period while performing write
// transaction on the Realm may result in the Realm file growing to large sizes. See
// Realm.Configuration.maximumNumberOfActiveVersions". Exceeding it is thrown from `write`.

@Suite struct ActiveVersionTests {
    private typealias Author = FrozenModels.Author

    private func configuration(limit: UInt?) -> Realm.Configuration {
        var configuration = TestDirectory.untilExit().configuration(FrozenModels.all)
        configuration.maximumNumberOfActiveVersions = limit
        return configuration
    }

    @Test func thereIsNoLimitByDefault() throws {
        #expect(Realm.Configuration().maximumNumberOfActiveVersions == nil)
        let realm = try Realm(configuration: configuration(limit: nil))
        var kept: [Realm] = []
        for id in 0..<40 {
            kept.append(realm.freeze())
            try realm.write { realm.addAuthors(id..<(id + 1)) }
        }
        #expect(kept.map { $0.objects(Author.self).count } == Array(0..<40))
    }

    @Test func theConfigurationKeepsTheLimit() throws {
        let realm = try Realm(configuration: configuration(limit: 7))
        #expect(realm.configuration.maximumNumberOfActiveVersions == 7)
    }

    @Test func writingThrowsWhenTooManyVersionsAreHeld() throws {
        let realm = try Realm(configuration: configuration(limit: 4))
        var kept: [Realm] = []
        var written = 0
        #expect(throws: (any Error).self) {
            for id in 0..<20 {
                kept.append(realm.freeze())
                try realm.write { realm.addAuthors(id..<(id + 1)) }
                written += 1
            }
        }
        #expect(written >= 1 && written <= 6)
        #expect(!realm.isInWriteTransaction && realm.objects(Author.self).count == written)
        #expect(kept.last?.objects(Author.self).count == written)
    }

    @Test func writingWorksAgainOnceVersionsAreReleased() throws {
        let realm = try Realm(configuration: configuration(limit: 4))
        var kept: [Realm] = []
        #expect(throws: (any Error).self) {
            for id in 0..<20 {
                kept.append(realm.freeze())
                try realm.write { realm.addAuthors(id..<(id + 1)) }
            }
        }
        kept.removeAll()
        try realm.write { realm.addAuthors(100..<101) }
        #expect(try realm.author(100).name == "author 100")
    }

    @Test func versionsThatAreNotHeldDoNotCount() throws {
        let realm = try Realm(configuration: configuration(limit: 4))
        for id in 0..<40 {
            _ = try? realm.freeze().author(id - 1).name
            try realm.write { realm.addAuthors(id..<(id + 1)) }
        }
        #expect(realm.objects(Author.self).count == 40)
    }
}
