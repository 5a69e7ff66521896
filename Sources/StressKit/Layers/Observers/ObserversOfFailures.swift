import Glibc
import RealmSwift
import StorageEngine
import StressModel

/// Observers of transactions of which many fail while they are written.
///
/// What a transaction changes is looked for while it is written. If it fails, the next one gets the
/// number of its version, so that nothing that was found for one may be told of the other.
struct ObserversOfFailures {
    private let point: StressPoint
    private let trial: Trial
    private let changes: ObservedChanges
    private let configuration: Realm.Configuration
    private let path: String
    private let seed: UInt64

    /// A write fails after at most so many others of its transaction.
    private static let writes = 2

    init(_ point: StressPoint, _ trial: Trial, _ path: String) throws {
        self.point = point
        self.trial = trial
        self.path = path
        seed = try point.value("seed", default: 0)
        changes = ObservedChanges(seed: seed)
        configuration = try point.observedConfiguration(path)
    }

    func run() throws {
        let disk = SystemInterceptor(scope: .files(pathPrefix: path))
        disk.install()
        defer { disk.uninstall() }
        let realm = try Realm(configuration: configuration)
        try changes.fill(realm)
        let parties = try point.observingPlaces().map { try ObservingParty($0, configuration) }
        for party in parties { try party.settle(1) }
        for step in 1...(try point.observedTransactions()) {
            var random = RepeatableRandom(seed: seed, part: UInt64(step) + 23 << 32)
            let party = random.isOne(in: 2) ? parties.randomElement(using: &random) : nil
            if random.isOne(in: 2) {
                try failOnce(disk, ordinal: 1 + random.below(Self.writes)) {
                    try write(step, realm, party)
                }
            }
            // The next one gets the same number, and mostly changes something else.
            try write(step + 1 << 16, realm, party)
            if random.isOne(in: 3) { try settle(parties, realm) }
            trial.tellAlive()
        }
        try settle(parties, realm)
        for party in parties {
            trial.cover(party.log.counts)
            try party.end()
        }
        try Connection(Database.open(path: path, options: point.options())).checkIntact()
    }

    /// Runs `body` while a write fails. Writes take long, so that observers have prepared
    /// themselves.
    private func failOnce(
        _ disk: SystemInterceptor, ordinal: Int, _ body: () throws -> Void
    ) throws {
        disk.setFaults(
            [SystemCall.pwrite, .pwritev].flatMap {
                [
                    SystemCallFault(.slow, call: $0, ordinal: 1),
                    SystemCallFault(.fail(errno: ENOSPC), call: $0, ordinal: ordinal),
                ]
            })
        defer { disk.setFaults([]) }
        do { try body() } catch let error as Realm.Error where error.code == .outOfDiskSpace {
            trial.cover("transactions that failed")
        }
    }

    /// Carries out a transaction here, or where it is observed.
    private func write(_ step: Int, _ realm: Realm, _ party: ObservingParty?) throws {
        guard let party else {
            try changes.run(step, on: realm)
            return
        }
        try party.atPlace { [changes] set in
            do { try changes.run(step, on: set.realm) } catch {
                set.noteCancelledWrite()
                throw error
            }
        }
    }

    private func settle(_ parties: [ObservingParty], _ realm: Realm) throws {
        realm.refresh()
        let count = ObservedChanges.count(in: realm)
        for party in parties { try party.settle(count) }
        trial.count(states: parties.count, commits: count)
    }
}
