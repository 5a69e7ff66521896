import Foundation
import RealmSwift

// The classes that the layer of observers changes and observes.

final class ObservedSong: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var title: String
    @Persisted(indexed: true) var rank: Int
    @Persisted var group: Int?
    @Persisted var lyrics: String
    @Persisted var next: ObservedSong?
    @Persisted var others: List<ObservedSong>
    @Persisted var tags: MutableSet<String>
    @Persisted var note: ObservedNote?
    @Persisted var notes: List<ObservedNote>
    @Persisted(originProperty: "songs") var albums: LinkingObjects<ObservedAlbum>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class ObservedNote: EmbeddedObject {
    @Persisted var text: String
    @Persisted var size: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class ObservedAlbum: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var best: ObservedSong?
    @Persisted var songs: List<ObservedSong>
    @Persisted var favourites: MutableSet<ObservedSong>
    @Persisted var byKey: Map<String, ObservedSong?>
    @Persisted var numbers: List<Int>
    @Persisted var numberSet: MutableSet<Int>
    @Persisted var numberMap: Map<String, Int>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The one object that every transaction changes: the number of transactions.
final class ObservedCount: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var count: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension StressPoint {
    /// Returns the configuration of the Realm of a point of the layer of observers.
    func observedConfiguration(_ path: String) throws -> Realm.Configuration {
        var configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: path),
            encryptionKey: try options().encryptionKey.map { Data($0) },
            objectTypes: [
                ObservedSong.self, ObservedNote.self, ObservedAlbum.self, ObservedCount.self,
            ])
        configuration.durability = try durability() == .full ? .full : .relaxed
        return configuration
    }
}

// MARK: Contents as text

/// The properties of the objects as text, for comparing them.
enum ObservedText {
    /// Everything whose changes count as a modification of a song, up to two links away.
    static func song(_ song: ObservedSong) -> String {
        let others = song.others.map(\.title).joined(separator: ",")
        return "\(own(song)) > \(song.next.map(own) ?? "-") > "
            + "\(song.next?.next?.title ?? "-") [\(others)]"
    }

    /// The properties of a song itself, and its notes.
    static func own(_ song: ObservedSong) -> String {
        let links = "\(song.next?.id ?? -1) \(Array(song.others.map(\.id)))"
        let notes = [song.note.map(note) ?? "-"] + song.notes.map(note)
        return "\(song.id) \(song.title) \(song.rank) \(song.group ?? -1) "
            + "\(song.lyrics.utf8.count) \(links) \(Array(song.tags).sorted()) \(notes)"
    }

    static func note(_ note: ObservedNote) -> String { "\(note.text):\(note.size)" }

    static func album(_ album: ObservedAlbum) -> String {
        let songs = "\(Array(album.songs.map(\.title))) \(album.favourites.map(\.title).sorted())"
        let byKey = album.byKey.map { "\($0.key)=\($0.value?.title ?? "-")" }.sorted()
        let numberMap = album.numberMap.map { "\($0.key)=\($0.value)" }.sorted()
        return "\(album.id) \(album.name) \(album.best?.title ?? "-") \(songs) \(byKey) "
            + "\(Array(album.numbers)) \(Array(album.numberSet)) \(numberMap)"
    }
}
