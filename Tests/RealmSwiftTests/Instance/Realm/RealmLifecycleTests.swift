import Foundation
import RealmSwift
import Testing

/// Sendable because comparing Realms is allowed on every thread.
private struct UncheckedRealm: @unchecked Sendable {
    let realm: Realm
}

@Suite struct RealmLifecycleTests {
    let directory = TestDirectory()

    @Test func realmsOfOneThreadAreEqual() throws {
        let realm = try directory.realm()
        #expect(try directory.realm() == realm)
        let other = try Realm(configuration: directory.configuration(name: "other.realm"))
        #expect(other != realm)
    }

    @Test func realmsOfDifferentThreadsDiffer() async throws {
        let configuration = directory.configuration()
        try directory.realm().write {}
        let areEqual = try await onThread {
            let realm = try Realm(configuration: configuration)
            let kept = UncheckedRealm(realm: realm)
            return try runThread { try Realm(configuration: configuration) == kept.realm }
        }
        #expect(!areEqual)
    }

    @Test func startsEmpty() throws {
        let realm = try directory.realm()
        #expect(realm.isEmpty)
        try realm.write { realm.add(Person()) }
        #expect(!realm.isEmpty)
    }

    @Test func dataOutlivesTheLastReference() throws {
        do {
            let realm = try directory.realm()
            try realm.write { realm.add(Person(value: ["name": "Ann", "age": 30])) }
        }
        let person = try #require(try directory.realm().objects(Person.self).first)
        #expect(person.name == "Ann" && person.age == 30)
    }

    @Test func objectsKeepTheRealmAlive() throws {
        let person: Person = try {
            let realm = try directory.realm()
            return try realm.write { realm.create(Person.self, value: ["name": "Ann"]) }
        }()
        #expect(person.name == "Ann" && person.realm != nil)
    }

    @Test func refreshShowsWhatOthersCommitted() async throws {
        let configuration = directory.configuration()
        let (count, advanced, after) = try await onThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(Person()) }
            try runThread {
                let other = try Realm(configuration: configuration)
                try other.write { other.add(Person()) }
            }
            let count = realm.objects(Person.self).count
            return (count, realm.refresh(), realm.objects(Person.self).count)
        }
        #expect(count == 1 && advanced && after == 2)
    }

    @Test func refreshWithoutNewsReturnsFalse() throws {
        #expect(try !directory.realm().refresh())
    }

    @Test func beginningAWriteAdvances() async throws {
        let configuration = directory.configuration()
        let count = try await onThread {
            let realm = try Realm(configuration: configuration)
            try runThread {
                let other = try Realm(configuration: configuration)
                try other.write { other.add(Person()) }
            }
            try realm.write {}
            return realm.objects(Person.self).count
        }
        #expect(count == 1)
    }

    @Test func invalidateEndsObjectsAndCollectionsForGood() throws {
        let realm = try directory.realm()
        let owner = Owner(value: ["name": "Ann", "nicknames": ["a"]])
        try realm.write { realm.add(owner) }
        let results = realm.objects(Owner.self)
        let nicknames = owner.nicknames
        realm.invalidate()
        #expect(owner.isInvalidated && results.isInvalidated && nicknames.isInvalidated)
        #expect(realm.objects(Owner.self).first?.name == "Ann")
        #expect(owner.isInvalidated)
    }

    @Test func invalidateCancelsTheWriteTransaction() throws {
        let realm = try directory.realm()
        realm.beginWrite()
        realm.add(Person())
        realm.invalidate()
        #expect(!realm.isInWriteTransaction && realm.isEmpty)
    }

    @Test func droppingARealmDoesNotEndItsTransaction() throws {
        do {
            let realm = try directory.realm()
            realm.beginWrite()
            realm.add(Person())
        }
        let realm = try directory.realm()
        #expect(realm.isInWriteTransaction)
        realm.cancelWrite()
        #expect(realm.isEmpty)
    }

    @Test func copiesIncludeUncommittedChanges() throws {
        let realm = try directory.realm()
        let copy = directory.url.appendingPathComponent("copy.realm")
        realm.beginWrite()
        realm.add(Person(value: ["name": "Ann"]))
        try realm.writeCopy(toFile: copy)
        realm.cancelWrite()
        var configuration = directory.configuration()
        configuration.fileURL = copy
        #expect(try Realm(configuration: configuration).objects(Person.self).first?.name == "Ann")
        #expect(throws: Realm.Error(.fileExists)) { try realm.writeCopy(toFile: copy) }
    }

    @Test func deletesFilesOfClosedRealmsOnly() throws {
        let configuration = directory.configuration()
        #expect(!Realm.fileExists(for: configuration))
        #expect(try !Realm.deleteFiles(for: configuration))
        do {
            let realm = try Realm(configuration: configuration)
            #expect(Realm.fileExists(for: configuration))
            #expect(throws: Realm.Error(.alreadyOpen)) {
                try Realm.deleteFiles(for: configuration)
            }
            _ = realm.isEmpty
        }
        #expect(try Realm.deleteFiles(for: configuration))
        #expect(!Realm.fileExists(for: configuration))
    }

    @Test func memoryRealmsEndWithTheLastReference() throws {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: [Person.self])
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(Person()) }
            #expect(try Realm(configuration: configuration).objects(Person.self).count == 1)
        }
        #expect(try Realm(configuration: configuration).isEmpty)
    }

    @Test func readOnlyRealmsShowWhatIsThere() throws {
        do {
            let realm = try directory.realm()
            try realm.write { realm.add(Person(value: ["name": "Ann"])) }
        }
        var configuration = directory.configuration()
        configuration.readOnly = true
        let realm = try Realm(configuration: configuration)
        #expect(realm.objects(Person.self).first?.name == "Ann")
    }

    @Test func configurationInEffectNamesTheClasses() throws {
        let realm = try directory.realm([Person.self])
        #expect(realm.configuration.objectTypes?.count == 1)
        #expect(realm.schema.objectSchema.map(\.className) == ["Person"])
    }
}
