import Foundation
import RealmSwift
import Testing

/// Tests that a write transaction keeps its Realm alive.
@Suite struct UnheldRealmTests {
    private let directory = TestDirectory()

    @Test func aRealmThatNobodyHoldsStaysUntilItsTransactionHasEnded() throws {
        let configuration = directory.configuration()
        try Realm(configuration: configuration).beginWrite()
        let person = try Realm(configuration: configuration)
            .create(Person.self, value: ["name": "Ann"])
        #expect(try Realm(configuration: configuration).isInWriteTransaction)
        try Realm(configuration: configuration).commitWrite()
        #expect(person.name == "Ann")
        let count = try runThread {
            try Realm(configuration: configuration).objects(Person.self).count
        }
        #expect(count == 1)
    }

    @Test func theFileIsClosedWhenTheTransactionHasEnded() throws {
        let configuration = directory.configuration()
        for end in [
            { try Realm(configuration: configuration).commitWrite() },
            { try Realm(configuration: configuration).cancelWrite() },
            { try Realm(configuration: configuration).invalidate() },
        ] {
            try Realm(configuration: configuration).beginWrite()
            #expect(throws: Realm.Error(.alreadyOpen)) {
                try Realm.deleteFiles(for: configuration)
            }
            try end()
            #expect(try Realm.deleteFiles(for: configuration))
        }
        struct Refusal: Error {}
        #expect(throws: Refusal.self) {
            try Realm(configuration: configuration).write { throw Refusal() }
        }
        #expect(try Realm.deleteFiles(for: configuration))
    }

    @Test func theEndOfItsThreadEndsTheTransaction() throws {
        let configuration = directory.configuration()
        try runThread {
            try Realm(configuration: configuration).beginWrite()
            try Realm(configuration: configuration).create(Person.self)
        }
        // The lock was released, and nothing was written.
        let realm = try Realm(configuration: configuration)
        try realm.write {}
        #expect(realm.isEmpty)
    }
}
