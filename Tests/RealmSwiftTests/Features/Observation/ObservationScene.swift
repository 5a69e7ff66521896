import Foundation
import RealmSwift

/// A Realm of a test, open on the thread that observes.
final class ObservationScene {
    let directory = TestDirectory()
    let configuration: Realm.Configuration
    let realm: Realm
    private let markers = ChangeLog<Recorded>()
    private var markerToken: NotificationToken?

    /// Makes an album 0 with tracks 0, 1, …, `tracks` - 1.
    init(tracks: Int) throws {
        configuration = directory.configuration(observedTypes)
        realm = try Realm(configuration: configuration)
        try realm.write {
            realm.addTracks(0..<tracks)
            let album = realm.create(Album.self, value: ["id": 0, "name": "album 0"])
            album.tracks.append(objectsIn: realm.objects(Track.self))
        }
    }

    var tracks: Results<Track> { realm.objects(Track.self) }
    func track(_ id: Int) throws -> Track { try realm.track(id) }
    var album: Album { get throws { try realm.album() } }

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

    /// Observes a collection, and returns what it reports after its initial contents.
    func record<C: RealmCollection>(
        _ collection: C, keyPaths: [String]? = nil
    ) throws -> ChangeRecording<Recorded> {
        let recording = ChangeRecording<Recorded>(self)
        let log = recording.log
        recording.token = collection.observe(keyPaths: keyPaths) { log.append(Recorded($0)) }
        try recording.skipInitial()
        return recording
    }

    func record<C: RealmCollection>(
        _ collection: C, keyPaths: [PartialKeyPath<C.Element>]
    ) throws -> ChangeRecording<Recorded> where C.Element: ObjectBase {
        let recording = ChangeRecording<Recorded>(self)
        let log = recording.log
        recording.token = collection.observe(keyPaths: keyPaths) { log.append(Recorded($0)) }
        try recording.skipInitial()
        return recording
    }

    func record<Value: RealmCollectionValue>(
        _ map: Map<String, Value>, keyPaths: [String]? = nil
    ) throws -> ChangeRecording<RecordedKeys> {
        let recording = ChangeRecording<RecordedKeys>(self)
        let log = recording.log
        recording.token = map.observe(keyPaths: keyPaths) { log.append(RecordedKeys($0)) }
        try recording.skipInitial()
        return recording
    }

    func record(_ track: Track, keyPaths: [String]? = nil) -> ChangeRecording<RecordedObject> {
        let recording = ChangeRecording<RecordedObject>(self)
        let log = recording.log
        recording.token = track.observe(keyPaths: keyPaths) { (change: ObjectChange<Track>) in
            log.append(RecordedObject(change))
        }
        return recording
    }
}

/// Runs `body` with a scene on a thread with a run loop.
func observing(
    tracks: Int = 4, _ body: @escaping @Sendable (ObservationScene) throws -> Void
) async throws {
    try await withRunLoopThread { try body(ObservationScene(tracks: tracks)) }
}

/// The entries of one observer.
final class ChangeRecording<Entry> {
    let log = ChangeLog<Entry>()
    var token: NotificationToken?
    private let scene: ObservationScene

    init(_ scene: ObservationScene) { self.scene = scene }

    fileprivate func skipInitial() throws {
        try pump { log.count > 0 }
        log.removeAll()
    }

    /// Returns the entries made since the last call, after everything is delivered.
    func take() throws -> [Entry] {
        try scene.settle()
        defer { log.removeAll() }
        return log.entries
    }
}

/// A change of a collection.
enum Recorded: Equatable, Sendable {
    case initial(Int)
    case update(deletions: [Int] = [], insertions: [Int] = [], modifications: [Int] = [])
    case failed

    init<C: RealmCollection>(_ change: RealmCollectionChange<C>) {
        switch change {
        case .initial(let collection): self = .initial(collection.count)
        case .update(_, let deletions, let insertions, let modifications):
            self = .update(
                deletions: deletions, insertions: insertions, modifications: modifications)
        case .error: self = .failed
        }
    }

    static func modified(_ positions: Int...) -> Recorded { .update(modifications: positions) }
    static func inserted(_ positions: Int...) -> Recorded { .update(insertions: positions) }
    static func deleted(_ positions: Int...) -> Recorded { .update(deletions: positions) }
}

/// A change of a map.
enum RecordedKeys: Equatable, Sendable {
    case initial(Int)
    case update(deletions: [String] = [], insertions: [String] = [], modifications: [String] = [])
    case failed

    init<Value>(_ change: RealmMapChange<Map<String, Value>>) {
        switch change {
        case .initial(let map): self = .initial(map.count)
        case .update(_, let deletions, let insertions, let modifications):
            self = .update(
                deletions: deletions, insertions: insertions, modifications: modifications)
        case .error: self = .failed
        }
    }
}

/// A change of an object, with values as text and properties in the order of their names.
enum RecordedObject: Equatable, Sendable {
    struct Property: Equatable, Sendable {
        let name: String
        var old = "nil"
        var new = "nil"
    }

    case change([Property])
    case deleted
    case failed

    init<T>(_ change: ObjectChange<T>) {
        switch change {
        case .change(_, let properties):
            self = .change(
                properties.sorted { $0.name < $1.name }.map {
                    Property(
                        name: $0.name, old: Self.text($0.oldValue), new: Self.text($0.newValue))
                })
        case .deleted: self = .deleted
        case .error: self = .failed
        }
    }

    private static func text(_ value: Any?) -> String { value.map { "\($0)" } ?? "nil" }

    /// A change on the thread of the observer, which has no old values.
    static func own(_ name: String, _ new: String) -> RecordedObject {
        .change([Property(name: name, new: new)])
    }

    /// A change of properties that have neither old nor new values.
    static func names(_ names: String...) -> RecordedObject {
        .change(names.map { Property(name: $0) })
    }

    var names: [String] {
        if case .change(let properties) = self { properties.map(\.name) } else { [] }
    }
}
