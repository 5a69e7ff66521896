import Foundation
import RealmSwift
import Testing

/// What counts as modified in sections, and what their keys may depend on.
@Suite struct SectionKeyPathTests {
    /// Nothing says which of two elements that change places has moved. The one whose property
    /// counts is told, as modified or as moved.
    @Test(arguments: [true, false])
    func anElementThatMovesIsToldAlthoughManyOthersAreModified(_ comesFirst: Bool) async throws {
        try await observing(tracks: 100) { scene in
            try scene.realm.write { for track in scene.tracks { track.rank *= 10 } }
            let sections = scene.tracks.sorted(byKeyPath: "rank").sectioned(by: { _ in 0 })
            let recording = try scene.record(sections, keyPaths: ["rank"])
            let (moved, other) = comesFirst ? (11, 10) : (10, 11)
            try scene.writeElsewhere { realm in
                for id in 20..<90 { try realm.track(id).title = "new \(id)" }
                try realm.track(moved).rank = try realm.track(other).rank + (comesFirst ? -1 : 1)
            }
            let changes = try recording.take().items
            #expect(changes.count == 1)
            let change = try #require(changes.first)
            let isToldAsMoved = change.deletions == [moved] && change.insertions == [other]
            // The other one moves around it, which is modified in the position after the change.
            let isToldAsModified =
                change.deletions == [other] && change.insertions == [moved]
                && change.modifications == [other]
            #expect(isToldAsMoved || isToldAsModified, "\(change)")
        }
    }

    /// Paths that lead through linking objects, and through more links than are followed without
    /// key paths.
    @Test func pathsThatLeadFarAreToldAsForResults() async throws {
        try await observing(tracks: 8) { scene in
            try scene.realm.write {
                for id in 0..<7 { try scene.track(id).next = scene.track(id + 1) }
            }
            let far = "next.next.next.next.next.title"
            // The changed object is no element, and four links lead to it from none.
            let tracks = scene.tracks.filter("id < 3")
            for (path, expected) in [("albums.name", [0, 1, 2]), (far, [2])] {
                let all = tracks.sectioned(by: { _ in 0 }, sortDescriptors: ["id"])
                let recording = try scene.record(all, keyPaths: [path])
                let one = try scene.record(all[0], keyPaths: [path])
                let results = try scene.record(tracks, keyPaths: [path])
                try scene.writeElsewhere { realm in
                    try realm.album().name = "new"
                    try realm.track(7).title = "new"
                }
                #expect(try recording.take().items.map(\.modifications) == [expected])
                #expect(one.log.entries.items.map(\.modifications) == [expected])
                #expect(results.log.entries == [.update(modifications: expected)])
                #expect(try recording.take() == [])
            }
        }
    }

    /// In sections of lists, of values and of filtered results, paths count like this as well.
    @Test func pathsCountInSectionsOfOtherCollections() async throws {
        try await observing(tracks: 4) { scene in
            let list = try scene.album.tracks.sectioned(by: { $0.rank % 2 })
            let filtered = scene.tracks.filter("rank > 0").sectioned(
                by: { $0.rank % 2 }, sortDescriptors: ["id"])
            let recordings = [
                try scene.record(list, keyPaths: ["albums.name"]),
                try scene.record(filtered, keyPaths: ["albums.name"]),
            ]
            try scene.writeElsewhere { realm in
                try realm.album().name = "new"
                try realm.track(3).title = "new"
            }
            #expect(
                try recordings[0].take() == [
                    .changed(modifications: [[0, 0], [0, 1], [1, 0], [1, 1]])
                ])
            #expect(
                recordings[1].log.entries == [
                    .changed(modifications: [[0, 0], [0, 1], [1, 0]])
                ])
        }
    }

    /// Linking objects, and their own properties, may decide in which section an object is.
    @Test func keysMayDependOnLinkingObjects() async throws {
        try await observing(tracks: 6) { scene in
            let sections = scene.tracks.sectioned(
                by: { $0.albums.count }, sortDescriptors: ["id"])
            let named = scene.tracks.sectioned(
                by: { $0.albums.first?.name ?? "" }, sortDescriptors: ["id"])
            let recordings = [try scene.record(sections), try scene.record(named)]
            func check() throws {
                #expect(sections.reduce(0) { $0 + $1.count } == scene.tracks.count)
                for section in sections {
                    #expect(section.allSatisfy { $0.albums.count == section.key })
                }
                for section in named {
                    #expect(section.allSatisfy { ($0.albums.first?.name ?? "") == section.key })
                }
            }
            try scene.writeElsewhere { realm in
                let album = realm.create(Album.self, value: ["id": 1, "name": "second"])
                album.tracks.append(try realm.track(2))
            }
            #expect(
                try recordings[0].take() == [
                    .changed(deletions: [[0, 2]], insertions: [[1, 0]], newSections: [1])
                ])
            try check()
            try scene.writeElsewhere { realm in
                try realm.album().name = "new"
                try realm.track(1).title = "new"
            }
            try scene.settle()
            try check()
            try scene.writeElsewhere { realm in try realm.album().tracks.remove(at: 0) }
            try scene.settle()
            try check()
            // Such a change is told only if it moves an element, or as one of the element itself.
            #expect(recordings[0].log.entries.items.allSatisfy { $0.modifications.count <= 1 })
        }
    }
}
