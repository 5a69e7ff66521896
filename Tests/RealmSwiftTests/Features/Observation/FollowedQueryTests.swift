import Foundation
import Testing

@testable import RealmSwift

/// What a handler is told is found with work that follows the change, and once for all handlers of
/// equal things.
@Suite struct FollowedQueryTests {
    private func isFollowed(_ results: Results<Track>) -> Bool {
        let query = results.query
        return ObservedClass.decisive(for: query).flatMap { FollowedQuery(query, $0) } != nil
    }

    @Test func queriesOfAClassAreFollowed() async throws {
        try await observing { scene in
            let tracks = scene.tracks
            let conditions = [
                "rank > 2 AND title BEGINSWITH 'a'", "next.rank > 2", "ANY others.rank > 2",
                "ANY albums.name == 'a'", "others.@count > 1", "others.@max.rank > 1",
                "SUBQUERY(others, $o, $o.rank > 2).@count > 0", "rank == next.rank",
                "title CONTAINS[c] 'a'", "ANY tags == 'a'",
            ]
            for condition in conditions {
                #expect(isFollowed(tracks.filter(condition)), "\(condition)")
            }
            let sorted = tracks.filter("rank > 2").sorted(byKeyPath: "next.title")
            #expect(isFollowed(sorted))
            #expect(isFollowed(sorted.distinct(by: ["group"])))
            let previous = try scene.track(0).previous.sorted(byKeyPath: "rank")
            #expect(isFollowed(previous))
        }
    }

    @Test func otherQueriesAreRepeated() async throws {
        try await observing { scene in
            let correlated = "SUBQUERY(others, $o, $o.rank > rank).@count > 0"
            #expect(!isFollowed(scene.tracks.filter(correlated)))
            let list = try scene.album.tracks.filter("rank > 2")
            #expect(!isFollowed(list))
            let distinct = scene.tracks.distinct(by: ["group"])
            #expect(!isFollowed(distinct.filter("rank > 2")))
            #expect(!isFollowed(distinct.sorted(byKeyPath: "rank")))
        }
    }

    @Test func aChangeOfManyObjectsIsReportedToo() async throws {
        try await observing(tracks: 300) { scene in
            let results = scene.tracks.filter("rank < 290").sorted(
                byKeyPath: "rank", ascending: false)
            let recording = try scene.record(results)
            try scene.writeElsewhere { realm in
                for track in realm.objects(Track.self) where track.rank < 200 {
                    track.rank += 1_000
                }
            }
            #expect(
                try recording.take() == [.update(deletions: Array(90..<290))])
            try scene.writeElsewhere { realm in
                for id in 0..<150 { try realm.track(id).rank = -id }
            }
            #expect(try recording.take() == [.update(insertions: Array(90..<240))])
        }
    }

    @Test func objectsThatStayAmongTheOthersAreModified() async throws {
        try await observing(tracks: 6) { scene in
            try scene.realm.write { for track in scene.tracks { track.rank *= 10 } }
            let recording = try scene.record(scene.tracks.sorted(byKeyPath: "rank"))
            try scene.writeElsewhere { realm in
                try realm.track(1).rank = 11
                try realm.track(2).rank = 19
                try realm.track(4).rank = 5
            }
            #expect(
                try recording.take() == [
                    .update(deletions: [4], insertions: [1], modifications: [1, 2])
                ])
            try scene.writeElsewhere { realm in
                // 0 4 1 2 3 5 becomes 0 4 2 1 3 5.
                try realm.track(1).rank = 19
                try realm.track(2).rank = 11
            }
            let moved = try recording.take()
            #expect(
                moved == [.update(deletions: [2], insertions: [3], modifications: [3])]
                    || moved == [.update(deletions: [3], insertions: [2], modifications: [2])])
        }
    }
}

@Suite struct SharedObservationTests {
    private func observedCount(_ realm: Realm) -> Int? { realm.instance.notifier?.observedCount }

    @Test func handlersOfEqualThingsShareWhatIsComputed() async throws {
        try await observing { scene in
            let log = ChangeLog<Recorded>()
            var tokens: [NotificationToken] = []
            for _ in 0..<300 {
                let results = scene.tracks.filter("rank > 1").sorted(byKeyPath: "title")
                tokens.append(results.observe { log.append(Recorded($0)) })
            }
            #expect(observedCount(scene.realm) == 1)
            try pump { log.count == 300 }
            log.removeAll()
            try scene.writeElsewhere { realm in try realm.track(3).title = "new" }
            try pump { log.count == 300 }
            #expect(
                log.entries
                    == Array(
                        repeating: .update(
                            deletions: [1], insertions: [0]), count: 300))
            tokens.removeAll()
            #expect(observedCount(scene.realm) == 0)
        }
    }

    @Test func otherThingsAreComputedForThemselves() async throws {
        try await observing { scene in
            let tracks = scene.tracks
            let album = try scene.album
            let text = "1"
            let observers: [() throws -> NotificationToken] = [
                { tracks.observe { _ in } },
                { tracks.observe(keyPaths: ["rank"]) { _ in } },
                { tracks.observe(keyPaths: ["rank", "title"]) { _ in } },
                { tracks.filter("rank > 1").observe { _ in } },
                { tracks.filter("rank > 2").observe { _ in } },
                { tracks.filter("title CONTAINS[c] %@", text).observe { _ in } },
                { tracks.filter("rank > 1").sorted(byKeyPath: "rank").observe { _ in } },
                { tracks.distinct(by: ["rank"]).observe { _ in } },
                { album.tracks.observe { _ in } },
                { album.favourites.observe { _ in } },
                { album.tracks.sorted(byKeyPath: "rank").observe { _ in } },
                { album.numberMap.observe { _ in } },
                { album.observe { (_: ObjectChange<Album>) in } },
                { try scene.track(0).observe { (_: ObjectChange<Track>) in } },
                { try scene.track(1).observe { (_: ObjectChange<Track>) in } },
                { try scene.track(0).albums.observe { _ in } },
                { try scene.track(1).albums.observe { _ in } },
                { try scene.track(1).previous.observe { _ in } },
            ]
            var tokens: [NotificationToken] = []
            for (index, observe) in observers.enumerated() {
                tokens.append(try observe())
                #expect(observedCount(scene.realm) == index + 1)
            }
            let ordered = tracks.observe(keyPaths: ["title", "rank", "rank"]) { _ in }
            #expect(observedCount(scene.realm) == observers.count)
            ordered.invalidate()
            for token in tokens { token.invalidate() }
        }
    }
}
