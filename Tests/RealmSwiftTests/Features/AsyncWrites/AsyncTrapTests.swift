import Foundation
import RealmSwift
import Testing

// Tests that programming errors with asynchronous writes stop the process with the documented text.

private let inTransaction = "The Realm is already in a write transaction"
private let readOnly = "Can't perform transactions on read-only Realms."
private let frozen = "Can't perform transactions on a frozen Realm"
private let otherThread = "Realm accessed from incorrect thread."

/// Runs `body` with a scene in a running run loop, and goes on with the loop until it stops.
private func inLoop(_ body: @escaping @Sendable (AsyncScene) throws -> Void) throws {
    try runOnRunLoopThread {
        let scene = try AsyncScene()
        try body(scene)
        try pump { false }
    }
}

private func readOnlyRealm() throws -> Realm {
    var configuration = asyncConfiguration()
    try writeAsyncItems(to: configuration) { $0.addItem(1) }
    configuration.readOnly = true
    return try Realm(configuration: configuration)
}

private let misuses: [String: Misuse] = [
    "beginning a transaction inside the block": Misuse(inTransaction) {
        try inLoop { scene in
            let realm = scene.realm
            realm.writeAsync { realm.beginWrite() }
        }
    },
    "writing inside the block": Misuse(inTransaction) {
        try inLoop { scene in
            let realm = scene.realm
            realm.beginAsyncWrite {
                do { try realm.write {} } catch { print(error) }
            }
        }
    },
    "committing asynchronously without a transaction": Misuse(
        "Can't commit a non-existing write transaction"
    ) { try inLoop { scene in scene.realm.commitAsyncWrite() } },
    "committing twice": Misuse("Can't commit a non-existing write transaction") {
        try inLoop { scene in
            let realm = scene.realm
            realm.beginAsyncWrite {
                realm.commitAsyncWrite()
                realm.commitAsyncWrite()
            }
        }
    },
    "cancelling after an asynchronous commit": Misuse(
        "Can't cancel a non-existing write transaction"
    ) {
        try inLoop { scene in
            let realm = scene.realm
            realm.beginWrite()
            realm.commitAsyncWrite()
            realm.cancelWrite()
        }
    },
    "changing an object after an asynchronous commit": Misuse(
        "Attempting to modify object outside of a write transaction - call beginWriteTransaction "
            + "on an RLMRealm instance first."
    ) {
        try inLoop { scene in
            let realm = scene.realm
            realm.beginWrite()
            let item = realm.addItem(1)
            realm.commitAsyncWrite()
            item.text = "late"
        }
    },
    "changing an object in the completion": Misuse(
        "Attempting to modify object outside of a write transaction - call beginWriteTransaction "
            + "on an RLMRealm instance first."
    ) {
        try inLoop { scene in
            let realm = scene.realm
            realm.writeAsync {
                realm.addItem(1)
            } onComplete: { _ in
                realm.objects(AsyncItem.self).first?.text = "late"
            }
        }
    },
    "changing an object between request and block": Misuse(
        "Attempting to modify object outside of a write transaction - call beginWriteTransaction "
            + "on an RLMRealm instance first."
    ) {
        try inLoop { scene in
            let realm = scene.realm
            let item = try realm.write { realm.addItem(1) }
            realm.writeAsync {}
            item.text = "early"
        }
    },
    "writing a read-only Realm asynchronously": Misuse(readOnly) {
        try inLoop { _ in try readOnlyRealm().writeAsync {} }
    },
    "beginning to write a read-only Realm": Misuse(readOnly) {
        try inLoop { _ in try readOnlyRealm().beginAsyncWrite {} }
    },
    "writing a frozen Realm asynchronously": Misuse(frozen) {
        try inLoop { scene in scene.realm.freeze().writeAsync {} }
    },
    "beginning to write a frozen Realm": Misuse(frozen) {
        try inLoop { scene in scene.realm.freeze().beginAsyncWrite {} }
    },
    "requesting on another thread": Misuse(otherThread) {
        try inLoop { scene in
            let realm = Handed(scene.realm)
            try runOnRunLoopThread { _ = realm.value.writeAsync {} }
        }
    },
    "committing on another thread": Misuse(otherThread) {
        try inLoop { scene in
            let realm = Handed(scene.realm)
            scene.realm.beginWrite()
            try runOnRunLoopThread { _ = realm.value.commitAsyncWrite() }
        }
    },
    "requesting outside of the Realm's queue": Misuse(otherThread) {
        let queue = DispatchQueue(label: "own")
        let realm = try queue.sync { Handed(try AsyncScene(queue: queue).realm) }
        try runOnRunLoopThread { _ = realm.value.writeAsync {} }
    },
]

@Suite struct AsyncTrapTests {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }

    /// The documentation does not give the text.
    @Test func requestsNeedARunLoopOrAQueue() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try runThread { _ = try AsyncScene().realm.writeAsync {} }
        }
        guard let result else { return }
        let output = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(output.contains("Fatal error: "))
    }

    @Test func asyncWriteNeedsARealmOfAnActor() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { try await AsyncMisuses.asyncWriteOfAThread() }
        expectStop(
            "asyncWrite() can only be called on main thread or actor-isolated Realms", result)
    }

    @Test func asyncRefreshNeedsARealmOfAnActor() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { try await AsyncMisuses.asyncRefreshOfAThread() }
        expectStop(
            "asyncRefresh() can only be called on main thread or actor-isolated Realms", result)
    }

    @Test func asyncRefreshIsNotForQueues() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { try await AsyncMisuses.asyncRefreshOfAQueue() }
        expectStop(
            "asyncRefresh() can only be called on main thread or actor-isolated Realms", result)
    }

    @Test func aRealmOfAnActorStaysThere() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { try await AsyncMisuses.useOutsideOfTheActor() }
        expectStop(otherThread, result)
    }

    @Test func anObjectOfAnActorStaysThere() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { try await AsyncMisuses.readOutsideOfTheActor() }
        expectStop(otherThread, result)
    }

    @Test func aTransactionInsideAsyncWriteStops() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { try await AsyncMisuses.beginInsideAsyncWrite() }
        expectStop(inTransaction, result)
    }
}

/// Misuses by functions of an actor.
@AsyncTestActor private enum AsyncMisuses {
    static func asyncWriteOfAThread() async throws {
        let realm = try openOnThisThread(asyncConfiguration())
        try await realm.asyncWrite {}
    }

    static func asyncRefreshOfAThread() async throws {
        let realm = try openOnThisThread(asyncConfiguration())
        _ = await realm.asyncRefresh()
    }

    static func asyncRefreshOfAQueue() async throws {
        let queue = DispatchQueue(label: "own")
        let realm = try queue.sync { try AsyncScene(queue: queue).realm }
        _ = await realm.asyncRefresh()
    }

    static func useOutsideOfTheActor() async throws {
        let realm = Handed(try await Realm.open(configuration: asyncConfiguration()))
        try runThread { _ = realm.value.objects(AsyncItem.self).count }
    }

    static func readOutsideOfTheActor() async throws {
        let realm = try await Realm.open(configuration: asyncConfiguration())
        let item = Handed(try await realm.asyncWrite { realm.addItem(1, "text") })
        try runThread { _ = item.value.text }
    }

    static func beginInsideAsyncWrite() async throws {
        let realm = try await Realm.open(configuration: asyncConfiguration())
        try await realm.asyncWrite { realm.beginWrite() }
    }
}
