import RealmSwift
import StorageEngine
import StressModel

/// Observes Realms with mirrors that know their contents from change sets alone, and compares them
/// with the contents whenever something is delivered.
struct ObserversLayer: StressLayer {
    static let layerName = "observers"

    let name = layerName
    let summary = "keeps copies from change sets alone, and compares them at every delivery"
    let proves =
        "change sets are right; no notification is lost, whoever dies; a slow observer costs one "
        + "version, an ended one none"
    let settings =
        [
            "bytes", "durability", "file", "kill", "pause", "place", "seed", "skip", "transactions",
            "way", "writer",
        ]
    let scenarios = [
        StressScenario("alone", "one process, with handlers that write, end, observe and delete"),
        StressScenario("writers", "other processes write; this one and another observe"),
        StressScenario("watchers", "other processes observe; threads of this one write"),
        StressScenario(
            "killed-writers", "a writer is killed at each call, also when it wakes observers"),
        StressScenario(
            "killed-watchers", "observing processes are killed or stopped at random times"),
        StressScenario("ending", "observers and Realms that come and go while a thread writes"),
        StressScenario("slow", "handlers that take long or never return, and tokens that go"),
        StressScenario("full-disk", "observers while the disk is full"),
        StressScenario(
            "failing-writes", "transactions fail while observers prepare themselves for them"),
    ]

    private static let files: [FileKind] = [.plain, .plain, .encrypted]
    private static let places = ["queue", "run-loop", "queue+run-loop", "passed+run-loop"]
    /// Places that do not depend on threads of Dispatch, which do not see a small disk.
    private static let placesOnDisk = ["run-loop", "run-loop+run-loop"]

    func points(round: Int, seed: UInt64) -> [StressPoint] {
        scenarios.enumerated().map { index, scenario in
            let places = scenario.name == "full-disk" ? Self.placesOnDisk : Self.places
            let isRelaxed = (round + index) % 4 == 3 && scenario.name != "killed-writers"
            return StressPoint(name, scenario.name)
                .with("file", Self.files[(round + index) % Self.files.count].rawValue)
                .with("durability", (isRelaxed ? CommitDurability.relaxed : .full).rawValue)
                .with("place", places[(round + index) % places.count])
                .with("transactions", Self.transactions[scenario.name])
                .with("seed", seed &+ UInt64(round))
        }
    }

    /// Numbers of transactions, or of rounds of them.
    private static let transactions = [
        "alone": 40, "writers": 60, "watchers": 60, "killed-writers": 4, "killed-watchers": 20,
        "ending": 60, "slow": 12, "full-disk": 40, "failing-writes": 60,
    ]

    func run(_ point: StressPoint, in trial: Trial) throws {
        switch point.scenario {
        case "alone":
            try trial.attempt(point, with: []) { try ObserversAlone(point, trial, $0).run() }
        case "writers", "watchers":
            try trial.attempt(point, with: []) { try ObserversBeside(point, trial, $0).run() }
        case "killed-writers": try KilledWriters(point, trial).run()
        case "killed-watchers":
            try trial.attempt(point, with: []) { try KilledWatchers(point, trial, $0).run() }
        case "ending":
            try trial.attempt(point, with: []) { try ObserversEnding(point, trial, $0).run() }
        case "slow": try trial.attempt(point, with: []) { try SlowWatchers(point, trial, $0).run() }
        case "failing-writes":
            try trial.attempt(point, with: []) { try ObserversOfFailures(point, trial, $0).run() }
        default: try ObserversOnFullDisk.run(point, trial)
        }
    }

    func smaller(than point: StressPoint) throws -> [StressPoint] {
        if point.scenario == "alone" { return try point.withSmallerWorkloads() }
        let count = try point.observedTransactions()
        return Set([count / 2, count * 3 / 4, count - 1]).sorted().filter { $0 > 0 && $0 < count }
            .map { point.with("transactions", $0).without("kill", "bytes") }
    }
}

extension StressPoint {
    func observedTransactions() throws -> Int {
        try number("transactions", in: 1...100_000, default: 12)
    }

    /// Returns where this process observes: `queue+run-loop`.
    func observingPlaces() throws -> [ObservingPlace.Kind] {
        let text = self["place"] ?? ObservingPlace.Kind.queue.rawValue
        let kinds = text.split(separator: "+").map { ObservingPlace.Kind(rawValue: String($0)) }
        guard !kinds.isEmpty, !kinds.contains(nil), !kinds.contains(.main) else {
            throw unreadable("place", text)
        }
        return kinds.compactMap { $0 }
    }
}

extension Trial {
    func cover(_ counts: MirrorLog.Counts) {
        cover("mirrors compared", times: counts.comparisons)
        cover("deliveries", times: counts.deliveries)
    }
}
