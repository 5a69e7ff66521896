import Foundation
import RealmSwift
import Testing
import ToolSupport

/// Transactions of which some handlers are not told.
@Suite struct SkippedTransactionTests {
    /// Transactions of another thread that become durable together with the skipped ones are told.
    @Test func transactionsOfOthersAreToldAlthoughTheyJoinASkippedOne() async throws {
        try await observing { scene in
            let realm = scene.realm
            let told = ChangeLog<Int>()
            let token = scene.tracks.observe { change in
                if case .update(_, _, let insertions, _) = change {
                    for _ in insertions { told.append(1) }
                }
            }
            try scene.settle()
            let added = ChangeLog<Int>()
            let writer = BackgroundThread { [configuration = scene.configuration] isStopped in
                let realm = try Realm(configuration: configuration)
                while !isStopped() {
                    let id = 1_000 + added.count
                    try realm.write { realm.addTracks([id]) }
                    added.append(id)
                }
            }
            try pump { added.count > 0 }
            for number in 0..<300 {
                try realm.write(withoutNotifying: [token]) {
                    try scene.track(0).title = "title \(number)"
                }
            }
            try writer.finish()
            try scene.settle()
            #expect(told.count == added.count)
            token.invalidate()
        }
    }

    /// A program that shows its own change itself, once `write` has returned, is told of those of
    /// others afterwards, so it must not see them yet.
    @Test func theRealmShowsTheSkippedTransactionUntilItMoves() async throws {
        try await observing { scene in
            let realm = scene.realm
            let mirror = ChangeLog<Int>()
            let token = scene.tracks.observe { change in
                if case .update(_, let deletions, let insertions, _) = change {
                    mirror.append(insertions.count - deletions.count)
                }
            }
            try scene.settle()
            let writer = BackgroundThread { [configuration = scene.configuration] isStopped in
                let realm = try Realm(configuration: configuration)
                var id = 1_000
                while !isStopped() {
                    try realm.write { realm.addTracks([id]) }
                    id += 1
                }
            }
            for id in 100..<400 {
                var count = 0
                try realm.write(withoutNotifying: [token]) {
                    realm.addTracks([id])
                    count = scene.tracks.count
                }
                #expect(scene.tracks.count == count)
                realm.refresh()
            }
            try writer.finish()
            try scene.settle()
            #expect(mirror.entries.reduce(0, +) == scene.tracks.count - 300 - 4)
            token.invalidate()
        }
    }

    /// The skipped handler's sections are those of the transaction, not of what others added.
    @Test func sectionsFollowSkippedTransactionsExactly() async throws {
        try await observing { scene in
            let realm = scene.realm
            let sections = scene.tracks.sectioned(by: { $0.rank % 10 }, sortDescriptors: ["id"])
            let mirror = ChangeLog<Int>()
            let token = sections.observe { change in
                if case .update(_, let deletions, let insertions, _, _, _) = change {
                    mirror.append(insertions.count - deletions.count)
                }
            }
            try scene.settle()
            let count = scene.tracks.count
            let writer = BackgroundThread { [configuration = scene.configuration] isStopped in
                let realm = try Realm(configuration: configuration)
                var id = 1_000
                while !isStopped() {
                    // A section never loses its last element, whose deletion would not be listed.
                    try realm.write { realm.addTracks([id]) }
                    id += 1
                }
            }
            for id in 100..<200 {
                try realm.write(withoutNotifying: [token]) { realm.addTracks([id]) }
            }
            try writer.finish()
            try scene.settle()
            #expect(mirror.entries.reduce(0, +) == scene.tracks.count - count - 100)
            token.invalidate()
        }
    }

    /// A handler that skips others in its own transaction leaves what a third one is to be told.
    @Test func aHandlerThatSkipsAnotherLeavesTheRestOfTheDelivery() async throws {
        try await observing { scene in
            let realm = scene.realm
            let skipped = scene.realm.objects(Album.self).observe { _ in }
            let log = ChangeLog<Recorded>()
            let hasWritten = ChangeLog<Bool>()
            let first = scene.tracks.observe { change in
                guard case .update = change, hasWritten.count == 0 else { return }
                hasWritten.append(true)
                do {
                    try realm.write(withoutNotifying: [skipped]) {
                        realm.create(Album.self, value: ["id": 7])
                    }
                } catch {
                    Issue.record(error)
                }
            }
            let third = scene.tracks.filter("rank >= 0").observe { log.append(Recorded($0)) }
            try scene.settle()
            try scene.writeElsewhere { $0.addTracks([10]) }
            realm.refresh()
            #expect(log.entries.last == .inserted(4))
            for token in [skipped, first, third] { token.invalidate() }
        }
    }

    @Test func anEmptyTransactionDoesNotTakeTheOldValues() async throws {
        try await observing { scene in
            let recording = try scene.record(scene.track(0))
            try scene.settle()
            try scene.realm.write {}
            try scene.writeElsewhere { realm in try realm.track(0).title = "new" }
            let changed = RecordedObject.Property(name: "title", old: "track 0", new: "new")
            #expect(try recording.take() == [.change([changed])])
            try scene.realm.write { scene.realm.addTracks([10]) }
            try scene.writeElsewhere { realm in try realm.track(0).title = "newer" }
            #expect(try recording.take().map(\.names) == [["title"]])
        }
    }

    @Test func tokensThatHaveEndedAreIgnored() async throws {
        try await observing { scene in
            let direct = scene.tracks.observe { _ in }
            let queued = scene.tracks.observe(on: ObservingQueue().queue) { _ in }
            for token in [direct, queued] { token.invalidate() }
            try scene.realm.write(withoutNotifying: [direct, queued]) {
                scene.realm.addTracks([10])
            }
            #expect(scene.tracks.count == 5)
        }
    }
}
