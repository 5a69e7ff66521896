import Foundation
import RealmSwift
import Testing

// The guide's samples about writing and threads, unchanged.

private enum GuideWritingSample {
    final class Person: Object {
        @Persisted(primaryKey: true) var id: ObjectId
        @Persisted var name: String
        @Persisted var age: Int
    }

    final class Country: Object {
        @Persisted(primaryKey: true) var code: String
        @Persisted var name: String
        @Persisted var population: Int
    }
}

@Suite struct GuideWritingTests {
    fileprivate typealias Person = GuideWritingSample.Person
    fileprivate typealias Country = GuideWritingSample.Country

    @Test func writing() throws {
        let realm = try temporaryRealm([Person.self, Country.self])
        let ada = Person(value: ["name": "Ada", "age": 36])
        try realm.write {
            realm.add(ada)
        }

        try realm.write {
            ada.age += 1
            realm.create(Person.self, value: ["name": "Grace", "age": 45])
        }

        struct Refused: Error {}
        do {
            try realm.write {
                ada.age = 0
                throw Refused()
            }
        } catch is Refused {
            print(ada.age)
        }
        #expect(ada.age == 37)

        try realm.write {
            realm.add(Country(value: ["code": "gb", "name": "Britain"]), update: .modified)
            realm.create(Country.self, value: ["code": "gb", "population": 68], update: .modified)
        }
        let britain = realm.object(ofType: Country.self, forPrimaryKey: "gb")
        #expect(britain?.name == "Britain" && britain?.population == 68)

        try realm.write { ada.age = 36 }
        try realm.write {
            realm.delete(realm.objects(Person.self).where { $0.age < 37 })
        }
        #expect(ada.isInvalidated)

        do {
            try realm.write { realm.add(Person(value: ["name": "Alan"])) }
        } catch Realm.Error.outOfDiskSpace {
            print("the disk is full; nothing was changed")
        }
        #expect(Set(realm.objects(Person.self).map(\.name)) == ["Grace", "Alan"])
        try GuideSamples(page: "writing.md").expectAll()
    }

    /// On the main actor, because its Realm is used again after other threads were waited for.
    @Test @MainActor func threads() async throws {
        let directory = TestDirectory.untilExit()
        let configuration = directory.configuration([Person.self])
        func save(_ name: String, to configuration: Realm.Configuration) throws {
            let realm = try Realm(configuration: configuration)
            try realm.write {
                realm.create(Person.self, value: ["name": name])
            }
        }
        @Sendable func firstIdentifier() throws -> ObjectId {
            let realm = try Realm(configuration: configuration)
            let person = try #require(realm.objects(Person.self).first)
            let id = person.id
            return id
        }
        try save("Ada", to: configuration)
        let person = (id: try firstIdentifier(), ())

        let id = person.id
        let saved = try await onThread {
            let realm = try Realm(configuration: configuration)
            return realm.object(ofType: Person.self, forPrimaryKey: id)?.name
        }

        #expect(saved == "Ada")
        let reading = try directory.realm([Person.self])
        let named = reading.objects(Person.self).filter("name == 'Ada'")
        let reference = ThreadSafeReference(to: named)
        let names = try await onThread {
            let realm = try Realm(configuration: configuration)
            return realm.resolve(reference).map { people in Array(people.map(\.name)) }
        }

        #expect(names == ["Ada"])
        try reading.write {
            for person in reading.objects(Person.self) { person.age = 36 }
        }
        nonisolated(unsafe) let frozen = reading.objects(Person.self).filter("age > 30").freeze()
        let total = try await onThread {
            frozen.sum(ofProperty: "age") as Int
        }

        #expect(total == 36)
        let oldest = frozen.sorted(byKeyPath: "age").last
        if let person = oldest?.thaw(), let realm = person.realm {
            try realm.write { person.age += 1 }
        }

        #expect(reading.objects(Person.self).first?.age == 37 && oldest?.age == 36)
        try await onThread {
            let realm = try Realm(configuration: configuration)
            realm.refresh()
            print(realm.objects(Person.self).count)
        }
        let queue = DispatchQueue(label: "guide")
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            #expect(realm.objects(Person.self).count == 1)
        }
        Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
            if case .success(let realm) = result { print(realm.objects(Person.self).count) }
        }
        queue.sync {}
        try GuideSamples(page: "threads.md").expectAll()
    }

    @Test func actors() async throws {
        let directory = TestDirectory.untilExit()
        let register = try await GuideWritingSample.Register(directory.configuration([Person.self]))
        try await register.add("Ada")
        #expect(await register.names == ["Ada"])
    }

    @Test func asynchronousWrites() async throws {
        try await withRunLoopThread {
            let realm = try TestDirectory.untilExit().realm([Person.self])
            let names = ["Grace", "Alan"]

            realm.writeAsync {
                realm.create(Person.self, value: ["name": "Ada"])
            } onComplete: { error in
                if let error { print("not saved: \(error)") }
            }

            for name in names {
                realm.beginAsyncWrite {
                    realm.create(Person.self, value: ["name": name])
                    realm.commitAsyncWrite(allowGrouping: true)
                }
            }

            try pump { !realm.isPerformingAsynchronousWriteOperations }
            #expect(realm.objects(Person.self).map(\.name) == ["Ada", "Grace", "Alan"])
        }
    }
}

extension GuideWritingSample {
    actor Register {
        private var realm: Realm!

        init(_ configuration: Realm.Configuration) async throws {
            realm = try await Realm(configuration: configuration, actor: self)
        }

        func add(_ name: String) async throws {
            try await realm.asyncWrite {
                realm.create(Person.self, value: ["name": name])
            }
        }

        var names: [String] { realm.objects(Person.self).map(\.name) }
    }
}
