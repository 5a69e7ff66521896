import Foundation
import Testing

@testable import RealmSwift
@testable import StorageEngine

/// Transactions that were committed, while their Realm could not move to what they made, because
/// all places of readers were taken. They are part of the file, and read later.
@Suite struct CommittedUnreadRealmTests {
    private let directory = TestDirectory()
    private let interceptor: SystemInterceptor

    init() { interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.url.path)) }

    /// Commits the open transaction while the pin of the Realm is shared, and there is no other
    /// one. Returns the message of the error.
    private func commitUnread(_ realm: Realm) throws -> String {
        let connection = realm.instance.connection
        let kept = connection.pager.snapshot
        interceptor.setFaults([
            SystemCallFault(.failForever(errno: ENOSPC), call: .fallocate, ordinal: 1)
        ])
        defer { interceptor.setFaults([]) }
        var others: [Connection] = []
        while let other = try? Connection(connection.database) { others.append(other) }
        return withExtendedLifetime((kept, others)) { message { try realm.commitWrite() } }
    }

    @Test(arguments: [false, true])
    func whatWasWrittenIsReadLater(isFrozen: Bool) throws {
        interceptor.install()
        defer { interceptor.uninstall() }
        let realm = try directory.realm()
        try realm.write {
            for id in 0..<5 { realm.create(Keyed.self, value: ["id": id, "text": "\(id)"]) }
        }
        let all = realm.objects(Keyed.self)
        let doomed = try #require(realm.object(ofType: Keyed.self, forPrimaryKey: 1))
        let kept = try #require(realm.object(ofType: Keyed.self, forPrimaryKey: 3))
        let frozen = isFrozen ? realm.freeze() : nil
        realm.beginWrite()
        let made = realm.create(Keyed.self, value: ["id": 7, "text": "made"])
        realm.delete(doomed)
        kept.text = "kept"
        #expect(try commitUnread(realm).contains("must not be repeated"))
        #expect(!realm.isInWriteTransaction)
        #expect(doomed.isInvalidated)
        #expect(all.count == 5)
        #expect(!made.isInvalidated && made.text == "made")
        #expect(!kept.isInvalidated && kept.text == "kept")
        #expect(realm.object(ofType: Keyed.self, forPrimaryKey: 1) == nil)
        #expect(realm.object(ofType: Keyed.self, forPrimaryKey: 7) == made)
        if let frozen {
            #expect(frozen.objects(Keyed.self).map(\.text) == ["0", "1", "2", "3", "4"])
        }
        #expect(!realm.refresh())
        try realm.write {
            made.text = "again"
            realm.delete(kept)
        }
        #expect(all.filter("text == 'again'").count == 1)
        #expect(all.count == 4)
        #expect(try realm.instance.connection.verify() == [])
    }

    @Test func aTransactionThatFollowsBuildsOnIt() throws {
        interceptor.install()
        defer { interceptor.uninstall() }
        let realm = try directory.realm()
        try realm.write { realm.create(Keyed.self, value: ["id": 1, "text": "one"]) }
        let all = realm.objects(Keyed.self)
        realm.beginWrite()
        let two = realm.create(Keyed.self, value: ["id": 2, "text": "two"])
        #expect(try commitUnread(realm).contains("must not be repeated"))
        try realm.write { realm.create(Keyed.self, value: ["id": 3, "next": two]) }
        #expect(all.map(\.id) == [1, 2, 3])
        realm.beginWrite()
        realm.delete(all)
        realm.create(Keyed.self, value: ["id": 4])
        #expect(try commitUnread(realm).contains("must not be repeated"))
        realm.invalidate()
        #expect(two.isInvalidated)
        #expect(realm.objects(Keyed.self).map(\.id) == [4])
        #expect(try realm.instance.connection.verify() == [])
    }
}
