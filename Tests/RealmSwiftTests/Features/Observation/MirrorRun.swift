import Foundation
import RealmSwift

/// How many cases model tests of observation have, and of how many rounds each is.
/// `OBSERVATION_SEED` repeats one case, `OBSERVATION_CASES` sets the number of cases, and
/// `OBSERVATION_ROUNDS` that of the rounds.
enum MirrorSettings {
    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    static func seeds(_ count: Int) -> [Int] {
        if let seed = setting("OBSERVATION_SEED") { return [seed] }
        return Array(0..<(setting("OBSERVATION_CASES") ?? count))
    }

    static func rounds(_ count: Int) -> Int { setting("OBSERVATION_ROUNDS") ?? count }
}

/// One case of a model test: random commits, on the observing thread and on another one, and
/// mirrors that are compared with the contents at each delivery and after each round.
final class MirrorRun {
    let scene: ObservationScene
    var mirrors: [ContentsMirror] = []
    private var operations: RandomOperations

    var realm: Realm { scene.realm }

    init(seed: UInt64) throws {
        scene = try ObservationScene(tracks: 0)
        operations = RandomOperations(seed: seed)
        try scene.realm.write {
            scene.realm.deleteAll()
            try operations.fill(scene.realm)
        }
    }

    /// Returns what went wrong in `count` rounds, or in the first round that failed.
    func failures(after count: Int) throws -> [String] {
        try scene.settle()
        for round in 0..<count {
            let commits = try makeCommits()
            deliver()
            try scene.settle()
            for mirror in mirrors { mirror.checkSettled() }
            let failures = mirrors.flatMap(\.failures)
            if !failures.isEmpty { return ["round \(round), commits \(commits)"] + failures }
        }
        return []
    }

    /// Makes commits, and returns their kinds.
    private func makeCommits() throws -> [String] {
        var kinds: [String] = []
        for _ in 0..<1 + operations.number(3) {
            switch operations.number(5) {
            case 0, 1:
                try realm.write { try operations.makeChanges(realm) }
                kinds.append("own")
            case 2:
                realm.beginWrite()
                try operations.makeChanges(realm)
                realm.cancelWrite()
                kinds.append("cancelled")
            default:
                operations = try scene.writeElsewhere { [operations] realm in
                    var copy = operations
                    try copy.makeChanges(realm)
                    return copy
                }
                kinds.append("other")
            }
        }
        return kinds
    }

    /// Delivers at once, or leaves that to the run loop.
    private func deliver() {
        switch operations.number(4) {
        case 0: realm.refresh()
        case 1:
            realm.beginWrite()
            realm.cancelWrite()
        default: break
        }
    }
}
