import Foundation
import RealmSwift
import Testing

// Tests that programming errors with change notifications stop the process with the documented
// text.

private let registrations: [String: Misuse] = [
    "observing an unmanaged list": Misuse(managedCollectionsOnly) {
        try inLoop { _ in _ = List<Int>().observe { _ in } }
    },
    "observing an unmanaged set": Misuse(managedCollectionsOnly) {
        try inLoop { _ in _ = MutableSet<Int>().observe { _ in } }
    },
    "observing an unmanaged map": Misuse(managedCollectionsOnly) {
        try inLoop { _ in _ = Map<String, Int>().observe { _ in } }
    },
    "observing the list of an unmanaged object": Misuse(managedCollectionsOnly) {
        try inLoop { _ in _ = Album().tracks.observe { _ in } }
    },
    "observing an unmanaged object": Misuse(managedObjectsOnly) {
        try inLoop { _ in _ = Track().observe { (_: ObjectChange<Track>) in } }
    },
    "observing an unmanaged embedded object": Misuse(managedObjectsOnly) {
        try inLoop { _ in _ = TrackLabel().observe { (_: ObjectChange<TrackLabel>) in } }
    },
    "observing a deleted object": Misuse("Object has been deleted or invalidated.") {
        try inLoop { realm in
            let track = try realm.track(0)
            try realm.write { realm.delete(track) }
            _ = track.observe { (_: ObjectChange<Track>) in }
        }
    },
    "observing a read-only Realm": Misuse(readOnly) {
        try inReadOnlyRealm { realm in _ = realm.observe { _, _ in } }
    },
    "observing results of a read-only Realm": Misuse(readOnly) {
        try inReadOnlyRealm { realm in _ = realm.objects(Track.self).observe { _ in } }
    },
    "observing an object of a read-only Realm": Misuse(readOnly) {
        try inReadOnlyRealm { realm in
            _ = try realm.track(0).observe { (_: ObjectChange<Track>) in }
        }
    },
    "observing a Realm without a run loop": Misuse(runLoopsOnly) {
        try runThread {
            let realm = try temporaryRealm(observedTypes)
            _ = realm.observe { _, _ in }
        }
    },
    "observing results without a run loop": Misuse(runLoopsOnly) {
        try runThread {
            let realm = try temporaryRealm(observedTypes)
            _ = realm.objects(Track.self).observe { _ in }
        }
    },
    "opening the Realm of a queue elsewhere": Misuse(
        "Realm opened from incorrect dispatch queue."
    ) {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: observedTypes)
        _ = try Realm(configuration: configuration, queue: DispatchQueue(label: "other"))
    },
    "observing on a thread that is not the Realm's": Misuse(
        "Realm accessed from incorrect thread."
    ) {
        try inLoop { realm in
            let results = Handed(realm.objects(Track.self))
            try runOnRunLoopThread { _ = results.value.observe { _ in } }
        }
    },
]

private let transactions: [String: Misuse] = [
    "observing results after a change in a transaction": Misuse(inTransaction) {
        try inLoop { realm in
            try realm.write {
                realm.addTracks([10])
                _ = realm.objects(Track.self).observe { _ in }
            }
        }
    },
    "observing a list after a change in a transaction": Misuse(inTransaction) {
        try inLoop { realm in
            try realm.write {
                realm.addTracks([10])
                _ = try realm.track(0).others.observe { _ in }
            }
        }
    },
    "skipping the token of another Realm": Misuse(
        "Incorrect Realm: only notifications for the Realm being modified can be skipped."
    ) {
        try inLoop { realm in
            let other = try temporaryRealm(observedTypes)
            let token = other.objects(Track.self).observe { _ in }
            try realm.write(withoutNotifying: [token]) {}
        }
    },
    "skipping the token of another Realm in a commit": Misuse(
        "Incorrect Realm: only notifications for the Realm being modified can be skipped."
    ) {
        try inLoop { realm in
            let other = try temporaryRealm(observedTypes)
            let token = other.observe { _, _ in }
            realm.beginWrite()
            try realm.commitWrite(withoutNotifying: [token])
        }
    },
    "writing in a handler that a write called": Misuse(
        "The Realm is already in a write transaction"
    ) {
        try observingMisuse { scene in
            let realm = scene.realm
            let log = ChangeLog<Recorded>()
            let token = scene.tracks.observe { change in
                log.append(Recorded(change))
                if log.count == 2 { realm.beginWrite() }
            }
            try pump { log.count == 1 }
            try scene.writeElsewhere { $0.addTracks([10]) }
            try realm.write {}
            token.invalidate()
        }
    },
]

private let keyPaths: [String: Misuse] = [
    "an unknown property of the elements": Misuse("property 'missing' not found") {
        try inLoop { realm in
            _ = realm.objects(Track.self).observe(keyPaths: ["missing"]) { _ in }
        }
    },
    "an unknown property of linked objects": Misuse("property 'missing' not found") {
        try inLoop { realm in
            _ = realm.objects(Track.self).observe(keyPaths: ["next.missing"]) { _ in }
        }
    },
    "an unknown property of an object": Misuse("property 'missing' not found") {
        try inLoop { realm in
            _ = try realm.track(0).observe(keyPaths: ["missing"]) { (_: ObjectChange<Track>) in }
        }
    },
    "an unknown property of a projected object": Misuse("property 'naem' not found") {
        try inLoop { realm in
            let view = TitledTrack(projecting: try realm.track(0))
            _ = view.observe(keyPaths: ["naem"]) { _ in }
        }
    },
    "an unknown property of a linked object of a projected one": Misuse(
        "property 'naem' not found"
    ) {
        try inLoop { realm in
            let view = TitledTrack(projecting: try realm.track(0))
            _ = view.observe(keyPaths: ["title", "next.naem"]) { _ in }
        }
    },
    "an unknown property of the values of a map": Misuse("property 'missing' not found") {
        try inLoop { realm in
            try realm.write { realm.create(Album.self, value: ["id": 0]) }
            _ = try realm.album().byKey.observe(keyPaths: ["missing"]) { _ in }
        }
    },
]

private final class TitledTrack: Projection<Track> {
    @Projected(\Track.title) var title
}

private let managedCollectionsOnly =
    "Change notifications are only supported on managed collections."
private let managedObjectsOnly =
    "Only objects which are managed by a Realm support change notifications"
private let readOnly = "Read-only Realms do not change and do not have change notifications."
private let runLoopsOnly = "Can only add notification blocks from within runloops."
private let inTransaction = "Cannot register notification blocks from within write transactions."

/// Runs `body` in a run loop with a Realm that has track 0.
private func inLoop(_ body: @escaping @Sendable (Realm) throws -> Void) throws {
    try runOnRunLoopThread {
        let realm = try temporaryRealm(observedTypes)
        try realm.write { realm.addTracks([0]) }
        try body(realm)
    }
}

private func observingMisuse(
    _ body: @escaping @Sendable (ObservationScene) throws -> Void
) throws {
    try runOnRunLoopThread { try body(ObservationScene(tracks: 4)) }
}

private func inReadOnlyRealm(_ body: @escaping @Sendable (Realm) throws -> Void) throws {
    let directory = TestDirectory.untilExit()
    var configuration = directory.configuration(observedTypes)
    try runThread { [configuration] in
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.addTracks([0]) }
    }
    configuration.readOnly = true
    try runOnRunLoopThread { [configuration] in try body(Realm(configuration: configuration)) }
}

@Suite struct ObservationTrapTests {
    @Test(arguments: registrations.names) func stopsRegistrations(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try registrations[name]?.body() }
        registrations.expectStop(name, result)
    }

    @Test(arguments: transactions.names) func stopsInTransactions(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try transactions[name]?.body() }
        transactions.expectStop(name, result)
    }

    /// The documentation quotes the end of the text only.
    @Test(arguments: keyPaths.names) func stopsInvalidKeyPaths(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try keyPaths[name]?.body() }
        guard let result else { return }
        let output = String(decoding: result.standardErrorContent, as: UTF8.self)
        let text = keyPaths[name]?.text ?? "none"
        #expect(output.contains("Fatal error: ") && output.contains(text), "\(output)")
        #expect(output.contains("in object of type 'Track'"))
    }
}
