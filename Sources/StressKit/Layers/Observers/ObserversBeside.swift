import RealmSwift
import StorageEngine
import StressModel
import ToolSupport

/// Observers and writers in several processes. In `writers`, other processes write, and this one
/// and another one observe; in `watchers`, threads of this one write.
struct ObserversBeside {
    private let point: StressPoint
    private let trial: Trial
    private let path: String
    private let configuration: Realm.Configuration
    private let isObservedElsewhere: Bool

    /// The longest pause between transactions of a writer.
    private static let longestPause = 3000
    private static let writers = 2

    init(_ point: StressPoint, _ trial: Trial, _ path: String) throws {
        self.point = point
        self.trial = trial
        self.path = path
        configuration = try point.observedConfiguration(path)
        isObservedElsewhere = point.scenario == "watchers"
    }

    func run() throws {
        let realm = try Realm(configuration: configuration)
        try ObservedChanges(seed: try point.value("seed", default: 0)).fill(realm)
        let parties = try point.observingPlaces().map { try ObservingParty($0, configuration) }
        let kinds: [ObservingPlace.Kind] =
            isObservedElsewhere ? [.queue, .runLoop, .main] : [.main]
        let watchers = try kinds.enumerated().map { index, kind in
            try WatcherProcess(point, path: path, at: kind, trial, number: index)
        }
        for watcher in watchers { try watcher.waitUntilOpen() }
        if isObservedElsewhere { try writeHere(watchers) } else { try writeElsewhere() }
        realm.refresh()
        let count = ObservedChanges.count(in: realm)
        for watcher in watchers { try watcher.settle(count) }
        for party in parties { try party.settle(count) }
        trial.count(states: watchers.count + parties.count, commits: count)
        for watcher in watchers { trial.cover(watcher.counts) }
        for party in parties {
            trial.cover(party.log.counts)
            try party.end()
        }
    }

    private func point(ofWriter number: Int) -> StressPoint {
        point.with("writer", number).with("pause", Self.longestPause)
    }

    private func writeElsewhere() throws {
        let writers = try (1...Self.writers).map { number in
            try VictimProcess(
                point(ofWriter: number), path: path, transactions: 0, in: trial,
                name: "writer-\(number)")
        }
        for writer in writers {
            if try writer.waitForEnd() { throw Finding(.crash, "a writing process was killed.") }
        }
    }

    private func writeHere(_ watchers: [WatcherProcess]) throws {
        let writers = (1...Self.writers).map { number in
            let given = Handed((point(ofWriter: number), configuration))
            return BackgroundThread { _ in
                let (point, configuration) = given.value
                try ObservedWriter(point).run(on: Realm(configuration: configuration))
            }
        }
        // What they say is read meanwhile, so that it does not fill the sockets.
        while !writers.allSatisfy(\.isDone) {
            for watcher in watchers { try watcher.readMessages() }
            trial.tellAlive()
        }
        for writer in writers { try writer.wait() }
    }
}
