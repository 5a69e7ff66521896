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
    try observeSingleSections(run)
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
