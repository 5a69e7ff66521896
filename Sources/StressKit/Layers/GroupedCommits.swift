import Foundation
import StorageEngine
import StressModel
import ToolSupport

/// Transactions that join groups in a known order. The sync of one transaction is held until the
/// next ones have joined the group behind it.
struct GroupedCommits {
    private let workload: StressWorkload
    private let database: Database
    private static let groupSize = 4
    /// Seconds to wait for a transaction to get the lock. A full group takes no more transactions;
    /// then the sync is released.
    private static let patienceSeconds = 0.3

    init(_ workload: StressWorkload, _ database: Database) {
        self.workload = workload
        self.database = database
    }

    /// Carries out transactions. Calls `acknowledge` with the last of those that have returned.
    func run(_ steps: ClosedRange<Int>, _ acknowledge: (Int) -> Void) throws {
        var first = steps.lowerBound
        while first <= steps.upperBound {
            let last = min(first + Self.groupSize, steps.upperBound)
            try runGroups(first, last)
            acknowledge(last)
            first = last + 1
        }
    }

    /// Commits the first transaction in a group of its own, and the others together in the next
    /// group.
    private func runGroups(_ first: Int, _ last: Int) throws {
        // A record that carries changes is durable by a write of its own, any other by a sync.
        let holder = SystemInterceptor(
            faults: [SystemCall.fdatasync, .writeSynced].map {
                SystemCallFault(.hold, call: $0, ordinal: 1)
            })
        holder.install()
        defer { holder.uninstall() }
        var works = [committing(first).work]
        holder.waitUntilHeld()
        for step in first..<last {
            let (work, hasLock) = committing(step + 1)
            works.append(work)
            guard hasLock.wait(timeout: .now() + Self.patienceSeconds) == .success else {
                holder.release()
                _ = hasLock.wait(timeout: .distantFuture)
                continue
            }
        }
        // The lock goes to the probe only after the last transaction has joined the group.
        let (probe, hasLock) = waitingForLock()
        _ = hasLock.wait(timeout: .now() + Self.patienceSeconds)
        holder.release()
        for work in works { try work.wait() }
        try probe.wait()
    }

    private func committing(_ step: Int) -> (work: BackgroundThread<Void>, DispatchSemaphore) {
        let hasLock = DispatchSemaphore(value: 0)
        let work = BackgroundThread { [workload, database] _ in
            // Signals on an error too, so that no thread waits for this one forever.
            defer { hasLock.signal() }
            let connection = try Connection(database)
            try connection.beginWrite()
            hasLock.signal()
            try workload.change(step, on: connection)
            try connection.commit()
        }
        return (work, hasLock)
    }

    private func waitingForLock() -> (BackgroundThread<Void>, DispatchSemaphore) {
        let hasLock = DispatchSemaphore(value: 0)
        let probe = BackgroundThread { [database] _ in
            defer { hasLock.signal() }
            let connection = try Connection(database)
            try connection.beginWrite()
            hasLock.signal()
            connection.rollback()
        }
        return (probe, hasLock)
    }
}
