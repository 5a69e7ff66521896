import StorageEngine
import StressModel
import ToolSupport

/// A process that is forked again and again, and in the end killed inside a transaction while a
/// child of it lives. The process that runs the trial has the file open all the time.
struct Forks {
    private let point: StressPoint
    private let trial: Trial
    private let oracle: PrefixOracle
    private let path: String

    /// Number of transactions that the file holds at first.
    private static let prepared = 2
    private static let patienceSeconds: UInt64 = 5

    init(_ point: StressPoint, _ trial: Trial, _ path: String) throws {
        self.point = point
        self.trial = trial
        oracle = try PrefixOracle(point.workload())
        self.path = path
    }

    func run() throws {
        let prepared = min(Self.prepared, oracle.workload.count)
        try trial.write(trial.prepare(point, transactions: prepared), to: path)
        defer { trial.remove(ForkingProcess.otherFile(path)) }
        let database = try Database.open(path: path, options: point.options())
        let process = try VictimProcess(point, path: path, transactions: prepared, in: trial)
        let isKilled = try process.waitUntilKilledBesideChild()
        guard isKilled, process.acknowledged == oracle.workload.count else {
            throw Finding(.wrongState, "a process that is forked ended before its work was done.")
        }
        // Locks and pins of the killed process are gone, although its child inherited everything it
        // had open.
        let writer = BackgroundThread { _ in
            _ = try StressWorkload.countBystander(on: Connection(database))
        }
        try Patience.wait(
            seconds: Self.patienceSeconds,
            orFind: "no process gets the write lock of a dead process of which a child lives,"
        ) { writer.isDone }
        try writer.wait()
        try database.checkNobodyElsePins()
        try oracle.judgeAll(
            Connection(database), CommitLedger(acknowledged: oracle.workload.count))
        trial.count(states: 1, commits: oracle.workload.count)
        withExtendedLifetime(process) {}
    }
}
