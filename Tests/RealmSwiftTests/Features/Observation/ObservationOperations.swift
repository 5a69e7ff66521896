import Foundation
import RealmSwift
import ToolSupport

/// Random changes of tracks and albums. It notes every object that it writes to, by its node: `t3`
/// is track 3, `l3` its label, and `a0` is album 0.
///
/// Tracks 0 to 2 and all albums are never deleted. Identifiers are never used twice.
struct RandomOperations: Sendable {
    private var random: SeededGenerator
    private var nextID = 0
    private var stamp = 0
    var touched: Set<String> = []

    static let albums = 3

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func number(_ bound: Int) -> Int { random.next(below: bound) }

    mutating func query() -> RandomQuery { RandomQuery(&random) }

    /// Returns a text that was never used before.
    private mutating func freshText() -> String {
        stamp += 1
        return "text\(stamp)"
    }

    // Each function below needs a write transaction.

    mutating func fill(_ realm: Realm) throws {
        for id in 0..<Self.albums { realm.create(Album.self, value: ["id": id]) }
        for _ in 0..<8 { insertTrack(realm) }
        for _ in 0..<60 { try changeSomething(realm) }
    }

    mutating func makeChanges(_ realm: Realm) throws {
        for _ in 0..<1 + number(5) { try changeSomething(realm) }
    }

    private mutating func changeSomething(_ realm: Realm) throws {
        switch number(20) {
        case 0, 1: insertTrack(realm)
        case 2: try deleteTrack(realm)
        case 3...9: try changeTrack(realm)
        case 10...13: try changeTracksOfAlbum(realm)
        case 14, 15: try changeNumbers(realm)
        default: try changeAlbum(realm)
        }
    }

    // MARK: Tracks

    private mutating func someTrack(_ realm: Realm) throws -> Track {
        let tracks = realm.objects(Track.self)
        return try realm.track(tracks[number(tracks.count)].id)
    }

    private mutating func insertTrack(_ realm: Realm) {
        let track = realm.create(Track.self, value: ["id": nextID])
        track.title = freshText()
        track.rank = number(6)
        track.group = group()
        touched.insert("t\(nextID)")
        nextID += 1
    }

    private mutating func group() -> Int? { number(4) == 0 ? nil : number(3) }

    private mutating func deleteTrack(_ realm: Realm) throws {
        let track = try someTrack(realm)
        guard track.id > 2 else { return }
        let id = track.id
        for other in realm.objects(Track.self)
        where other.next?.id == id || other.others.contains(where: { $0.id == id }) {
            touched.insert("t\(other.id)")
        }
        for album in realm.objects(Album.self)
        where album.best?.id == id || album.tracks.contains(where: { $0.id == id })
            || album.favourites.contains(where: { $0.id == id })
            || album.byKey.values.contains(where: { $0?.id == id })
        {
            touched.insert("a\(album.id)")
        }
        realm.delete(track)
    }

    private mutating func changeTrack(_ realm: Realm) throws {
        let track = try someTrack(realm)
        touched.insert("t\(track.id)")
        switch number(8) {
        case 0, 1: track.title = freshText()
        case 2: track.rank = number(6)
        case 3: track.group = group()
        case 4: track.next = number(4) == 0 ? nil : try someTrack(realm)
        case 5: try changeOthers(track, realm)
        case 6:
            let tag = "tag\(number(4))"
            if track.tags.contains(tag) { track.tags.remove(tag) } else { track.tags.insert(tag) }
        default: changeLabel(track)
        }
    }

    private mutating func changeOthers(_ track: Track, _ realm: Realm) throws {
        if track.others.count > 2 || (track.others.count > 0 && number(3) == 0) {
            track.others.remove(at: number(track.others.count))
        } else {
            track.others.append(try someTrack(realm))
        }
    }

    private mutating func changeLabel(_ track: Track) {
        touched.insert("l\(track.id)")
        switch number(4) {
        case 0: track.label = nil
        case 1: track.label = TrackLabel(value: ["text": freshText()])
        default: track.label?.text = freshText()
        }
    }

    // MARK: Albums

    /// Returns album 0, which is observed, more often than others.
    private mutating func someAlbum(_ realm: Realm) throws -> Album {
        let id = max(0, number(Self.albums + 3) - 3)
        touched.insert("a\(id)")
        return try realm.album(id)
    }

    private mutating func changeTracksOfAlbum(_ realm: Realm) throws {
        let list = try someAlbum(realm).tracks
        let count = list.count
        guard count > 1 else { return list.append(try someTrack(realm)) }
        switch number(count > 8 ? 12 : 9) {
        case 0: list.append(try someTrack(realm))
        case 1, 2: list.insert(try someTrack(realm), at: number(count + 1))
        case 3: list.insert(list[number(count)], at: number(count + 1))
        case 4, 5: list.move(from: number(count), to: number(count))
        case 6: list[number(count)] = try someTrack(realm)
        case 7: list.swapAt(number(count), number(count))
        case 8: list.replaceSubrange(0..<1, with: [try someTrack(realm), try someTrack(realm)])
        case 11 where number(8) == 0: list.removeAll()
        default: list.remove(at: number(count))
        }
    }

    private mutating func changeNumbers(_ realm: Realm) throws {
        let list = try someAlbum(realm).numbers
        let count = list.count
        guard count > 1 else { return list.append(number(4)) }
        switch number(count > 8 ? 8 : 5) {
        case 0, 1: list.insert(number(4), at: number(count + 1))
        case 2: list[number(count)] = number(4)
        case 3: list.move(from: number(count), to: number(count))
        case 7 where number(8) == 0: list.removeAll()
        default: list.remove(at: number(count))
        }
    }

    private mutating func changeAlbum(_ realm: Realm) throws {
        let album = try someAlbum(realm)
        let key = "k\(number(5))"
        switch number(9) {
        case 0: album.name = freshText()
        case 1: album.best = number(3) == 0 ? nil : try someTrack(realm)
        case 2, 3: try changeFavourites(album, realm)
        case 4, 5:
            let value = number(10)
            if album.numberSet.contains(value) {
                album.numberSet.remove(value)
            } else {
                album.numberSet.insert(value)
            }
        case 6: album.numberMap[key] = number(3) == 0 ? nil : number(4)
        case 7: album.byKey[key] = nil
        default: album.byKey[key] = try someTrack(realm)
        }
    }

    private mutating func changeFavourites(_ album: Album, _ realm: Realm) throws {
        let track = try someTrack(realm)
        if album.favourites.contains(where: { $0.id == track.id }) {
            album.favourites.remove(track)
        } else {
            album.favourites.insert(track)
        }
    }
}
