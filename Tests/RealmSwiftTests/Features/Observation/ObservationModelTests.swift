import Foundation
import RealmSwift
import Testing
import ToolSupport

/// Makes random changes, on the observing thread and on another one, and compares mirrors of every
/// kind of collection with the contents at each delivery. The message of a failure has the seed.
/// `OBSERVATION_SEED` repeats one case, `OBSERVATION_CASES` sets the number of cases, and
/// `OBSERVATION_ROUNDS` that of the rounds of a case.
@Suite struct ObservationModelTests {
    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init)
    }

    static let seeds: [Int] =
        setting("OBSERVATION_SEED").map { [$0] } ?? Array(0..<(setting("OBSERVATION_CASES") ?? 12))
    private static let rounds = setting("OBSERVATION_ROUNDS") ?? 40

    @Test(arguments: seeds)
    func mirrorsKeptFromChangeSetsEqualTheContents(_ seed: Int) async throws {
        let failures = try await withRunLoopThread {
            let run = try ObservationRun(seed: UInt64(seed))
            return try run.failures(after: Self.rounds)
        }
        #expect(failures.isEmpty, "OBSERVATION_SEED=\(seed): \(failures.joined(separator: "\n"))")
    }
}

/// One case: a Realm, its observers, and the changes.
private final class ObservationRun {
    private let scene: ObservationScene
    private var operations: RandomOperations
    private var mirrors: [ContentsMirror] = []
    private var checks: [ModificationCheck] = []
    /// The nodes that were written to since the round began.
    private var touched: Set<String> = []

    private var realm: Realm { scene.realm }

    init(seed: UInt64) throws {
        scene = try ObservationScene(tracks: 0)
        operations = RandomOperations(seed: seed)
        try realm.write {
            realm.deleteAll()
            try operations.fill(realm)
        }
        operations.touched = []
        try observe()
    }

    /// Returns what went wrong in `count` rounds, or in the first round that failed.
    func failures(after count: Int) throws -> [String] {
        try scene.settle()
        for round in 0..<count {
            let steps = try makeChanges()
            try deliver()
            try scene.settle()
            for mirror in mirrors { mirror.checkSettled() }
            for check in checks { check.checkSettled() }
            touched = []
            let failures = mirrors.flatMap(\.failures)
            if !failures.isEmpty { return ["round \(round), commits \(steps)"] + failures }
        }
        return []
    }

    // MARK: Observing

    private func observe() throws {
        let album = try scene.album
        observeTracks(album)
        observeValues(album)
        observeUnsorted()
        try observeRandomQueries(of: album)
        mirrors.append(TrackMirror("track 0", try scene.track(0)))
    }

    private func add<C: RealmCollection>(_ name: String, _ collection: C)
    where C.Element == Track {
        mirrors.append(CollectionMirror(name, collection, labelledText))
    }

    private func observeTracks(_ album: Album) {
        let tracks = scene.tracks
        add("filtered", tracks.filter("rank > 2"))
        add("filtered by a link", tracks.filter("next.rank > 2"))
        add("sorted", tracks.sorted(byKeyPath: "rank"))
        add("sorted by a link", tracks.sorted(byKeyPath: "next.rank", ascending: false))
        add("filtered, sorted", tracks.filter("rank < 4").sorted(byKeyPath: "title"))
        add("distinct", tracks.distinct(by: ["group"]))
        add("sorted, distinct", tracks.sorted(byKeyPath: "rank").distinct(by: ["group", "rank"]))
        add("list", album.tracks)
        add("erased list", AnyRealmCollection(album.tracks))
        add("filtered list", album.tracks.filter("rank > 2"))
        add("sorted list", album.tracks.sorted(byKeyPath: "rank"))
        add("distinct list", album.tracks.distinct(by: ["rank"]))
        add("set", album.favourites)
        add("sorted set", album.favourites.sorted(byKeyPath: "title"))
    }

    private func observeValues(_ album: Album) {
        mirrors.append(CollectionMirror("numbers", album.numbers) { "\($0)" })
        mirrors.append(CollectionMirror("sorted numbers", album.numbers.sorted()) { "\($0)" })
        mirrors.append(CollectionMirror("set of numbers", album.numberSet) { "\($0)" })
        mirrors.append(MapMirror("map of numbers", album.numberMap) { "\($0)" })
        mirrors.append(
            MapMirror("map of tracks", album.byKey) { $0.map(labelledText) ?? "none" })
    }

    private func observeRandomQueries(of album: Album) throws {
        for _ in 0..<8 {
            let query = operations.query()
            add(query.text, query.results(of: scene.tracks))
        }
        for _ in 0..<2 {
            let query = operations.query()
            add("list, \(query.text)", query.results(of: album.tracks))
            add("previous, \(query.text)", query.results(of: try scene.track(1).previous))
            add("elsewhere, \(query.text)", query.results(of: try scene.track(2).elsewhere))
        }
    }

    private func observeUnsorted() {
        let tracks = CollectionMirror("tracks", scene.tracks, labelledText)
        let albums = CollectionMirror("albums", realm.objects(Album.self), albumText)
        let touched = { [unowned self] in self.touched.union(self.operations.touched) }
        checks.append(ModificationCheck(tracks, of: "t", in: realm, touched: touched))
        checks.append(ModificationCheck(albums, of: "a", in: realm, touched: touched))
        mirrors += [tracks, albums]
        if let track = try? scene.track(0) {
            mirrors.append(CollectionMirror("linking objects", track.albums, albumText))
        }
    }

    // MARK: Changes

    /// Makes commits, and returns their kinds.
    private func makeChanges() throws -> [String] {
        var steps: [String] = []
        for _ in 0..<1 + operations.number(3) {
            switch operations.number(5) {
            case 0, 1:
                try writeOnThisThread()
                steps.append("own")
            case 2:
                try cancelOnThisThread()
                steps.append("cancelled")
            default:
                try writeOnAnotherThread()
                steps.append("other")
            }
        }
        return steps
    }

    private func writeOnThisThread() throws {
        try realm.write {
            try operations.makeChanges(realm)
            noteTouched()
        }
    }

    private func cancelOnThisThread() throws {
        realm.beginWrite()
        try operations.makeChanges(realm)
        realm.cancelWrite()
        operations.touched = []
    }

    private func writeOnAnotherThread() throws {
        operations = try scene.writeElsewhere { [operations] realm in
            var copy = operations
            try copy.makeChanges(realm)
            return copy
        }
        noteTouched()
    }

    private func noteTouched() {
        touched.formUnion(operations.touched)
        operations.touched = []
    }

    /// Delivers at once, or leaves that to the run loop.
    private func deliver() throws {
        switch operations.number(4) {
        case 0: realm.refresh()
        case 1:
            realm.beginWrite()
            realm.cancelWrite()
        default: break
        }
    }
}
