import StorageEngine
import StressModel

/// Records what a migration does to its file, and judges the files that a loss of power could
/// leave.
struct MigrationPowerLoss {
    private let point: StressPoint
    private let trial: Trial
    private let file: MigratedFile
    private let exhaustivePieces: Int
    private let samples: Int

    init(_ point: StressPoint, _ trial: Trial) throws {
        self.point = point
        self.trial = trial
        file = try MigratedFile(point)
        exhaustivePieces = try point.number("exhaustive", in: 0...20, default: 5)
        samples = try point.number("samples", in: 0...1_000_000, default: 12)
    }

    func run() throws {
        var moments: [PowerLossHistory.Moment] = []
        try trial.attempt(point) { moments = try record().decisiveMoments }
        if moments.isEmpty { return }
        let named = try point.value("moment", as: Int.self)
        if let named, !moments.indices.contains(named) {
            throw point.unreadable("moment", "\(named)")
        }
        for number in named.map({ $0..<$0 + 1 }) ?? moments.indices {
            try openImages(of: moments[number], number)
            if trial.mustStop { return }
        }
    }

    private func record() throws -> PowerLossHistory {
        let path = trial.file("recorded")
        let image = try file.prepare(trial)
        try trial.write(image, to: path)
        defer { trial.remove(path) }
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: trial.directory), recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        let isDone = try file.migrateOrFail(path)
        var history = PowerLossHistory(
            durable: image, pending: [], acknowledged: 0,
            headBytes: HeaderFields(of: image).headBytes)
        for event in interceptor.trace where event.path == path { history.add(event) }
        history.acknowledge(isDone ? 1 : 0)
        return history
    }

    private func openImages(of moment: PowerLossHistory.Moment, _ number: Int) throws {
        var random = RepeatableRandom(
            seed: try point.value("seed", default: 0), part: 63 << 32 + UInt64(number))
        let choices =
            try point.value("image", as: PowerLossChoice.self).map { [$0] }
            ?? moment.choices(exhaustivePieces: exhaustivePieces, samples: samples, &random)
        for choice in choices {
            let exact = point.with("moment", number).with("image", choice)
            try trial.attempt(exact, with: moment.image(choice)) { path in
                try file.judgeAndMigrate(
                    path, moment.acknowledged > 0 ? .acknowledged : .unknown, in: trial)
            }
            if trial.mustStop { return }
        }
    }
}
