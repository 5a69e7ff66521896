import Foundation
import RealmSwift
import StorageEngine
import StressModel
import Testing

@testable import StressKit

/// The judges of the layer of observers: mirrors, and what is said about pins.
@Suite(.serialized) struct ObserversTests {
    private let folder: ScratchFolder
    private let point = StressPoint("observers", "alone").with("seed", 5)
    private let changes = ObservedChanges(seed: 5)
    private var path: String { folder.path + "/observed" }

    init() throws { folder = try ScratchFolder() }

    /// Fills a file, and runs `body` with it and a party that has been told of that.
    private func observing(
        _ kind: ObservingPlace.Kind, _ body: (Realm, ObservingParty) throws -> Void
    ) throws {
        let realm = try Realm(configuration: point.observedConfiguration(path))
        try changes.fill(realm)
        let party = try ObservingParty(kind, point.observedConfiguration(path))
        try party.settle(1)
        try body(realm, party)
        try party.end()
    }

    @Test(arguments: [ObservingPlace.Kind.queue, .runLoop, .passed])
    func mirrorsFollowTheContents(kind: ObservingPlace.Kind) throws {
        try observing(kind) { realm, party in
            for step in 1...20 {
                let count = try changes.run(step, on: realm)
                #expect(count == step + 1)
                try party.settle(count)
            }
            #expect(party.log.counts.deliveries > 20)
            #expect(party.log.counts.comparisons > 20 * 30)
        }
    }

    /// A run loop has three file descriptors, of which a process has few.
    @Test func aPlaceThatEndsLeavesNothing() throws {
        func descriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        }
        let before = try descriptors()
        let places = 200
        for _ in 0..<places {
            let place = ObservingPlace(.runLoop)
            try place.run {}
            place.end()
        }
        // Others run meanwhile.
        #expect(try descriptors() < before + places)
    }

    @Test func everyMirrorThatMissesAChangeIsFound() throws {
        try observing(.queue) { _, party in
            let names = try party.atPlace { set in
                let mirrors = set.mirrors.filter { $0 is CollectionMirror<Results<ObservedSong>> }
                try set.realm.write(withoutNotifying: mirrors.compactMap(\.token)) {
                    ObservedChanges.countOne(set.realm)
                    let songs = set.realm.objects(ObservedSong.self).filter("id < 3")
                    for song in songs { (song.title, song.rank) = ("new", 3) }
                }
                return mirrors.map(\.name)
            }
            #expect(names.count > 10)
            #expect {
                try party.settle(2)
            } throws: { error in
                let finding = error as? Finding
                return finding?.kind == .wrongState
                    && finding?.message.contains("a change is missing") == true
            }
        }
    }

    @Test func positionsThatDoNotFitAreFound() {
        func fault(_ deletions: [Int], _ insertions: [Int], _ modifications: [Int]) -> String? {
            ChangedPositions(
                deletions: deletions, insertions: insertions, modifications: modifications
            ).fault(oldCount: 4, newCount: 5)
        }
        #expect(fault([0], [0, 1], [3]) == nil)
        #expect(fault([], [], [])?.contains("empty") == true)
        #expect(fault([], [4], [2, 1])?.contains("sorted") == true)
        #expect(fault([], [3, 3], [])?.contains("sorted") == true)
        #expect(fault([], [4], [4])?.contains("outside of 4") == true)
        #expect(fault([], [5], [])?.contains("outside of 5") == true)
        #expect(fault([1], [1, 2], [1])?.contains("deletes") == true)
        #expect(fault([1], [1], [])?.contains("lead") == true)
    }

    @Test func anOldVersionThatStaysPinnedIsSeen() throws {
        try observing(.runLoop) { realm, party in
            let database = try Database.open(path: path, options: point.options())
            let pins = ObservedPins(database)
            try party.forget()
            var reader: Connection? = try Connection(database)
            let version = reader?.version
            try changes.run(1, on: realm)
            #expect(try pins.oldVersions(of: System.processID).contains(try #require(version)))
            reader = nil
            try pins.waitUntilNewest(of: System.processID)
        }
    }

    /// Handlers of mirrors register further ones, and a handler that hangs as the last of all must
    /// come behind these.
    @Test func theLastObserverIsCalledBehindThoseThatCameLater() throws {
        try observing(.queue) { realm, party in
            let calls = Locked<[String]>([])
            try party.atPlace { set in
                set.onDelivery = { place in calls.withLock { $0.append(place.rawValue) } }
                set.add(
                    CountMirror(set.realm, set.log, on: nil) { _ in
                        calls.withLock { $0.append("added") }
                    })
            }
            try party.settle(1)
            try party.moveLastBehind()
            calls.withLock { $0 = [] }
            try party.settle(try changes.run(1, on: realm))
            #expect(calls.withLock { $0 } == ["first", "added", "last"])
        }
    }

    /// Points at which mirrors and handlers have found a fault of their own: observers that were
    /// added behind the last one, a transaction that has failed after it has deleted what is
    /// observed, and a handler that was ended when it was to be told of a deletion.
    @Test(arguments: [
        "observers/slow file=encrypted place=queue transactions=4 seed=20261128",
        "observers/full-disk place=run-loop transactions=21 seed=20261129 bytes=524288",
        "observers/alone durability=relaxed place=passed+run-loop transactions=27 seed=260853",
    ])
    func mirrorsFindNoFaultOfTheirOwn(text: String) throws {
        let report = try report(on: #require(StressPoint(text)), seconds: 60)
        #expect(report.failures == [])
    }

    /// The same seed makes the same changes in another file.
    @Test func changesRepeat() throws {
        func contents(_ name: String) throws -> [String] {
            let configuration = try point.observedConfiguration(folder.path + "/" + name)
            let realm = try Realm(configuration: configuration)
            try changes.fill(realm)
            for step in 1...50 { try changes.run(step, on: realm) }
            return realm.objects(ObservedSong.self).map(ObservedText.song)
                + realm.objects(ObservedAlbum.self).map(ObservedText.album)
        }
        let first = try contents("a")
        #expect(first.count > 5)
        #expect(try contents("b") == first)
    }

    @Test func aPointNamesItsPlacesAndItsKill() throws {
        #expect(try point.with("place", "queue+run-loop").observingPlaces() == [.queue, .runLoop])
        for text in ["", "main", "queue+x"] {
            #expect(throws: (any Error).self) { try point.with("place", text).observingPlaces() }
        }
        let killed = StressPoint("observers", "killed-writers").with("transactions", 3)
            .with("seed", 5).with("kill", "before:futex_wake:2")
        let report = try report(on: killed, seconds: 20)
        #expect(report.points == 1)
        #expect(report.failures == [])
        #expect(report.coverage["writers killed"] == 1)
    }
}
