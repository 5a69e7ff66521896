import RealmSwift
import StressModel

/// Random write transactions, each a function of a seed, of its number, and of what it finds.
///
/// Songs 0 to 2 and albums 0 to 2 are never deleted. Album 3 is deleted and made anew now and then.
/// The identifiers of other songs are never used twice. Every transaction counts itself.
struct ObservedChanges: Sendable {
    let seed: UInt64
    /// Which of several writers makes the changes. Each draws its own.
    var writer = 0
    /// Whether songs get long texts, so that the file grows.
    var isLarge = false

    static let albums = 3
    /// The album that does not stay.
    static let doomedAlbum = 3
    private static let songsAtFirst = 12
    private static let changesAtFirst = 60
    private static let largestText = 40_000

    /// Returns the number of transactions that a Realm shows.
    static func count(in realm: Realm) -> Int {
        realm.object(ofType: ObservedCount.self, forPrimaryKey: 0)?.count ?? 0
    }

    /// Fills a new file, with one transaction.
    func fill(_ realm: Realm) throws {
        try realm.write {
            var draw = Draw(changes: self, step: 1 << 30, realm: realm)
            realm.create(ObservedCount.self, value: ["id": 0, "count": 1])
            for id in 0..<Self.albums { realm.create(ObservedAlbum.self, value: ["id": id]) }
            for id in 0..<Self.songsAtFirst { draw.insertSong(id) }
            for _ in 0..<Self.changesAtFirst { draw.changeSomething() }
        }
    }

    /// Makes the changes of a transaction, which is open. Returns how many transactions there are
    /// with it.
    @discardableResult
    func change(_ realm: Realm, step: Int) -> Int {
        Self.countOne(realm)
        var draw = Draw(changes: self, step: step, realm: realm)
        for _ in 0..<1 + draw.below(6) { draw.changeSomething() }
        return Self.count(in: realm)
    }

    /// Counts the open transaction.
    static func countOne(_ realm: Realm) {
        realm.object(ofType: ObservedCount.self, forPrimaryKey: 0)?.count += 1
    }

    /// Carries out a transaction. Returns how many there are then.
    @discardableResult
    func run(_ step: Int, on realm: Realm) throws -> Int {
        try realm.write { change(realm, step: step) }
    }

    fileprivate func random(of step: Int) -> RepeatableRandom {
        RepeatableRandom(seed: seed, part: UInt64(writer) << 32 + UInt64(step))
    }

    fileprivate func text(_ random: inout RepeatableRandom) -> String {
        let length = isLarge ? random.below(Self.largestText) : random.below(40)
        return String(repeating: "x", count: length)
    }
}

/// The changes of one transaction while they are drawn.
private struct Draw {
    let changes: ObservedChanges
    let realm: Realm
    private var random: RepeatableRandom
    private var stamp = 0
    /// How many transactions there are with this one; no other has the same.
    private let number: Int

    /// The most objects that a change inserts, and the number of songs beyond which many are
    /// deleted.
    private static let mostInserted = 16
    private static let mostSongs = 60

    init(changes: ObservedChanges, step: Int, realm: Realm) {
        self.changes = changes
        self.realm = realm
        random = changes.random(of: step)
        number = ObservedChanges.count(in: realm)
    }

    mutating func below(_ bound: Int) -> Int { random.below(bound) }

    /// Returns a text that was never used before.
    private mutating func freshText() -> String {
        stamp += 1
        return "\(number).\(stamp)"
    }

    private var songs: Results<ObservedSong> { realm.objects(ObservedSong.self) }

    private mutating func someSong() -> ObservedSong { songs[below(songs.count)] }

    mutating func changeSomething() {
        switch below(24) {
        case 0, 1: insertSongs()
        case 2, 3: deleteSongs()
        case 4...11: changeSong()
        case 12...16: changeSongsOfAlbum()
        case 17, 18: changeNumbers()
        case 19: renewDoomedAlbum()
        default: changeAlbum()
        }
    }

    // MARK: Songs

    private mutating func insertSongs() {
        let count = random.isOne(in: 4) ? 1 + below(Self.mostInserted - 1) : 1
        for _ in 0..<count {
            stamp += 1
            insertSong(1000 + number * 1000 + stamp)
        }
    }

    mutating func insertSong(_ id: Int) {
        let song = realm.create(ObservedSong.self, value: ["id": id])
        song.title = freshText()
        song.rank = below(8)
        song.group = group()
        song.lyrics = changes.text(&random)
    }

    private mutating func group() -> Int? { random.isOne(in: 4) ? nil : below(3) }

    private mutating func deleteSongs() {
        let rank = below(8)
        if songs.count > Self.mostSongs || random.isOne(in: 12) {
            return realm.delete(songs.filter("rank == %@ AND id > 2", rank))
        }
        let song = someSong()
        if song.id > 2 { realm.delete(song) }
    }

    private mutating func changeSong() {
        let song = someSong()
        switch below(10) {
        case 0, 1: song.title = freshText()
        case 2: song.rank = below(8)
        case 3: song.group = group()
        case 4: song.next = random.isOne(in: 4) ? nil : someSong()
        case 5: changeOthers(of: song)
        case 6:
            let tag = "tag\(below(4))"
            if song.tags.contains(tag) { song.tags.remove(tag) } else { song.tags.insert(tag) }
        case 7: song.lyrics = changes.text(&random)
        default: changeNotes(of: song)
        }
    }

    private mutating func changeOthers(of song: ObservedSong) {
        if song.others.count > 2 || song.others.count > 0 && random.isOne(in: 3) {
            song.others.remove(at: below(song.others.count))
        } else {
            song.others.append(someSong())
        }
    }

    private mutating func changeNotes(of song: ObservedSong) {
        switch below(6) {
        case 0: song.note = nil
        case 1: song.note = ObservedNote(value: ["text": freshText()])
        case 2: song.notes.append(ObservedNote(value: ["text": freshText()]))
        case 3 where song.notes.count > 0: song.notes.remove(at: below(song.notes.count))
        case 4: song.notes.last?.size = below(100)
        default: song.note?.text = freshText()
        }
    }

    // MARK: Albums

    /// Returns album 0, which most mirrors observe, more often than others.
    private mutating func someAlbum() -> ObservedAlbum {
        let id = max(0, below(ObservedChanges.albums + 4) - 3)
        let album = realm.object(ofType: ObservedAlbum.self, forPrimaryKey: id)
        return album ?? realm.objects(ObservedAlbum.self)[0]
    }

    private mutating func renewDoomedAlbum() {
        let id = ObservedChanges.doomedAlbum
        if let album = realm.object(ofType: ObservedAlbum.self, forPrimaryKey: id) {
            return realm.delete(album)
        }
        let album = realm.create(ObservedAlbum.self, value: ["id": id, "name": freshText()])
        for _ in 0..<below(6) { album.songs.append(someSong()) }
        album.numberMap["k"] = below(9)
    }

    private mutating func changeSongsOfAlbum() {
        let list = someAlbum().songs
        let count = list.count
        guard count > 1 else { return list.append(someSong()) }
        switch below(count > 10 ? 13 : 10) {
        case 0: list.append(someSong())
        case 1, 2: list.insert(someSong(), at: below(count + 1))
        case 3: list.insert(list[below(count)], at: below(count + 1))
        case 4, 5: list.move(from: below(count), to: below(count))
        case 6: list[below(count)] = someSong()
        case 7: list.swapAt(below(count), below(count))
        case 8: list.replaceSubrange(0..<1, with: [someSong(), someSong()])
        case 12 where random.isOne(in: 8): list.removeAll()
        default: list.remove(at: below(count))
        }
    }

    private mutating func changeNumbers() {
        let list = someAlbum().numbers
        let count = list.count
        guard count > 1 else { return list.append(below(4)) }
        switch below(count > 10 ? 9 : 6) {
        case 0, 1: list.insert(below(4), at: below(count + 1))
        case 2: list[below(count)] = below(4)
        case 3: list.move(from: below(count), to: below(count))
        case 4: list.append(objectsIn: (0..<below(5)).map { $0 })
        case 8 where random.isOne(in: 8): list.removeAll()
        default: list.remove(at: below(count))
        }
    }

    private mutating func changeAlbum() {
        let album = someAlbum()
        let key = "k\(below(5))"
        switch below(9) {
        case 0: album.name = freshText()
        case 1: album.best = random.isOne(in: 3) ? nil : someSong()
        case 2, 3:
            let song = someSong()
            if !album.favourites.contains(song) {
                album.favourites.insert(song)
            } else {
                album.favourites.remove(song)
            }
        case 4, 5:
            let value = below(10)
            if album.numberSet.contains(value) {
                album.numberSet.remove(value)
            } else {
                album.numberSet.insert(value)
            }
        case 6: album.numberMap[key] = random.isOne(in: 3) ? nil : below(4)
        case 7: album.byKey[key] = nil
        default: album.byKey[key] = someSong()
        }
    }
}
