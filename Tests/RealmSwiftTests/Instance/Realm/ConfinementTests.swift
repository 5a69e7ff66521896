import Foundation
import RealmSwift
import Testing
import ToolSupport

/// Carries a reference to another thread, which may drop it but not use it.
private final class Smuggled<Value>: @unchecked Sendable {
    // Unchecked because the test waits for each thread before it uses the value.
    var value: Value?
    init(_ value: Value?) { self.value = value }
}

@Suite struct ConfinementTests {
    let directory = TestDirectory()

    @Test func lastReferencesMayGoOnOtherThreads() async throws {
        let configuration = directory.configuration()
        for _ in 0..<20 {
            let kept = Smuggled<Person>(nil)
            try await onThread {
                let realm = try Realm(configuration: configuration)
                try realm.write { kept.value = realm.create(Person.self) }
            }
            try await onThread { kept.value = nil }
        }
        #expect(try directory.realm().objects(Person.self).count == 20)
        #expect(throws: Realm.Error(.alreadyOpen)) {
            let realm = try Realm(configuration: configuration)
            defer { _ = realm.isEmpty }
            return try Realm.deleteFiles(for: configuration)
        }
        #expect(try Realm.deleteFiles(for: configuration))
    }

    @Test func lastReferencesRaceWithOpening() async throws {
        let configuration = directory.configuration()
        try directory.realm().write {}
        try await onThread {
            for step in 0..<300 {
                let kept = Smuggled<Realm>(try Realm(configuration: configuration))
                let started = DispatchSemaphore(value: 0)
                let releasing = BackgroundThread { _ in
                    started.signal()
                    kept.value = nil
                }
                started.wait()
                let realm = try Realm(configuration: configuration)
                try releasing.wait()
                if step % 50 == 0 { try realm.write { realm.create(Person.self) } }
            }
        }
        #expect(try directory.realm().objects(Person.self).count == 6)
    }

    @Test func threadsThatEndReleaseTheWriteLock() async throws {
        let configuration = directory.configuration()
        let kept = Smuggled<Realm>(nil)
        try await onThread {
            let realm = try Realm(configuration: configuration)
            realm.beginWrite()
            realm.create(Person.self)
            kept.value = realm
        }
        // The thread releases the lock when it ends, which is after it has returned its result.
        // This write waits for that.
        let count = try await onThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.create(Person.self) }
            return realm.objects(Person.self).count
        }
        #expect(count == 1)
        kept.value = nil
    }

    @Test func identitiesOfEndedThreadsGiveNoAccess() async throws {
        let configuration = directory.configuration()
        let kept = Smuggled<Realm>(nil)
        for _ in 0..<50 {
            let inTransaction = try await onThread {
                let realm = try Realm(configuration: configuration)
                let state = realm.isInWriteTransaction
                realm.beginWrite()
                kept.value = realm
                return state
            }
            #expect(!inTransaction)
        }
        kept.value = nil
    }

    @Test func objectsKeepListsAndResultsUsable() throws {
        let (list, results, iterator) = try {
            let realm = try directory.realm()
            try realm.write { realm.add(Owner(value: ["name": "Ann", "nicknames": ["a", "b"]])) }
            let results = realm.objects(Owner.self)
            return (try #require(results.first).nicknames, results, results.makeIterator())
        }()
        var walk = iterator
        #expect(list.count == 2 && results.count == 1 && walk.next()?.name == "Ann")
        #expect(walk.next() == nil && Array(list) == ["a", "b"])
    }

    // MARK: Several instances on one thread

    @Test func realmsOfDifferentClassesShareTheFile() throws {
        let people = try directory.realm([Person.self])
        let all = try directory.realm()
        #expect(people != all)
        try all.write {
            all.create(Person.self)
            all.create(Dog.self)
        }
        people.refresh()
        #expect(people.objects(Person.self).count == 1)
        // An instance is reused if it has all the classes that are asked for.
        #expect(try directory.realm([Person.self]) == people)
        #expect(try directory.realm([Dog.self, Owner.self]) == all)
    }

    @Test func newClassesInsideAWriteTransactionAreRefused() throws {
        let people = try directory.realm([Person.self])
        people.beginWrite()
        people.create(Person.self)
        #expect(throws: Realm.Error(.fail)) { try directory.realm() }
        #expect(people.isInWriteTransaction)
        try people.commitWrite()
        #expect(try directory.realm().objects(Person.self).count == 1)
    }

    @Test func knownClassesCanBeOpenedInsideAWriteTransaction() throws {
        do { _ = try directory.realm() }
        let people = try directory.realm([Person.self])
        people.beginWrite()
        people.create(Person.self)
        let all = try directory.realm()
        #expect(all != people && all.objects(Person.self).isEmpty)
        try people.commitWrite()
        #expect(all.refresh() && all.objects(Person.self).count == 1)
    }
}
