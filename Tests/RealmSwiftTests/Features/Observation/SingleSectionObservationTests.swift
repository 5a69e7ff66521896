import Foundation
import RealmSwift
import Testing

/// Observers of one section.
@Suite struct SingleSectionObservationTests {
    private func section(
        _ key: Int?, _ scene: ObservationScene
    ) throws -> ResultsSection<Int?, Track> {
        let found = scene.groups.first { $0.key == key }
        return try #require(found)
    }

    private func record(
        _ key: Int?, _ scene: ObservationScene, keyPaths: [String]? = nil
    ) throws -> ChangeRecording<RecordedSections> {
        try scene.record(section(key, scene), keyPaths: keyPaths)
    }

    @Test func theInitialContentsAreThoseOfTheSection() async throws {
        try await observingGroups { scene in
            let log = ChangeLog<RecordedSections>()
            let ids = ChangeLog<[Int]>()
            let token = try section(1, scene).observe { change in
                log.append(RecordedSections(change))
                if case .initial(let section) = change { ids.append(section.map(\.id)) }
            }
            #expect(log.entries.isEmpty)
            try pump { log.count == 1 }
            #expect(log.entries == [.initial(2)] && ids.entries == [[2, 3]])
            token.invalidate()
        }
    }

    @Test func elementsThatComeAndGoAreReported() async throws {
        try await observingGroups { scene in
            let recording = try record(1, scene)
            try scene.writeElsewhere { realm in
                _ = realm.create(Track.self, value: ["id": 10, "group": 1])
            }
            #expect(try recording.take().items == [.init(insertions: [2])])
            try scene.writeElsewhere { realm in try realm.delete(realm.track(2)) }
            #expect(try recording.take().items == [.init(deletions: [0])])
            try scene.writeElsewhere { realm in try realm.track(10).title = "new" }
            #expect(try recording.take().items == [.init(modifications: [1])])
        }
    }

    @Test func changesOfOtherSectionsAreNotReported() async throws {
        try await observingGroups { scene in
            let recording = try record(1, scene)
            try scene.writeElsewhere { realm in
                try realm.track(0).title = "new"
                try realm.delete(realm.track(5))
                realm.create(Track.self, value: ["id": 10, "group": 2])
            }
            #expect(try recording.take() == [])
        }
    }

    @Test func otherSectionsMayComeAndVanish() async throws {
        try await observingGroups { scene in
            let recording = try record(1, scene)
            try scene.writeElsewhere { $0.addTracks([10]) }
            #expect(try recording.take() == [])
            try scene.writeElsewhere { realm in
                for id in [0, 1, 10] { try realm.delete(realm.track(id)) }
            }
            #expect(try recording.take() == [])
            try scene.writeElsewhere { realm in try realm.track(3).title = "new" }
            #expect(try recording.take().items == [.init(modifications: [1])])
        }
    }

    @Test func elementsMayComeFromAndGoToOtherSections() async throws {
        try await observingGroups { scene in
            let recording = try record(1, scene)
            try scene.writeElsewhere { realm in try realm.track(2).group = 2 }
            #expect(try recording.take().items == [.init(deletions: [0])])
            try scene.writeElsewhere { realm in try realm.track(0).group = 1 }
            #expect(try recording.take().items == [.init(insertions: [0])])
        }
    }

    @Test func modificationsHaveTheirNewPositions() async throws {
        try await observingGroups { scene in
            let recording = try record(1, scene)
            try scene.writeElsewhere { realm in
                try realm.track(0).group = 1
                try realm.track(3).title = "new"
            }
            #expect(
                try recording.take().items == [.init(insertions: [0], modifications: [2])])
        }
    }

    @Test func aSectionThatVanishesListsNoElements() async throws {
        try await observingGroups { scene in
            let observed = try section(1, scene)
            let recording = try scene.record(observed)
            try scene.writeElsewhere { realm in
                for id in [2, 3] { try realm.delete(realm.track(id)) }
            }
            #expect(try recording.take().items == [.init(isGone: true)])
            #expect(observed.isEmpty && observed.key == 1)
        }
    }

    @Test func anObserverOfASectionThatVanishedIsToldWhenItComesBack() async throws {
        try await observingGroups { scene in
            let observed = try section(1, scene)
            let recording = try scene.record(observed)
            try scene.writeElsewhere { realm in
                for id in [2, 3] { try realm.track(id).group = 0 }
            }
            #expect(try recording.take().items == [.init(isGone: true)])
            try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
            #expect(try recording.take() == [])
            try scene.writeElsewhere { realm in
                for id in [3, 5] { try realm.track(id).group = 1 }
            }
            #expect(try recording.take().items == [.init(insertions: [0, 1], isNew: true)])
            #expect(observed.map(\.id) == [3, 5])
            try scene.writeElsewhere { realm in try realm.track(5).title = "new" }
            #expect(try recording.take().items == [.init(modifications: [1])])
        }
    }

    @Test func aSectionThatHasVanishedMayBeObserved() async throws {
        try await observingGroups { scene in
            let observed = try section(1, scene)
            try scene.realm.write { for id in [2, 3] { try scene.track(id).group = 0 } }
            let log = ChangeLog<RecordedSections>()
            let token = observed.observe { log.append(RecordedSections($0)) }
            try scene.settle()
            #expect(log.entries == [.initial(0)])
            try scene.realm.write { try scene.track(2).group = 1 }
            try scene.settle()
            #expect(log.entries.items == [.init(insertions: [0], isNew: true)])
            token.invalidate()
        }
    }

    @Test func keyPathsChooseTheModifications() async throws {
        try await observingGroups { scene in
            let recording = try record(1, scene, keyPaths: ["title"])
            try scene.writeElsewhere { realm in try realm.track(2).rank = 9 }
            #expect(try recording.take() == [])
            try scene.writeElsewhere { realm in try realm.track(2).title = "new" }
            #expect(try recording.take().items == [.init(modifications: [0])])
            try scene.writeElsewhere { realm in try realm.track(2).group = nil }
            #expect(try recording.take().items == [.init(deletions: [0])])
        }
    }

    @Test func swiftKeyPathsMeanTheSame() async throws {
        try await observingGroups { scene in
            let log = ChangeLog<RecordedSections>()
            let token = try section(1, scene).observe(keyPaths: [\Track.title]) {
                log.append(RecordedSections($0))
            }
            try scene.settle()
            try scene.writeElsewhere { realm in try realm.track(2).rank = 9 }
            try scene.settle()
            try scene.writeElsewhere { realm in try realm.track(3).title = "new" }
            try scene.settle()
            #expect(log.entries.items == [.init(modifications: [1])])
            token.invalidate()
        }
    }

    /// The first number of an index path is the position of the section among all sections.
    @Test func indexPathsHaveThePositionOfTheSection() async throws {
        try await observingGroups { scene in
            let recording = try record(1, scene)
            try scene.writeElsewhere { realm in
                realm.addTracks([10])
                try realm.delete(realm.track(2))
                try realm.track(3).title = "new"
            }
            // Group 1 was the second section, and is the third one behind that of track 10.
            let change = RecordedSections.changed(
                deletions: [[1, 0]], modifications: [[2, 0]])
            #expect(try recording.take() == [change])
        }
    }

    @Test func changesAreReportedOnTheGivenQueue() async throws {
        try await observingGroups { scene in
            let observing = ObservingQueue()
            let log = ChangeLog<RecordedSections>()
            let ids = ChangeLog<[Int]>()
            let token = try section(1, scene).observe(on: observing.queue) { change in
                dispatchPrecondition(condition: .onQueue(observing.queue))
                switch change {
                case .initial(let section), .update(let section, _, _, _, _, _):
                    ids.append(section.map(\.id))
                }
                log.append(RecordedSections(change))
            }
            try pump { log.count == 1 }
            try scene.writeElsewhere { realm in try realm.track(0).group = 1 }
            try pump { log.count == 2 }
            #expect(log.entries.items == [.init(insertions: [0])])
            #expect(ids.entries == [[2, 3], [0, 2, 3]])
            token.invalidate()
        }
    }

    @Test func theSectionOfAChangeEqualsTheObservedOne() async throws {
        try await observingGroups { scene in
            let observed = try section(1, scene)
            let log = ChangeLog<Bool>()
            let token = observed.observe { change in
                switch change {
                case .initial(let section): log.append(section == observed)
                case .update(let section, _, _, _, _, _): log.append(section == observed)
                }
            }
            try pump { log.count == 1 }
            try scene.writeElsewhere { realm in try realm.track(2).title = "new" }
            try pump { log.count == 2 }
            #expect(log.entries == [true, true])
            token.invalidate()
        }
    }

    @Test func everySectionMayHaveAnObserver() async throws {
        try await observingGroups { scene in
            let recordings = try scene.groups.map { try scene.record($0) }
            let all = try scene.record(scene.groups)
            try scene.writeElsewhere { realm in
                try realm.track(0).group = 2
                try realm.track(2).title = "new"
            }
            let expected: [[RecordedItems]] = [
                [.init(deletions: [0])], [.init(modifications: [0])], [.init(insertions: [0])],
            ]
            for (recording, items) in zip(recordings, expected) {
                #expect(try recording.take().items == items)
            }
            #expect(all.log.count == 1)
        }
    }

    @Test func aSkippedTransactionIsNotReported() async throws {
        try await observingGroups { scene in
            let recording = try record(1, scene)
            let token = try #require(recording.token)
            try scene.realm.write(withoutNotifying: [token]) { try scene.track(2).title = "new" }
            #expect(try recording.take() == [])
            try scene.realm.write { try scene.track(3).title = "new" }
            #expect(try recording.take().items == [.init(modifications: [1])])
        }
    }
}

// MARK: - Misuse

private let misuses: [String: Misuse] = [
    "observing sections without a run loop": Misuse(
        "Can only add notification blocks from within runloops."
    ) {
        try runThread {
            let realm = try temporaryRealm(observedTypes)
            _ = realm.objects(Track.self).sectioned(by: \.group).observe { _ in }
        }
    },
    "observing sections after a change in a transaction": Misuse(
        "Cannot register notification blocks from within write transactions."
    ) {
        try inLoop { realm in
            try realm.write {
                realm.addTracks([10])
                _ = realm.objects(Track.self).sectioned(by: \.group).observe { _ in }
            }
        }
    },
    "observing a section on another thread": Misuse("Realm accessed from incorrect thread.") {
        try inLoop { realm in
            let section = Handed(realm.objects(Track.self).sectioned(by: \.group)[0])
            try runOnRunLoopThread { _ = section.value.observe { _ in } }
        }
    },
    "observing sections of a read-only Realm": Misuse(
        "Read-only Realms do not change and do not have change notifications."
    ) {
        var configuration = TestDirectory.untilExit().configuration(observedTypes)
        try runThread { [configuration] in
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.addTracks([0]) }
        }
        configuration.readOnly = true
        try runOnRunLoopThread { [configuration] in
            let realm = try Realm(configuration: configuration)
            _ = realm.objects(Track.self).sectioned(by: \.group).observe { _ in }
        }
    },
    "skipping the token of sections of another Realm": Misuse(
        "Incorrect Realm: only notifications for the Realm being modified can be skipped."
    ) {
        try inLoop { realm in
            let other = try temporaryRealm(observedTypes)
            let token = other.objects(Track.self).sectioned(by: \.group).observe { _ in }
            try realm.write(withoutNotifying: [token]) {}
        }
    },
]

/// Runs `body` in a run loop with a Realm that has track 0.
private func inLoop(_ body: @escaping @Sendable (Realm) throws -> Void) throws {
    try runOnRunLoopThread {
        let realm = try temporaryRealm(observedTypes)
        try realm.write { realm.addTracks([0]) }
        try body(realm)
    }
}

@Suite struct SectionObservationTrapTests {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }

    @Test func stopsUnknownProperties() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try inLoop { realm in
                _ = realm.objects(Track.self).sectioned(by: \.group)
                    .observe(keyPaths: ["missing"]) { _ in }
            }
        }
        guard let result else { return }
        let output = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(output.contains("property 'missing' not found in object of type 'Track'"))
    }
}
