import Foundation
import Glibc
import StorageEngine
import StressModel
import ToolSupport

/// Stops a victim in a background sync, and has a thread of this process write to the same file,
/// also without waiting for a sync, and close it. Then the victim goes on.
struct StopBeside {
    private let point: StressPoint
    private let trial: Trial
    private let oracle: PrefixOracle

    init(_ point: StressPoint, _ trial: Trial) throws {
        self.point = point
        self.trial = trial
        oracle = try PrefixOracle(point.workload())
    }

    /// Seconds to wait for what takes about one.
    private static let patienceSeconds: UInt64 = 20
    /// Number of the victim's own transactions. Its first sync comes after the last of them.
    private static let victimTransactions = 2

    func run() throws {
        guard oracle.workload.count > Self.victimTransactions + 1 else { return }
        try trial.attempt(point, with: []) { path in
            let (isOpen, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let survivor = BackgroundThread { [point, oracle] _ in
                defer { isOpen.signal() }
                let connection = try Connection(Database.open(path: path, options: point.options()))
                // The first transaction after opening a file does not return before it is synced.
                try oracle.workload.run(1, on: connection)
                isOpen.signal()
                mayGoOn.wait()
                _ = try connection.refresh()
                let found = try oracle.judge(
                    connection, CommitLedger(acknowledged: Self.victimTransactions + 1))
                try oracle.workload.run(found + 1, on: connection, .relaxed)
            }
            isOpen.wait()
            defer { mayGoOn.signal() }
            let victim = try VictimProcess(
                point.with("transactions", Self.victimTransactions + 1), path: path,
                faults: "stop-before:fdatasync:1", transactions: 1, in: trial)
            defer { victim.goOn() }
            // A victim that was stopped before its last transaction may hold the write lock.
            if try victim.waitUntilStopped(), victim.acknowledged > Self.victimTransactions {
                mayGoOn.signal()
                try Patience.wait(
                    seconds: Self.patienceSeconds,
                    orFind: "a file cannot be closed beside a process that was stopped in a sync"
                ) { survivor.isDone }
                trial.cover("processes stopped")
            }
            victim.goOn()
            guard try !victim.waitForEnd() else {
                throw Finding(.crash, "a process that had been stopped was killed.")
            }
            mayGoOn.signal()
            try survivor.wait()
            let connection = try Connection(Database.open(path: path, options: point.options()))
            try oracle.judgeAll(
                connection, CommitLedger(acknowledged: Self.victimTransactions + 2))
            trial.count(states: 2, commits: Self.victimTransactions + 2)
        }
    }
}
