import Foundation
import RealmSwift
import Testing

/// Makes random changes, and compares mirrors of projections and of dynamic collections with the
/// contents at each delivery. The settings are those of `MirrorSettings`.
@Suite struct ViewObservationModelTests {
    static let seeds = MirrorSettings.seeds(6)

    @Test(arguments: seeds)
    func mirrorsKeptFromChangeSetsEqualTheContents(_ seed: Int) async throws {
        let failures = try await withRunLoopThread {
            let run = try MirrorRun(seed: UInt64(seed))
            try observeProjections(run)
            try observeDynamicObjects(run)
            return try run.failures(after: MirrorSettings.rounds(30))
        }
        #expect(failures.isEmpty, "OBSERVATION_SEED=\(seed): \(failures.joined(separator: "\n"))")
    }
}

private func observeProjections(_ run: MirrorRun) throws {
    let views = run.realm.objects(TrackView.self)
    let album = try run.scene.album
    func add(_ name: String, _ views: Results<TrackView>) {
        run.mirrors.append(
            CollectionMirror(name, views) { "\($0.rootObject.id) \($0.name) \($0.position)" })
    }
    add("filtered", views.filter("rank > 2"))
    add("sorted", views.sorted(byKeyPath: "rank", ascending: false))
    run.mirrors.append(
        SectionsMirror("sections", views.sectioned(by: \.position)) { $0.name })
    run.mirrors.append(ProjectedMirror("titles of list", album.tracks.projectTo.title))
    run.mirrors.append(ProjectedMirror("titles of set", album.favourites.projectTo.title))
    run.mirrors.append(
        ProjectedMirror("others", try run.scene.track(0).others.projectTo.title))
}

private func observeDynamicObjects(_ run: MirrorRun) throws {
    let tracks = run.realm.dynamicObjects("Track")
    let album = try run.scene.album
    func add<C: RealmCollection>(_ name: String, _ collection: C)
    where C.Element == DynamicObject {
        run.mirrors.append(CollectionMirror(name, collection, dynamicText))
    }
    add("dynamic", tracks)
    add("dynamic, filtered", tracks.filter("rank > 2"))
    add("dynamic, sorted by a link", tracks.sorted(byKeyPath: "next.rank"))
    add("dynamic list", album.dynamicList("tracks"))
    add("dynamic set", album.dynamicMutableSet("favourites"))
    let map: Map<String, DynamicObject?> = album.dynamicMap("byKey")
    run.mirrors.append(MapMirror("dynamic map", map) { $0.map(dynamicText) ?? "none" })
}

private func dynamicText(_ track: DynamicObject) -> String {
    let (id, rank) = (track["id"] as? Int ?? -1, track["rank"] as? Int ?? -1)
    return "\(id) \(rank) \(track["title"] as? String ?? "none")"
}
