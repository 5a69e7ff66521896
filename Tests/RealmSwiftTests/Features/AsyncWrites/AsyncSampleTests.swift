import Foundation
import RealmSwift
import Testing

// Asynchronous writes and actors as applications write them, after the documentation.

class SampleTodo: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
    @Persisted var owner: String
    @Persisted var status: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// An actor that isolates a Realm.
private actor RealmActor {
    // An implicitly unwrapped optional is used here to be able to pass `self` to `Realm(actor:)`
    // within `init`.
    var realm: Realm!

    init(configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    var count: Int { realm.objects(SampleTodo.self).count }

    func createTodo(name: String, owner: String, status: String) async throws {
        try await realm.asyncWrite {
            realm.create(
                SampleTodo.self,
                value: [
                    "_id": ObjectId.generate(), "name": name, "owner": owner, "status": status,
                ] as [String: Any])
        }
    }

    func id(named name: String) -> ObjectId? {
        realm.objects(SampleTodo.self).where { $0.name == name }.first?._id
    }

    func status(of id: ObjectId) -> String? {
        realm.object(ofType: SampleTodo.self, forPrimaryKey: id)?.status
    }

    func updateTodo(_id: ObjectId, status: String) async throws {
        try await realm.asyncWrite {
            realm.create(
                SampleTodo.self, value: ["_id": _id, "status": status] as [String: Any],
                update: .modified)
        }
    }

    func deleteTodo(id: ObjectId) async throws {
        try await realm.asyncWrite {
            let todoToDelete = realm.object(ofType: SampleTodo.self, forPrimaryKey: id)
            realm.delete(todoToDelete!)
        }
    }

    func close() { realm = nil }
}

/// A function that is isolated to the actor uses its Realm without waiting.
private func createTodos(in actor: isolated RealmActor) async throws -> Int {
    let countBefore = actor.count
    try await actor.createTodo(name: "Arrive safely in Bree", owner: "Merry", status: "In Progress")
    return actor.count - countBefore
}

@globalActor actor SampleBackgroundActor {
    static let shared = SampleBackgroundActor()
}

@Suite(.timeLimit(.minutes(10))) struct AsyncSampleTests {
    private let configuration = TestDirectory.untilExit().configuration([SampleTodo.self])

    @Test func anActorCreatesUpdatesAndDeletes() async throws {
        let actor = try await RealmActor(configuration: configuration)
        try await actor.createTodo(name: "Keep it safe", owner: "Frodo", status: "In Progress")
        let id = try #require(await actor.id(named: "Keep it safe"))
        try await actor.updateTodo(_id: id, status: "Completed")
        #expect(await actor.status(of: id) == "Completed")
        #expect(await actor.count == 1)
        try await actor.deleteTodo(id: id)
        #expect(await actor.count == 0)
        await actor.close()
    }

    @Test func aFunctionIsolatedToTheActorUsesItsRealm() async throws {
        let actor = try await RealmActor(configuration: configuration)
        let added = try await createTodos(in: actor)
        #expect(added == 1)
    }

    @MainActor @Test func theMainActor() async throws {
        // These are identical: the asynchronous initializer gives a Realm of the main actor if no
        // actor is given.
        let realm1 = try await Realm(configuration: configuration)
        let realm2 = try await Realm(configuration: configuration, actor: MainActor.shared)
        #expect(realm1 == realm2)
        try await useTheRealm(realm1)
    }

    @MainActor private func useTheRealm(_ realm: Realm) async throws {
        try await realm.asyncWrite {
            _ = realm.create(SampleTodo.self, value: ["_id": ObjectId.generate()])
        }
        #expect(realm.objects(SampleTodo.self).count == 1)
    }

    @SampleBackgroundActor @Test func aGlobalActor() async throws {
        let realm = try await Realm(
            configuration: configuration, actor: SampleBackgroundActor.shared)
        try await realm.asyncWrite {
            _ = realm.create(
                SampleTodo.self,
                value: ["_id": ObjectId.generate(), "name": "Pledge fealty"] as [String: Any])
        }
        // After an `await`, a task may be on another thread. The Realm is used all the same.
        let todoCount = realm.objects(SampleTodo.self).count
        #expect(todoCount == 1)
    }

    @Test func anAsynchronousWrite() async throws {
        let configuration = configuration
        try await withRunLoopThread {
            let realm = try Realm(configuration: configuration)
            let finished = ChangeLog<Bool>()
            realm.writeAsync {
                realm.create(SampleTodo.self, value: ["_id": ObjectId.generate()])
            } onComplete: { error in
                finished.append(error == nil)
            }
            try pump { finished.count == 1 }
            #expect(finished.entries == [true] && realm.objects(SampleTodo.self).count == 1)
        }
    }

    /// A button that is pressed again before the first write has begun.
    @Test func aWriteThatIsReplacedByAnother() async throws {
        let configuration = configuration
        try await withRunLoopThread {
            let realm = try Realm(configuration: configuration)
            let id = ObjectId.generate()
            try realm.write { _ = realm.create(SampleTodo.self, value: ["_id": id]) }
            let pending = Handed<AsyncTransactionId?>(nil)
            func save(_ status: String) throws {
                if let earlier = pending.value { try realm.cancelAsyncWrite(earlier) }
                pending.value = realm.writeAsync {
                    realm.object(ofType: SampleTodo.self, forPrimaryKey: id)?.status += status
                }
            }
            for status in ["a", "b", "c"] { try save(status) }
            try pump { !realm.isPerformingAsynchronousWriteOperations }
            #expect(realm.object(ofType: SampleTodo.self, forPrimaryKey: id)?.status == "c")
        }
    }

    @Test func openingInTheBackground() throws {
        let (log, done) = (ChangeLog<String>(), DispatchSemaphore(value: 0))
        Realm.asyncOpen(configuration: configuration) { result in
            switch result {
            case .success(let realm): log.append("opened, \(realm.isEmpty)")
            case .failure(let error): log.append("failed: \(error)")
            }
            done.signal()
        }
        #expect(waitInTime(done))
        #expect(log.entries == ["opened, true"])
    }

    /// The sample of `cancelWrite()`, which the documentation allows inside of `writeAsync`.
    @Test func cancellingRestoresDataButNotInstances() async throws {
        let configuration = configuration
        try await withRunLoopThread {
            let realm = try Realm(configuration: configuration)
            try realm.write {
                _ = realm.create(SampleTodo.self, value: ["_id": ObjectId.generate()])
            }
            let oldObject = realm.objects(SampleTodo.self).first!
            let newObject = SampleTodo()
            newObject._id = ObjectId.generate()
            realm.writeAsync {
                realm.add(newObject)
                realm.delete(oldObject)
                realm.cancelWrite()
            }
            try pump { !realm.isPerformingAsynchronousWriteOperations }
            #expect(oldObject.isInvalidated && newObject.isInvalidated)
            #expect(realm.objects(SampleTodo.self).first?.isInvalidated == false)
        }
    }
}
