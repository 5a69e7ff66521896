import StorageEngine
import StressModel

/// Opens images of a history's moments, and commits one more transaction to each.
struct PowerLossImages {
    private let point: StressPoint
    private let trial: Trial
    private let oracle: PrefixOracle
    private let options: Database.Options
    /// Number of pieces up to which all subsets are tried. With more pieces, samples are tried.
    private let exhaustivePieces: Int
    private let samples: Int
    private let prepared: Int
    private let seed: UInt64

    init(_ point: StressPoint, _ trial: Trial) throws {
        self.point = point
        self.trial = trial
        oracle = try PrefixOracle(point.workload())
        options = try point.options()
        exhaustivePieces = try point.number("exhaustive", in: 0...20, default: 8)
        samples = try point.number("samples", in: 0...1_000_000, default: 40)
        prepared = try point.number("prepared", in: 0...100_000, default: 0)
        seed = try point.value("seed", default: 0)
    }

    func run() throws {
        // The workload runs in this process, inside an attempt, so that its errors are findings
        // too.
        var moments: [PowerLossHistory.Moment] = []
        try trial.attempt(point) { moments = try PowerLossTrace(point, trial).moments() }
        if moments.isEmpty { return }
        let named = try point.value("moment", as: Int.self)
        if let named, !moments.indices.contains(named) {
            throw point.unreadable("moment", "\(named)")
        }
        for moment in named.map({ $0..<$0 + 1 }) ?? moments.indices {
            try openImages(of: moments[moment], moment)
            if trial.mustStop { return }
        }
    }

    private func openImages(of moment: PowerLossHistory.Moment, _ number: Int) throws {
        var random = RepeatableRandom(seed: seed, part: UInt64(number))
        let named = try point.value("image", as: PowerLossChoice.self)
        let choices =
            named.map { [$0] }
            ?? moment.choices(exhaustivePieces: exhaustivePieces, samples: samples, &random)
        // In these scenarios several transactions may have been under way, in a group or relaxed.
        let isOneByOne = ![
            "grouped", "relaxed", "relaxed-slots", "shrinking-relaxed", "changes-grouped",
            "changes-mixed",
        ].contains(point.scenario)
        let count = oracle.workload.count
        let ledger = CommitLedger(
            acknowledged: moment.acknowledged,
            sent: isOneByOne ? min(moment.acknowledged + 1, count) : count)
        for choice in choices {
            let exact = point.with("moment", number).with("image", choice)
            try trial.attempt(exact) {
                let path = trial.file("image")
                let image = moment.image(choice)
                try trial.write(image, to: path)
                defer { trial.remove(path) }
                let found = try oracle.reopen(path, ledger, options: options)
                try HeaderFields(of: image).checkUpgrade(found, prepared: prepared)
                trial.count(states: 2, commits: moment.acknowledged)
            }
            if trial.mustStop { return }
        }
    }
}
