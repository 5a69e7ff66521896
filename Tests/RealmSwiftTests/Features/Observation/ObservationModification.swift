import RealmSwift
import StressModel

// Which objects a change set must report as modified, found by comparing all objects.

/// What a Realm contained at one time, by node: `t3` is track 3, `l3` its label, `a0` is album 0.
struct ContentsCapture {
    /// The properties of each object, without those of the objects that it links to.
    private(set) var texts: [String: String] = [:]
    private(set) var links: [String: Set<String>] = [:]

    /// How many links away a change counts.
    static let depth = 4

    init(_ realm: Realm) {
        for track in realm.objects(Track.self) {
            let node = "t\(track.id)"
            texts[node] = trackText(track)
            links[node] = Self.nodes(Array(track.others), track.next)
            guard let label = track.label else { continue }
            links[node]?.insert("l\(track.id)")
            texts["l\(track.id)"] = "\(label.text) \(label.size)"
        }
        for album in realm.objects(Album.self) {
            texts["a\(album.id)"] = albumText(album)
            let tracks = Array(album.tracks) + Array(album.favourites)
            let named = album.byKey.values.compactMap { $0 }
            links["a\(album.id)"] = Self.nodes(tracks + named, album.best)
        }
    }

    private static func nodes(_ tracks: [Track], _ another: Track?) -> Set<String> {
        var nodes = Set(tracks.map { "t\($0.id)" })
        if let another { nodes.insert("t\(another.id)") }
        return nodes
    }

    /// Returns the nodes that are in both captures with different properties.
    func changed(since old: ContentsCapture) -> Set<String> {
        Set(texts.keys.filter { old.texts[$0] != nil && old.texts[$0] != texts[$0] })
    }

    /// Returns whether `node` is one of `targets`, or links to one within the depth.
    func reaches(_ targets: Set<String>, from node: String) -> Bool {
        var seen: Set<String> = [node]
        var frontier = seen
        for _ in 0...Self.depth {
            if !frontier.isDisjoint(with: targets) { return true }
            let next = frontier.flatMap { links[$0] ?? [] }
            frontier = Set(next).subtracting(seen)
            seen.formUnion(frontier)
        }
        return false
    }
}

/// Returns the own properties of a track as text. The first word is its node.
func trackText(_ track: Track) -> String {
    let others = Array(track.others).map { "\($0.id)" }.joined(separator: ",")
    let links = "\(track.next?.id ?? -1) [\(others)] \(track.label == nil)"
    let values = "\(track.title) \(track.rank) \(track.group ?? -1)"
    return "t\(track.id) \(values) \(Array(track.tags).sorted()) \(links)"
}

/// Returns the properties of a track and of its label as text.
func labelledText(_ track: Track) -> String {
    "\(trackText(track)) \(track.label.map { "\($0.text) \($0.size)" } ?? "")"
}

/// Returns the own properties of an album as text. The first word is its node.
func albumText(_ album: Album) -> String {
    let tracks = Array(album.tracks).map(\.id)
    let favourites = Array(album.favourites).map(\.id).sorted()
    let byKey = album.byKey.keys.sorted().map { "\($0)=\((album.byKey[$0] ?? nil)?.id ?? -1)" }
    let numberMap = album.numberMap.keys.sorted().map { "\($0)=\(album.numberMap[$0] ?? -1)" }
    let numbers = "\(Array(album.numbers)) \(Array(album.numberSet))"
    return "a\(album.id) \(album.name) \(album.best?.id ?? -1) \(tracks) \(favourites) \(byKey) "
        + "\(numberMap) \(numbers)"
}

/// Checks which elements an observer of all objects of a class reports as modified.
///
/// An element that differs, or that reaches an object that differs, must be reported. One that
/// neither was written to nor reaches an object that was must not be reported.
final class ModificationCheck {
    private let realm: Realm
    private let mirror: ContentsMirror
    private let kind: String
    private let touched: () -> Set<String>
    private var last: ContentsCapture?

    /// `kind` is the first letter of the observed nodes. `touched` returns the nodes that were
    /// written to since everything was delivered.
    init<C: RealmCollection>(
        _ mirror: CollectionMirror<C>, of kind: String, in realm: Realm,
        touched: @escaping () -> Set<String>
    ) {
        self.realm = realm
        self.mirror = mirror
        self.kind = kind
        self.touched = touched
        mirror.onChange = { [unowned self] in self.check($0, $1) }
    }

    private func check(_ old: [String], _ positions: ChangedPositions?) {
        let now = ContentsCapture(realm)
        defer { last = now }
        guard let last, let positions else { return }
        let deletions = Set(positions.deletions)
        let modifications = Set(positions.modifications)
        let changed = now.changed(since: last)
        let written = touched().union(changed)
        for index in old.indices where !deletions.contains(index) {
            let node = String(old[index].prefix { $0 != " " })
            let isReported = modifications.contains(index)
            if !isReported && now.reaches(changed, from: node) {
                mirror.fail("\(node) at \(index) is not reported; changed: \(changed)")
            }
            if isReported && !now.reaches(written, from: node) {
                mirror.fail("\(node) at \(index) is reported; written: \(written)")
            }
        }
    }

    /// Checks that no modification is missing, after everything is delivered.
    func checkSettled() {
        guard let last else { return mirror.fail("no initial contents") }
        let now = ContentsCapture(realm)
        let changed = now.changed(since: last)
        for node in now.texts.keys.sorted() where node.hasPrefix(kind) && last.texts[node] != nil {
            if now.reaches(changed, from: node) { mirror.fail("\(node) is not reported") }
        }
    }
}
