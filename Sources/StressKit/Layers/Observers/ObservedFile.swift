import RealmSwift
import StorageEngine
import StressModel
import ToolSupport

/// An observed file as the process that runs a trial sees it: it writes to the file, and waits for
/// observers.
struct ObservedFile {
    let realm: Realm
    let parties: [ObservingParty]
    private let configuration: Realm.Configuration
    private let changes: ObservedChanges
    private let trial: Trial
    /// The number of the next transaction.
    private var step = 1 << 20

    /// Seconds to wait for what takes milliseconds.
    private static let patienceSeconds: UInt64 = 20

    /// Opens the file, fills it if it is new, and observes it at the places of a point.
    init(_ point: StressPoint, _ trial: Trial, _ path: String) throws {
        self.trial = trial
        let configuration = try point.observedConfiguration(path)
        self.configuration = configuration
        changes = ObservedChanges(seed: try point.value("seed", default: 0))
        realm = try Realm(configuration: configuration)
        if ObservedChanges.count(in: realm) == 0 { try changes.fill(realm) }
        parties = try point.observingPlaces().map { try ObservingParty($0, configuration) }
    }

    /// How many transactions a reader sees now.
    var count: Int {
        realm.refresh()
        return ObservedChanges.count(in: realm)
    }

    /// Carries out transactions on a thread of its own. Returns how many there are then.
    ///
    /// - Throws: a ``Finding`` if the writer is kept waiting.
    mutating func write(_ transactions: Int = 1) throws -> Int {
        let steps = step..<step + transactions
        step += transactions
        let given = Handed(configuration)
        let writer = BackgroundThread { [changes] _ in
            let realm = try Realm(configuration: given.value)
            for step in steps { try changes.run(step, on: realm) }
        }
        try Patience.wait(
            seconds: Self.patienceSeconds, napNanoseconds: 200_000,
            orFind: "a writer does not come to its end beside observers"
        ) { writer.isDone }
        try writer.wait()
        trial.tellAlive()
        return count
    }

    /// Waits until the observers of this process have been told of a transaction, and compares
    /// their mirrors.
    func settle(_ count: Int) throws {
        for party in parties { try party.settle(count) }
        trial.count(states: parties.count, commits: count)
    }

    /// Ends the observers of this process.
    func end() throws {
        for party in parties {
            trial.cover(party.log.counts)
            try party.end()
        }
    }
}
