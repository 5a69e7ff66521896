import Foundation
import RealmSwift
import Testing

@Suite struct ListObservationTests {
    @Test func appendedInsertedAndRemovedElementsAreReported() async throws {
        try await observing { scene in
            let list = try scene.album.numbers
            let recording = try scene.record(list)
            try scene.realm.write { list.append(objectsIn: [1, 2, 3]) }
            #expect(try recording.take() == [.inserted(0, 1, 2)])
            try scene.realm.write { list.insert(0, at: 1) }
            #expect(try recording.take() == [.inserted(1)])
            try scene.realm.write { list.remove(at: 2) }
            #expect(try recording.take() == [.deleted(2)])
        }
    }

    @Test func replacedValuesAreModifications() async throws {
        try await observing { scene in
            let list = try scene.album.numbers
            try scene.realm.write { list.append(objectsIn: [1, 2, 3]) }
            let recording = try scene.record(list)
            try scene.realm.write { list[1] = 9 }
            #expect(try recording.take() == [.modified(1)])
        }
    }

    @Test func aMoveIsADeletionAndAnInsertion() async throws {
        try await observing { scene in
            let list = try scene.album.tracks
            let recording = try scene.record(list)
            try scene.writeElsewhere { realm in try realm.album().tracks.move(from: 0, to: 2) }
            #expect(try recording.take() == [.update(deletions: [0], insertions: [2])])
            #expect(Array(list.map(\.id)) == [1, 2, 0, 3])
        }
    }

    @Test func theBooksExampleOfARemovalAndAChange() async throws {
        try await observing(tracks: 3) { scene in
            let list = try scene.album.tracks
            let recording = try scene.record(list)
            try scene.realm.write {
                list.remove(at: 0)
                list[1].title = "Joel"
            }
            #expect(try recording.take() == [.update(deletions: [0], modifications: [2])])
            try scene.realm.write { list.removeAll() }
            #expect(try recording.take() == [.deleted(0, 1)])
        }
    }

    @Test func everyPlaceOfAModifiedObjectIsReported() async throws {
        try await observing { scene in
            let list = try scene.album.tracks
            try scene.realm.write { list.append(objectsIn: [list[1], list[0], list[1]]) }
            let recording = try scene.record(list)
            try scene.realm.write { try scene.track(1).title = "new" }
            #expect(try recording.take() == [.modified(1, 4, 6)])
        }
    }

    @Test func everyPlaceOfADeletedObjectIsReported() async throws {
        try await observing { scene in
            let list = try scene.album.tracks
            try scene.realm.write { list.append(objectsIn: [list[1], list[0], list[1]]) }
            let recording = try scene.record(list)
            try scene.writeElsewhere { realm in try realm.delete(realm.track(1)) }
            #expect(try recording.take() == [.deleted(1, 4, 6)])
        }
    }

    @Test func anElementInsertedAndRemovedInOneCommitIsNotReported() async throws {
        try await observing { scene in
            let list = try scene.album.numbers
            let recording = try scene.record(list)
            try scene.realm.write {
                list.append(1)
                list.removeAll()
            }
            #expect(try recording.take() == [])
        }
    }

    @Test func changesOfObjectsOutsideOfTheListAreNotReported() async throws {
        try await observing { scene in
            let list = try scene.album.tracks
            try scene.realm.write { list.remove(at: 3) }
            let recording = try scene.record(list)
            try scene.realm.write { try scene.track(3).title = "new" }
            #expect(try recording.take() == [])
        }
    }

    @Test func changesOfTheOwnersOtherPropertiesAreNotReported() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.album.tracks)
            try scene.realm.write {
                try scene.album.name = "new"
                try scene.album.numbers.append(1)
            }
            #expect(try recording.take() == [])
        }
    }

    @Test func deletingTheOwnerReportsDeletionsAndThenNothing() async throws {
        try await observing { scene in
            let list = try scene.album.tracks
            let recording = try scene.record(list)
            try scene.writeElsewhere { realm in try realm.delete(realm.album()) }
            #expect(try recording.take() == [.deleted(0, 1, 2, 3)])
            #expect(list.isInvalidated)
            try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
            #expect(try recording.take() == [])
            #expect(recording.token?.invalidate() == true)
        }
    }

    @Test func changesOfEmbeddedElementsAreModifications() async throws {
        try await observing { scene in
            try scene.realm.write {
                let labels = ["a", "b"].map { TrackLabel(value: ["text": $0]) }
                try scene.track(0).labels.append(objectsIn: labels)
            }
            let recording = try scene.record(scene.track(0).labels)
            try scene.realm.write { try scene.track(0).labels[1].text = "new" }
            #expect(try recording.take() == [.modified(1)])
            try scene.writeElsewhere { realm in try realm.track(0).labels.remove(at: 0) }
            #expect(try recording.take() == [.deleted(0)])
        }
    }

    @Test func assigningAListReportsItsNewElements() async throws {
        try await observing { scene in
            let list = try scene.album.numbers
            let recording = try scene.record(list)
            try scene.writeElsewhere { realm in
                let numbers = List<Int>()
                numbers.append(objectsIn: [4, 5])
                try realm.album().numbers = numbers
            }
            #expect(try recording.take() == [.inserted(0, 1)])
            #expect(Array(list) == [4, 5])
        }
    }
}

@Suite struct LinkingObjectsObservationTests {
    @Test func referrersThatComeAndGoAreReported() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.track(0).albums)
            try scene.writeElsewhere { realm in
                let album = realm.create(Album.self, value: ["id": 1])
                try album.tracks.append(realm.track(0))
            }
            #expect(try recording.take() == [.inserted(1)])
            try scene.writeElsewhere { realm in try realm.album(1).tracks.removeAll() }
            #expect(try recording.take() == [.deleted(1)])
        }
    }

    @Test func changedReferrersAreModifications() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.track(0).albums)
            try scene.realm.write { try scene.album.name = "new" }
            #expect(try recording.take() == [.modified(0)])
        }
    }

    @Test func aReferrerCountsOncePerPlaceInItsList() async throws {
        try await observing { scene in
            let referrers = try scene.track(0).albums
            let recording = try scene.record(referrers)
            try scene.realm.write { try scene.album.tracks.append(scene.track(0)) }
            let entries = try recording.take()
            #expect(referrers.count == 2 && entries.count == 1)
            guard case .update(let deletions, let insertions, _) = entries.first else {
                throw Missing()
            }
            #expect(insertions.count - deletions.count == 1)
        }
    }

    @Test func derivedResultsReportThemToo() async throws {
        try await observing { scene in
            let results = try scene.track(0).albums.filter("name = 'found'")
            let recording = try scene.record(results)
            try scene.realm.write { try scene.album.name = "found" }
            #expect(try recording.take() == [.inserted(0)])
            try scene.realm.write { try scene.album.tracks.removeAll() }
            #expect(try recording.take() == [.deleted(0)])
        }
    }

    @Test func deletingTheTargetReportsDeletions() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.track(0).albums)
            try scene.writeElsewhere { realm in try realm.delete(realm.track(0)) }
            #expect(try recording.take() == [.deleted(0)])
        }
    }
}
