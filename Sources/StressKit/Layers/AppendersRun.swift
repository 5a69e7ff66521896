import Foundation
import Glibc
import StorageEngine
import StressModel
import ToolSupport

/// Starts the appenders of a point, collects their reports, and checks them.
struct AppendersRun {
    private let point: StressPoint
    private let trial: Trial
    private let path: String
    private let lists: Int
    private let processes: Int

    private static let patienceSeconds = 50.0

    init(_ point: StressPoint, _ trial: Trial, _ path: String) throws {
        self.point = point
        self.trial = trial
        self.path = path
        lists = try point.number("lists", in: 1...1000, default: 3)
        processes = try point.number("processes", in: 1...64, default: 2)
    }

    func run() throws {
        if point.scenario == "launches" { return try runLaunches() }
        let connection = try create()
        let crowd = try crowd()
        let transactions =
            point.scenario == "threads"
            ? try runThreads(connection.database)
            : try runProcesses(mayBeKilled: ["killed", "crowded"].contains(point.scenario))
        try judge(transactions, on: connection)
        try crowd.map(judge)
    }

    /// Returns a crowd that leaves room for this process and two more, or for three of their
    /// connections; nil in other scenarios.
    private func crowd() throws -> Crowd? {
        guard point.scenario == "crowded" else { return nil }
        let need = try point.value("need", default: Crowd.Need.processes)
        return try Crowd(path, point.options(), need, room: 3)
    }

    private func judge(_ crowd: Crowd) throws {
        if try crowd.hasMadeLockGrow() { trial.cover("lock files that grew") }
        try crowd.judge { connection in
            let view = AppendedLists(connection)
            guard try (0..<lists).allSatisfy({ try view.values($0).isEmpty }) else {
                throw Finding(.anomaly, "an old version reads what was appended later.")
            }
        }
    }

    /// Runs processes that compact the file. This process closes it first, because a file that is
    /// open elsewhere is not compacted.
    private func runLaunches() throws {
        do { _ = try create() }
        let transactions = try runProcesses(mayBeKilled: true)
        let database = try Database.open(path: path, options: point.options()) { _, _ in true }
        try judge(transactions, on: Connection(database))
    }

    private func create() throws -> Connection {
        let connection = try Connection(Database.open(path: path, options: point.options()))
        try AppendedLists.create(lists, on: connection)
        return connection
    }

    private func judge(
        _ transactions: [ListHistory.Transaction], on connection: Connection
    ) throws {
        _ = try connection.refresh()
        let view = AppendedLists(connection)
        let history = ListHistory(
            transactions: transactions, final: try (0..<lists).map { try view.values($0) })
        if let anomaly = HistoryChecker.anomalies(in: history).first {
            throw Finding(.anomaly, anomaly.description)
        }
        try connection.checkIntact()
        trial.count(states: 1, commits: transactions.count { $0.outcome == .committed })
    }

    private func runThreads(_ database: Database) throws -> [ListHistory.Transaction] {
        let collected = Locked<[String: ListHistory.Transaction]>([:])
        try AppenderProcess(point, process: 0).run(database) { transaction in
            collected.withLock { $0[transaction.name] = transaction }
        }
        return collected.withLock { Array($0.values) }
    }

    /// Runs the processes. Each is started, and read from, by a thread of its own that lives as
    /// long: a child dies with the thread that started it.
    private func runProcesses(mayBeKilled: Bool) throws -> [ListHistory.Transaction] {
        var random = RepeatableRandom(seed: try point.value("seed", default: 0), part: 4 << 32)
        let works = (0..<processes).map { process in
            // The first process is never killed, so that a process sees the others die.
            let lifetime = mayBeKilled && process > 0 ? 5 + random.below(60) : nil
            let errors = trial.file("appender-errors-\(process)")
            return BackgroundThread { [point, path] _ in
                try Self.collect(point, path, process, errors, killAfterLines: lifetime)
            }
        }
        // Wait for all of them, even if one has found something.
        let results = works.map { work in Result { try work.wait() } }
        let told = try results.map { try $0.get() }
        for _ in 0..<told.reduce(0, { $0 + $1.compactions }) { trial.cover("compactions begun") }
        return told.flatMap(\.transactions)
    }

    private struct Told: Sendable {
        var transactions: [ListHistory.Transaction] = []
        /// Number of compactions begun.
        var compactions = 0
    }

    private static func collect(
        _ point: StressPoint, _ path: String, _ process: Int, _ errors: String,
        killAfterLines lifetime: Int?
    ) throws -> Told {
        let child = try ChildProcess(
            executable: ChildProcess.ownExecutable,
            arguments: [HelperCommand.appender, path, String(process), point.description],
            errorFile: errors)
        var collected: [String: ListHistory.Transaction] = [:]
        var (lines, compactions) = (0, 0)
        while true {
            switch child.nextLine(silentFor: patienceSeconds) {
            case .text(AppenderProcess.Message.open): child.send("begin")
            case .text(let line):
                if line == AppenderProcess.Message.compacting {
                    compactions += 1
                } else if let transaction = WorkerChannel.decode(
                    ListHistory.Transaction.self, from: line)
                {
                    collected[transaction.name] = transaction
                } else {
                    throw Finding(.crash, "an appending process said '\(line)'.")
                }
                lines += 1
                if lines == lifetime { child.kill() }
            case .silence:
                throw Finding(
                    .overLimit, "an appending process did nothing for \(Int(patienceSeconds)) s.")
            case .end:
                let signal = child.wait()
                let wasKilled = signal == SIGKILL && lifetime != nil
                guard wasKilled || signal == 0 && child.exitCode == 0 else {
                    throw Finding(
                        .crash, "an appending process \(child.lastWords(in: errors))")
                }
                return Told(
                    transactions: Array(collected.values), compactions: compactions)
            }
        }
    }
}
