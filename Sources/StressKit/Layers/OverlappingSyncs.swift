import Glibc
import StorageEngine
import StressModel

/// A background sync that fails while a commit is about to sync.
///
/// The system reports the failure to only one of two overlapping syncs. Pages that both were to
/// write may be lost, and no later sync brings them back. So either the commit fails, or it
/// survives a power loss.
struct OverlappingSyncs {
    private let point: StressPoint
    private let trial: Trial
    private let oracle: PrefixOracle
    private let options: Database.Options

    init(_ point: StressPoint, _ trial: Trial) throws {
        self.point = point
        self.trial = trial
        oracle = try PrefixOracle(point.workload())
        options = try point.options()
    }

    private static let patienceSeconds: UInt64 = 10
    private static let samples = 12

    /// Makes the first transaction durable, then a relaxed one, then another durable one, and opens
    /// images of a power loss after them.
    func run() throws {
        guard oracle.workload.count >= 3 else { return }
        try trial.attempt(point, with: []) { path in
            let (history, ledger) = try record(path)
            var random = RepeatableRandom(seed: try point.value("seed", default: 0), part: 9 << 32)
            let choices: [PowerLossChoice] =
                [.nothing, .everything]
                + (0..<Self.samples).map { _ in .sample(seed: random.next() >> 16) }
            for choice in choices {
                try trial.write(history.moments.last!.image(choice), to: path)
                try oracle.reopen(path, ledger, options: options)
                trial.count(states: 2, commits: ledger.acknowledged)
            }
        }
    }

    private func record(_ path: String) throws -> (PowerLossHistory, CommitLedger) {
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: trial.directory), recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        var ledger = CommitLedger()
        try write(path, interceptor, &ledger)
        var history = PowerLossHistory(
            durable: [], pending: [], acknowledged: 0,
            headBytes: HeaderFields(of: try trial.read(path)).headBytes)
        for event in interceptor.trace where event.path == path { history.add(event) }
        return (history, ledger)
    }

    /// Runs the three transactions. A separate function, so that the database is closed when it
    /// returns.
    private func write(
        _ path: String, _ interceptor: SystemInterceptor, _ ledger: inout CommitLedger
    ) throws {
        let connection = try Connection(Database.open(path: path, options: options))
        try oracle.workload.run(1, on: connection)
        ledger.acknowledge(1)
        interceptor.setFaults([
            SystemCallFault(.failOverlapped(errno: EIO), call: .fdatasync, ordinal: 1)
        ])
        ledger.send(2)
        do { try oracle.workload.run(2, on: connection, .relaxed) } catch let error as StorageError
            where error.code == .outcomeUnknown
        {
            // A relaxed commit of more than a MiB is synced before it returns. Then this sync is
            // the one that failed.
            trial.cover("commits that failed")
            return
        }
        try Patience.wait(
            seconds: Self.patienceSeconds, napNanoseconds: 500_000,
            orFind: "a relaxed commit was not synced"
        ) { interceptor.count(of: .fdatasync) > 0 }
        ledger.send(3)
        do {
            try oracle.workload.run(3, on: connection)
            ledger.acknowledge(3)
        } catch let error as StorageError where error.code == .outcomeUnknown {
            trial.cover("commits that failed")
        }
    }
}
