import Foundation
import RealmSwift
import Testing

// Observers of all sections. Deletions are positions before the change; insertions and
// modifications are positions after it.

@Suite struct SectionObservationTests {
    @Test func theInitialContentsComeFirstAndAsynchronously() async throws {
        try await observingGroups { scene in
            let log = ChangeLog<RecordedSections>()
            let token = scene.groups.observe { log.append(RecordedSections($0)) }
            #expect(log.entries.isEmpty)
            try pump { log.count > 0 }
            #expect(log.entries == [.initial(3)])
            token.invalidate()
        }
    }

    @Test func noSectionsHaveInitialContentsToo() async throws {
        try await observing(tracks: 0) { scene in
            let recording = try scene.record(scene.groups)
            try scene.writeElsewhere { $0.addTracks([10]) }
            #expect(try recording.take() == [.changed(insertions: [[0, 0]], newSections: [0])])
        }
    }

    @Test func anElementOfASectionThatIsThereIsAnInsertion() async throws {
        try await observingGroups { scene in
            let recording = try scene.record(scene.groups)
            try scene.writeElsewhere { realm in
                _ = realm.create(Track.self, value: ["id": 10, "group": 1])
            }
            #expect(try recording.take() == [.changed(insertions: [[1, 2]])])
            try scene.realm.write {
                scene.realm.create(Track.self, value: ["id": -1, "group": 2])
                scene.realm.create(Track.self, value: ["id": 11, "group": 0])
            }
            #expect(try recording.take() == [.changed(insertions: [[0, 2], [2, 0]])])
        }
    }

    @Test func aNewSectionIsReportedWithItsElements() async throws {
        try await observingGroups { scene in
            let recording = try scene.record(scene.groups)
            try scene.writeElsewhere { realm in
                for id in [10, 11] { realm.create(Track.self, value: ["id": id, "group": -5]) }
                realm.create(Track.self, value: ["id": 12, "group": 9])
            }
            let change = RecordedSections.changed(
                insertions: [[0, 0], [0, 1], [4, 0]], newSections: [0, 4])
            #expect(try recording.take() == [change])
        }
    }

    @Test func aSectionOfNoValueIsReportedLikeOthers() async throws {
        try await observingGroups { scene in
            let recording = try scene.record(scene.groups)
            try scene.writeElsewhere { $0.addTracks([10]) }
            #expect(try recording.take() == [.changed(insertions: [[0, 0]], newSections: [0])])
            #expect(scene.groups.allKeys == [nil, 0, 1, 2])
        }
    }

    @Test func anElementThatGoesIsADeletion() async throws {
        try await observingGroups { scene in
            let recording = try scene.record(scene.groups)
            try scene.writeElsewhere { realm in
                for id in [1, 4] { try realm.delete(realm.track(id)) }
            }
            #expect(try recording.take() == [.changed(deletions: [[0, 1], [2, 0]])])
        }
    }

    @Test func theElementsOfASectionThatVanishesAreNotListed() async throws {
        try await observingGroups { scene in
            let recording = try scene.record(scene.groups)
            try scene.writeElsewhere { realm in
                for id in [2, 3, 5] { try realm.delete(realm.track(id)) }
            }
            #expect(try recording.take() == [.changed(deletions: [[2, 1]], oldSections: [1])])
        }
    }

    @Test func deletingEverythingDeletesEverySection() async throws {
        try await observingGroups { scene in
            let recording = try scene.record(scene.groups)
            try scene.writeElsewhere { $0.deleteAll() }
            #expect(try recording.take() == [.changed(oldSections: [0, 1, 2])])
        }
    }

    @Test func anElementThatChangesItsSectionIsDeletedAndInserted() async throws {
        try await observingGroups { scene in
            let recording = try scene.record(scene.groups)
            try scene.realm.write { try scene.track(0).group = 2 }
            #expect(
                try recording.take() == [.changed(deletions: [[0, 0]], insertions: [[2, 0]])])
        }
    }

    @Test func theLastElementTakesItsSectionWithIt() async throws {
        try await observingGroups { scene in
            try scene.realm.write { try scene.realm.delete(scene.track(1)) }
            let recording = try scene.record(scene.groups)
            try scene.writeElsewhere { realm in try realm.track(0).group = 2 }
            // After the change, group 2 is the second section.
            #expect(
                try recording.take() == [.changed(insertions: [[1, 0]], oldSections: [0])])
        }
    }

    @Test func theLastElementMayBecomeASectionOfItsOwn() async throws {
        try await observingGroups { scene in
            try scene.realm.write { try scene.realm.delete(scene.track(1)) }
            let recording = try scene.record(scene.groups)
            try scene.realm.write { try scene.track(0).group = 7 }
            let change = RecordedSections.changed(
                insertions: [[2, 0]], newSections: [2], oldSections: [0])
            #expect(try recording.take() == [change])
        }
    }

    @Test func sectionsMayVanishAndComeInOneChange() async throws {
        try await observingGroups { scene in
            let recording = try scene.record(scene.groups)
            try scene.writeElsewhere { realm in
                for id in [0, 1] { try realm.delete(realm.track(id)) }
                realm.create(Track.self, value: ["id": 10, "group": -1])
                realm.create(Track.self, value: ["id": 11, "group": 1])
            }
            let change = RecordedSections.changed(
                insertions: [[0, 0], [1, 2]], newSections: [0], oldSections: [0])
            #expect(try recording.take() == [change])
        }
    }

    @Test func aSectionWhoseElementsAreReplacedStays() async throws {
        try await observingGroups { scene in
            let recording = try scene.record(scene.groups)
            try scene.writeElsewhere { realm in
                for id in [2, 3] { try realm.delete(realm.track(id)) }
                realm.create(Track.self, value: ["id": 10, "group": 1])
            }
            let change = RecordedSections.changed(
                deletions: [[1, 0], [1, 1]], insertions: [[1, 0]])
            #expect(try recording.take() == [change])
        }
    }

    @Test func aSectionThatComesBackIsInserted() async throws {
        try await observingGroups { scene in
            let recording = try scene.record(scene.groups)
            try scene.realm.write { for id in [2, 3] { try scene.track(id).group = nil } }
            let gone = RecordedSections.changed(
                insertions: [[0, 0], [0, 1]], newSections: [0], oldSections: [1])
            #expect(try recording.take() == [gone])
            try scene.realm.write { for id in [2, 3] { try scene.track(id).group = 1 } }
            let back = RecordedSections.changed(
                insertions: [[1, 0], [1, 1]], newSections: [1], oldSections: [0])
            #expect(try recording.take() == [back])
        }
    }

    @Test func aSectionThatVanishesAndComesBackBetweenTwoCallsStays() async throws {
        try await observingGroups { scene in
            let recording = try scene.record(scene.groups)
            try scene.writeElsewhere { realm in
                for id in [2, 3] { try realm.track(id).group = 0 }
            }
            try scene.writeElsewhere { realm in
                try realm.track(3).group = 1
                try realm.track(3).title = "new"
            }
            // Track 3 is back in its place.
            let change = RecordedSections.changed(
                deletions: [[1, 0]], insertions: [[0, 2]], modifications: [[1, 0]])
            #expect(try recording.take() == [change])
        }
    }

    @Test func aSectionThatComesAndVanishesBetweenTwoCallsIsNotReported() async throws {
        try await observingGroups { scene in
            let recording = try scene.record(scene.groups)
            try scene.writeElsewhere { $0.addTracks([10]) }
            try scene.writeElsewhere { realm in try realm.delete(realm.track(10)) }
            #expect(try recording.take() == [])
        }
    }

    @Test func elementsInTheOrderOfTheSectionMove() async throws {
        try await observing(tracks: 4) { scene in
            try scene.realm.write { for id in 0..<4 { try scene.track(id).group = 1 } }
            let sections = scene.tracks.sectioned(
                by: \.group, sortDescriptors: ["group", "rank"])
            let recording = try scene.record(sections)
            try scene.realm.write { try scene.track(0).rank = 100 }
            #expect(
                try recording.take() == [.changed(deletions: [[0, 0]], insertions: [[0, 3]])])
        }
    }

    @Test func descendingSectionsHavePositionsInTheirOrder() async throws {
        try await observingGroups { scene in
            let sections = scene.tracks.sectioned(by: \.group, ascending: false)
            let recording = try scene.record(sections)
            try scene.writeElsewhere { realm in
                for id in [4, 5] { try realm.delete(realm.track(id)) }
                try realm.track(0).title = "new"
            }
            #expect(try recording.take() == [.changed(modifications: [[1, 0]], oldSections: [0])])
        }
    }

    @Test func filteredElementsLeaveTheirSections() async throws {
        try await observingGroups { scene in
            let sections = scene.tracks.filter("rank > 1")
                .sectioned(by: \.group, sortDescriptors: ["group", "id"])
            let recording = try scene.record(sections)
            try scene.realm.write { try scene.track(2).rank = 0 }
            #expect(try recording.take() == [.changed(deletions: [[0, 0]])])
            try scene.realm.write { try scene.track(0).rank = 5 }
            #expect(try recording.take() == [.changed(insertions: [[0, 0]], newSections: [0])])
            try scene.realm.write { try scene.track(1).title = "new" }
            #expect(try recording.take() == [])
        }
    }
}

@Suite struct SectionModificationTests {
    @Test func changedElementsAreModifications() async throws {
        try await observingGroups { scene in
            let recording = try scene.record(scene.groups)
            try scene.writeElsewhere { realm in
                for id in [5, 0] { try realm.track(id).title = "new" }
            }
            #expect(try recording.take() == [.changed(modifications: [[0, 0], [2, 1]])])
        }
    }

    @Test func modificationsHaveTheirNewPositions() async throws {
        try await observingGroups { scene in
            let recording = try scene.record(scene.groups)
            try scene.writeElsewhere { realm in
                realm.create(Track.self, value: ["id": -1, "group": 2])
                try realm.track(5).title = "new"
            }
            let inserted = RecordedSections.changed(
                insertions: [[2, 0]], modifications: [[2, 2]])
            #expect(try recording.take() == [inserted])
            try scene.writeElsewhere { realm in
                try realm.delete(realm.track(4))
                try realm.track(5).title = "newer"
            }
            let deleted = RecordedSections.changed(
                deletions: [[2, 1]], modifications: [[2, 1]])
            #expect(try recording.take() == [deleted])
        }
    }

    @Test func modificationsAreInTheSectionsAsTheyAreNow() async throws {
        try await observingGroups { scene in
            let recording = try scene.record(scene.groups)
            try scene.writeElsewhere { realm in
                for id in [0, 1] { try realm.delete(realm.track(id)) }
                try realm.track(4).title = "new"
            }
            #expect(try recording.take() == [.changed(modifications: [[1, 0]], oldSections: [0])])
            try scene.writeElsewhere { realm in
                realm.addTracks([10])
                try realm.track(4).title = "newer"
            }
            let change = RecordedSections.changed(
                insertions: [[0, 0]], modifications: [[2, 0]], newSections: [0])
            #expect(try recording.take() == [change])
        }
    }

    @Test func changesOfLinkedObjectsAreModifications() async throws {
        try await observingGroups { scene in
            try scene.realm.write { try scene.track(0).next = scene.track(5) }
            let recording = try scene.record(scene.groups)
            try scene.writeElsewhere { realm in try realm.track(5).title = "new" }
            #expect(try recording.take() == [.changed(modifications: [[0, 0], [2, 1]])])
        }
    }

    @Test func keyPathsChooseTheModifications() async throws {
        try await observingGroups { scene in
            try scene.realm.write { try scene.track(0).next = scene.track(5) }
            let title = try scene.record(scene.groups, keyPaths: ["title"])
            let linked = try scene.record(scene.groups, keyPaths: ["next.rank"])
            try scene.writeElsewhere { realm in try realm.track(3).rank = 9 }
            #expect(try title.take() == [])
            #expect(try linked.take() == [])
            try scene.writeElsewhere { realm in try realm.track(3).title = "new" }
            #expect(try title.take() == [.changed(modifications: [[1, 1]])])
            #expect(try linked.take() == [])
            try scene.writeElsewhere { realm in try realm.track(5).rank = 9 }
            #expect(try title.take() == [])
            #expect(try linked.take() == [.changed(modifications: [[0, 0]])])
        }
    }

    @Test func elementsAndSectionsComeAndGoWhateverTheKeyPath() async throws {
        try await observingGroups { scene in
            let recording = try scene.record(scene.groups, keyPaths: ["title"])
            try scene.writeElsewhere { realm in try realm.track(0).group = 1 }
            #expect(
                try recording.take() == [.changed(deletions: [[0, 0]], insertions: [[1, 0]])])
            try scene.writeElsewhere { realm in try realm.track(1).group = 1 }
            #expect(
                try recording.take() == [.changed(insertions: [[0, 1]], oldSections: [0])])
            try scene.writeElsewhere { $0.addTracks([10]) }
            #expect(try recording.take() == [.changed(insertions: [[0, 0]], newSections: [0])])
        }
    }

    @Test func swiftKeyPathsMeanTheSame() async throws {
        try await observingGroups { scene in
            let log = ChangeLog<RecordedSections>()
            let token = scene.groups.observe(keyPaths: [\Track.title, \Track.next?.rank]) {
                log.append(RecordedSections($0))
            }
            try scene.settle()
            log.removeAll()
            try scene.writeElsewhere { realm in try realm.track(1).rank = 9 }
            try scene.settle()
            #expect(log.entries.isEmpty)
            try scene.writeElsewhere { realm in try realm.track(1).title = "new" }
            try scene.settle()
            #expect(log.entries == [.changed(modifications: [[0, 1]])])
            token.invalidate()
        }
    }

    @Test func anEmptyArrayOfKeyPathsMeansEveryProperty() async throws {
        try await observingGroups { scene in
            let recording = try scene.record(scene.groups, keyPaths: [String]())
            try scene.writeElsewhere { realm in try realm.track(1).rank = 9 }
            #expect(try recording.take() == [.changed(modifications: [[0, 1]])])
        }
    }
}

@Suite struct SectionsOfCollectionsTests {
    @Test func sectionsOfAListReportWhatEntersAndLeavesIt() async throws {
        try await observingGroups { scene in
            try scene.realm.write { try scene.album.tracks.removeLast() }
            let sections = try scene.album.tracks.sectioned(
                by: \.group, sortDescriptors: ["group", "id"])
            let recording = try scene.record(sections)
            try scene.writeElsewhere { realm in
                try realm.album().tracks.append(realm.track(5))
            }
            #expect(try recording.take() == [.changed(insertions: [[2, 1]])])
            try scene.writeElsewhere { realm in
                let tracks = try realm.album().tracks
                tracks.remove(at: 0)
                tracks.remove(at: 0)
            }
            #expect(try recording.take() == [.changed(oldSections: [0])])
            try scene.realm.write { scene.realm.addTracks([10]) }
            #expect(try recording.take() == [])
        }
    }

    @Test func anObjectThatAListHasTwiceIsReportedTwice() async throws {
        try await observingGroups { scene in
            try scene.realm.write { try scene.album.tracks.append(scene.track(0)) }
            let sections = try scene.album.tracks.sectioned(
                by: \.group, sortDescriptors: ["group", "id"])
            let recording = try scene.record(sections)
            try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
            #expect(try recording.take() == [.changed(modifications: [[0, 0], [0, 1]])])
        }
    }

    @Test func deletingTheOwnerOfAListDeletesEverySection() async throws {
        try await observingGroups { scene in
            let sections = try scene.album.tracks.sectioned(by: \.group)
            let recording = try scene.record(sections)
            try scene.writeElsewhere { realm in try realm.delete(realm.album()) }
            #expect(try recording.take() == [.changed(oldSections: [0, 1, 2])])
        }
    }

    @Test func sectionsOfASetReportWhatEntersAndLeavesIt() async throws {
        try await observingGroups { scene in
            try scene.realm.write { try scene.album.favourites.insert(scene.track(1)) }
            let sections = try scene.album.favourites.sectioned(by: \.group)
            let recording = try scene.record(sections)
            try scene.writeElsewhere { realm in
                try realm.album().favourites.insert(realm.track(4))
            }
            #expect(try recording.take() == [.changed(insertions: [[1, 0]], newSections: [1])])
            try scene.writeElsewhere { realm in
                try realm.album().favourites.remove(realm.track(1))
            }
            #expect(try recording.take() == [.changed(oldSections: [0])])
        }
    }

    @Test func sectionsOfValuesHavePositionsOfValues() async throws {
        try await observing { scene in
            try scene.realm.write { try scene.album.numbers.append(objectsIn: [5, 2, 4]) }
            let sections = try scene.album.numbers.sectioned(by: { $0 % 2 })
            let recording = try scene.record(sections)
            #expect(sections.map { Array($0) } == [[2, 4], [5]])
            try scene.writeElsewhere { realm in try realm.album().numbers.append(3) }
            #expect(try recording.take() == [.changed(insertions: [[1, 0]])])
            try scene.writeElsewhere { realm in
                try realm.album().numbers.removeSubrange(1...2)
            }
            #expect(try recording.take() == [.changed(oldSections: [0])])
        }
    }

    /// The sections of closures may change places, when the element with which a section begins
    /// moves behind that of another. A section that moves is deleted and inserted, as an element
    /// is.
    @Test func aSectionThatMovesIsDeletedAndInserted() async throws {
        try await observing(tracks: 4) { scene in
            let sections = scene.tracks.sectioned(
                by: { $0.id % 2 }, sortDescriptors: ["rank"])
            let mirror = SectionsMirror("parity", sections) { "\($0.id) \($0.rank)" }
            try scene.settle()
            #expect(sections.map { $0.map(\.id) } == [[0, 2], [1, 3]])
            try scene.writeElsewhere { realm in try realm.track(0).rank = 10 }
            try scene.settle()
            #expect(sections.map { $0.map(\.id) } == [[1, 3], [2, 0]])
            mirror.checkSettled()
            #expect(mirror.failures == [])
        }
    }

    @Test func changesThatTheClosureReadsMoveElements() async throws {
        try await observing(tracks: 4) { scene in
            let sections = scene.tracks.sectioned(
                by: { $0.title.hasPrefix("a") }, sortDescriptors: ["id"])
            let recording = try scene.record(sections, keyPaths: ["rank"])
            try scene.writeElsewhere { realm in try realm.track(3).title = "a" }
            let split = RecordedSections.changed(
                deletions: [[0, 3]], insertions: [[1, 0]], newSections: [1])
            #expect(try recording.take() == [split])
            try scene.writeElsewhere { realm in try realm.track(1).title = "a" }
            #expect(
                try recording.take() == [.changed(deletions: [[0, 1]], insertions: [[1, 0]])])
        }
    }
}
