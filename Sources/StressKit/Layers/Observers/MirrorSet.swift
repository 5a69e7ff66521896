import Dispatch
import RealmSwift

/// Mirrors of every kind of collection, and of objects, of a Realm. Used where the Realm is.
final class MirrorSet {
    let realm: Realm
    let log: MirrorLog
    private(set) var mirrors: [ContentsMirror] = []
    private var last: CountMirror?
    /// Called in each delivery, by the first handler and by the one behind all mirrors.
    var onDelivery: (Position) -> Void = { _ in }

    /// A handler's place among those of the set.
    enum Position: String { case first, last }

    /// Observes a Realm.
    ///
    /// - Parameters:
    ///   - source: The Realm of another thread from which the observers are registered on a queue;
    ///     nil to register where the Realm is.
    init(
        _ realm: Realm, _ log: MirrorLog, from source: Realm? = nil,
        on queue: DispatchQueue? = nil
    ) {
        self.realm = realm
        self.log = log
        let maker = Maker(realm: source ?? realm, log: log, queue: queue)
        mirrors.append(
            CountMirror(maker.realm, log, on: queue) { [weak self] _ in self?.onDelivery(.first) })
        mirrors += maker.songs() + maker.songsByKeyPaths() + maker.album() + maker.values()
        mirrors += maker.sections()
        if source == nil { mirrors += maker.objects() }
        observeLast(maker.realm, on: queue)
    }

    /// Adds a mirror behind all others: what it was told, they were told as well.
    private func observeLast(_ realm: Realm, on queue: DispatchQueue?) {
        let mirror = CountMirror(realm, log, on: queue) { [weak self, log] count in
            self?.onDelivery(.last)
            log.know(count)
        }
        last = mirror
        mirrors.append(mirror)
    }

    /// Registers the last mirror anew, behind those that handlers of other mirrors have registered.
    /// For a set that was registered where its Realm is.
    func moveLastBehind() {
        last?.forget()
        mirrors.removeAll { $0 === last }
        observeLast(realm, on: nil)
    }

    /// Adds a mirror, which is registered behind the others.
    func add(_ mirror: ContentsMirror) { mirrors.append(mirror) }

    /// Whether the Realm shows what the mirrors were told, and nothing is still to come.
    var isSettled: Bool {
        ObservedChanges.count(in: realm) == log.known && mirrors.allSatisfy(\.isComplete)
    }

    /// To be called after a transaction was cancelled, or has failed.
    ///
    /// That may move the Realm to a newer version, which it does not tell as a change of the Realm.
    /// Instances of objects that the transaction had deleted stay invalid.
    func noteCancelledWrite() {
        for mirror in mirrors {
            (mirror as? RealmMirror)?.readAgain()
            (mirror as? RenewedMirror)?.observeAgain()
        }
    }

    func checkSettled() { for mirror in mirrors { mirror.checkSettled() } }

    func forget() {
        for mirror in mirrors { mirror.forget() }
        mirrors = []
    }
}

/// Makes the mirrors of a set.
private struct Maker {
    let realm: Realm
    let log: MirrorLog
    let queue: DispatchQueue?

    private var allSongs: Results<ObservedSong> { realm.objects(ObservedSong.self) }

    private func mirror<C: RealmCollection>(
        _ name: String, _ collection: C, keyPaths: [String]? = nil,
        _ text: @escaping (C.Element) -> String
    ) -> ContentsMirror {
        CollectionMirror(name, collection, log, keyPaths: keyPaths, on: queue, text)
    }

    private func map<Value>(
        _ name: String, _ map: Map<String, Value>, keyPaths: [String]? = nil,
        _ text: @escaping (Value) -> String
    ) -> ContentsMirror {
        MapMirror(name, map, log, keyPaths: keyPaths, on: queue, text)
    }

    func songs() -> [ContentsMirror] {
        let songs = allSongs
        let text = ObservedText.song
        return [
            mirror("songs", songs, text),
            mirror("filtered", songs.filter("rank > 2"), text),
            mirror("filtered by a link", songs.filter("next.rank > 2"), text),
            mirror("sorted", songs.sorted(byKeyPath: "rank"), text),
            mirror(
                "sorted by a link", songs.sorted(byKeyPath: "next.rank", ascending: false), text),
            mirror(
                "filtered, sorted", songs.filter("rank < 4").sorted(byKeyPath: "title"), text),
            mirror("distinct", songs.distinct(by: ["group"]), text),
            mirror(
                "sorted, distinct",
                songs.sorted(byKeyPath: "rank").distinct(by: ["group", "rank"]), text),
            mirror("albums", realm.objects(ObservedAlbum.self), ObservedText.album),
        ]
    }

    func songsByKeyPaths() -> [ContentsMirror] {
        let songs = allSongs
        return [
            mirror("rank", songs, keyPaths: ["rank"]) { "\($0.id) \($0.rank)" },
            mirror("next.title", songs.sorted(byKeyPath: "rank"), keyPaths: ["next.title"]) {
                "\($0.id) \($0.next?.title ?? "-")"
            },
            mirror(
                "others.title, tags", songs.filter("rank > 1"),
                keyPaths: ["others.title", "tags"]
            ) {
                "\($0.id) \(Array($0.others.map(\.title))) \(Array($0.tags).sorted())"
            },
            mirror("albums.name", songs, keyPaths: ["albums.name"]) {
                "\($0.id) \($0.albums.map(\.name).sorted())"
            },
            mirror("note.text, notes.size", songs, keyPaths: ["note.text", "notes.size"]) {
                "\($0.id) \($0.note?.text ?? "-") \(Array($0.notes.map(\.size)))"
            },
        ]
    }

    func album() -> [ContentsMirror] {
        guard let album = realm.object(ofType: ObservedAlbum.self, forPrimaryKey: 0) else {
            return []
        }
        let text = ObservedText.song
        return [
            mirror("list", album.songs, text),
            mirror("erased list", AnyRealmCollection(album.songs), text),
            mirror("filtered list", album.songs.filter("rank > 2"), text),
            mirror("sorted list", album.songs.sorted(byKeyPath: "rank"), text),
            mirror("distinct list", album.songs.distinct(by: ["rank"]), text),
            mirror("list by title", album.songs, keyPaths: ["title"]) { "\($0.id) \($0.title)" },
            mirror("set", album.favourites, text),
            mirror("sorted set", album.favourites.sorted(byKeyPath: "title"), text),
            map("map of songs", album.byKey) { $0.map(text) ?? "-" },
            map("map by title", album.byKey, keyPaths: ["title"]) {
                "\($0?.id ?? -1) \($0?.title ?? "-")"
            },
        ]
    }

    func values() -> [ContentsMirror] {
        guard let album = realm.object(ofType: ObservedAlbum.self, forPrimaryKey: 0),
            let song = realm.object(ofType: ObservedSong.self, forPrimaryKey: 0)
        else { return [] }
        return [
            mirror("numbers", album.numbers) { "\($0)" },
            mirror("sorted numbers", album.numbers.sorted()) { "\($0)" },
            mirror("distinct numbers", album.numbers.distinct()) { "\($0)" },
            mirror("set of numbers", album.numberSet) { "\($0)" },
            map("map of numbers", album.numberMap) { "\($0)" },
            mirror("tags", song.tags) { $0 },
            mirror("notes", song.notes, ObservedText.note),
            mirror("linking objects", song.albums, ObservedText.album),
        ]
    }

    func sections() -> [ContentsMirror] {
        guard let album = realm.object(ofType: ObservedAlbum.self, forPrimaryKey: 0) else {
            return []
        }
        let songs = allSongs
        let groups = [SortDescriptor(keyPath: "group"), SortDescriptor(keyPath: "title")]
        return [
            SectionMirror(
                "sections", songs.sectioned(by: \.rank), log, on: queue, ObservedText.song),
            SectionMirror(
                "sections of filtered",
                songs.filter("rank > 1").sectioned(by: \.group, sortDescriptors: groups), log,
                on: queue, ObservedText.song),
            SectionMirror(
                "sections by title", songs.sectioned(by: \.rank), log, keyPaths: ["title"],
                on: queue
            ) { "\($0.id) \($0.rank) \($0.title)" },
            SectionMirror(
                "sections of a list",
                album.songs.sectioned(
                    by: { $0.rank % 3 }, sortDescriptors: [SortDescriptor(keyPath: "title")]), log,
                on: queue, ObservedText.song),
            SectionMirror(
                "sections of numbers", album.numbers.sectioned(by: { $0 % 3 }), log, on: queue
            ) { "\($0)" },
        ]
    }

    func objects() -> [ContentsMirror] {
        let ids = [0, 1]
        let songs = ids.compactMap { realm.object(ofType: ObservedSong.self, forPrimaryKey: $0) }
        var mirrors: [ContentsMirror] = songs.map { song in
            ObjectMirror(
                "song \(song.id)", song, log, reading: Self.properties, Self.text,
                observe: { $0.observe($1) })
        }
        if let song = songs.first {
            mirrors.append(
                ObjectMirror(
                    "song 0 by key paths", song, log,
                    reading: { ["next": "\($0.next?.title ?? "-")", "rank": "\($0.rank)"] },
                    { $0 == "rank" ? ($1 as? Int).map { "\($0)" } : nil },
                    observe: { $0.observe(keyPaths: ["next.title", "rank"], $1) }))
        }
        mirrors.append(RenewedMirror("renewed album", realm, log))
        mirrors.append(RealmMirror("Realm", realm, log))
        return mirrors
    }

    private static func properties(_ song: ObservedSong) -> [String: String] {
        [
            "title": song.title, "rank": "\(song.rank)",
            "group": song.group.map { "\($0)" } ?? "-", "lyrics": "\(song.lyrics.utf8.count)",
            "next": "\(song.next?.id ?? -1)", "others": "\(Array(song.others.map(\.id)))",
            "tags": "\(Array(song.tags).sorted())", "note": song.note == nil ? "-" : "a note",
            "notes": "\(song.notes.count)",
        ]
    }

    private static func text(_ property: String, _ value: Any) -> String? {
        switch (property, value) {
        case ("lyrics", let text as String): "\(text.utf8.count)"
        case ("title", let text as String): text
        case ("rank", let number as Int), ("group", let number as Int): "\(number)"
        case ("next", let song as ObservedSong): song.isInvalidated ? nil : "\(song.id)"
        default: nil
        }
    }
}
