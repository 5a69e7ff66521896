import Foundation
import RealmSwift

/// A Realm with classes of a test, open on the thread that observes. Like `ObservationScene`, for
/// other classes.
final class ModelScene {
    let directory = TestDirectory()
    let configuration: Realm.Configuration
    let realm: Realm
    private var tokens: [NotificationToken] = []
    private let markers = ChangeLog<Recorded>()
    private var markerToken: NotificationToken?

    init(_ types: [ObjectBase.Type]) throws {
        configuration = directory.configuration(types + [Marker.self])
        realm = try Realm(configuration: configuration)
    }

    /// Makes a commit on another thread, and waits for it.
    @discardableResult
    func writeElsewhere<Value: Sendable>(
        _ body: @escaping @Sendable (Realm) throws -> Value
    ) throws -> Value {
        try runThread { [configuration] in
            let realm = try Realm(configuration: configuration)
            return try realm.write { try body(realm) }
        }
    }

    /// Waits until everything that was committed is delivered: until a later commit is.
    func settle() throws {
        if markerToken == nil {
            let markers = markers
            markerToken = realm.objects(Marker.self).observe { markers.append(Recorded($0)) }
            try pump { markers.count == 1 }
        }
        let count = markers.count
        try writeElsewhere { realm in _ = realm.create(Marker.self) }
        try pump { markers.count > count }
        turnRunLoop(for: 0.002)
    }

    /// Keeps a token as long as the scene.
    func keep(_ token: NotificationToken) { tokens.append(token) }

    /// Observes a collection, and returns the log of what it reports after its initial contents.
    func observe<C: RealmCollection>(
        _ collection: C, keyPaths: [String]? = nil
    ) throws -> ChangeLog<Recorded> {
        let log = ChangeLog<Recorded>()
        keep(collection.observe(keyPaths: keyPaths) { log.append(Recorded($0)) })
        try pump { log.count > 0 }
        log.removeAll()
        return log
    }

    /// Observes a map, and returns the log of what it reports after its initial contents.
    func observe<Value: RealmCollectionValue>(
        _ map: Map<String, Value>, keyPaths: [String]? = nil
    ) throws -> ChangeLog<RecordedKeys> {
        let log = ChangeLog<RecordedKeys>()
        keep(map.observe(keyPaths: keyPaths) { log.append(RecordedKeys($0)) })
        try pump { log.count > 0 }
        log.removeAll()
        return log
    }

    /// Returns the entries made since the last call, after everything is delivered.
    func take<Entry>(_ log: ChangeLog<Entry>) throws -> [Entry] {
        try settle()
        defer { log.removeAll() }
        return log.entries
    }
}

/// Runs `body` with a scene of some classes on a thread with a run loop.
func observing(
    _ types: [ObjectBase.Type], _ body: @escaping @Sendable (ModelScene) throws -> Void
) async throws {
    try await withRunLoopThread { try body(ModelScene(types)) }
}
