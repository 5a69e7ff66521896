import RealmSwift
import StorageEngine
import StressModel
import ToolSupport

/// Random transactions of one process, on the threads that observe and on others, between random
/// ways of being told of them.
///
/// A round makes some transactions, and ends when all observers have been told of all of them.
struct ObserversAlone {
    private let point: StressPoint
    private let trial: Trial
    private let path: String
    private let configuration: Realm.Configuration
    private let changes: ObservedChanges
    private let seed: UInt64

    init(_ point: StressPoint, _ trial: Trial, _ path: String) throws {
        self.point = point
        self.trial = trial
        self.path = path
        configuration = try point.observedConfiguration(path)
        seed = try point.value("seed", default: 0)
        changes = ObservedChanges(seed: seed)
    }

    func run() throws {
        let realm = try Realm(configuration: configuration)
        try changes.fill(realm)
        let parties = try point.observingPlaces().map { try ObservingParty($0, configuration) }
        let hostile = try parties.map { party in
            try party.atPlace { [changes] set in
                Handed<HostileHandlers?>(HostileHandlers(set, at: party.place, changes))
            }
        }
        try settle(parties, realm)
        let (count, skipped) = (try point.observedTransactions(), try point.skipped())
        for round in 1...count where !skipped.contains(round) {
            var random = RepeatableRandom(seed: seed, part: UInt64(round) + 20 << 32)
            try play(round, parties, hostile, realm, &random)
            try settle(parties, realm)
            trial.tellAlive()
        }
        for (party, hostile) in zip(parties, hostile) {
            try party.atPlace { _ in
                hostile.value?.end()
                hostile.value = nil
            }
            try party.log.throwFailure()
        }
        try release(parties, realm)
    }

    // MARK: A round

    private func play(
        _ round: Int, _ parties: [ObservingParty], _ hostile: [Handed<HostileHandlers?>],
        _ realm: Realm, _ random: inout RepeatableRandom
    ) throws {
        var others: [BackgroundThread<Void>] = []
        for part in 0..<1 + random.below(4) {
            let step = round * 16 + part
            let index = random.below(parties.count)
            switch random.below(9) {
            case 0, 1:
                try parties[index].atPlace { [changes] in try changes.run(step, on: $0.realm) }
            case 2: try cancel(step, at: parties[index])
            case 3: try writeSilently(step, at: parties[index], seed: random.next())
            case 4 where parties[index].place.kind != .passed:
                let behaviours = (0..<1 + random.below(4)).map { _ in
                    HostileHandlers.Behaviour.allCases.randomElement(using: &random)!
                }
                try parties[index].atPlace { _ in
                    for behaviour in behaviours { hostile[index].value?.add(behaviour) }
                }
                for behaviour in behaviours { trial.cover("handler \(behaviour.rawValue)") }
            case 5: others.append(writeBeside(step))
            default: try changes.run(step, on: realm)
            }
            try deliver(at: parties[index], random.below(6))
        }
        for other in others { try other.wait() }
    }

    private func cancel(_ step: Int, at party: ObservingParty) throws {
        try party.atPlace { [changes] set in
            set.realm.beginWrite()
            changes.change(set.realm, step: step)
            set.realm.cancelWrite()
            set.noteCancelledWrite()
        }
    }

    /// Carries out a transaction that some mirrors are not told of. They read everything again.
    private func writeSilently(_ step: Int, at party: ObservingParty, seed: UInt64) throws {
        // Mirrors that another thread has registered belong to that Realm.
        if party.place.kind == .passed { return }
        try party.atPlace { [changes] set in
            var random = RepeatableRandom(seed: seed)
            let chosen = set.mirrors.filter {
                $0.isComplete && !($0 is CountMirror) && !($0 is RenewedMirror)
                    && random.isOne(in: 3)
            }
            try set.realm.write(withoutNotifying: chosen.compactMap(\.token)) {
                changes.change(set.realm, step: step)
            }
            for mirror in chosen { mirror.readAgain() }
        }
    }

    /// Starts a thread that writes meanwhile.
    private func writeBeside(_ step: Int) -> BackgroundThread<Void> {
        let given = Handed(configuration)
        return BackgroundThread { [changes] _ in
            let realm = try Realm(configuration: given.value)
            for part in 0..<3 { try changes.run((step << 4) + part + (1 << 16), on: realm) }
        }
    }

    /// Delivers at once, or leaves that to the place.
    private func deliver(at party: ObservingParty, _ number: Int) throws {
        try party.atPlace { set in
            switch number {
            case 0: set.realm.refresh()
            case 1:
                set.realm.beginWrite()
                set.realm.cancelWrite()
                set.noteCancelledWrite()
            default: break
            }
        }
    }

    // MARK: Judging

    /// Waits until all are told of the newest version. Handlers may write meanwhile.
    private func settle(_ parties: [ObservingParty], _ realm: Realm) throws {
        while true {
            realm.refresh()
            let count = ObservedChanges.count(in: realm)
            for party in parties { try party.settle(count) }
            realm.refresh()
            if ObservedChanges.count(in: realm) == count {
                trial.count(states: parties.count, commits: count)
                return
            }
        }
    }

    /// Ends all observers, and checks that no old version stays pinned.
    private func release(_ parties: [ObservingParty], _ realm: Realm) throws {
        for party in parties {
            try party.forget()
            trial.cover(party.log.counts)
        }
        try changes.run(0, on: realm)
        let database = try Database.open(path: path, options: point.options())
        try ObservedPins(database).waitUntilNewest(of: System.processID)
        trial.cover("parties released")
        for party in parties { try party.end() }
    }
}
