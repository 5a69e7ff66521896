import Foundation
import RealmSwift

// Model classes for the tests of change notifications.

class Track: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var title: String
    @Persisted var rank: Int
    @Persisted var group: Int?
    @Persisted var next: Track?
    @Persisted var others: List<Track>
    @Persisted var tags: MutableSet<String>
    @Persisted var label: TrackLabel?
    @Persisted var labels: List<TrackLabel>
    @Persisted(originProperty: "tracks") var albums: LinkingObjects<Album>
    @Persisted(originProperty: "next") var previous: LinkingObjects<Track>
    @Persisted(originProperty: "others") var elsewhere: LinkingObjects<Track>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class TrackLabel: EmbeddedObject {
    @Persisted var text: String
    @Persisted var size: Int
    @Persisted var track: Track?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Album: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var best: Track?
    @Persisted var tracks: List<Track>
    @Persisted var favourites: MutableSet<Track>
    @Persisted var byKey: Map<String, Track?>
    @Persisted var numbers: List<Int>
    @Persisted var numberSet: MutableSet<Int>
    @Persisted var numberMap: Map<String, Int>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Observed only to know that everything committed before it was delivered.
class Marker: Object {
    @Persisted var number: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

let observedTypes: [ObjectBase.Type] = [Track.self, TrackLabel.self, Album.self, Marker.self]

extension Realm {
    func track(_ id: Int) throws -> Track {
        guard let track = object(ofType: Track.self, forPrimaryKey: id) else { throw Missing() }
        return track
    }

    func album(_ id: Int = 0) throws -> Album {
        guard let album = object(ofType: Album.self, forPrimaryKey: id) else { throw Missing() }
        return album
    }

    /// Adds tracks with the ids, and as many ranks. Needs a write transaction.
    func addTracks(_ ids: some Sequence<Int>) {
        for id in ids {
            create(Track.self, value: ["id": id, "title": "track \(id)", "rank": id])
        }
    }
}

/// A test asked for an object that is not there.
struct Missing: Error {}
