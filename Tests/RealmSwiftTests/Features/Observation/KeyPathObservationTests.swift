import Foundation
import RealmSwift
import Testing

/// A key path, something that changes it, and something that does not.
struct KeyPathCase: Sendable, CustomTestStringConvertible {
    let keyPath: String
    let change: @Sendable (Realm) throws -> Void
    let other: @Sendable (Realm) throws -> Void
    var testDescription: String { keyPath }

    init(
        _ keyPath: String, _ change: @escaping @Sendable (Realm) throws -> Void,
        but other: @escaping @Sendable (Realm) throws -> Void
    ) {
        self.keyPath = keyPath
        self.change = change
        self.other = other
    }

    /// Cases for track 0 of `linkedScene`.
    static let all = [
        KeyPathCase("title", { try $0.track(0).title = "new" }, but: { try $0.track(0).rank = 9 }),
        KeyPathCase("next", { try $0.track(0).next = nil }, but: { try $0.track(1).title = "new" }),
        KeyPathCase(
            "next.title", { try $0.track(1).title = "new" }, but: { try $0.track(1).rank = 9 }),
        KeyPathCase(
            "next.next.title", { try $0.track(2).title = "new" },
            but: { try $0.track(1).title = "new" }),
        KeyPathCase(
            "others", { try $0.track(0).others.removeLast() },
            but: { try $0.track(3).title = "new" }),
        KeyPathCase(
            "others.title", { try $0.track(3).title = "new" }, but: { try $0.track(3).rank = 9 }),
        KeyPathCase(
            "tags", { try $0.track(0).tags.insert("new") },
            but: { try $0.track(0).title = "new" }),
        KeyPathCase(
            "label.text", { try $0.track(0).label?.text = "new" },
            but: { try $0.track(0).label?.size = 9 }),
        KeyPathCase(
            "label.track.rank", { try $0.track(2).rank = 9 },
            but: { try $0.track(2).title = "new" }),
        KeyPathCase(
            "labels.text", { try $0.track(0).labels[1].text = "new" },
            but: { try $0.track(0).labels[1].size = 9 }),
        KeyPathCase(
            "albums.name", { try $0.album().name = "new" },
            but: { try $0.album().numbers.append(1) }),
        KeyPathCase(
            "previous.title", { try $0.track(4).title = "new" }, but: { try $0.track(4).rank = 9 }),
    ]
}

/// Runs `body` with five tracks: 4 → 0 → 1 → 2, of which 0 links to others too.
private func linkedScene(
    _ body: @escaping @Sendable (ObservationScene) throws -> Void
) async throws {
    try await observing(tracks: 5) { scene in
        try scene.realm.write {
            let track = try scene.track(0)
            track.next = try scene.track(1)
            try scene.track(1).next = scene.track(2)
            try scene.track(4).next = track
            track.others.append(try scene.track(3))
            track.label = TrackLabel(value: ["text": "a", "track": try scene.track(2)])
            track.labels.append(objectsIn: [TrackLabel(), TrackLabel()])
        }
        try body(scene)
    }
}

@Suite struct KeyPathObservationTests {
    @Test(arguments: KeyPathCase.all)
    func onlyChangesAtTheKeyPathModifyAnElement(_ example: KeyPathCase) async throws {
        try await linkedScene { scene in
            let one = scene.tracks.filter("id = 0")
            let recording = try scene.record(one, keyPaths: [example.keyPath])
            try scene.writeElsewhere { try example.other($0) }
            #expect(try recording.take() == [])
            try scene.writeElsewhere { try example.change($0) }
            #expect(try recording.take() == [.modified(0)])
            try scene.realm.write { try example.other(scene.realm) }
            #expect(try recording.take() == [])
        }
    }

    @Test(arguments: KeyPathCase.all)
    func anObjectReportsThePropertyOfItsOwn(_ example: KeyPathCase) async throws {
        try await linkedScene { scene in
            let recording = try scene.record(scene.track(0), keyPaths: [example.keyPath])
            try scene.writeElsewhere { try example.other($0) }
            #expect(try recording.take() == [])
            try scene.writeElsewhere { try example.change($0) }
            let first = example.keyPath.split(separator: ".")[0]
            #expect(try recording.take().map(\.names) == [[String(first)]])
        }
    }

    @Test func elementsThatComeAndGoAreReportedWhateverTheKeyPath() async throws {
        try await observing { scene in
            let results = scene.tracks.filter("rank > 1").sorted(byKeyPath: "id")
            let recording = try scene.record(results, keyPaths: ["title"])
            try scene.realm.write { try scene.track(0).rank = 5 }
            #expect(try recording.take() == [.inserted(0)])
            try scene.realm.write { try scene.realm.delete(scene.track(3)) }
            #expect(try recording.take() == [.deleted(2)])
            try scene.realm.write { try scene.track(0).rank = 6 }
            #expect(try recording.take() == [])
        }
    }

    @Test func severalKeyPathsAddUp() async throws {
        try await linkedScene { scene in
            let recording = try scene.record(scene.album.tracks, keyPaths: ["title", "next.rank"])
            try scene.realm.write { try scene.track(1).rank = 9 }
            #expect(try recording.take() == [.modified(0)])
            try scene.realm.write { try scene.track(3).title = "new" }
            #expect(try recording.take() == [.modified(3)])
            try scene.realm.write { try scene.track(3).rank = 9 }
            #expect(try recording.take() == [])
        }
    }

    @Test func noKeyPathMeansEveryProperty() async throws {
        try await linkedScene { scene in
            let recording = try scene.record(scene.album.tracks, keyPaths: [String]())
            try scene.realm.write { try scene.track(3).rank = 9 }
            #expect(try recording.take() == [.modified(0, 3, 4)])
            let object = try scene.record(scene.track(3), keyPaths: [])
            try scene.realm.write { try scene.track(3).rank = 10 }
            #expect(try object.take() == [.own("rank", "10")])
        }
    }

    @Test func swiftKeyPathsMeanTheSame() async throws {
        try await linkedScene { scene in
            let one = scene.tracks.filter("id = 0")
            let title = try scene.record(one, keyPaths: [\Track.title])
            let linked = try scene.record(one, keyPaths: [\Track.next?.title])
            let listed = try scene.record(one, keyPaths: [\Track.others[0].rank])
            let labelled = try scene.record(one, keyPaths: [\Track.label?.text])
            let referring = try scene.record(one, keyPaths: [\Track.albums[0].name])
            let all = [title, linked, listed, labelled, referring]
            let changes: [@Sendable (Realm) throws -> Void] = [
                { try $0.track(0).title = "new" }, { try $0.track(1).title = "new" },
                { try $0.track(3).rank = 9 }, { try $0.track(0).label?.text = "new" },
                { try $0.album().name = "new" },
            ]
            for (changed, change) in changes.enumerated() {
                try scene.writeElsewhere { try change($0) }
                for (index, recording) in all.enumerated() {
                    let expected: [Recorded] = index == changed ? [.modified(0)] : []
                    #expect(try recording.take() == expected, "\(changed), \(index)")
                }
            }
        }
    }

    @Test func swiftKeyPathsOfAnObjectMeanTheSame() async throws {
        try await linkedScene { scene in
            let log = ChangeLog<RecordedObject>()
            let token = try scene.track(0).observe(
                keyPaths: [\Track.rank, \Track.others[0].title]
            ) { (change: ObjectChange<Track>) in log.append(RecordedObject(change)) }
            try scene.realm.write { try scene.track(0).title = "new" }
            try scene.settle()
            #expect(log.entries.isEmpty)
            try scene.realm.write { try scene.track(3).title = "new" }
            try scene.settle()
            #expect(log.entries.map(\.names) == [["others"]])
            try scene.realm.write { try scene.track(0).rank = 9 }
            try scene.settle()
            #expect(log.entries.map(\.names) == [["others"], ["rank"]])
            token.invalidate()
        }
    }

    @Test func deletingAnObjectIsReportedWhateverTheKeyPath() async throws {
        try await linkedScene { scene in
            let recording = try scene.record(scene.track(0), keyPaths: ["next.title"])
            try scene.writeElsewhere { realm in try realm.delete(realm.track(0)) }
            #expect(try recording.take() == [.deleted])
        }
    }

    @Test func keyPathsOfALinkingObjectsCollectionAreThoseOfTheReferrers() async throws {
        try await linkedScene { scene in
            let recording = try scene.record(scene.track(0).albums, keyPaths: ["tracks.title"])
            try scene.realm.write { try scene.album.name = "new" }
            #expect(try recording.take() == [])
            try scene.realm.write { try scene.track(3).title = "new" }
            #expect(try recording.take() == [.modified(0)])
        }
    }
}

@Suite struct ObservationDepthTests {
    /// Runs `body` with a chain of tracks, 0 → 1 → 2 → …
    private func chain(
        _ body: @escaping @Sendable (ObservationScene) throws -> Void
    ) async throws {
        try await observing(tracks: 9) { scene in
            try scene.realm.write {
                for id in 0..<8 { try scene.track(id).next = scene.track(id + 1) }
            }
            try body(scene)
        }
    }

    @Test func changesUpToFourLinksAwayAreModifications() async throws {
        try await chain { scene in
            let recording = try scene.record(scene.tracks.filter("id = 0"))
            for distance in 1...8 {
                try scene.writeElsewhere { realm in try realm.track(distance).title = "new" }
                let expected: [Recorded] = distance <= 4 ? [.modified(0)] : []
                #expect(try recording.take() == expected, "\(distance) links away")
            }
        }
    }

    @Test func aKeyPathGoesAsDeepAsItSays() async throws {
        try await chain { scene in
            let one = scene.tracks.filter("id = 0")
            let deep = try scene.record(one, keyPaths: ["next.next.next.next.next.next.title"])
            try scene.writeElsewhere { realm in try realm.track(6).title = "new" }
            #expect(try deep.take() == [.modified(0)])
            try scene.writeElsewhere { realm in try realm.track(5).title = "new" }
            try scene.writeElsewhere { realm in try realm.track(7).title = "new" }
            #expect(try deep.take() == [])
        }
    }

    @Test func cyclesOfLinksEnd() async throws {
        try await chain { scene in
            try scene.realm.write { try scene.track(2).next = scene.track(0) }
            let recording = try scene.record(scene.tracks.sorted(byKeyPath: "id"))
            try scene.writeElsewhere { realm in try realm.track(1).title = "new" }
            #expect(try recording.take() == [.modified(0, 1, 2)])
        }
    }
}
