import RealmSwift
import StorageEngine
import StressModel

/// Observers of a file on a file system that becomes full. They are told of no transaction that
/// fails, and of every one that succeeds.
struct ObserversOnFullDisk {
    private let point: StressPoint
    private let trial: Trial
    private let changes: ObservedChanges
    private let disk: SmallDisk
    /// What is free once the file is observed.
    private let bytes: Int
    private let configuration: Realm.Configuration
    private let path: String

    private static let bytesAtFirst = 32 << 20
    private static let firstBytes = 64 << 10
    private static let stepBytes = 112 << 10
    private static let sizes = 24
    /// Coprime to the number of sizes, so that few of them already differ much.
    private static let stride = 7
    /// The number of transactions between two comparisons.
    private static let stretch = 4

    static func run(_ point: StressPoint, _ trial: Trial) throws {
        if let obstacle = SmallDisk.obstacle(.tmpfs, below: trial.directory) {
            return trial.skip("tmpfs: \(obstacle)")
        }
        let sweep = (0..<sizes).map { firstBytes + $0 * stride % sizes * stepBytes }
        for bytes in try point.value("bytes", as: Int.self).map({ [$0] }) ?? sweep {
            try trial.attempt(point.with("bytes", bytes)) {
                try ObserversOnFullDisk(point, trial, bytes: bytes).run()
            }
            if trial.mustStop { return }
        }
    }

    private init(_ point: StressPoint, _ trial: Trial, bytes: Int) throws {
        self.point = point
        self.trial = trial
        changes = ObservedChanges(seed: try point.value("seed", default: 0), isLarge: true)
        self.bytes = bytes
        disk = try SmallDisk(.tmpfs, bytes: Self.bytesAtFirst, below: trial.directory)
        path = disk.path + "/observed"
        configuration = try point.observedConfiguration(path)
    }

    /// Runs `body`, and if the disk is full, once more with space.
    private func withSpace<Value>(
        _ isFull: inout Bool, _ body: () throws -> Value
    ) throws -> Value {
        do { return try body() } catch let error as Realm.Error {
            guard isFull, error.code == .outOfDiskSpace else {
                throw Finding(.wrongError, "\(error.code), isFull \(isFull): \(error)")
            }
            trial.cover("the disk is full")
            disk.dropBallast()
            isFull = false
        }
        return try body()
    }

    private func run() throws {
        let realm = try Realm(configuration: configuration)
        try changes.fill(realm)
        let parties = try point.observingPlaces().map { try ObservingParty($0, configuration) }
        try disk.leaveFree(bytes)
        var isFull = true
        let count = try point.observedTransactions()
        for step in 1...count {
            let party = parties[step % parties.count]
            let wasFull = isFull
            try withSpace(&isFull) { try write(step, realm, party) }
            if wasFull != isFull || step % Self.stretch == 0 { try settle(parties, realm) }
            trial.tellAlive()
        }
        try settle(parties, realm)
        for party in parties {
            trial.cover(party.log.counts)
            try party.end()
        }
        try Connection(Database.open(path: path, options: point.options())).checkIntact()
    }

    /// Carries out a transaction here, or where it is observed. If it fails, the observers must be
    /// where they were.
    private func write(_ step: Int, _ realm: Realm, _ party: ObservingParty) throws {
        let before = ObservedChanges.count(in: realm)
        do {
            if step % 2 == 0 {
                try changes.run(step, on: realm)
            } else {
                try party.atPlace { [changes] set in
                    do { try changes.run(step, on: set.realm) } catch {
                        set.noteCancelledWrite()
                        throw error
                    }
                }
            }
        } catch {
            realm.refresh()
            let count = ObservedChanges.count(in: realm)
            if count > max(before, step) || party.log.known > count {
                throw Finding(
                    .wrongState,
                    "observers know \(party.log.known) transactions, and \(count) are there.")
            }
            try party.settle(count)
            throw error
        }
    }

    private func settle(_ parties: [ObservingParty], _ realm: Realm) throws {
        realm.refresh()
        let count = ObservedChanges.count(in: realm)
        for party in parties { try party.settle(count) }
        trial.count(states: parties.count, commits: count)
    }
}
