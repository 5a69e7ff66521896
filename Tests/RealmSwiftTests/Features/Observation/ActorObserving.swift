import Foundation
import RealmSwift

// Actors that observe, and tests that wait for what they are told without blocking a thread.

/// The entries that handlers made, which a test awaits. Unchecked because the lock guards them.
final class AwaitedLog<Entry: Sendable>: @unchecked Sendable {
    private typealias Continuation = CheckedContinuation<Bool, Never>

    private struct Waiter {
        let count: Int
        let continuation: Continuation
    }

    private let lock = NSLock()
    private var made: [Entry] = []
    private var waiters: [Int: Waiter] = [:]
    private var nextWaiter = 0

    var entries: [Entry] { lock.withLock { made } }
    var count: Int { lock.withLock { made.count } }

    func append(_ entry: Entry) {
        let ready = lock.withLock {
            made.append(entry)
            let ready = waiters.filter { $0.value.count <= made.count }
            for id in ready.keys { waiters[id] = nil }
            return ready.values.map(\.continuation)
        }
        for continuation in ready { continuation.resume(returning: true) }
    }

    /// Waits until there are `count` entries.
    func wait(count: Int) async throws {
        let isReached = await withCheckedContinuation { (continuation: Continuation) in
            add(Waiter(count: count, continuation: continuation))
        }
        if !isReached { throw WaitingTooLong() }
    }

    private func add(_ waiter: Waiter) {
        let id: Int? = lock.withLock {
            if made.count >= waiter.count { return nil }
            nextWaiter += 1
            waiters[nextWaiter] = waiter
            return nextWaiter
        }
        guard let id else { return waiter.continuation.resume(returning: true) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 600) { self.giveUp(id) }
    }

    private func giveUp(_ id: Int) {
        let waiter = lock.withLock { waiters.removeValue(forKey: id) }
        waiter?.continuation.resume(returning: false)
    }
}

/// Waits until `condition` holds, of which nothing tells: it is asked again and again.
func waitAsync(until condition: @Sendable () throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(600)
    while try !condition() {
        if ContinuousClock.now > deadline { throw WaitingTooLong() }
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// Opened once, by a test. Unchecked because the lock guards its state.
final class TestGate: @unchecked Sendable {
    private let lock = NSLock()
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func open() {
        let resumed = lock.withLock {
            isOpen = true
            defer { waiting = [] }
            return waiting
        }
        for continuation in resumed { continuation.resume() }
    }

    /// Waits until the gate is open.
    func wait() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let mustResume = lock.withLock {
                if !isOpen { waiting.append(continuation) }
                return isOpen
            }
            if mustResume { continuation.resume() }
        }
    }
}

/// A weak reference that any thread may ask. Unchecked because it is set once.
final class WeakReference<Referent: AnyObject>: @unchecked Sendable {
    private weak var object: Referent?
    init(_ object: Referent?) { self.object = object }
    var isGone: Bool { object == nil }
}

/// Makes a commit on the thread of `realm`. For asynchronous functions, which wait for the lock
/// here: nobody else holds it for long.
func commitHere(
    _ realm: Realm, skipping tokens: [NotificationToken] = [], _ body: (Realm) throws -> Void
) throws {
    try realm.write(withoutNotifying: tokens) { try body(realm) }
}

/// A file with tracks 0 to 3, in groups 0 and 1, and album 0 that lists them.
struct ActorScene: Sendable {
    let configuration: Realm.Configuration

    init() async throws {
        configuration = TestDirectory.untilExit().configuration(observedTypes)
        try await write { realm in
            realm.addTracks(0..<4)
            for id in 0..<4 { try realm.track(id).group = id / 2 }
            let album = realm.create(Album.self, value: ["id": 0, "name": "album 0"])
            album.tracks.append(objectsIn: realm.objects(Track.self))
        }
    }

    /// Makes a commit on another thread, and waits for it.
    func write(_ body: @escaping @Sendable (Realm) throws -> Void) async throws {
        try await onThread { [configuration] in
            let realm = try Realm(configuration: configuration)
            try realm.write { try body(realm) }
        }
    }

    /// The same, blocking the caller. For use where nothing else is to run meanwhile.
    func writeBlocking(_ body: @escaping @Sendable (Realm) throws -> Void) throws {
        try runThread { [configuration] in
            let realm = try Realm(configuration: configuration)
            try realm.write { try body(realm) }
        }
    }
}

/// An actor with a Realm of its own.
actor Watcher {
    private let configuration: Realm.Configuration
    private var realm: Realm?
    var tokens: [NotificationToken] = []
    private let markers = AwaitedLog<Int>()
    private var markerToken: NotificationToken?

    init(_ scene: ActorScene) { configuration = scene.configuration }

    private func open() async throws -> Realm {
        if let realm { return realm }
        let opened = try await Realm.open(configuration: configuration)
        realm = opened
        return opened
    }

    /// Runs `body` on this actor, with its Realm.
    func run<Value: Sendable>(
        _ body: @Sendable (isolated Watcher, Realm) async throws -> Value
    ) async throws -> Value {
        let realm = try await open()
        return try await body(self, realm)
    }

    /// Waits until everything that was committed is delivered: until a later commit is.
    func settle(_ scene: ActorScene) async throws {
        let realm = try await open()
        if markerToken == nil {
            let markers = markers
            markerToken = await realm.objects(Marker.self).observe(on: self) { _, change in
                if case .error = change { return }
                markers.append(1)
            }
            try await markers.wait(count: 1)
        }
        let count = markers.count
        try await scene.write { realm in _ = realm.create(Marker.self) }
        try await markers.wait(count: count + 1)
        // The handlers that were called with this one have returned when the actor is free again.
        await Task.yield()
    }

    func keep(_ token: NotificationToken) { tokens.append(token) }

    func close() {
        for token in tokens { token.invalidate() }
        tokens = []
        markerToken = nil
        realm = nil
    }
}
