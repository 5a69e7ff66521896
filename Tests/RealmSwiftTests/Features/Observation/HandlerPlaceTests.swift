import Dispatch
import Foundation
import StorageEngine
import Testing
import ToolSupport

@testable import RealmSwift

/// Records on which thread it was made from its stored form.
struct Tracked: CustomPersistable, Hashable {
    typealias PersistedType = Int
    static let threads = ChangeLog<String>()
    let value: Int

    init(persistedValue: Int) {
        value = persistedValue
        Self.threads.append(Thread.current.name ?? "")
    }

    var persistableValue: Int { value }
}

class TrackedHolder: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var values: List<Tracked>
    @Persisted var set: MutableSet<Tracked>
    @Persisted var map: Map<String, Tracked>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Where the application's functions run and what they captured goes, what stays pinned, and what
/// is told of the time before a handler was registered.
@Suite struct HandlerPlaceTests {
    /// The thread that finds out what has changed reads stored values only.
    @Test func customValuesAreMadeWhereTheyAreUsed() async throws {
        try await observing([TrackedHolder.self]) { scene in
            try scene.realm.write {
                let holder = scene.realm.create(TrackedHolder.self, value: ["id": 0])
                holder.values.append(objectsIn: [3, 1, 2].map { Tracked(persistedValue: $0) })
            }
            let holder = try #require(
                scene.realm.object(ofType: TrackedHolder.self, forPrimaryKey: 0))
            Thread.current.name = "observing"
            Tracked.threads.removeAll()
            let logs = [
                try scene.observe(holder.values), try scene.observe(holder.set),
                try scene.observe(holder.values.sorted(ascending: true)),
                try scene.observe(holder.values.distinct()),
            ]
            let map = try scene.observe(holder.map)
            try scene.writeElsewhere { realm in
                let holder = realm.object(ofType: TrackedHolder.self, forPrimaryKey: 0)
                Thread.current.name = "writing"
                holder?.values.append(Tracked(persistedValue: 0))
                holder?.set.insert(Tracked(persistedValue: 7))
                holder?.map["a"] = Tracked(persistedValue: 7)
            }
            #expect(try scene.take(logs[2]) == [.inserted(0)])
            #expect(logs[0].entries == [.inserted(3)] && logs[3].entries == [.inserted(3)])
            #expect(logs[1].entries == [.inserted(0)])
            #expect(map.entries == [.update(insertions: ["a"])])
            #expect(Array(holder.values.sorted(ascending: true)).map(\.value) == [0, 1, 2, 3])
            #expect(Set(Tracked.threads.entries).isSubset(of: ["observing", "writing"]))
        }
    }

    private final class Witness: Sendable {
        let gone: ChangeLog<Bool>
        let isWhereItBelongs: @Sendable () -> Bool

        init(_ gone: ChangeLog<Bool>, _ isWhereItBelongs: @escaping @Sendable () -> Bool) {
            self.gone = gone
            self.isWhereItBelongs = isWhereItBelongs
        }

        deinit { gone.append(isWhereItBelongs()) }
    }

    /// Whoever ends a handler on another thread may have the last reference to it.
    @Test func whatAHandlerHasCapturedIsReleasedWhereItWasCalled() async throws {
        let observing = ObservingQueue()
        let mark = DispatchSpecificKey<Bool>()
        observing.queue.setSpecific(key: mark, value: true)
        let gone = ChangeLog<Bool>()
        let configuration = TestDirectory.untilExit().configuration(observedTypes)
        let tokens = try await observing.run {
            let realm = try Realm(configuration: configuration, queue: observing.queue)
            let witness = Witness(gone) { DispatchQueue.getSpecific(key: mark) == true }
            return Handed([
                realm.objects(Track.self).observe { _ in withExtendedLifetime(witness) {} },
                realm.observe { _, _ in withExtendedLifetime(witness) {} },
            ])
        }
        let handlers = Handed(tokens.value.flatMap(\.handlers))
        for token in tokens.value { token.invalidate() }
        try await observing.wait { gone.count == 1 }
        handlers.value = []
        #expect(gone.entries == [true])
        tokens.value = []
    }

    /// The file of a token that was dropped before its queue came to it is not opened.
    @Test func aTokenThatIsDroppedBeforeItsQueueRegistersItOpensNothing() async {
        await #expect(processExitsWith: .success) {
            let observing = ObservingQueue()
            observing.queue.suspend()
            let path = try runOnRunLoopThread {
                let scene = try ObservationScene(tracks: 1)
                _ = scene.tracks.observe(on: observing.queue) { _ in }
                _ = try scene.track(0).observe(on: observing.queue) {
                    (_: ObjectChange<Track>) in
                }
                return scene.configuration.fileURL?.path ?? ""
            }
            // The directory went with the scene.
            observing.queue.resume()
            observing.queue.sync {}
            if FileManager.default.fileExists(atPath: path) { fatalError("a file was made") }
        }
    }

    /// A handler on a queue is told what was committed between the call of `observe` and its
    /// registration, with the values before.
    @Test func anObjectIsToldOfChangesBeforeItsQueueRegistersIt() async throws {
        try await observing { scene in
            let observing = ObservingQueue()
            observing.queue.suspend()
            let log = ChangeLog<RecordedObject>()
            let token = try scene.track(0).observe(on: observing.queue) {
                (change: ObjectChange<Track>) in log.append(RecordedObject(change))
            }
            try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
            observing.queue.resume()
            try pump { log.count == 1 }
            let changed = RecordedObject.Property(name: "title", old: "track 0", new: "new")
            #expect(log.entries == [.change([changed])])
            token.invalidate()
        }
    }

    /// What is pinned while a loop over changes is busy: the version that it knows, and the one
    /// that the Realm shows.
    @Test func aBusyLoopKeepsTheVersionThatItKnowsAndNoOther() async throws {
        try await observing { scene in
            let realm = scene.realm
            let notifier = realm.instance.observableNotifier()
            let tracks = realm.objects(Track.self).filter("rank >= 0")
            let wakes = ChangeLog<Int>()
            let registration = try notifier.register(
                tracks._backing.identity(nil), in: realm.instance, isInitial: true,
                making: { tracks._backing.observed(in: $0, nil) },
                delivery: .pull(wake: { wakes.append(1) }, end: {}))
            try pump { wakes.count == 1 }
            #expect(try notifier.takeReport(registration, in: realm.instance) != nil)
            #expect(try notifier.takeReport(registration, in: realm.instance) == nil)
            try scene.writeElsewhere { $0.addTracks([10]) }
            try pump { wakes.count == 2 }
            #expect(try notifier.takeReport(registration, in: realm.instance) != nil)
            // Now it is busy.
            try scene.writeElsewhere { $0.addTracks([11]) }
            try pump { realm.objects(Track.self).count == 6 }
            for id in 12..<16 { try realm.write { realm.addTracks([id]) } }
            let path = try #require(scene.configuration.fileURL?.path)
            // What prepares changes for observers may pin another one for a moment.
            func pins() throws -> Int {
                try Database.open(path: path).statistics().pinnedVersions.count
            }
            try pump { try pins() <= 2 }
            notifier.end(registration)
            try pump { try pins() <= 1 }
        }
    }

    /// A handler that has taken its report out of turn does not make the others wait for another
    /// round.
    @Test func takingAReportDelaysNoOther() async throws {
        try await observing { scene in
            let realm = scene.realm
            let log = ChangeLog<Recorded>()
            let token = scene.tracks.observe { log.append(Recorded($0)) }
            let notifier = realm.instance.observableNotifier()
            let albums = realm.objects(Album.self)
            let wakes = ChangeLog<Int>()
            let registration = try notifier.register(
                albums._backing.identity(nil), in: realm.instance, isInitial: true,
                making: { albums._backing.observed(in: $0, nil) },
                delivery: .pull(wake: { wakes.append(1) }, end: {}))
            try pump { wakes.count == 1 && log.count == 1 }
            #expect(try notifier.takeReport(registration, in: realm.instance) != nil)
            try scene.writeElsewhere { realm in _ = realm.create(Album.self, value: ["id": 1]) }
            try pump { albums.count == 2 }
            try scene.writeElsewhere { $0.addTracks([10]) }
            try pumpWithoutTurning { notifier.isAsked }
            #expect(try notifier.takeReport(registration, in: realm.instance) != nil)
            turnRunLoop(for: 0)
            #expect(log.entries.last == .inserted(4))
            token.invalidate()
            notifier.end(registration)
        }
    }

    /// Waits until a condition holds, without running the run loop.
    private func pumpWithoutTurning(_ condition: () throws -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while try !condition() {
            if ContinuousClock.now > deadline { throw WaitingTooLong() }
            Thread.sleep(forTimeInterval: 0.001)
        }
    }

    /// What is to be done on a thread that has ended is dropped, whoever keeps what would do it.
    @Test func workForAThreadThatHasEndedIsDropped() throws {
        let configuration = TestDirectory.untilExit().configuration(observedTypes)
        let work = try runOnRunLoopThread {
            _ = try Realm(configuration: configuration)
            return RunLoopWork()
        }
        // The thread may still be ending.
        try pumpWithoutTurning {
            let gone = ChangeLog<Bool>()
            do {
                let witness = Witness(gone) { true }
                work.add { withExtendedLifetime(witness) {} }
            }
            return gone.count == 1
        }
    }

    /// A condition that is nested as deeply as any may be is evaluated by the thread that looks for
    /// changes.
    @Test func deeplyNestedConditionsMayBeObserved() async {
        await #expect(processExitsWith: .success) {
            try runOnRunLoopThread {
                let scene = try ObservationScene(tracks: 4)
                try scene.realm.write {
                    for id in 0..<4 { try scene.track(id).others.append(scene.track(id)) }
                }
                for condition in deepConditions {
                    let recording = try scene.record(scene.tracks.filter(condition))
                    let id = 10 + scene.tracks.count
                    try scene.writeElsewhere { realm in
                        realm.addTracks([id])
                        try realm.track(id).others.append(realm.track(id))
                        try realm.track(0).title = "title \(id)"
                    }
                    if try recording.take().count != 1 { fatalError("nothing is told") }
                }
            }
        }
    }
}

/// Conditions that are nested as deeply as any may be: combinations that cannot be flattened,
/// conditions on linked objects, and subqueries.
private let deepConditions: [String] = {
    var combined = "rank >= 0"
    for level in 0..<190 {
        combined = (level % 2 == 0 ? "rank < 0 OR" : "rank >= 0 AND") + " (\(combined))"
    }
    var subqueries = "$v60.rank >= 0"
    for level in (0..<60).reversed() {
        let origin = level == 0 ? "others" : "$v\(level).others"
        subqueries = "SUBQUERY(\(origin), $v\(level + 1), \(subqueries)).@count > 0"
    }
    let links = "ANY " + String(repeating: "others.", count: 90) + "rank >= 0"
    return [combined, subqueries, links]
}()
