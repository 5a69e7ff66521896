import Foundation
import RealmSwift
import Testing

/// Runs `body` with track 0, which links to track 1, lists tracks 2 and 3, and has a label.
private func observingView(
    _ body: @escaping @Sendable (ObservationScene, TrackView) throws -> Void
) async throws {
    try await observing { scene in
        try scene.realm.write {
            let track = try scene.track(0)
            track.next = try scene.track(1)
            try track.others.append(objectsIn: [scene.track(2), scene.track(3)])
            track.label = TrackLabel(value: ["text": "a"])
        }
        try body(scene, TrackView(projecting: scene.track(0)))
    }
}

@Suite struct ProjectionObservationTests {
    @Test func thereIsNoInitialCall() async throws {
        try await observingView { scene, view in
            let recording = scene.record(view)
            try #expect(recording.take() == [])
        }
    }

    @Test func ownChangesHaveTheNamesOfTheProjection() async throws {
        try await observingView { scene, view in
            let recording = scene.record(view)
            try scene.realm.write { try scene.track(0).title = "new" }
            #expect(try recording.take() == [.own("name", "new")])
            try scene.realm.write { view.position = 9 }
            #expect(try recording.take() == [.own("position", "9")])
        }
    }

    @Test func changesElsewhereHaveOldAndNewValues() async throws {
        try await observingView { scene, view in
            let recording = scene.record(view)
            try scene.writeElsewhere { realm in
                try realm.track(0).title = "new"
                try realm.track(0).rank = 9
            }
            #expect(
                try recording.take() == [
                    .change([
                        .init(name: "name", old: "track 0", new: "new"),
                        .init(name: "position", old: "0", new: "9"),
                    ])
                ])
        }
    }

    @Test func propertiesThatAreNotProjectedAreNotReported() async throws {
        try await observingView { scene, view in
            let recording = scene.record(view)
            try scene.writeElsewhere { realm in
                try realm.track(0).group = 7
                try realm.track(0).labels.append(TrackLabel())
            }
            #expect(try recording.take() == [])
        }
    }

    @Test func aPropertyBehindALinkIsReportedByItsNameInTheProjection() async throws {
        try await observingView { scene, view in
            let recording = scene.record(view)
            try scene.writeElsewhere { realm in try realm.track(1).title = "new" }
            #expect(try recording.take().map(\.names) == [["following"]])
            try scene.writeElsewhere { realm in try realm.track(1).rank = 9 }
            #expect(try recording.take() == [])
            try scene.writeElsewhere { realm in try realm.track(0).next = realm.track(3) }
            #expect(try recording.take().map(\.names) == [["following"]])
            try scene.writeElsewhere { realm in try realm.track(0).label?.text = "new" }
            #expect(try recording.take().map(\.names) == [["labelText"]])
            try scene.writeElsewhere { realm in try realm.track(0).label?.size = 9 }
            #expect(try recording.take() == [])
        }
    }

    @Test func aProjectedCollectionIsReportedByItsName() async throws {
        try await observingView { scene, view in
            let recording = scene.record(view)
            try scene.writeElsewhere { realm in try realm.track(0).others.removeLast() }
            #expect(try recording.take().map(\.names) == [["otherTitles"]])
            try scene.writeElsewhere { realm in try realm.track(2).title = "new" }
            #expect(try recording.take().map(\.names) == [["otherTitles"]])
            try scene.writeElsewhere { realm in try realm.track(2).rank = 9 }
            #expect(try recording.take() == [])
        }
    }

    @Test func aCollectionHasNeitherOldNorNewValue() async throws {
        try await observingView { scene, view in
            let recording = scene.record(view)
            try scene.writeElsewhere { realm in try realm.track(0).tags.insert("a") }
            #expect(try recording.take() == [.names("tags")])
        }
    }

    @Test func everyNameOfAPropertyIsReported() async throws {
        try await observing { scene in
            let recording = scene.record(LoudTrackView(projecting: try scene.track(0)))
            try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
            let changes = try recording.take()
            #expect(changes.map(\.names) == [["loudName", "name"]])
            guard case .change(let properties) = changes.first else { return }
            #expect(properties.map(\.new) == ["NEW", "new"])
        }
    }

    @Test func deletingTheObjectIsReportedOnceAndThenNothing() async throws {
        try await observingView { scene, view in
            let recording = scene.record(view)
            try scene.writeElsewhere { realm in try realm.delete(realm.track(0)) }
            #expect(try recording.take() == [.deleted])
            try scene.realm.write { scene.realm.addTracks([0]) }
            #expect(try recording.take() == [])
        }
    }

    @Test func swiftKeyPathsNamePropertiesOfTheProjection() async throws {
        try await observingView { scene, view in
            let log = ChangeLog<RecordedObject>()
            let token = view.observe(keyPaths: [\TrackView.name, \TrackView.following]) {
                log.append(RecordedObject($0))
            }
            try scene.writeElsewhere { realm in try realm.track(0).rank = 9 }
            try scene.settle()
            #expect(log.entries.isEmpty)
            try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
            try scene.settle()
            try scene.writeElsewhere { realm in try realm.track(1).title = "new" }
            try scene.settle()
            #expect(log.entries.map(\.names) == [["name"], ["following"]])
            token.invalidate()
        }
    }

    /// Assumed: strings are key paths of the object, as in filters and orders.
    @Test func stringsNamePropertiesOfTheObject() async throws {
        try await observingView { scene, view in
            let recording = scene.record(view, keyPaths: ["rank", "next.title"])
            try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
            #expect(try recording.take() == [])
            try scene.writeElsewhere { realm in try realm.track(0).rank = 9 }
            #expect(try recording.take().map(\.names) == [["position"]])
            try scene.writeElsewhere { realm in try realm.track(1).title = "new" }
            #expect(try recording.take().map(\.names) == [["following"]])
        }
    }

    @Test func anEmptyArrayOfKeyPathsMeansEveryProjectedProperty() async throws {
        try await observingView { scene, view in
            let recording = scene.record(view, keyPaths: [])
            try scene.writeElsewhere { realm in try realm.track(0).rank = 9 }
            #expect(try recording.take().map(\.names) == [["position"]])
        }
    }

    @Test func theProjectionOfAChangeIsOfTheObservedObject() async throws {
        try await observingView { scene, view in
            let log = ChangeLog<Bool>()
            let token = view.observe { change in
                guard case .change(let changed, _) = change else { return }
                log.append(changed == view && changed.name == "new")
            }
            try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
            try pump { log.count == 1 }
            #expect(log.entries == [true])
            token.invalidate()
        }
    }

    @Test func changesAreReportedOnTheGivenQueue() async throws {
        try await observingView { scene, view in
            let observing = ObservingQueue()
            let log = ChangeLog<RecordedObject>()
            let names = ChangeLog<String>()
            let token = view.observe(on: observing.queue) { change in
                dispatchPrecondition(condition: .onQueue(observing.queue))
                if case .change(let changed, _) = change { names.append(changed.name) }
                log.append(RecordedObject(change))
            }
            // There is no initial call, so another observer tells when registration is over.
            let markers = ChangeLog<Recorded>()
            let marker = scene.tracks.observe(on: observing.queue) { markers.append(Recorded($0)) }
            try pump { markers.count == 1 }
            try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
            try pump { log.count == 1 }
            #expect(log.entries.map(\.names) == [["name"]] && names.entries == ["new"])
            try scene.writeElsewhere { realm in try realm.delete(realm.track(0)) }
            try pump { log.count == 2 }
            #expect(log.entries.last == .deleted)
            token.invalidate()
            marker.invalidate()
        }
    }

    @Test func aSkippedTransactionIsNotReported() async throws {
        try await observingView { scene, view in
            let recording = scene.record(view)
            let token = try #require(recording.token)
            try scene.realm.write(withoutNotifying: [token]) { view.name = "shown already" }
            #expect(try recording.take() == [])
            try scene.realm.write { view.position = 9 }
            #expect(try recording.take() == [.own("position", "9")])
        }
    }

    @Test func anInvalidatedTokenEndsTheCalls() async throws {
        try await observingView { scene, view in
            let recording = scene.record(view)
            #expect(recording.token?.invalidate() == true)
            #expect(recording.token?.invalidate() == false)
            try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
            #expect(try recording.take() == [])
        }
    }

    @Test func theProjectionNeedNotBeKept() async throws {
        try await observing { scene in
            let log = ChangeLog<RecordedObject>()
            let token = TrackView(projecting: try scene.track(0)).observe {
                log.append(RecordedObject($0))
            }
            try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
            try scene.settle()
            #expect(log.entries.map(\.names) == [["name"]])
            token.invalidate()
        }
    }
}

@Suite struct ProjectionResultsObservationTests {
    @Test func changesArePositionsOfProjections() async throws {
        try await observing { scene in
            let views = scene.realm.objects(TrackView.self).filter("rank > 1")
                .sorted(byKeyPath: "rank")
            let recording = try scene.record(views)
            try scene.writeElsewhere { realm in try realm.track(0).rank = 9 }
            #expect(try recording.take() == [.inserted(2)])
            try scene.writeElsewhere { realm in try realm.track(2).title = "new" }
            #expect(try recording.take() == [.modified(0)])
            try scene.writeElsewhere { realm in try realm.delete(realm.track(3)) }
            #expect(try recording.take() == [.deleted(1)])
        }
    }

    @Test func theCollectionOfAChangeHasProjections() async throws {
        try await observing { scene in
            let log = ChangeLog<[String]>()
            let views = scene.realm.objects(TrackView.self)
            let token = views.observe { change in
                switch change {
                case .initial(let views): log.append(Array(views).map(\.name))
                case .update(let views, _, let insertions, _):
                    log.append(insertions.map { views[$0].name })
                case .error(let error): Issue.record(error)
                }
            }
            try pump { log.count == 1 }
            try scene.writeElsewhere { $0.addTracks([10]) }
            try pump { log.count == 2 }
            #expect(log.entries.last == ["track 10"] && log.entries.first?.count == 4)
            token.invalidate()
        }
    }

    @Test func keyPathsChooseTheModifications() async throws {
        try await observing { scene in
            let recording = try scene.record(
                scene.realm.objects(TrackView.self), keyPaths: ["title"])
            try scene.writeElsewhere { realm in try realm.track(1).rank = 9 }
            #expect(try recording.take() == [])
            try scene.writeElsewhere { realm in try realm.track(1).title = "new" }
            #expect(try recording.take() == [.modified(1)])
        }
    }

    @Test func sectionsOfProjectionsAreObserved() async throws {
        try await observing { scene in
            let sections = scene.realm.objects(TrackView.self).sectioned(by: \.position)
            let recording = try scene.record(sections)
            try scene.writeElsewhere { realm in try realm.track(0).rank = 3 }
            let change = RecordedSections.changed(insertions: [[2, 0]], oldSections: [0])
            #expect(try recording.take() == [change])
            try scene.writeElsewhere { realm in try realm.track(1).title = "new" }
            #expect(try recording.take() == [.changed(modifications: [[0, 0]])])
        }
    }

    @Test func changesAreReportedOnTheGivenQueue() async throws {
        try await observing { scene in
            let observing = ObservingQueue()
            let log = ChangeLog<[String]>()
            let token = scene.realm.objects(TrackView.self).observe(on: observing.queue) { change in
                dispatchPrecondition(condition: .onQueue(observing.queue))
                switch change {
                case .initial(let views): log.append(Array(views).map(\.name))
                case .update(let views, _, let insertions, _):
                    log.append(insertions.map { views[$0].name })
                case .error(let error): Issue.record(error)
                }
            }
            try pump { log.count == 1 }
            try scene.writeElsewhere { $0.addTracks([10]) }
            try pump { log.count == 2 }
            #expect(log.entries.last == ["track 10"])
            token.invalidate()
        }
    }

    @Test func aSkippedTransactionIsNotReported() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.realm.objects(TrackView.self))
            let token = try #require(recording.token)
            try scene.realm.write(withoutNotifying: [token]) { scene.realm.addTracks([10]) }
            try scene.realm.write { scene.realm.addTracks([11]) }
            #expect(try recording.take() == [.inserted(5)])
        }
    }
}

@Suite struct ProjectedCollectionObservationTests {
    @Test func theInitialContentsComeFirstAndAsynchronously() async throws {
        try await observingView { scene, view in
            let log = ChangeLog<Recorded>()
            let token = view.otherTitles.observe { log.append(Recorded(projected: $0)) }
            #expect(log.entries.isEmpty)
            try pump { log.count == 1 }
            #expect(log.entries == [.initial(2)])
            token.invalidate()
        }
    }

    @Test func elementsThatComeGoAndMoveAreReported() async throws {
        try await observingView { scene, view in
            let recording = try scene.record(projected: view.otherTitles)
            try scene.writeElsewhere { realm in
                try realm.track(0).others.insert(realm.track(1), at: 0)
            }
            #expect(try recording.take() == [.inserted(0)])
            try scene.writeElsewhere { realm in try realm.track(0).others.move(from: 0, to: 2) }
            #expect(try recording.take() == [.update(deletions: [0], insertions: [2])])
            try scene.realm.write { try scene.track(0).others.remove(at: 1) }
            #expect(try recording.take() == [.deleted(1)])
        }
    }

    @Test func changedValuesAreModifications() async throws {
        try await observingView { scene, view in
            let recording = try scene.record(projected: view.otherTitles)
            try scene.writeElsewhere { realm in try realm.track(3).title = "new" }
            #expect(try recording.take() == [.modified(1)])
            try scene.realm.write { view.otherTitles[0] = "newer" }
            #expect(try recording.take() == [.modified(0)])
        }
    }

    /// Assumed: without key paths, only the projected property counts.
    @Test func otherPropertiesOfTheElementsAreNotReported() async throws {
        try await observingView { scene, view in
            let recording = try scene.record(projected: view.otherTitles)
            try scene.writeElsewhere { realm in try realm.track(3).rank = 9 }
            #expect(try recording.take() == [])
        }
    }

    @Test func keyPathsNamePropertiesOfTheElements() async throws {
        try await observingView { scene, view in
            let recording = try scene.record(projected: view.otherTitles, keyPaths: ["title"])
            try scene.writeElsewhere { realm in try realm.track(2).rank = 9 }
            #expect(try recording.take() == [])
            try scene.writeElsewhere { realm in try realm.track(2).title = "new" }
            #expect(try recording.take() == [.modified(0)])
        }
    }

    @Test func aSetIsObservedInItsOrder() async throws {
        try await observing { scene in
            try scene.realm.write {
                try scene.album.favourites.insert(objectsIn: [scene.track(0), scene.track(2)])
            }
            let titles = try scene.album.favourites.projectTo.title
            let recording = try scene.record(projected: titles)
            try scene.writeElsewhere { realm in
                try realm.album().favourites.insert(realm.track(1))
            }
            #expect(try recording.take() == [.inserted(1)])
            try scene.writeElsewhere { realm in try realm.track(2).title = "new" }
            #expect(try recording.take() == [.modified(2)])
        }
    }

    @Test func deletingTheOwnerReportsDeletionsAndThenNothing() async throws {
        try await observingView { scene, view in
            let titles = view.otherTitles
            let recording = try scene.record(projected: titles)
            try scene.writeElsewhere { realm in try realm.delete(realm.track(0)) }
            #expect(try recording.take() == [.deleted(0, 1)])
            try scene.writeElsewhere { realm in try realm.track(2).title = "new" }
            #expect(try recording.take() == [])
            #expect(titles.isInvalidated)
        }
    }

    @Test func positionsOfAChangeFindTheValues() async throws {
        try await observingView { scene, view in
            let log = ChangeLog<[String]>()
            let token = view.otherTitles.observe { change in
                guard case .update(let titles, _, let insertions, _) = change else { return }
                log.append(insertions.map { titles[$0] })
            }
            try scene.settle()
            try scene.writeElsewhere { realm in
                try realm.track(0).others.append(realm.track(1))
            }
            try pump { log.count == 1 }
            #expect(log.entries == [["track 1"]])
            token.invalidate()
        }
    }

    @Test func changesAreReportedOnTheGivenQueue() async throws {
        try await observingView { scene, view in
            let observing = ObservingQueue()
            let log = ChangeLog<Recorded>()
            let titles = ChangeLog<[String]>()
            let token = view.otherTitles.observe(on: observing.queue) { change in
                dispatchPrecondition(condition: .onQueue(observing.queue))
                switch change {
                case .initial(let now), .update(let now, _, _, _): titles.append(now.map { $0 })
                case .error(let error): Issue.record(error)
                }
                log.append(Recorded(projected: change))
            }
            try pump { log.count == 1 }
            try scene.writeElsewhere { realm in try realm.track(2).title = "new" }
            try pump { log.count == 2 }
            #expect(log.entries == [.initial(2), .modified(0)])
            #expect(titles.entries == [["track 2", "track 3"], ["new", "track 3"]])
            token.invalidate()
        }
    }

    @Test func aSkippedTransactionIsNotReported() async throws {
        try await observingView { scene, view in
            let recording = try scene.record(projected: view.otherTitles)
            let token = try #require(recording.token)
            try scene.realm.write(withoutNotifying: [token]) {
                try scene.track(0).others.removeAll()
            }
            #expect(try recording.take() == [])
            try scene.realm.write { try scene.track(0).others.append(scene.track(1)) }
            #expect(try recording.take() == [.inserted(0)])
        }
    }
}

// MARK: - Misuse

private let misuses: [String: Misuse] = [
    "observing the projection of an unmanaged object": Misuse(
        "Only objects which are managed by a Realm support change notifications"
    ) {
        try runOnRunLoopThread {
            _ = TrackView(projecting: Track()).observe { _ in }
        }
    },
    "observing the projection of an unmanaged list": Misuse(
        "Change notifications are only supported on managed collections."
    ) {
        try runOnRunLoopThread {
            _ = Track().others.projectTo.title.observe { _ in }
        }
    },
    "observing the projection of a deleted object": Misuse(
        "Object has been deleted or invalidated."
    ) {
        try runOnRunLoopThread {
            let realm = try temporaryRealm(observedTypes)
            try realm.write { realm.addTracks([0]) }
            let view = TrackView(projecting: try realm.track(0))
            try realm.write { realm.delete(view.rootObject) }
            _ = view.observe { _ in }
        }
    },
    "observing a projection without a run loop": Misuse(
        "Can only add notification blocks from within runloops."
    ) {
        try runThread {
            let realm = try temporaryRealm(observedTypes)
            try realm.write { realm.addTracks([0]) }
            _ = TrackView(projecting: try realm.track(0)).observe { _ in }
        }
    },
    "observing a projection after a change in a transaction": Misuse(
        "Cannot register notification blocks from within write transactions."
    ) {
        try runOnRunLoopThread {
            let realm = try temporaryRealm(observedTypes)
            try realm.write {
                realm.addTracks([0])
                _ = TrackView(projecting: try realm.track(0)).observe { _ in }
            }
        }
    },
]

@Suite struct ProjectionObservationTrapTests {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }
}
