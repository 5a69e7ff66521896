import Foundation
import RealmSwift
import Testing

@Suite struct ObjectObservationTests {
    @Test func thereIsNoInitialCall() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.track(0))
            #expect(try recording.take() == [])
            try scene.realm.write { try scene.track(1).title = "new" }
            #expect(try recording.take() == [])
        }
    }

    @Test func ownChangesHaveNewValuesOnly() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.track(0))
            try scene.realm.write { try scene.track(0).title = "new" }
            #expect(try recording.take() == [.own("title", "new")])
        }
    }

    @Test func changesElsewhereHaveOldAndNewValues() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.track(0))
            try scene.writeElsewhere { realm in
                let track = try realm.track(0)
                track.title = "new"
                track.group = 7
            }
            #expect(
                try recording.take() == [
                    .change([
                        .init(name: "group", old: "nil", new: "7"),
                        .init(name: "title", old: "track 0", new: "new"),
                    ])
                ])
        }
    }

    @Test func valuesHaveTheTypesOfTheirProperties() async throws {
        try await observing { scene in
            let log = ChangeLog<Bool>()
            let token = try scene.track(0).observe { (change: ObjectChange<Track>) in
                guard case .change(let track, let properties) = change else { return }
                log.append(track.id == 0)
                for property in properties {
                    log.append(property.oldValue as? Int == 0 && property.newValue as? Int == 9)
                }
            }
            try scene.writeElsewhere { realm in try realm.track(0).rank = 9 }
            try pump { log.count > 0 }
            #expect(log.entries == [true, true])
            token.invalidate()
        }
    }

    @Test func linksHaveObjectsAsValues() async throws {
        try await observing { scene in
            try scene.realm.write { try scene.track(0).next = scene.track(1) }
            let log = ChangeLog<[Int?]>()
            let token = try scene.track(0).observe { (change: ObjectChange<Track>) in
                guard case .change(_, let properties) = change else { return }
                for property in properties where property.name == "next" {
                    log.append([
                        (property.oldValue as? Track)?.id, (property.newValue as? Track)?.id,
                    ])
                }
            }
            try scene.writeElsewhere { realm in try realm.track(0).next = realm.track(2) }
            try pump { log.count > 0 }
            #expect(log.entries == [[1, 2]])
            token.invalidate()
        }
    }

    @Test func settingTheSameValueIsAChange() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.track(0))
            try scene.realm.write { try scene.track(0).title = scene.track(0).title }
            #expect(try recording.take() == [.own("title", "track 0")])
        }
    }

    @Test func updatingModifiedValuesReportsThoseThatDiffer() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.track(0))
            try scene.realm.write {
                scene.realm.create(
                    Track.self, value: ["id": 0, "title": "new", "rank": 0], update: .modified)
            }
            #expect(try recording.take() == [.own("title", "new")])
        }
    }

    @Test func collectionsHaveNeitherOldNorNewValues() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.track(0))
            try scene.writeElsewhere { realm in
                let track = try realm.track(0)
                try track.others.append(realm.track(1))
                track.tags.insert("a")
            }
            #expect(try recording.take() == [.names("others", "tags")])
        }
    }

    @Test func changesOfLinkedObjectsAreNotReported() async throws {
        try await observing { scene in
            try scene.realm.write {
                let track = try scene.track(0)
                track.next = try scene.track(1)
                track.others.append(try scene.track(1))
                track.label = TrackLabel(value: ["text": "a"])
            }
            let recording = try scene.record(scene.track(0))
            try scene.realm.write {
                try scene.track(1).title = "new"
                try scene.track(0).label?.text = "new"
            }
            #expect(try recording.take() == [])
            try scene.realm.write { try scene.track(0).next = nil }
            #expect(try recording.take().map(\.names) == [["next"]])
        }
    }

    @Test func deletingTheObjectIsReportedOnceAndThenNothing() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.track(0))
            try scene.writeElsewhere { realm in try realm.delete(realm.track(0)) }
            #expect(try recording.take() == [.deleted])
            try scene.realm.write { scene.realm.addTracks([0]) }
            #expect(try recording.take() == [])
        }
    }

    @Test func aChangeBeforeTheDeletionIsNotReported() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.track(0))
            try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
            try scene.writeElsewhere { realm in try realm.delete(realm.track(0)) }
            #expect(try recording.take() == [.deleted])
        }
    }

    @Test func severalCommitsBecomeOneChangeFromTheFirstValueToTheLast() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.track(0))
            for rank in 1...10 {
                try scene.writeElsewhere { realm in try realm.track(0).rank = rank }
            }
            #expect(
                try recording.take() == [
                    .change([.init(name: "rank", old: "0", new: "10")])
                ])
        }
    }

    @Test func anObjectAddedOnThisThreadCanBeObserved() async throws {
        try await observing { scene in
            let track = Track(value: ["id": 50])
            try scene.realm.write { scene.realm.add(track) }
            let recording = scene.record(track)
            try scene.writeElsewhere { realm in try realm.track(50).title = "new" }
            #expect(
                try recording.take() == [
                    .change([.init(name: "title", old: "", new: "new")])
                ])
        }
    }

    @Test func theObjectOfAChangeRepresentsTheObservedOne() async throws {
        try await observing { scene in
            let track = try scene.track(0)
            let log = ChangeLog<Bool>()
            let token = track.observe { (change: ObjectChange<Track>) in
                guard case .change(let changed, _) = change else { return }
                log.append(changed.isSameObject(as: track) && changed.title == "new")
            }
            try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
            try pump { log.count > 0 }
            #expect(log.entries == [true])
            token.invalidate()
        }
    }
}

@Suite struct EmbeddedObjectObservationTests {
    private func observe(_ label: TrackLabel?) throws -> (ChangeLog<RecordedObject>, Any) {
        let log = ChangeLog<RecordedObject>()
        let label = try #require(label)
        let token = label.observe { (change: ObjectChange<TrackLabel>) in
            log.append(RecordedObject(change))
        }
        return (log, token)
    }

    private func labelled(
        _ body: @escaping @Sendable (ObservationScene) throws -> Void
    ) async throws {
        try await observing { scene in
            try scene.realm.write {
                let label = TrackLabel(value: ["text": "a", "size": 1] as [String: Any])
                try scene.track(0).label = label
            }
            try body(scene)
        }
    }

    @Test func changedPropertiesAreReported() async throws {
        try await labelled { scene in
            let (log, token) = try observe(scene.track(0).label)
            try scene.writeElsewhere { realm in try realm.track(0).label?.text = "new" }
            try scene.settle()
            #expect(log.entries == [.change([.init(name: "text", old: "a", new: "new")])])
            withExtendedLifetime(token) {}
        }
    }

    @Test func replacingTheObjectDeletesIt() async throws {
        try await labelled { scene in
            let (log, token) = try observe(scene.track(0).label)
            try scene.writeElsewhere { realm in
                try realm.track(0).label = TrackLabel(value: ["text": "b"])
            }
            try scene.settle()
            #expect(log.entries == [.deleted])
            withExtendedLifetime(token) {}
        }
    }

    @Test func deletingTheOwnerDeletesIt() async throws {
        try await labelled { scene in
            let (log, token) = try observe(scene.track(0).label)
            try scene.writeElsewhere { realm in try realm.delete(realm.track(0)) }
            try scene.settle()
            #expect(log.entries == [.deleted])
            withExtendedLifetime(token) {}
        }
    }
}
