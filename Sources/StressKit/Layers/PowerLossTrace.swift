import StorageEngine
import StressModel
import ToolSupport

/// Runs a point's workload and records what it does to the file.
struct PowerLossTrace {
    let point: StressPoint
    let trial: Trial
    private let workload: StressWorkload
    private let prepared: Int
    /// Whether the first sync in the background is held while others write. In a file that lacks
    /// slots the writer would wait for it to get them, and nobody would release it.
    private let holdsSync: Bool

    init(_ point: StressPoint, _ trial: Trial) throws {
        self.point = point
        self.trial = trial
        workload = try point.workload()
        let wanted = try point.number("prepared", in: 0...100_000, default: 0)
        prepared = min(wanted, workload.count - 1)
        holdsSync =
            point.scenario == "relaxed-slots" && prepared + 2 <= workload.count
            && prepared >= StressOperation.transactionsForAllSlots
    }

    /// Returns the moments at which power may be lost.
    func moments() throws -> [PowerLossHistory.Moment] {
        var seals = SealUse()
        let image = try trial.prepare(point, transactions: prepared)
        let start = PowerLossHistory.Moment(
            durable: image, pending: [], acknowledged: prepared, headBytes: 0)
        switch point.scenario {
        case "adopted", "changes-adopted":
            let first = try record(from: start, &seals)
            return try record(from: momentOfDeath(in: first), &seals).decisiveMoments
        case "compacting": return try recordCompaction(from: start, &seals)
        default: return try record(from: start, &seals).decisiveMoments
        }
    }

    /// Returns a moment with unsynced writes at which the process dies and leaves the page cache to
    /// the next one. The moment is drawn, unless the point names one.
    private func momentOfDeath(
        in history: PowerLossHistory
    ) throws -> PowerLossHistory.Moment {
        let moments = history.decisiveMoments.filter { !$0.pending.isEmpty }
        guard !moments.isEmpty else {
            throw BenchmarkError(.usage, "No moment of '\(point)' has unsynced writes.")
        }
        var random = RepeatableRandom(seed: try point.value("seed", default: 0), part: 8 << 32)
        let drawn = random.below(moments.count)
        return moments[try point.number("died", in: 0...moments.count - 1, default: drawn)]
    }

    /// Opens the file as a moment left it, continues the workload, and returns the history. The
    /// moment may be of another process's history.
    func record(
        from start: PowerLossHistory.Moment, _ seals: inout SealUse
    ) throws -> PowerLossHistory {
        let path = trial.file("traced")
        try trial.write(start.present, to: path)
        defer { trial.remove(path) }
        // The first transaction syncs. The second sync is the first one in the background, and it
        // is held: commits during it must overwrite neither the records that it covers nor the
        // records it replaces.
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: trial.directory),
            faults: holdsSync ? [SystemCallFault(.hold, call: .fdatasync, ordinal: 2)] : [],
            recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        // Number of events when each transaction had returned.
        var acknowledgements: [(transaction: Int, events: Int)] = []
        func events() -> [SystemTraceEvent] { interceptor.trace.filter { $0.path == path } }
        do {
            let database = try Database.open(path: path, options: point.options())
            defer { interceptor.release() }
            try commit(database, interceptor) { acknowledgements.append(($0, events().count)) }
        }
        // Read only now, because a file that was just created has its header by now.
        let headBytes = HeaderFields(of: try trial.read(path)).headBytes
        var history = PowerLossHistory(
            durable: start.durable, pending: start.pending, acknowledged: start.acknowledged,
            headBytes: headBytes)
        let events = events()
        if try point.options().encryptionKey != nil { try seals.add(events) }
        for event in events {
            if case .truncate = event.change { trial.cover("files cut") }
            if case .writeSynced = event.change { trial.cover("records with changes") }
        }
        var next = acknowledgements[...]
        for (index, event) in events.enumerated() {
            while let first = next.first, first.events <= index {
                history.acknowledge(first.transaction)
                next.removeFirst()
            }
            history.add(event)
        }
        if let last = acknowledgements.last { history.acknowledge(last.transaction) }
        return history
    }

    private func commit(
        _ database: Database, _ interceptor: SystemInterceptor, _ acknowledge: (Int) -> Void
    ) throws {
        let connection = try Connection(database)
        let found = try StressWorkload.progress(of: connection)
        guard found < workload.count else { return }
        // A process that opens a file has seen what it holds, so a power loss must not take that
        // away.
        if point.scenario.hasSuffix("adopted") { acknowledge(found) }
        let steps = (found + 1)...workload.count
        switch point.scenario {
        case "grouped", "changes-grouped":
            try GroupedCommits(workload, database).run(steps, acknowledge)
        case "relaxed", "shrinking-relaxed":
            // With fewer durable commits pages are freed later, and the file would not be cut in
            // time.
            let period = point.scenario == "relaxed" ? 5 : 3
            for step in steps {
                let waits = step % period == 0
                try workload.run(step, on: connection, waits ? .full : .relaxed)
                if waits { acknowledge(step) }
            }
        case "changes-mixed":
            // Changes are carried again some commits after a relaxed one.
            for step in steps {
                let waits = step % 21 != 20
                try workload.run(step, on: connection, waits ? .full : .relaxed)
                if waits { acknowledge(step) }
            }
        case "relaxed-slots":
            for step in steps {
                try workload.run(step, on: connection, .relaxed)
                guard holdsSync else { continue }
                // The background sync comes within 50 ms of the second transaction. Waiting for it
                // here ensures that it is the sync held, and not one that the writer makes itself
                // later.
                if step == steps.lowerBound + 1 { interceptor.waitUntilHeld() }
                if step == steps.lowerBound + steps.count * 2 / 3 {
                    interceptor.release()
                    waitForSyncs(2, interceptor)
                }
            }
        default:
            for step in steps {
                try workload.run(step, on: connection)
                acknowledge(step)
            }
        }
    }

    /// Waits until `count` syncs have ended, and a while longer until the result of the last is
    /// published.
    private func waitForSyncs(_ count: Int, _ interceptor: SystemInterceptor) {
        while interceptor.trace.count(where: { $0.change == .sync }) < count {
            System.sleep(nanoseconds: 1_000_000)
        }
        System.sleep(nanoseconds: 5_000_000)
    }
}
