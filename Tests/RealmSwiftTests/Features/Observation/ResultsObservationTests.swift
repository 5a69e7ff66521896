import Foundation
import Testing

@testable import RealmSwift

@Suite struct ResultsObservationTests {
    @Test func theInitialContentsComeFirstAndAsynchronously() async throws {
        try await observing { scene in
            let log = ChangeLog<Recorded>()
            let token = scene.tracks.observe { log.append(Recorded($0)) }
            #expect(log.entries.isEmpty)
            try pump { log.count > 0 }
            #expect(log.entries == [.initial(4)])
            token.invalidate()
        }
    }

    @Test func anEmptyCollectionHasInitialContentsToo() async throws {
        try await observing(tracks: 0) { scene in
            let log = ChangeLog<Recorded>()
            let token = scene.tracks.observe { log.append(Recorded($0)) }
            try pump { log.count > 0 }
            #expect(log.entries == [.initial(0)])
            token.invalidate()
        }
    }

    @Test func newObjectsAreInsertions() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.tracks)
            try scene.realm.write { scene.realm.addTracks([10, 11]) }
            #expect(try recording.take() == [.inserted(4, 5)])
            try scene.writeElsewhere { $0.addTracks([12]) }
            #expect(try recording.take() == [.inserted(6)])
        }
    }

    @Test func aHandlerNeedNotSearchAgain() async throws {
        try await observing(tracks: 200) { scene in
            let tracks = scene.tracks.filter("rank >= 0").sorted(byKeyPath: "title")
            let known = ChangeLog<Int?>()
            let token = tracks.observe { change in
                if case .update(let tracks, _, _, _) = change {
                    known.append(tracks.query.found.ordered?.count)
                }
            }
            try pump { tracks.query.found.ordered != nil }
            try scene.writeElsewhere { $0.addTracks([1_000]) }
            try pump { known.count > 0 }
            #expect(known.entries == [201])
            #expect(tracks.first?.title == tracks.min { $0.title < $1.title }?.title)
            #expect(Array(tracks).map(\.id) == Array(tracks.filter("id >= 0")).map(\.id))
            // What the Realm's own transaction changes is searched for again.
            try scene.realm.write { scene.realm.addTracks([1_001]) }
            #expect(tracks.query.found.ordered == nil || tracks.count == 202)
            #expect(tracks.count == 202)
            token.invalidate()
        }
    }

    @Test func changedObjectsAreModifications() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.tracks)
            try scene.writeElsewhere { realm in
                try realm.track(3).title = "new"
                try realm.track(1).rank = 100
                try realm.track(1).title = "new"
            }
            #expect(try recording.take() == [.modified(1, 3)])
        }
    }

    @Test func deletedObjectsAreDeletions() async throws {
        try await observing(tracks: 1) { scene in
            let recording = try scene.record(scene.tracks)
            try scene.writeElsewhere { realm in try realm.delete(realm.track(0)) }
            #expect(try recording.take() == [.deleted(0)])
        }
    }

    @Test func deletingEverythingDeletesEveryPosition() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.tracks)
            try scene.writeElsewhere { $0.deleteAll() }
            #expect(try recording.take() == [.deleted(0, 1, 2, 3)])
        }
    }

    @Test func objectsThatBeginOrCeaseToMatchAreInsertedAndDeleted() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.tracks.filter("rank > 1"))
            try scene.realm.write { try scene.track(0).rank = 5 }
            #expect(try recording.take() == [.inserted(0)])
            try scene.realm.write { try scene.track(2).rank = 0 }
            #expect(try recording.take() == [.deleted(1)])
            try scene.realm.write { try scene.track(3).rank = 7 }
            #expect(try recording.take() == [.modified(1)])
        }
    }

    @Test func changesOfObjectsThatDoNotMatchAreNotReported() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.tracks.filter("rank > 1"))
            try scene.realm.write { try scene.track(0).title = "new" }
            #expect(try recording.take() == [])
        }
    }

    @Test func sortedObjectsThatMoveAreDeletedAndInserted() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.tracks.sorted(byKeyPath: "rank"))
            try scene.realm.write { try scene.track(0).rank = 100 }
            #expect(try recording.take() == [.update(deletions: [0], insertions: [3])])
        }
    }

    @Test func sortedObjectsThatStayAreModified() async throws {
        try await observing { scene in
            let sorted = scene.tracks.sorted(byKeyPath: "rank", ascending: false)
            let recording = try scene.record(sorted)
            try scene.realm.write { try scene.track(0).rank = -1 }
            #expect(try recording.take() == [.modified(3)])
            try scene.realm.write { try scene.track(3).title = "new" }
            #expect(try recording.take() == [.modified(0)])
        }
    }

    @Test func modificationsHaveTheirPreviousPositions() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.tracks.sorted(byKeyPath: "rank"))
            try scene.writeElsewhere { realm in
                realm.create(Track.self, value: ["id": 10, "rank": -1])
                try realm.track(2).title = "new"
            }
            #expect(
                try recording.take() == [.update(insertions: [0], modifications: [2])])
            try scene.writeElsewhere { realm in
                try realm.delete(realm.track(10))
                try realm.track(3).title = "new"
            }
            #expect(try recording.take() == [.update(deletions: [0], modifications: [4])])
        }
    }

    @Test func filteredAndSortedResultsReportBoth() async throws {
        try await observing { scene in
            let results = scene.tracks.filter("rank > 0")
                .sorted(byKeyPath: "rank", ascending: false)
            let recording = try scene.record(results)
            try scene.writeElsewhere { realm in
                try realm.track(0).rank = 10
                try realm.track(1).rank = 0
                try realm.track(2).title = "new"
            }
            #expect(
                try recording.take() == [
                    .update(deletions: [2], insertions: [0], modifications: [1])
                ])
        }
    }

    @Test func distinctResultsReportTheObjectThatTakesThePlace() async throws {
        try await observing { scene in
            try scene.realm.write {
                for id in 0..<4 { try scene.track(id).group = id / 2 }
            }
            let results = scene.tracks.sorted(byKeyPath: "id").distinct(by: ["group"])
            let recording = try scene.record(results)
            try scene.realm.write { try scene.realm.delete(scene.track(0)) }
            #expect(try recording.take() == [.update(deletions: [0], insertions: [0])])
            try scene.realm.write { try scene.track(3).group = 9 }
            #expect(try recording.take() == [.inserted(2)])
        }
    }

    @Test func resultsOfAListReportWhatEntersAndLeavesIt() async throws {
        try await observing { scene in
            try scene.realm.write { try scene.album.tracks.removeAll() }
            let results = try scene.album.tracks.filter("rank < 3")
                .sorted(byKeyPath: "rank")
            let recording = try scene.record(results)
            try scene.writeElsewhere { realm in
                for id in [3, 2, 0] { try realm.album().tracks.append(realm.track(id)) }
            }
            #expect(try recording.take() == [.inserted(0, 1)])
            try scene.writeElsewhere { realm in try realm.album().tracks.remove(at: 2) }
            #expect(try recording.take() == [.deleted(0)])
            #expect(results.count == 1)
        }
    }

    @Test func sortedResultsOfAListOfValuesReportPositions() async throws {
        try await observing { scene in
            try scene.realm.write { try scene.album.numbers.append(objectsIn: [3, 1]) }
            let recording = try scene.record(scene.album.numbers.sorted())
            try scene.realm.write { try scene.album.numbers.append(2) }
            #expect(try recording.take() == [.inserted(1)])
            try scene.realm.write { try scene.album.numbers.remove(at: 0) }
            #expect(try recording.take() == [.deleted(2)])
        }
    }

    @Test func changesOfLinkedObjectsAreModifications() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.realm.objects(Album.self))
            try scene.realm.write { try scene.album.name = "new" }
            #expect(try recording.take() == [.modified(0)])
            try scene.realm.write { try scene.album.tracks.removeLast() }
            #expect(try recording.take() == [.modified(0)])
            try scene.realm.write { try scene.track(1).title = "new" }
            #expect(try recording.take() == [.modified(0)])
        }
    }

    @Test func changesOfReferrersAreNotModifications() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.tracks)
            try scene.realm.write {
                try scene.album.name = "new"
                try scene.album.tracks.removeLast()
            }
            #expect(try recording.take() == [])
        }
    }

    @Test func theCollectionOfAChangeEqualsTheObservedOne() async throws {
        try await observing { scene in
            let results = scene.tracks.filter("rank > 1")
            let log = ChangeLog<Bool>()
            let token = results.observe { change in
                switch change {
                case .initial(let now): log.append(now == results)
                case .update(let now, _, _, _): log.append(now == results)
                case .error: log.append(false)
                }
            }
            try pump { log.count == 1 }
            try scene.realm.write { try scene.track(3).title = "new" }
            try pump { log.count == 2 }
            #expect(log.entries == [true, true])
            token.invalidate()
        }
    }

    @Test func anErasedCollectionReportsWhatItsBaseDoes() async throws {
        try await observing { scene in
            let results = try scene.record(AnyRealmCollection(scene.tracks))
            let list = try scene.record(AnyRealmCollection(try scene.album.tracks))
            try scene.writeElsewhere { realm in
                realm.addTracks([10])
                try realm.album().tracks.insert(realm.track(10), at: 0)
                try realm.track(2).title = "new"
            }
            #expect(try results.take() == [.update(insertions: [4], modifications: [2])])
            #expect(list.log.entries == [.update(insertions: [0], modifications: [2])])
        }
    }
}
