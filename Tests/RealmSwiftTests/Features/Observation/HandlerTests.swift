import Foundation
import RealmSwift
import Testing

/// What handlers may do.
@Suite struct HandlerTests {
    @Test func aHandlerMayInvalidateItsToken() async throws {
        try await observing { scene in
            let log = ChangeLog<Recorded>()
            let token = Handed<NotificationToken?>(nil)
            token.value = scene.tracks.observe { change in
                log.append(Recorded(change))
                if log.count == 2 { #expect(token.value?.invalidate() == true) }
            }
            try pump { log.count == 1 }
            for id in 10..<13 {
                try scene.writeElsewhere { $0.addTracks([id]) }
                try scene.settle()
            }
            #expect(log.entries == [.initial(4), .inserted(4)])
        }
    }

    @Test func aHandlerMayDropItsToken() async throws {
        try await observing { scene in
            let log = ChangeLog<RecordedObject>()
            let token = Handed<NotificationToken?>(nil)
            token.value = try scene.track(0).observe { (change: ObjectChange<Track>) in
                log.append(RecordedObject(change))
                token.value = nil
            }
            for title in ["a", "b"] {
                try scene.realm.write { try scene.track(0).title = title }
                try scene.settle()
            }
            #expect(log.entries == [.own("title", "a")])
        }
    }

    @Test func aHandlerMayInvalidateOtherTokens() async throws {
        try await observing { scene in
            let log = ChangeLog<Int>()
            let tokens = Handed<[NotificationToken]>([])
            tokens.value = (0..<4).map { number in
                scene.tracks.observe { change in
                    guard case .update = change else { return }
                    log.append(number)
                    for token in tokens.value { token.invalidate() }
                }
            }
            try scene.settle()
            try scene.writeElsewhere { $0.addTracks([10]) }
            try scene.settle()
            #expect(log.count == 1)
        }
    }

    @Test func aHandlerMayWrite() async throws {
        try await observing { scene in
            let realm = scene.realm
            let log = ChangeLog<Recorded>()
            let token = scene.tracks.observe { change in
                log.append(Recorded(change))
                guard log.count < 4 else { return }
                do {
                    try realm.write { realm.addTracks([100 + log.count]) }
                } catch {
                    Issue.record(error)
                }
            }
            try pump { log.count == 4 }
            #expect(log.entries == [.initial(4), .inserted(4), .inserted(5), .inserted(6)])
            token.invalidate()
        }
    }

    @Test func aHandlerOfTheRealmMayWrite() async throws {
        try await observing { scene in
            let log = ChangeLog<Int>()
            let token = scene.realm.observe { _, realm in
                log.append(realm.objects(Track.self).count)
                guard log.count < 3 else { return }
                do {
                    try realm.write { realm.addTracks([100 + log.count]) }
                } catch {
                    Issue.record(error)
                }
            }
            try scene.writeElsewhere { $0.addTracks([10]) }
            try pump { log.count == 3 }
            #expect(log.entries == [5, 6, 7])
            token.invalidate()
        }
    }

    @Test func aHandlerMayRefresh() async throws {
        try await observing { scene in
            let realm = scene.realm
            let log = ChangeLog<Recorded>()
            let token = scene.tracks.observe { change in
                log.append(Recorded(change))
                realm.refresh()
            }
            try pump { log.count == 1 }
            try scene.writeElsewhere { $0.addTracks([10]) }
            try scene.settle()
            #expect(log.entries == [.initial(4), .inserted(4)])
            token.invalidate()
        }
    }

    @Test func refreshingInAHandlerAfterACommitElsewhereReportsThatCommitLater() async throws {
        try await observing { scene in
            let log = ChangeLog<Recorded>()
            let token = scene.tracks.observe { change in
                log.append(Recorded(change))
                guard log.count == 2 else { return }
                do {
                    try scene.writeElsewhere { $0.addTracks([11]) }
                    scene.realm.refresh()
                } catch {
                    Issue.record(error)
                }
            }
            try pump { log.count == 1 }
            try scene.writeElsewhere { $0.addTracks([10]) }
            try pump { log.count == 3 }
            #expect(log.entries == [.initial(4), .inserted(4), .inserted(5)])
            token.invalidate()
        }
    }

    @Test func aHandlerMayObserveMore() async throws {
        try await observing { scene in
            let tracks = scene.tracks
            let log = ChangeLog<Recorded>()
            let tokens = Handed<[NotificationToken]>([])
            let first = tracks.observe { change in
                guard case .update = change, tokens.value.isEmpty else { return }
                tokens.value.append(tracks.observe { log.append(Recorded($0)) })
            }
            try scene.settle()
            try scene.writeElsewhere { $0.addTracks([10]) }
            try pump { log.count == 1 }
            try scene.writeElsewhere { $0.addTracks([11]) }
            try pump { log.count == 2 }
            #expect(log.entries == [.initial(5), .inserted(5)])
            first.invalidate()
            tokens.value.removeAll()
        }
    }

    @Test func aHandlerMayDeleteWhatItObserves() async throws {
        try await observing { scene in
            let realm = scene.realm
            let log = ChangeLog<RecordedObject>()
            let token = try scene.track(0).observe { (change: ObjectChange<Track>) in
                log.append(RecordedObject(change))
                guard case .change(let track, _) = change else { return }
                do {
                    try realm.write { realm.delete(track) }
                } catch {
                    Issue.record(error)
                }
            }
            try scene.writeElsewhere { realm in try realm.track(0).rank = 9 }
            try pump { log.count == 2 }
            #expect(log.entries.map(\.names) == [["rank"], []])
            #expect(log.entries.last == .deleted)
            token.invalidate()
        }
    }

    @Test func aHandlerMayDeleteTheElementsItObserves() async throws {
        try await observing { scene in
            let realm = scene.realm
            let log = ChangeLog<Recorded>()
            let token = scene.tracks.observe { change in
                log.append(Recorded(change))
                guard case .initial(let tracks) = change else { return }
                do {
                    try realm.write { realm.delete(tracks) }
                } catch {
                    Issue.record(error)
                }
            }
            try pump { log.count == 2 }
            #expect(log.entries == [.initial(4), .deleted(0, 1, 2, 3)])
            token.invalidate()
        }
    }

    @Test func aHandlerMayDeleteTheOwnerOfItsList() async throws {
        try await observing { scene in
            let album = try scene.album
            let realm = scene.realm
            let log = ChangeLog<Recorded>()
            let token = album.tracks.observe { change in
                log.append(Recorded(change))
                guard log.count == 1 else { return }
                do {
                    try realm.write { realm.delete(album) }
                } catch {
                    Issue.record(error)
                }
            }
            try pump { log.count == 2 }
            #expect(log.entries.last == .deleted(0, 1, 2, 3))
            token.invalidate()
        }
    }

    @Test func aHandlerMayRunTheRunLoop() async throws {
        try await observing { scene in
            let log = ChangeLog<Recorded>()
            let token = scene.tracks.observe { change in
                log.append(Recorded(change))
                turnRunLoop()
            }
            try pump { log.count == 1 }
            try scene.writeElsewhere { $0.addTracks([10]) }
            try scene.settle()
            #expect(log.entries == [.initial(4), .inserted(4)])
            token.invalidate()
        }
    }
}
