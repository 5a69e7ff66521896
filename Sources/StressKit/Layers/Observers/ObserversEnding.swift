import RealmSwift
import StorageEngine
import StressModel
import ToolSupport

/// Observers and Realms that come and go, in all ways, while a thread writes without pause.
///
/// Whoever stays must be told of everything in the end, and no old version may stay pinned.
struct ObserversEnding {
    private let point: StressPoint
    private let trial: Trial
    private let path: String

    private enum Way: String, CaseIterable {
        /// Tokens, collections and the Realm go at once, where they are used.
        case atOnce
        /// Another thread ends the tokens.
        case elsewhere
        /// The thread of the Realm ends before its tokens.
        case withThread
    }

    private static let longestDelay = 8_000

    init(_ point: StressPoint, _ trial: Trial, _ path: String) {
        self.point = point
        self.trial = trial
        self.path = path
    }

    func run() throws {
        let seed: UInt64 = try point.value("seed", default: 0)
        let configuration = try point.observedConfiguration(path)
        let file = try ObservedFile(point, trial, path)
        let given = Handed(configuration)
        let writer = BackgroundThread { isStopped in
            let realm = try Realm(configuration: given.value)
            let changes = ObservedChanges(seed: seed, writer: 3)
            var step = 0
            while !isStopped() {
                step += 1
                try changes.run(step, on: realm)
            }
        }
        var random = RepeatableRandom(seed: seed, part: 24 << 32)
        for _ in 0..<(try point.observedTransactions()) {
            try comeAndGo(configuration, &random)
            trial.tellAlive()
        }
        try writer.finish()
        try file.settle(file.count)
        let database = try Database.open(path: path, options: point.options())
        for party in file.parties { try party.forget() }
        var ended = file
        _ = try ended.write()
        try ObservedPins(database).waitUntilNewest(of: System.processID)
        try file.end()
    }

    private func comeAndGo(
        _ configuration: Realm.Configuration, _ random: inout RepeatableRandom
    ) throws {
        let drawn = Way.allCases.randomElement(using: &random)!
        let way = try point.value("way", default: drawn)
        let kinds: [ObservingPlace.Kind] = way == .withThread ? [.runLoop] : [.queue, .runLoop]
        let party = try ObservingParty(kinds.randomElement(using: &random)!, configuration)
        System.sleep(nanoseconds: UInt64(random.below(Self.longestDelay)) * 1000)
        switch way {
        case .atOnce: try party.end()
        case .elsewhere:
            let tokens = try party.atPlace { Handed($0.mirrors.compactMap(\.token)) }
            for token in tokens.value { token.invalidate() }
            try party.end()
        case .withThread: party.abandon()
        }
        try party.log.throwFailure()
        trial.cover("observers ended \(way.rawValue)")
        trial.cover(party.log.counts)
    }
}
