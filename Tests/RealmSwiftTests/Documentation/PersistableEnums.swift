import Foundation
import RealmSwift
import Testing

// `PersistableEnum`: enums stored as their raw values.

private enum Tasks {
    enum Task: String, PersistableEnum { case planned, started, done }
    enum Priority: Int, PersistableEnum { case low = 10, high = 20 }
    enum Ratio: Double, PersistableEnum { case half = 0.5, all = 1 }

    class Job: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var task: Task
        @Persisted(indexed: true) var priority = Priority.high
        @Persisted var previous: Task?
        @Persisted var ratio: Ratio?
        @Persisted var history: List<Task>
        @Persisted var priorities: MutableSet<Priority>
        @Persisted var byDay: Map<String, Task?>
    }
}

@Suite struct PersistableEnumRules {
    private typealias Job = Tasks.Job

    let realm: Realm

    init() throws { realm = try temporaryRealm([Tasks.Job.self]) }

    @Test func casesAreStoredAndReadBack() throws {
        let job = try realm.write { realm.create(Job.self, value: ["name": "a"]) }
        try realm.write {
            job.task = .done
            job.priority = .low
            job.previous = .started
            job.ratio = .half
            job.history.append(objectsIn: [.planned, .done])
            job.priorities.insert(objectsIn: [.high, .low, .high])
            job.byDay["Monday"] = .started
        }
        let stored = try #require(realm.object(ofType: Job.self, forPrimaryKey: "a"))
        #expect(stored.task == .done && stored.priority == .low && stored.previous == .started)
        #expect(stored.ratio == .half && Array(stored.history) == [.planned, .done])
        #expect(Array(stored.priorities) == [.low, .high] && stored.byDay["Monday"] == .started)
        try realm.write { stored.previous = nil }
        #expect(job.previous == nil)
    }

    @Test func casesAndRawValuesAreValues() throws {
        let job = try realm.write {
            realm.create(
                Job.self,
                value: [
                    "name": "a", "task": "done", "priority": Tasks.Priority.low,
                    "history": ["started", Tasks.Task.done] as [Any],
                ] as [String: Any])
        }
        #expect(job.task == .done && job.priority == .low)
        #expect(Array(job.history) == [.started, .done])
    }

    @Test(arguments: [false, true]) func namedAccessIsToRawValues(managed: Bool) throws {
        let job = Job(value: ["name": "a", "previous": "done"])
        if managed { try realm.write { realm.add(job) } }
        #expect(job.value(forKey: "task") as? String == "planned")
        #expect(job.value(forKey: "priority") as? Int == 20)
        #expect(job.value(forKey: "previous") as? String == "done")
        try realm.write { job.setValue("started", forKey: "task") }
        #expect(job.task == .started)
    }

    @Test func theSchemaHasTheRawTypes() {
        let schema = Job().objectSchema
        #expect(schema["task"]?.type == .string && schema["priority"]?.type == .int)
        #expect(schema["ratio"]?.type == .double && schema["ratio"]?.isOptional == true)
        #expect(schema["history"]?.isArray == true && schema["history"]?.type == .string)
        #expect(schema["priority"]?.isIndexed == true)
    }

    @Test func optionalPropertiesWithoutAMatchingCaseAreNil() throws {
        let job = try realm.write { realm.create(Job.self, value: ["name": "a"]) }
        try realm.write {
            realm.dynamicObject(ofType: "Tasks_Job", forPrimaryKey: "a")?["previous"] =
                "lost"
        }
        #expect(job.previous == nil)
    }
}
