import Foundation
import RealmSwift
import Testing

/// Observers of one collection by the hundreds.
@Suite struct ManyObserversTests {
    private func observe<C: RealmCollection>(
        _ collection: C, _ count: Int, keyPaths: [String]? = nil
    ) throws -> [(token: NotificationToken, log: ChangeLog<Recorded>)] {
        let observers = (0..<count).map { _ in
            let log = ChangeLog<Recorded>()
            let token = collection.observe(keyPaths: keyPaths) { log.append(Recorded($0)) }
            return (token: token, log: log)
        }
        try pump { observers.allSatisfy { $0.log.count > 0 } }
        for observer in observers { observer.log.removeAll() }
        return observers
    }

    @Test func aThousandObserversAreToldTheSame() async throws {
        try await observing(tracks: 30) { scene in
            let sorted = scene.tracks.filter("rank > 9").sorted(byKeyPath: "rank")
            let observers = try observe(sorted, 1_000)
            try scene.writeElsewhere { realm in try realm.track(10).rank = 50 }
            try scene.settle()
            try scene.realm.write {
                scene.realm.create(Track.self, value: ["id": 100, "rank": 10])
                try scene.track(12).title = "new"
            }
            try scene.settle()
            try scene.writeElsewhere { realm in try realm.delete(realm.track(11)) }
            try scene.settle()
            let expected: [Recorded] = [
                .update(deletions: [0], insertions: [19]),
                .update(insertions: [0], modifications: [1]), .deleted(1),
            ]
            #expect(observers.allSatisfy { $0.log.entries == expected })
            for observer in observers { observer.token.invalidate() }
        }
    }

    @Test func observersOfEqualQueriesAreToldTheSame() async throws {
        try await observing(tracks: 10) { scene in
            let observers = try (0..<100).flatMap { _ in
                try observe(scene.tracks.filter("rank > 3").sorted(byKeyPath: "title"), 2)
            }
            try scene.writeElsewhere { realm in
                try realm.track(4).rank = 0
                try realm.track(9).title = "new"
            }
            try scene.settle()
            // Titles are in the order of the ids, and "new" comes before "track".
            let expected = Recorded.update(deletions: [0, 5], insertions: [0])
            #expect(observers.allSatisfy { $0.log.entries == [expected] })
            for observer in observers { observer.token.invalidate() }
        }
    }

    @Test func observersWithDifferentKeyPathsAreToldWhatConcernsThem() async throws {
        try await observing(tracks: 10) { scene in
            try scene.realm.write { try scene.track(0).next = scene.track(9) }
            let tracks = scene.tracks
            let everything = try observe(tracks, 50)
            let title = try observe(tracks, 50, keyPaths: ["title"])
            let rank = try observe(tracks, 50, keyPaths: ["rank"])
            let linked = try observe(tracks, 50, keyPaths: ["next.rank", "group"])
            func expect(_ expected: [[Recorded]], _ label: String) throws {
                try scene.settle()
                let all = [everything, title, rank, linked]
                for (index, observers) in all.enumerated() {
                    let isRight = observers.allSatisfy { $0.log.entries == expected[index] }
                    #expect(isRight, "\(label), \(index): \(observers[0].log.entries)")
                    for observer in observers { observer.log.removeAll() }
                }
            }
            try scene.writeElsewhere { realm in try realm.track(3).title = "new" }
            try expect([[.modified(3)], [.modified(3)], [], []], "a title")
            try scene.writeElsewhere { realm in try realm.track(9).rank = 50 }
            try expect([[.modified(0, 9)], [], [.modified(9)], [.modified(0)]], "a rank")
            try scene.writeElsewhere { realm in try realm.track(5).group = 1 }
            try expect([[.modified(5)], [], [], [.modified(5)]], "a group")
            try scene.writeElsewhere { realm in
                realm.addTracks([20])
                try realm.delete(realm.track(1))
            }
            let change = Recorded.update(deletions: [1], insertions: [9])
            try expect([[change], [change], [change], [change]], "an insertion and a deletion")
        }
    }

    @Test func thoseThatEndLeaveTheOthersAlone() async throws {
        try await observing { scene in
            var observers = try observe(scene.tracks, 400)
            for index in stride(from: 0, to: 400, by: 2) { observers[index].token.invalidate() }
            try scene.writeElsewhere { $0.addTracks([10]) }
            try scene.settle()
            for (index, observer) in observers.enumerated() {
                let expected: [Recorded] = index % 2 == 0 ? [] : [.inserted(4)]
                #expect(observer.log.entries == expected, "\(index)")
            }
            observers.removeFirst(200)
            try scene.writeElsewhere { $0.addTracks([11]) }
            try scene.settle()
            let told = observers.filter { $0.log.entries == [.inserted(4), .inserted(5)] }
            #expect(told.count == 100)
            observers.removeAll()
        }
    }

    @Test func thoseThatComeLaterAreToldWhatFollows() async throws {
        try await observing { scene in
            let tracks = scene.tracks
            let first = try observe(tracks, 100)
            try scene.writeElsewhere { $0.addTracks([10]) }
            try scene.settle()
            let second = try observe(tracks, 100)
            try scene.writeElsewhere { $0.addTracks([11]) }
            try scene.settle()
            #expect(first.allSatisfy { $0.log.entries == [.inserted(4), .inserted(5)] })
            #expect(second.allSatisfy { $0.log.entries == [.inserted(5)] })
            for observer in first + second { observer.token.invalidate() }
        }
    }

    @Test func theyAreCalledInTheOrderOfTheirRegistration() async throws {
        try await observing { scene in
            let order = ChangeLog<Int>()
            let tokens = (0..<200).map { number in
                scene.tracks.observe { change in
                    if case .update = change { order.append(number) }
                }
            }
            try scene.settle()
            try scene.writeElsewhere { $0.addTracks([10]) }
            try scene.settle()
            #expect(order.entries == Array(0..<200))
            for token in tokens { token.invalidate() }
        }
    }

    @Test func oneHandlerMayEndAllOthers() async throws {
        try await observing { scene in
            let tokens = Handed<[NotificationToken]>([])
            let log = ChangeLog<Int>()
            let tracks = scene.tracks
            tokens.value = (0..<500).map { number in
                tracks.observe { change in
                    guard case .update = change else { return }
                    log.append(number)
                    if number == 99 { tokens.value = [] }
                }
            }
            try scene.settle()
            try scene.writeElsewhere { $0.addTracks([10]) }
            try scene.settle()
            #expect(log.entries == Array(0..<100))
        }
    }

    @Test func aHandlerMayRegisterManyMore() async throws {
        try await observing { scene in
            let tracks = scene.tracks
            let log = ChangeLog<Recorded>()
            let tokens = Handed<[NotificationToken]>([])
            let first = tracks.observe { change in
                guard case .update = change, tokens.value.isEmpty else { return }
                tokens.value = (0..<100).map { _ in tracks.observe { log.append(Recorded($0)) } }
            }
            try scene.settle()
            try scene.writeElsewhere { $0.addTracks([10]) }
            try pump { log.count == 100 }
            try scene.writeElsewhere { $0.addTracks([11]) }
            try pump { log.count == 200 }
            let entries = log.entries
            #expect(entries.prefix(100).allSatisfy { $0 == .initial(5) })
            #expect(entries.suffix(100).allSatisfy { $0 == .inserted(5) })
            first.invalidate()
            tokens.value = []
        }
    }

    @Test func aTransactionSkipsTheGivenHalf() async throws {
        try await observing { scene in
            let observers = try observe(scene.tracks, 200)
            let skipped = observers.prefix(100).map { $0.token }
            try scene.realm.write(withoutNotifying: skipped) { scene.realm.addTracks([10]) }
            try scene.settle()
            try scene.realm.write { scene.realm.addTracks([11]) }
            try scene.settle()
            let (half, rest) = (observers.prefix(100), observers.suffix(100))
            #expect(half.allSatisfy { $0.log.entries == [.inserted(5)] })
            #expect(rest.allSatisfy { $0.log.entries == [.inserted(4), .inserted(5)] })
            for observer in observers { observer.token.invalidate() }
        }
    }

    @Test func observersOnAQueueAreToldTheSame() async throws {
        try await observing { scene in
            let observing = ObservingQueue()
            let logs = (0..<200).map { _ in ChangeLog<Recorded>() }
            let tokens = logs.map { log in
                scene.tracks.observe(on: observing.queue) { log.append(Recorded($0)) }
            }
            try pump { logs.allSatisfy { $0.count == 1 } }
            try scene.writeElsewhere { $0.addTracks([10]) }
            try pump { logs.allSatisfy { $0.count == 2 } }
            #expect(logs.allSatisfy { $0.entries == [.initial(4), .inserted(4)] })
            for token in tokens { token.invalidate() }
        }
    }

    @Test func observersOfAListAndAMapAreToldTheSame() async throws {
        try await observing { scene in
            let album = try scene.album
            let lists = try observe(album.tracks, 300)
            let maps = try (0..<300).map { _ in try scene.record(album.byKey) }
            try scene.writeElsewhere { realm in
                let album = try realm.album()
                album.tracks.move(from: 0, to: 3)
                album.byKey["a"] = try realm.track(1)
                try realm.track(2).title = "new"
            }
            try scene.settle()
            let change = Recorded.update(deletions: [0], insertions: [3], modifications: [2])
            #expect(lists.allSatisfy { $0.log.entries == [change] })
            #expect(maps.allSatisfy { $0.log.entries == [.update(insertions: ["a"])] })
            for observer in lists { observer.token.invalidate() }
        }
    }
}
