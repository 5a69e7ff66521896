import BenchmarkKit
import StorageEngine
import StressModel

/// Runs a point's workload and records what that did to its file.
struct PowerLossTrace {
    let point: StressPoint
    let trial: Trial
    private let workload: StressWorkload
    private let prepared: Int

    init(_ point: StressPoint, _ trial: Trial) throws {
        self.point = point
        self.trial = trial
        workload = try point.workload()
        let wanted = try point.number("prepared", in: 0...100_000, default: 0)
        prepared = min(wanted, workload.count - 1)
    }

    /// Blocks before the first page: header, marker, and as many slots as the header says.
    static func headBytes(of image: [UInt8]) -> Int {
        let slots = image.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 16, as: UInt32.self) }
        return (2 + Int(UInt32(littleEndian: slots))) * 4096
    }

    /// The moments at which power may be lost.
    func moments() throws -> [PowerLossHistory.Moment] {
        var seals = SealUse()
        let image = try trial.prepare(point, transactions: prepared)
        let start = PowerLossHistory.Moment(
            durable: image, pending: [], acknowledged: prepared, headBytes: 0)
        switch point.scenario {
        case "adopted":
            let first = try record(from: start, &seals)
            return try record(from: momentOfDeath(in: first), &seals).decisiveMoments
        case "compacting": return try recordCompaction(from: start, &seals)
        default: return try record(from: start, &seals).decisiveMoments
        }
    }

    /// A moment at which something is written and not synced, drawn unless the point names one:
    /// the process dies, and leaves the page cache to the next one.
    private func momentOfDeath(
        in history: PowerLossHistory
    ) throws -> PowerLossHistory.Moment {
        let moments = history.decisiveMoments.filter { !$0.pending.isEmpty }
        var random = RepeatableRandom(seed: try point.value("seed", default: 0), part: 8 << 32)
        let drawn = random.below(moments.count)
        return moments[try point.number("died", in: 0...moments.count - 1, default: drawn)]
    }

    /// Goes on where a moment of another process's history left the file.
    func record(
        from start: PowerLossHistory.Moment, _ seals: inout SealUse
    ) throws -> PowerLossHistory {
        let path = trial.file("traced")
        try trial.write(start.present, to: path)
        defer { trial.remove(path) }
        // The first sync in the background takes long: what it covers must not be written over
        // meanwhile, nor what it takes the place of. Before it, the first transaction syncs.
        let holds = point.scenario == "relaxed-slots"
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: trial.directory),
            faults: holds ? [SystemCallFault(.hold, call: .fdatasync, ordinal: 2)] : [],
            recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        // How many events there were when a transaction had returned.
        var acknowledgements: [(transaction: Int, events: Int)] = []
        func events() -> [SystemTraceEvent] { interceptor.trace.filter { $0.path == path } }
        do {
            let database = try Database.open(path: path, options: point.options())
            defer { interceptor.release() }
            try commit(database, interceptor) { acknowledgements.append(($0, events().count)) }
        }
        // A file that was created has its header by now.
        let headBytes = Self.headBytes(of: try trial.read(path))
        var history = PowerLossHistory(
            durable: start.durable, pending: start.pending, acknowledged: start.acknowledged,
            headBytes: headBytes)
        let events = events()
        if try point.options().encryptionKey != nil { try seals.add(events) }
        for event in events {
            if case .truncate = event.change { trial.cover("files cut") }
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
        // Whoever opens a file has seen what it holds: from then on it must stay.
        if point.scenario == "adopted" { acknowledge(found) }
        let steps = (found + 1)...workload.count
        switch point.scenario {
        case "grouped": try GroupedCommits(workload, database).run(steps, acknowledge)
        case "relaxed", "shrinking-relaxed":
            // Space is free later where fewer wait: then the file is not cut in time.
            let period = point.scenario == "relaxed" ? 5 : 3
            for step in steps {
                let waits = step % period == 0
                try workload.run(step, on: connection, waits ? .full : .relaxed)
                if waits { acknowledge(step) }
            }
        case "relaxed-slots":
            for step in steps {
                try workload.run(step, on: connection, .relaxed)
                // It comes within 50 ms of the second; what the writer itself syncs later is not held.
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

    /// Waits until so many syncs have ended, and it was said what they made durable.
    private func waitForSyncs(_ count: Int, _ interceptor: SystemInterceptor) {
        while interceptor.trace.count(where: { $0.change == .sync }) < count {
            System.sleep(nanoseconds: 1_000_000)
        }
        System.sleep(nanoseconds: 5_000_000)
    }
}
