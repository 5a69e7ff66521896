import Foundation
import RealmSwift
import Testing

/// When and where observers of sections are told, and what they may do with it.
@Suite struct SectionDeliveryTests {
    @Test func theSectionsOfAChangeEqualTheObservedOnes() async throws {
        try await observingGroups { scene in
            let sections = scene.groups
            let log = ChangeLog<Bool>()
            let token = sections.observe { change in
                switch change {
                case .initial(let now): log.append(now == sections)
                case .update(let now, _, _, _, _, _): log.append(now == sections)
                }
            }
            try pump { log.count == 1 }
            try scene.writeElsewhere { $0.addTracks([10]) }
            try pump { log.count == 2 }
            #expect(log.entries == [true, true])
            token.invalidate()
        }
    }

    @Test func positionsOfAChangeFindTheElements() async throws {
        try await observingGroups { scene in
            let log = ChangeLog<[Int]>()
            let token = scene.groups.observe { change in
                if case .update(let now, _, let inserted, let modified, let new, _) = change {
                    log.append(inserted.map { now[$0].id })
                    log.append(modified.map { now[$0].id })
                    log.append(new.map { now[$0].key ?? -1 })
                }
            }
            try scene.settle()
            try scene.writeElsewhere { realm in
                realm.create(Track.self, value: ["id": 10, "group": 7])
                realm.create(Track.self, value: ["id": -1, "group": 0])
                try realm.track(3).title = "new"
            }
            try scene.settle()
            #expect(log.entries == [[-1, 10], [3], [7]])
            token.invalidate()
        }
    }

    @Test func severalCommitsBecomeOneChange() async throws {
        try await observingGroups { scene in
            let recording = try scene.record(scene.groups)
            for id in 0..<4 {
                try scene.writeElsewhere { realm in try realm.track(id).group = 5 }
            }
            let change = RecordedSections.changed(
                insertions: [[1, 0], [1, 1], [1, 2], [1, 3]], newSections: [1],
                oldSections: [0, 1])
            #expect(try recording.take() == [change])
        }
    }

    @Test func refreshAndBeginWriteDeliverBeforeTheyReturn() async throws {
        try await observingGroups { scene in
            let recording = try scene.record(scene.groups)
            try scene.writeElsewhere { realm in try realm.track(1).title = "new" }
            #expect(scene.realm.refresh())
            #expect(recording.log.entries == [.changed(modifications: [[0, 1]])])
            recording.log.removeAll()
            try scene.writeElsewhere { realm in try realm.track(2).title = "new" }
            scene.realm.beginWrite()
            #expect(recording.log.entries == [.changed(modifications: [[1, 0]])])
            scene.realm.cancelWrite()
        }
    }

    @Test func aCancelledTransactionIsNotReported() async throws {
        try await observingGroups { scene in
            let recording = try scene.record(scene.groups)
            scene.realm.beginWrite()
            try scene.track(0).group = 2
            try scene.realm.delete(scene.track(1))
            scene.realm.cancelWrite()
            #expect(try recording.take() == [])
        }
    }

    @Test func aTokenThatIsSkippedIsNotToldOfTheTransaction() async throws {
        try await observingGroups { scene in
            let first = try scene.record(scene.groups)
            let second = try scene.record(scene.groups)
            let token = try #require(second.token)
            try scene.realm.write(withoutNotifying: [token]) { try scene.track(0).group = 2 }
            #expect(try first.take() == [.changed(deletions: [[0, 0]], insertions: [[2, 0]])])
            #expect(try second.take() == [])
            try scene.realm.write { try scene.track(1).group = 2 }
            let change = RecordedSections.changed(insertions: [[1, 1]], oldSections: [0])
            #expect(try second.take() == [change])
        }
    }

    @Test func anInvalidatedTokenEndsTheCalls() async throws {
        try await observingGroups { scene in
            let recording = try scene.record(scene.groups)
            let other = try scene.record(scene.groups)
            #expect(recording.token?.invalidate() == true)
            #expect(recording.token?.invalidate() == false)
            other.token = nil
            try scene.writeElsewhere { $0.addTracks([10]) }
            #expect(try recording.take() == [])
            #expect(other.log.entries == [])
        }
    }

    @Test func aHandlerMayEndItself() async throws {
        try await observingGroups { scene in
            let log = ChangeLog<RecordedSections>()
            let token = Handed<NotificationToken?>(nil)
            token.value = scene.groups.observe { change in
                log.append(RecordedSections(change))
                token.value = nil
            }
            try scene.settle()
            try scene.writeElsewhere { $0.addTracks([10]) }
            try scene.settle()
            #expect(log.entries == [.initial(3)])
        }
    }

    @Test func aHandlerMayWriteToTheSections() async throws {
        try await observingGroups { scene in
            let realm = scene.realm
            let log = ChangeLog<RecordedSections>()
            let token = scene.groups.observe { change in
                log.append(RecordedSections(change))
                guard case .initial(let groups) = change, let first = groups.first else { return }
                do {
                    try realm.write { for track in first { realm.delete(track) } }
                } catch {
                    Issue.record(error)
                }
            }
            try pump { log.count == 2 }
            #expect(log.entries == [.initial(3), .changed(oldSections: [0])])
            token.invalidate()
        }
    }

    @Test func theSectionsNeedNotBeKept() async throws {
        try await observingGroups { scene in
            let log = ChangeLog<RecordedSections>()
            let token = scene.tracks.filter("rank > 3").sectioned(by: \.group).observe {
                log.append(RecordedSections($0))
            }
            try scene.settle()
            try scene.writeElsewhere { realm in try realm.track(0).rank = 9 }
            try pump { log.count == 2 }
            let change = RecordedSections.changed(insertions: [[0, 0]], newSections: [0])
            #expect(log.entries == [.initial(1), change])
            token.invalidate()
        }
    }

    @Test func anObserverMayBeRegisteredBeforeTheFirstChangeOfATransaction() async throws {
        try await observingGroups { scene in
            let log = ChangeLog<RecordedSections>()
            scene.realm.beginWrite()
            let token = scene.groups.observe { log.append(RecordedSections($0)) }
            try scene.realm.commitWrite()
            try pump { log.count == 1 }
            try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
            try pump { log.count == 2 }
            #expect(log.entries == [.initial(3), .changed(modifications: [[0, 0]])])
            token.invalidate()
        }
    }

    @Test func everyObserverIsToldTheSame() async throws {
        try await observingGroups { scene in
            let sections = scene.groups
            let recordings = try (0..<20).map { index in
                try scene.record(index % 2 == 0 ? sections : scene.groups)
            }
            try scene.writeElsewhere { realm in
                for id in [0, 1] { try realm.track(id).group = 1 }
                try realm.track(5).title = "new"
            }
            let change = RecordedSections.changed(
                insertions: [[0, 0], [0, 1]], modifications: [[1, 1]], oldSections: [0])
            for recording in recordings { #expect(try recording.take() == [change]) }
        }
    }

    @Test func changesAreReportedOnTheGivenQueue() async throws {
        try await observingGroups { scene in
            let observing = ObservingQueue()
            let log = ChangeLog<RecordedSections>()
            let keys = ChangeLog<[Int]>()
            let token = scene.groups.observe(on: observing.queue) { change in
                dispatchPrecondition(condition: .onQueue(observing.queue))
                switch change {
                case .initial(let groups), .update(let groups, _, _, _, _, _):
                    keys.append(groups.map { $0.key ?? -1 })
                }
                log.append(RecordedSections(change))
            }
            try pump { log.count == 1 }
            try scene.writeElsewhere { realm in try realm.track(0).group = 9 }
            try pump { log.count == 2 }
            let change = RecordedSections.changed(
                deletions: [[0, 0]], insertions: [[3, 0]], newSections: [3])
            #expect(log.entries == [.initial(3), change])
            #expect(keys.entries == [[0, 1, 2], [0, 1, 2, 9]])
            token.invalidate()
        }
    }

    @Test func swiftKeyPathsAndAQueueGoTogether() async throws {
        try await observingGroups { scene in
            let observing = ObservingQueue()
            let log = ChangeLog<RecordedSections>()
            let markers = ChangeLog<RecordedSections>()
            let token = scene.groups.observe(keyPaths: [\Track.title], on: observing.queue) {
                log.append(RecordedSections($0))
            }
            let other = scene.groups.observe(on: observing.queue) {
                markers.append(RecordedSections($0))
            }
            try pump { log.count == 1 && markers.count == 1 }
            try scene.writeElsewhere { realm in try realm.track(0).rank = 9 }
            try pump { markers.count == 2 }
            try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
            try pump { log.count == 2 && markers.count == 3 }
            #expect(log.entries == [.initial(3), .changed(modifications: [[0, 0]])])
            token.invalidate()
            other.invalidate()
        }
    }
}
