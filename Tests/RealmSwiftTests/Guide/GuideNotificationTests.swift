import Foundation
import RealmSwift
import Testing

// The guide's samples about notifications, unchanged.

private enum GuideNotificationSample {
    final class Dog: Object {
        @Persisted var name: String
        @Persisted var age: Int
        @Persisted var owner: Person?
    }

    final class Person: Object {
        @Persisted var name: String
    }

    final class DogView: Projection<Dog> {
        @Projected(\Dog.name) var title
        @Projected(\Dog.owner?.name) var ownerName
    }

    /// An actor that uses a Realm.
    actor Kennel {
        var count = 0

        func countDogs(_ configuration: Realm.Configuration) async throws -> NotificationToken {
            let kennel = self
            let dogs = try await Realm.open(configuration: configuration).objects(Dog.self)
            let actorToken = await dogs.observe(on: kennel) { kennel, change in
                if case .initial(let dogs) = change { kennel.count = dogs.count }
            }
            return actorToken
        }

        func names(
            _ configuration: Realm.Configuration, _ begun: @Sendable () -> Void
        ) async throws -> [String] {
            let realm = try await Realm.open(configuration: configuration)
            let dogs = realm.objects(Dog.self).sorted(byKeyPath: "name")
            var names: [String] = []
            begun()
            for await change in dogs.changes {
                switch change {
                case .initial(let dogs), .update(let dogs, _, _, _): names = dogs.map(\.name)
                case .error(let error): print(error)
                }
                if names.count == 3 { break }
            }
            return names
        }
    }
}

@Suite struct GuideNotificationTests {
    fileprivate typealias Dog = GuideNotificationSample.Dog
    fileprivate typealias Person = GuideNotificationSample.Person
    fileprivate typealias DogView = GuideNotificationSample.DogView

    /// A file with dogs, and a Realm on a thread with a run loop.
    private func observing(
        _ body: @escaping @Sendable (Realm, Realm.Configuration) throws -> Void
    ) async throws {
        let directory = TestDirectory.untilExit()
        let configuration = directory.configuration([Dog.self, Person.self])
        try await withRunLoopThread {
            let realm = try Realm(configuration: configuration)
            try realm.write {
                let ada = Person(value: ["name": "Ada"])
                for name in ["Bo", "Max"] {
                    realm.add(Dog(value: ["name": name, "age": 1, "owner": ada] as [String: Any]))
                }
            }
            try body(realm, configuration)
        }
    }

    /// Writes on another thread.
    private func writeElsewhere(
        _ configuration: Realm.Configuration, _ body: @escaping @Sendable (Realm) -> Void
    ) throws {
        try runThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { body(realm) }
        }
    }

    @Test func collectionsAndOwnWrites() async throws {
        try await observing { realm, configuration in
            var rows: [String] = []
            let dogs = realm.objects(Dog.self).filter("age < 3").sorted(byKeyPath: "name")
            let token = dogs.observe { change in
                switch change {
                case .initial(let dogs):
                    rows = dogs.map(\.name)
                case .update(let dogs, let deletions, let insertions, let modifications):
                    for position in modifications { print("changed: \(rows[position])") }
                    for position in deletions.reversed() { rows.remove(at: position) }
                    for position in insertions { rows.insert(dogs[position].name, at: position) }
                case .error(let error):
                    print(error)
                }
            }
            var renamed: [Int] = []
            let named = dogs.observe(keyPaths: ["name", "owner.name"]) { change in
                if case .update(_, _, _, let modifications) = change { renamed += modifications }
            }
            try pump { rows == ["Bo", "Max"] }
            try writeElsewhere(configuration) { $0.objects(Dog.self)[0].age = 7 }
            try pump { rows == ["Max"] }
            try writeElsewhere(configuration) { $0.objects(Person.self)[0].name = "Grace" }
            try pump { renamed == [0] }

            try realm.write(withoutNotifying: [token]) {
                realm.add(Dog(value: ["name": "Rex", "age": 1]))
            }
            rows.append("Rex")
            try writeElsewhere(configuration) { realm in
                realm.add(Dog(value: ["name": "Tim", "age": 2] as [String: Any]))
            }
            try pump { rows.count == 3 }
            #expect(rows == ["Max", "Rex", "Tim"])
            token.invalidate()
            named.invalidate()
        }
        try GuideSamples(page: "notifications.md").expectAll()
    }

    @Test func objectsAndRealms() async throws {
        try await observing { realm, configuration in
            var log: [String] = []
            let dog = realm.objects(Dog.self)[0]
            let dogToken = dog.observe { (change: ObjectChange<Dog>) in
                switch change {
                case .change(_, let properties):
                    for property in properties {
                        log.append("\(property.name): \(property.newValue ?? "nil")")
                    }
                case .deleted:
                    log.append("gone")
                case .error(let error):
                    print(error)
                }
            }
            var changed: [String] = []
            let view = DogView(projecting: dog)
            let viewToken = view.observe { change in
                if case .change(_, let properties) = change { changed += properties.map(\.name) }
            }
            var count = 0
            let realmToken = realm.observe { notification, realm in
                count = realm.objects(Dog.self).count
            }
            try writeElsewhere(configuration) { $0.objects(Dog.self)[0].age = 2 }
            try pump { log == ["age: 2"] && count == 2 }
            try writeElsewhere(configuration) { $0.objects(Person.self)[0].name = "Grace" }
            try pump { changed == ["ownerName"] }
            viewToken.invalidate()
            try writeElsewhere(configuration) { $0.delete($0.objects(Dog.self)[0]) }
            try pump { log.last == "gone" && count == 1 }
            #expect(log == ["age: 2", "gone"])
            dogToken.invalidate()
            realmToken.invalidate()
        }
    }

    @Test func queues() async throws {
        final class Found: @unchecked Sendable {
            // Guarded by the lock.
            private var value = 0
            private let lock = NSLock()

            func set(_ new: Int) { lock.withLock { value = new } }
            var count: Int { lock.withLock { value } }
        }
        let queue = DispatchQueue(label: "guide")
        try await observing { realm, _ in
            let found = Found()
            let dogs = realm.objects(Dog.self)
            let queueToken = dogs.observe(on: queue) { change in
                if case .initial(let dogs) = change { found.set(dogs.count) }
            }
            try pump { found.count > 0 }
            #expect(found.count == 2)
            queueToken.invalidate()
        }
    }

    @Test func sections() async throws {
        try await observing { realm, configuration in
            var headings: [Int] = []
            var added: [String] = []
            let sections = realm.objects(Dog.self).sectioned(by: \.age)
            let sectionToken = sections.observe { change in
                if case .update(let sections, _, let insertions, _, let new, _) = change {
                    for section in new { headings.append(sections[section].key) }
                    for path in insertions { added.append(sections[path].name) }
                }
            }
            realm.refresh()
            try writeElsewhere(configuration) { realm in
                realm.add(Dog(value: ["name": "Tim", "age": 9] as [String: Any]))
            }
            try pump { added == ["Tim"] && headings == [9] }
            sectionToken.invalidate()
        }
    }

    @Test func actorsAndLoops() async throws {
        let configuration = TestDirectory.untilExit().configuration([Dog.self, Person.self])
        try writeElsewhere(configuration) { realm in
            for name in ["Bo", "Max"] { realm.add(Dog(value: ["name": name])) }
        }
        let kennel = GuideNotificationSample.Kennel()
        let token = try await kennel.countDogs(configuration)
        while await kennel.count != 2 { try await Task.sleep(for: .milliseconds(1)) }
        token.invalidate()
        let names = try await kennel.names(configuration) {
            Thread.detachNewThread {
                try? runThread {
                    let realm = try Realm(configuration: configuration)
                    try realm.write { _ = realm.create(Dog.self, value: ["name": "Rex"]) }
                }
            }
        }
        #expect(names == ["Bo", "Max", "Rex"])
    }
}
