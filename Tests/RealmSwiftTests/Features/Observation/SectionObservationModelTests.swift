import Foundation
import RealmSwift
import Testing

/// Makes random changes, and compares mirrors of sections with the contents at each delivery. The
/// message of a failure has the seed. The settings are those of `MirrorSettings`.
@Suite struct SectionObservationModelTests {
    static let seeds = MirrorSettings.seeds(10)

    @Test(arguments: seeds)
    func mirrorsKeptFromChangeSetsEqualTheSections(_ seed: Int) async throws {
        let failures = try await withRunLoopThread {
            let run = try MirrorRun(seed: UInt64(seed))
            try observeSections(run)
            return try run.failures(after: MirrorSettings.rounds(30))
        }
        #expect(failures.isEmpty, "OBSERVATION_SEED=\(seed): \(failures.joined(separator: "\n"))")
    }
}

private func observeSections(_ run: MirrorRun) throws {
    let tracks = run.scene.tracks
    let album = try run.scene.album
    func add<Key>(_ name: String, _ sections: SectionedResults<Key, Track>) {
        run.mirrors.append(SectionsMirror(name, sections, labelledText))
    }
    add("groups", tracks.sectioned(by: \.group))
    add("groups, descending", tracks.sectioned(by: \.group, ascending: false))
    add("sorted ranks", tracks.sectioned(by: \.rank, sortDescriptors: ["rank", "title"]))
    add("ranks of links", tracks.sectioned(by: \.next?.rank))
    add("filtered", tracks.filter("rank > 2").sectioned(by: \.group))
    add("even ranks", tracks.sectioned(by: { $0.rank % 2 == 0 }, sortDescriptors: ["title"]))
    add("last digit", tracks.sectioned(sortDescriptors: ["title"]) { String($0.title.suffix(1)) })
    add("list", album.tracks.sectioned(by: \.rank))
    add("list in its order", album.tracks.sectioned(by: { $0.rank % 2 == 0 }))
    add("set", album.favourites.sectioned(by: \.group))
    add("erased list", AnyRealmCollection(album.tracks).sectioned(by: \.group))
    run.mirrors.append(
        SectionsMirror("numbers", album.numbers.sectioned(by: { $0 % 2 })) { "\($0)" })
    run.mirrors.append(
        SectionsMirror("set of numbers", album.numberSet.sectioned(by: { $0 % 3 })) { "\($0)" })
    observeSectionsOfLinkingObjects(run)
    observeKeyPathsOfSections(run)
    try observeSingleSections(run)
}

/// Sections whose keys depend on the objects that link to an element, and on their properties.
private func observeSectionsOfLinkingObjects(_ run: MirrorRun) {
    let tracks = run.scene.tracks
    let counted = tracks.sectioned(by: { $0.albums.count }, sortDescriptors: ["id"])
    run.mirrors.append(SectionsMirror("number of albums", counted, labelledText))
    let named = tracks.sectioned(by: { albumNames(of: $0) }, sortDescriptors: ["rank", "id"])
    run.mirrors.append(SectionsMirror("names of albums", named, labelledText))
    let previous = tracks.filter("rank > 1").sectioned(
        by: { track in track.previous.map(\.rank).max() }, sortDescriptors: ["title"])
    run.mirrors.append(SectionsMirror("ranks of those before", previous, labelledText))
}

private func observeKeyPathsOfSections(_ run: MirrorRun) {
    let tracks = run.scene.tracks
    func add(
        _ name: String, _ sections: SectionedResults<Int?, Track>,
        _ texts: [String: (Track) -> String]
    ) {
        for (path, text) in texts {
            run.mirrors.append(
                SectionsMirror("\(name), \(path)", sections, keyPaths: [path]) {
                    "\($0.id) \(text($0))"
                })
            guard let section = sections.first(where: { _ in true }) else { continue }
            run.mirrors.append(
                SectionMirror("one of \(name), \(path)", section, keyPaths: [path]) {
                    "\($0.id) \(text($0))"
                })
        }
    }
    let texts: [String: (Track) -> String] = [
        "rank": { "\($0.rank)" }, "albums.name": { albumNames(of: $0) },
        "next.next.next.next.next.title": { $0.next?.next?.next?.next?.next?.title ?? "" },
    ]
    add("groups", tracks.sectioned(by: \.group), texts)
    add("groups of a filter", tracks.filter("rank > 2").sectioned(by: \.group), texts)
    add("groups by rank", tracks.sectioned(by: { $0.group }, sortDescriptors: ["rank"]), texts)
}

private func albumNames(of track: Track) -> String {
    Set(track.albums.map(\.name)).sorted().joined(separator: ",")
}

private func observeSingleSections(_ run: MirrorRun) throws {
    let groups = run.scene.tracks.sectioned(by: \.group)
    for section in groups {
        run.mirrors.append(SectionMirror("group \(section.key ?? -1)", section, labelledText))
    }
    let ranks = try run.scene.album.tracks.sectioned(by: \.rank)
    for section in ranks {
        run.mirrors.append(SectionMirror("rank \(section.key) of list", section, labelledText))
    }
}
