import Foundation
import RealmSwift
import Testing

/// A group of queries that one case observes.
private struct QueryGroup: Sendable {
    let name: String
    let queries: [PetQuery]

    static let all = [
        QueryGroup(name: "filters", queries: PetQuery.filters),
        QueryGroup(name: "orders", queries: PetQuery.orders),
        QueryGroup(name: "linked", queries: PetQuery.linked),
        QueryGroup(name: "groups", queries: PetQuery.groups),
        QueryGroup(name: "collections", queries: PetQuery.collections),
    ]
}

/// Compares what observers of queries are told with what a naive comparison of all objects finds.
/// The message of a failure has the seed. The settings are those of `MirrorSettings`.
@Suite struct IncrementalObservationModelTests {
    static let seeds = MirrorSettings.seeds(8)
    static let groups = QueryGroup.all.map(\.name)

    @Test(arguments: seeds)
    func changesOfSomeObjectsAreToldRightly(_ seed: Int) async throws {
        let faults = try await withRunLoopThread {
            let run = try IncrementalRun(seed: UInt64(seed), pets: 50, queries: PetQuery.all)
            return try run.faults(after: MirrorSettings.rounds(25), changing: 8)
        }
        #expect(faults.isEmpty, "OBSERVATION_SEED=\(seed): \(faults.joined(separator: "\n"))")
    }

    @Test(arguments: seeds)
    func aChangeOfOneObjectOfFewIsToldRightly(_ seed: Int) async throws {
        let faults = try await withRunLoopThread {
            let run = try IncrementalRun(seed: UInt64(seed), pets: 20, queries: PetQuery.all)
            return try run.faults(after: MirrorSettings.rounds(25), changing: 1)
        }
        #expect(faults.isEmpty, "OBSERVATION_SEED=\(seed): \(faults.joined(separator: "\n"))")
    }

    @Test(arguments: groups)
    func aChangeOfOneObjectOfThousandsIsToldRightly(_ group: String) async throws {
        let queries = QueryGroup.all.first { $0.name == group }?.queries ?? []
        let faults = try await withRunLoopThread {
            let run = try IncrementalRun(seed: 1, pets: 2_000, queries: queries)
            return try run.faults(after: MirrorSettings.rounds(15), changing: 1)
        }
        #expect(faults.isEmpty, "\(group): \(faults.joined(separator: "\n"))")
    }
}

/// Single changes of filtered and sorted results, with the change set that is told.
@Suite struct QueryChangeSetTests {
    @Test func oneTransactionMayInsertDeleteMoveAndModify() async throws {
        try await observing(tracks: 6) { scene in
            let recording = try scene.record(scene.tracks.sorted(byKeyPath: "rank"))
            try scene.writeElsewhere { realm in
                realm.create(Track.self, value: ["id": 10, "rank": -1])
                realm.create(Track.self, value: ["id": 11, "rank": 100])
                try realm.delete(realm.track(1))
                try realm.track(0).rank = 50
                try realm.track(3).title = "new"
            }
            #expect(
                try recording.take() == [
                    .update(deletions: [0, 1], insertions: [0, 5, 6], modifications: [3])
                ])
        }
    }

    @Test func equalKeysKeepTheOrderOfTheObjects() async throws {
        try await observing { scene in
            try scene.realm.write { for track in scene.tracks { track.rank = 1 } }
            let sorted = scene.tracks.sorted(byKeyPath: "rank", ascending: false)
            let recording = try scene.record(sorted)
            try scene.realm.write { try scene.track(1).title = "new" }
            #expect(try recording.take() == [.modified(1)])
            try scene.writeElsewhere { realm in
                _ = realm.create(Track.self, value: ["id": 10, "rank": 1])
            }
            #expect(try recording.take() == [.inserted(4)])
            try scene.writeElsewhere { realm in try realm.track(0).rank = 0 }
            #expect(try recording.take() == [.update(deletions: [0], insertions: [4])])
            try scene.writeElsewhere { realm in try realm.track(3).rank = 2 }
            #expect(try recording.take() == [.update(deletions: [2], insertions: [0])])
            try scene.writeElsewhere { realm in try realm.track(3).rank = 1 }
            #expect(try recording.take() == [.update(deletions: [0], insertions: [2])])
            #expect(sorted.map(\.id) == [1, 2, 3, 10, 0])
        }
    }

    @Test func aChangeOfALesserKeyMovesAnObjectAmongItsEquals() async throws {
        try await observing(tracks: 6) { scene in
            try scene.realm.write {
                for track in scene.tracks {
                    track.group = track.id / 3
                    track.rank = 10 - track.id
                }
            }
            let sorted = scene.tracks.sorted(by: [
                SortDescriptor(keyPath: "group", ascending: false),
                SortDescriptor(keyPath: "rank"),
            ])
            #expect(sorted.map(\.id) == [5, 4, 3, 2, 1, 0])
            let recording = try scene.record(sorted)
            try scene.writeElsewhere { realm in try realm.track(5).rank = 9 }
            #expect(try recording.take() == [.update(deletions: [0], insertions: [2])])
            try scene.writeElsewhere { realm in try realm.track(0).rank = 0 }
            #expect(try recording.take() == [.update(deletions: [5], insertions: [3])])
            try scene.writeElsewhere { realm in try realm.track(1).group = 7 }
            #expect(try recording.take() == [.update(deletions: [5], insertions: [0])])
        }
    }

    @Test func aFilterWithoutCaseSeesBothSpellings() async throws {
        try await observing { scene in
            try scene.realm.write {
                for (id, title) in ["Alpha", "beta", "ALPHA", "gamma"].enumerated() {
                    try scene.track(id).title = title
                }
            }
            let recording = try scene.record(scene.tracks.filter("title ==[c] 'alpha'"))
            try scene.writeElsewhere { realm in try realm.track(1).title = "aLpHa" }
            #expect(try recording.take() == [.inserted(1)])
            try scene.writeElsewhere { realm in try realm.track(0).title = "alpha" }
            #expect(try recording.take() == [.modified(0)])
            try scene.writeElsewhere { realm in try realm.track(2).title = "ALPHAS" }
            #expect(try recording.take() == [.deleted(2)])
        }
    }

    @Test func aChangeOfALinkedObjectMovesWhatLinksToItIntoAFilter() async throws {
        try await observing { scene in
            try scene.realm.write {
                for id in [0, 1] { try scene.track(id).next = scene.track(3) }
            }
            let filtered = scene.tracks.filter("next.title = 'go'")
            let recording = try scene.record(filtered)
            let other = try scene.record(filtered, keyPaths: ["rank"])
            try scene.writeElsewhere { realm in try realm.track(3).title = "go" }
            #expect(try recording.take() == [.inserted(0, 1)])
            #expect(try other.take() == [.inserted(0, 1)])
            try scene.writeElsewhere { realm in try realm.track(3).rank = 9 }
            #expect(try recording.take() == [.modified(0, 1)])
            #expect(try other.take() == [])
            try scene.writeElsewhere { realm in try realm.delete(realm.track(3)) }
            #expect(try recording.take() == [.deleted(0, 1)])
            #expect(try other.take() == [.deleted(0, 1)])
        }
    }

    @Test func aChangeOfALinkedObjectMovesWhatLinksToItInAnOrder() async throws {
        try await observing(tracks: 6) { scene in
            try scene.realm.write {
                try scene.track(0).next = scene.track(4)
                for id in 1..<4 { try scene.track(id).next = scene.track(5) }
            }
            let sorted = scene.tracks.filter("id < 4").sorted(byKeyPath: "next.rank")
            let recording = try scene.record(sorted)
            try scene.writeElsewhere { realm in try realm.track(4).rank = 10 }
            #expect(try recording.take() == [.update(deletions: [0], insertions: [3])])
            try scene.writeElsewhere { realm in try realm.track(0).next = nil }
            // An interrupted path comes last, so the object stays.
            #expect(try recording.take() == [.modified(3)])
        }
    }

    @Test func anObjectThatStandsForItsEqualsIsReplaced() async throws {
        try await observing(tracks: 6) { scene in
            try scene.realm.write { for track in scene.tracks { track.group = track.id % 3 } }
            let distinct = scene.tracks.sorted(byKeyPath: "rank").distinct(by: ["group"])
            let recording = try scene.record(distinct)
            #expect(distinct.map(\.id) == [0, 1, 2])
            // Track 4 is the next of group 1, and comes after tracks 0 and 2.
            try scene.writeElsewhere { realm in try realm.track(1).rank = 100 }
            #expect(try recording.take() == [.update(deletions: [1], insertions: [2])])
            #expect(distinct.map(\.id) == [0, 2, 4])
            try scene.writeElsewhere { realm in try realm.track(3).title = "new" }
            #expect(try recording.take() == [])
        }
    }

    @Test func aHalfOfManyObjectsIsDeleted() async throws {
        try await observing(tracks: 1_000) { scene in
            let recording = try scene.record(scene.tracks.sorted(byKeyPath: "rank"))
            try scene.writeElsewhere { realm in
                realm.delete(Array(realm.objects(Track.self)).filter { $0.id % 2 == 1 })
            }
            let odd = Array(stride(from: 1, to: 1_000, by: 2))
            #expect(try recording.take() == [.update(deletions: odd)])
        }
    }

    @Test func thousandsOfObjectsAreInserted() async throws {
        try await observing(tracks: 2) { scene in
            let all = try scene.record(scene.tracks)
            let sorted = try scene.record(
                scene.tracks.sorted(byKeyPath: "rank", ascending: false))
            try scene.writeElsewhere { $0.addTracks(10..<3_010) }
            #expect(try all.take() == [.update(insertions: Array(2..<3_002))])
            #expect(try sorted.take() == [.update(insertions: Array(0..<3_000))])
        }
    }

    @Test func everythingIsReplaced() async throws {
        try await observing(tracks: 20) { scene in
            let mirror = CollectionMirror(
                "sorted", scene.tracks.sorted(byKeyPath: "rank"), labelledText)
            let recording = try scene.record(scene.tracks.filter("rank >= 0"))
            try scene.writeElsewhere { realm in
                realm.delete(realm.objects(Track.self))
                realm.addTracks(100..<115)
            }
            let change = Recorded.update(
                deletions: Array(0..<20), insertions: Array(0..<15))
            #expect(try recording.take() == [change])
            mirror.checkSettled()
            #expect(mirror.failures == [])
        }
    }

    @Test func anOrderThatIsReversedIsToldRightly() async throws {
        try await observing(tracks: 100) { scene in
            let mirror = CollectionMirror(
                "sorted", scene.tracks.sorted(byKeyPath: "rank"), labelledText)
            try scene.settle()
            try scene.writeElsewhere { realm in
                for track in realm.objects(Track.self) { track.rank = -track.id }
            }
            try scene.settle()
            mirror.checkSettled()
            #expect(mirror.failures == [])
            #expect(scene.tracks.sorted(byKeyPath: "rank").first?.id == 99)
        }
    }

    @Test func whatLeavesAndComesBackInOneTransactionStays() async throws {
        try await observing { scene in
            let filtered = scene.tracks.filter("rank > 1").sorted(byKeyPath: "id")
            let recording = try scene.record(filtered, keyPaths: ["title"])
            try scene.writeElsewhere { realm in
                for rank in [0, 100, 2] { try realm.track(2).rank = rank }
            }
            #expect(try recording.take() == [])
            try scene.writeElsewhere { realm in
                try realm.track(2).rank = 0
                try realm.track(3).title = "new"
                try realm.track(2).rank = 7
            }
            #expect(try recording.take() == [.modified(1)])
        }
    }
}
