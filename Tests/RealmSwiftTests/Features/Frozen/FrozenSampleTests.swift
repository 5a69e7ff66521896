import Foundation
import RealmSwift
import Testing

// The ways to use frozen objects that the documentation describes, as an application writes them.

private enum FrozenSample {
    class Task: Object {
        @Persisted var name: String
        @Persisted var status = ""
        @Persisted var progress: Int?

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Dog: Object {
        @Persisted var name: String

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    class Person: Object {
        @Persisted var name: String
        @Persisted var dogs: List<Dog>

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

@Suite struct FrozenSampleTests {
    private typealias Task = FrozenSample.Task
    private typealias Person = FrozenSample.Person
    private typealias Dog = FrozenSample.Dog

    private func opened() throws -> (Realm, Realm.Configuration) {
        let configuration = TestDirectory.untilExit()
            .configuration([Task.self, Person.self, Dog.self])
        let realm = try Realm(configuration: configuration)
        try realm.write {
            realm.create(Task.self, value: ["name": "Test the app", "status": "Open"])
            realm.create(Person.self, value: ["name": "Timmy"])
            realm.create(Dog.self, value: ["name": "Lita"])
            realm.create(Dog.self, value: ["name": "Maui"])
        }
        return (realm, configuration)
    }

    @Test func realmsCollectionsAndObjectsAreFrozen() throws {
        let (realm, _) = try opened()
        // An immutable copy of the Realm, which can be passed to other threads.
        let frozenRealm = realm.freeze()
        #expect(frozenRealm.isFrozen)
        let tasks = realm.objects(Task.self)
        // Collections can be frozen.
        let frozenTasks = tasks.freeze()
        #expect(frozenTasks.isFrozen)
        // A frozen Realm can be read.
        let frozenTasks2 = frozenRealm.objects(Task.self)
        #expect(frozenTasks2.isFrozen)
        // Objects can be frozen.
        let task = tasks.first!
        let frozenTask = task.freeze()
        #expect(frozenTask.isFrozen)
        // A frozen object refers to a frozen Realm.
        #expect(frozenTask.realm!.isFrozen)
    }

    @Test func aThawedTaskIsModified() throws {
        let (realm, _) = try opened()
        let frozenRealm = realm.freeze()
        let frozenTasks = frozenRealm.objects(Task.self)
        #expect(frozenTasks.isFrozen)
        let frozenTask = frozenTasks.first!
        // To modify the task, thaw it first.
        let thawedTask = frozenTask.thaw()
        #expect(thawedTask?.isInvalidated == false)
        // Its Realm is not frozen either.
        #expect(thawedTask!.realm!.isFrozen == false)
        let thawedRealm = thawedTask!.realm!
        try thawedRealm.write { thawedTask!.status = "Done" }
        #expect(realm.objects(Task.self).first?.status == "Done" && frozenTask.status == "Open")
    }

    @Test func thawedObjectsAreAppendedToAThawedList() throws {
        let (realm, _) = try opened()
        let frozenRealm = realm.freeze()
        let frozenTimmy = frozenRealm.objects(Person.self).where { $0.name == "Timmy" }.first!
        let frozenLita = frozenRealm.objects(Dog.self).where { $0.name == "Lita" }.first!
        let frozenMaui = frozenRealm.objects(Dog.self).where { $0.name == "Maui" }.first!
        // Nothing can be appended to a frozen list.
        let thawedTimmy = frozenTimmy.thaw()
        let thawedLita = frozenLita.thaw()
        let thawedMaui = frozenMaui.thaw()
        try realm.write {
            thawedTimmy?.dogs.append(thawedLita!)
            thawedTimmy?.dogs.append(thawedMaui!)
        }
        #expect(thawedTimmy?.dogs.first?.name == "Lita" && thawedTimmy?.dogs.count == 2)
        #expect(frozenTimmy.dogs.isEmpty)
    }

    @Test func frozenTasksArePassedToTheBackground() async throws {
        let frozen = try { Carried(try opened().0.objects(Task.self).freeze()) }()
        let names = try await onThread { Array(frozen.value.map(\.name)) }
        #expect(names == ["Test the app"])
    }

    @Test func theBackgroundWritesThroughAThawedTask() async throws {
        let (frozen, configuration) = try {
            let (realm, configuration) = try opened()
            return (Carried(try #require(realm.objects(Task.self).first).freeze()), configuration)
        }()
        try await onThread {
            guard let task = frozen.value.thaw(), let realm = task.realm else { return }
            try realm.write { task.progress = 50 }
        }
        let progress = try await onThread {
            try Realm(configuration: configuration).objects(Task.self).first?.progress
        }
        #expect(progress == 50 && frozen.value.progress == nil)
    }

    /// A list of rows that a user interface shows, while a background thread goes on writing.
    @Test func rowsStayTheSameUntilTheNextCopyIsTaken() throws {
        let (realm, configuration) = try opened()
        var rows = realm.objects(Task.self).freeze()
        for number in 0..<5 {
            try runThread {
                let realm = try Realm(configuration: configuration)
                try realm.write {
                    realm.create(Task.self, value: ["name": "task \(number)", "status": "Open"])
                }
            }
            #expect(rows.count == number + 1)
            realm.refresh()
            #expect(rows.count == number + 1)
            rows = realm.objects(Task.self).freeze()
            #expect(rows.count == number + 2 && rows.last?.name == "task \(number)")
        }
    }
}
