import Foundation
import RealmSwift
import Testing

/// Observers of objects that are known by the names of their classes and properties only.
@Suite struct DynamicResultsObservationTests {
    private func dynamicTracks(_ scene: ObservationScene) -> Results<DynamicObject> {
        scene.realm.dynamicObjects("Track")
    }

    @Test func changesArePositionsLikeThoseOfOtherResults() async throws {
        try await observing { scene in
            let results = dynamicTracks(scene).filter("rank > 1").sorted(byKeyPath: "rank")
            let recording = try scene.record(results)
            try scene.writeElsewhere { realm in try realm.track(0).rank = 9 }
            #expect(try recording.take() == [.inserted(2)])
            try scene.writeElsewhere { realm in try realm.track(2).title = "new" }
            #expect(try recording.take() == [.modified(0)])
            try scene.realm.write { try scene.realm.delete(scene.track(3)) }
            #expect(try recording.take() == [.deleted(1)])
        }
    }

    @Test func changesByNameAreReported() async throws {
        try await observing { scene in
            let recording = try scene.record(dynamicTracks(scene))
            try scene.writeElsewhere { realm in
                realm.dynamicObjects("Track")[1]["title"] = "new"
                realm.dynamicCreate("Track", value: ["id": 10])
            }
            #expect(try recording.take() == [.update(insertions: [4], modifications: [1])])
        }
    }

    @Test func keyPathsAreNames() async throws {
        try await observing { scene in
            try scene.realm.write {
                try scene.track(0).next = scene.track(1)
                try scene.track(2).others.append(scene.track(3))
                try scene.track(2).label = TrackLabel(value: ["text": "a"])
            }
            let title = try scene.record(dynamicTracks(scene), keyPaths: ["title"])
            let linked = try scene.record(dynamicTracks(scene), keyPaths: ["next.title"])
            let listed = try scene.record(dynamicTracks(scene), keyPaths: ["others.rank"])
            let labelled = try scene.record(dynamicTracks(scene), keyPaths: ["label.text"])
            let referring = try scene.record(dynamicTracks(scene), keyPaths: ["previous.rank"])
            let all = [title, linked, listed, labelled, referring]
            func expect(_ expected: [[Recorded]], _ label: String) throws {
                for (recording, changes) in zip(all, expected) {
                    #expect(try recording.take() == changes, "\(label)")
                }
            }
            try scene.writeElsewhere { realm in try realm.track(1).title = "new" }
            try expect([[.modified(1)], [.modified(0)], [], [], []], "title of track 1")
            try scene.writeElsewhere { realm in try realm.track(3).rank = 9 }
            try expect([[], [], [.modified(2)], [], []], "rank of track 3")
            try scene.writeElsewhere { realm in try realm.track(2).label?.text = "new" }
            try expect([[], [], [], [.modified(2)], []], "label of track 2")
            try scene.writeElsewhere { realm in try realm.track(0).rank = 9 }
            try expect([[], [], [], [], [.modified(1)]], "rank of track 0")
        }
    }

    @Test func changesOfLinkedObjectsAreModifications() async throws {
        try await observing { scene in
            try scene.realm.write { try scene.track(0).next = scene.track(1) }
            let recording = try scene.record(dynamicTracks(scene))
            try scene.writeElsewhere { realm in try realm.track(1).title = "new" }
            #expect(try recording.take() == [.modified(0, 1)])
        }
    }

    @Test func dynamicAndOtherObserversAreToldTheSame() async throws {
        try await observing { scene in
            let named = try scene.record(dynamicTracks(scene))
            let typed = try scene.record(scene.tracks)
            try scene.writeElsewhere { realm in
                realm.addTracks([10])
                try realm.track(1).rank = 9
                try realm.delete(realm.track(0))
            }
            let change = try named.take()
            #expect(typed.log.entries == change && change.count == 1)
        }
    }

    @Test func theCollectionOfAChangeHasDynamicObjects() async throws {
        try await observing { scene in
            let log = ChangeLog<[String]>()
            let token = dynamicTracks(scene).observe { change in
                guard case .update(let tracks, _, let insertions, _) = change else { return }
                log.append(insertions.map { tracks[$0]["title"] as? String ?? "none" })
            }
            try scene.settle()
            try scene.writeElsewhere { $0.addTracks([10]) }
            try pump { log.count == 1 }
            #expect(log.entries == [["track 10"]])
            token.invalidate()
        }
    }

    @Test func changesAreReportedOnTheGivenQueue() async throws {
        try await observing { scene in
            let observing = ObservingQueue()
            let log = ChangeLog<Recorded>()
            let tracks = dynamicTracks(scene)
            let token = tracks.observe(keyPaths: ["title"], on: observing.queue) { change in
                dispatchPrecondition(condition: .onQueue(observing.queue))
                log.append(Recorded(change))
            }
            try pump { log.count == 1 }
            try scene.writeElsewhere { realm in
                try realm.track(0).rank = 9
                try realm.track(1).title = "new"
            }
            try pump { log.count == 2 }
            #expect(log.entries == [.initial(4), .modified(1)])
            token.invalidate()
        }
    }

    @Test func sectionsOfDynamicObjectsAreObserved() async throws {
        try await observingGroups { scene in
            let sections = dynamicTracks(scene).sectioned(
                by: { $0["group"] as? Int ?? -1 }, sortDescriptors: ["group", "id"])
            let recording = try scene.record(sections)
            try scene.writeElsewhere { realm in try realm.track(0).group = 2 }
            #expect(
                try recording.take() == [.changed(deletions: [[0, 0]], insertions: [[2, 0]])])
            try scene.writeElsewhere { realm in try realm.track(1).group = nil }
            let change = RecordedSections.changed(
                insertions: [[0, 0]], newSections: [0], oldSections: [0])
            #expect(try recording.take() == [change])
        }
    }

    @Test func aSkippedTransactionIsNotReported() async throws {
        try await observing { scene in
            let recording = try scene.record(dynamicTracks(scene))
            let token = try #require(recording.token)
            try scene.realm.write(withoutNotifying: [token]) { scene.realm.addTracks([10]) }
            try scene.realm.write { scene.realm.addTracks([11]) }
            #expect(try recording.take() == [.inserted(5)])
        }
    }

    @Test func aClassThatOnlyTheFileHasIsObserved() async throws {
        let configuration = TestDirectory.untilExit().configuration(observedTypes)
        let fewer = try #require(configuration.fileURL)
        try await onThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.addTracks(0..<2) }
        }
        try await withRunLoopThread {
            let realm = try Realm(
                configuration: Realm.Configuration(fileURL: fewer, objectTypes: [Marker.self]))
            let log = ChangeLog<Recorded>()
            let token = realm.dynamicObjects("Track").observe(keyPaths: ["rank"]) {
                log.append(Recorded($0))
            }
            try pump { log.count == 1 }
            try runThread {
                let realm = try Realm(configuration: configuration)
                try realm.write {
                    try realm.track(0).title = "new"
                    try realm.track(1).rank = 9
                    realm.addTracks([10])
                }
            }
            try pump { log.count == 2 }
            let change = Recorded.update(insertions: [2], modifications: [1])
            #expect(log.entries == [.initial(2), change])
            token.invalidate()
        }
    }
}

@Suite struct DynamicObjectObservationTests {
    private func dynamicTrack(_ scene: ObservationScene, _ id: Int) throws -> DynamicObject {
        let found = scene.realm.dynamicObject(ofType: "Track", forPrimaryKey: id)
        return try #require(found)
    }

    @Test func changedPropertiesAreReportedByTheirNames() async throws {
        try await observing { scene in
            let recording = scene.record(dynamic: try dynamicTrack(scene, 0))
            try scene.writeElsewhere { realm in
                try realm.track(0).title = "new"
                try realm.track(0).group = 7
                try realm.track(0).others.append(realm.track(1))
            }
            #expect(
                try recording.take() == [
                    .change([
                        .init(name: "group", old: "nil", new: "7"), .init(name: "others"),
                        .init(name: "title", old: "track 0", new: "new"),
                    ])
                ])
        }
    }

    @Test func keyPathsAreNames() async throws {
        try await observing { scene in
            try scene.realm.write { try scene.track(0).next = scene.track(1) }
            let recording = scene.record(
                dynamic: try dynamicTrack(scene, 0), keyPaths: ["next.title", "rank"])
            try scene.writeElsewhere { realm in
                try realm.track(0).title = "new"
                try realm.track(1).rank = 9
            }
            #expect(try recording.take() == [])
            try scene.writeElsewhere { realm in try realm.track(1).title = "new" }
            #expect(try recording.take().map(\.names) == [["next"]])
            try scene.writeElsewhere { realm in try realm.track(0).rank = 9 }
            #expect(try recording.take().map(\.names) == [["rank"]])
        }
    }

    @Test func linksHaveObjectsAsValues() async throws {
        try await observing { scene in
            let log = ChangeLog<Int?>()
            let object = try dynamicTrack(scene, 0)
            let token = object.observe { (change: ObjectChange<DynamicObject>) in
                guard case .change(_, let properties) = change else { return }
                let value = properties.first { $0.name == "next" }?.newValue as? Object
                log.append(value?["id"] as? Int)
            }
            try scene.writeElsewhere { realm in try realm.track(0).next = realm.track(3) }
            try scene.settle()
            #expect(log.entries == [3])
            token.invalidate()
        }
    }

    @Test func theObjectOfAChangeIsReadByName() async throws {
        try await observing { scene in
            let log = ChangeLog<String>()
            let object = try dynamicTrack(scene, 0)
            let token = object.observe { (change: ObjectChange<DynamicObject>) in
                guard case .change(let track, _) = change else { return }
                log.append(track["title"] as? String ?? "none")
            }
            try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
            try scene.settle()
            #expect(log.entries == ["new"])
            token.invalidate()
        }
    }

    @Test func deletingTheObjectIsReportedOnceAndThenNothing() async throws {
        try await observing { scene in
            let recording = scene.record(dynamic: try dynamicTrack(scene, 0))
            try scene.writeElsewhere { realm in try realm.delete(realm.track(0)) }
            #expect(try recording.take() == [.deleted])
            try scene.realm.write { scene.realm.addTracks([0]) }
            #expect(try recording.take() == [])
        }
    }

    @Test func aSkippedTransactionIsNotReported() async throws {
        try await observing { scene in
            let object = try dynamicTrack(scene, 0)
            let recording = scene.record(dynamic: object)
            let token = try #require(recording.token)
            try scene.realm.write(withoutNotifying: [token]) { object["title"] = "shown already" }
            #expect(try recording.take() == [])
            try scene.realm.write { object["rank"] = 9 }
            #expect(try recording.take() == [.own("rank", "9")])
        }
    }
}

@Suite struct DynamicCollectionObservationTests {
    @Test func aDynamicListIsObserved() async throws {
        try await observing { scene in
            let list = try scene.album.dynamicList("tracks")
            let recording = try scene.record(list)
            try scene.writeElsewhere { realm in try realm.album().tracks.move(from: 0, to: 2) }
            #expect(try recording.take() == [.update(deletions: [0], insertions: [2])])
            try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
            #expect(try recording.take() == [.modified(2)])
            let titles = try scene.record(list, keyPaths: ["title"])
            try scene.writeElsewhere { realm in try realm.track(0).rank = 9 }
            #expect(try titles.take() == [])
        }
    }

    @Test func aDynamicSetIsObserved() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.album.dynamicMutableSet("favourites"))
            try scene.writeElsewhere { realm in
                try realm.album().favourites.insert(objectsIn: [realm.track(1), realm.track(3)])
            }
            #expect(try recording.take() == [.inserted(0, 1)])
            try scene.writeElsewhere { realm in try realm.track(3).title = "new" }
            #expect(try recording.take() == [.modified(1)])
        }
    }

    @Test func aDynamicMapIsObserved() async throws {
        try await observing { scene in
            let map: Map<String, DynamicObject?> = try scene.album.dynamicMap("byKey")
            let recording = try scene.record(map, keyPaths: ["title"])
            try scene.writeElsewhere { realm in try realm.album().byKey["a"] = realm.track(1) }
            #expect(try recording.take() == [.update(insertions: ["a"])])
            try scene.writeElsewhere { realm in try realm.track(1).rank = 9 }
            #expect(try recording.take() == [])
            try scene.writeElsewhere { realm in try realm.track(1).title = "new" }
            #expect(try recording.take() == [.update(modifications: ["a"])])
        }
    }

    @Test func aCollectionOfADynamicObjectIsObserved() async throws {
        try await observing { scene in
            let album = try #require(scene.realm.dynamicObjects("Album").first)
            let tracks = try #require(album["tracks"] as? List<DynamicObject>)
            let numbers = try #require(album["numbers"] as? List<Int>)
            let first = try scene.record(tracks)
            let second = try scene.record(numbers)
            try scene.writeElsewhere { realm in
                try realm.album().tracks.removeLast()
                try realm.album().numbers.append(1)
            }
            #expect(try first.take() == [.deleted(3)])
            #expect(second.log.entries == [.inserted(0)])
        }
    }
}

// MARK: - Misuse

private let misuses: [String: @Sendable (Realm) throws -> Void] = [
    "an unknown property of dynamic results": { realm in
        _ = realm.dynamicObjects("Track").observe(keyPaths: ["missing"]) { _ in }
    },
    "an unknown property behind a link of dynamic results": { realm in
        _ = realm.dynamicObjects("Track").observe(keyPaths: ["next.missing"]) { _ in }
    },
    "an unknown property of a dynamic object": { realm in
        _ = realm.dynamicObjects("Track")[0].observe(keyPaths: ["missing"]) {
            (_: ObjectChange<DynamicObject>) in
        }
    },
]

@Suite struct DynamicObservationTrapTests {
    @Test(arguments: misuses.keys.sorted()) func stopsUnknownProperties(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in
            try runOnRunLoopThread {
                let realm = try temporaryRealm(observedTypes)
                try realm.write { realm.addTracks([0]) }
                try misuses[name]?(realm)
            }
        }
        guard let result else { return }
        let output = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(output.contains("property 'missing' not found in object of type 'Track'"))
    }
}
