import StorageEngine
import StressModel

/// One writer, and readers pinned to many versions.
struct WritingBesideReaders {
    private let point: StressPoint
    private let trial: Trial
    private let oracle: PrefixOracle
    private let database: Database

    /// Number of transactions between two checks of the file.
    private static let interval = 25
    /// Commits after which the file must have been cut: several rounds of scanning, moving and
    /// scanning again, each of which takes 16 versions.
    private static let commitsUntilCut = 150
    /// Bytes that a nearly empty file may keep: space below the ceiling, the reserve at its end,
    /// and a tail too small to be cut; one MiB each (docs/design.md, "Shrinking").
    private static let reserveBytes: UInt64 = 3 << 20
    /// Bytes of the header, the marker and the ring of records, which no page count includes.
    private static let ringBytes: UInt64 = 66 << 12

    init(_ point: StressPoint, _ trial: Trial, _ path: String) throws {
        self.point = point
        self.trial = trial
        oracle = try PrefixOracle(point.workload())
        database = try Database.open(path: path, options: point.options())
    }

    func run() throws {
        var random = RepeatableRandom(seed: try point.value("seed", default: 0), part: 3 << 32)
        let writer = try Connection(database)
        var readers = try PinnedReaderSet(database, oracle, trial)
        let count = oracle.workload.count
        for step in 1...count {
            // Relaxed, because this does not test durability and syncs would take most of the time.
            try oracle.workload.run(step, on: writer, .relaxed)
            if step == 1 { try readers.add(transactions: step) }
            try readers.checkGrowth()
            if point.scenario != "one" { try readers.change(transactions: step, &random) }
            guard step % Self.interval == 0 || step == count else { continue }
            try readers.judge()
            try readers.checkPins()
            trial.tellAlive()
        }
        readers.removeAll()
        try checkReleased(writer)
        if point.scenario == "shrinking" { try checkCut(writer) }
        try oracle.judgeAll(writer, CommitLedger(acknowledged: count))
        trial.count(states: 1, commits: count)
    }

    /// Checks that small commits move live pages to the beginning and cut the file behind them.
    private func checkCut(_ writer: Connection) throws {
        for _ in 0..<Self.commitsUntilCut {
            _ = try StressWorkload.countBystander(on: writer)
        }
        trial.tellAlive()
        let statistics = try database.statistics()
        let allowed = Self.ringBytes + 2 * statistics.liveBytes + Self.reserveBytes
        guard statistics.fileBytes <= allowed else {
            throw Finding(
                .overLimit,
                "the file has \(statistics.fileBytes) bytes, \(statistics.liveBytes) are live, and "
                    + "\(Self.commitsUntilCut) commits without readers did not cut it.")
        }
        trial.cover("files cut")
    }

    /// Checks that no pages wait for readers once all readers of old versions are gone.
    ///
    /// Pages freed by a relaxed commit wait until a durable record has that commit at or below its
    /// floor. Two durable commits bring that about.
    private func checkReleased(_ writer: Connection) throws {
        for _ in 0..<2 { _ = try StressWorkload.countBystander(on: writer) }
        let waiting = try database.statistics().waitingBytes
        guard waiting == 0 else {
            throw Finding(.overLimit, "\(waiting) bytes wait for readers of which there are none.")
        }
    }
}
