import BenchmarkKit
import StorageEngine
import StressModel

/// Runs a point's workload and records what that did to its file.
struct PowerLossTrace {
    private let point: StressPoint
    private let trial: Trial
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
    private static func headBytes(of image: [UInt8]) -> Int {
        let slots = image.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 16, as: UInt32.self) }
        return (2 + Int(UInt32(littleEndian: slots))) * 4096
    }

    func history() throws -> PowerLossHistory {
        let image = try trial.prepare(point, transactions: prepared)
        let path = trial.file("traced")
        try trial.write(image, to: path)
        defer { trial.remove(path) }
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: trial.directory), recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        // How many events there were when a transaction had returned.
        var acknowledgements: [(transaction: Int, events: Int)] = []
        func events() -> [SystemTraceEvent] { interceptor.trace.filter { $0.path == path } }
        do {
            let database = try Database.open(path: path, options: point.options())
            try commit(database) { acknowledgements.append(($0, events().count)) }
        }
        // A file that was created has its header by now.
        let headBytes = Self.headBytes(of: try trial.read(path))
        var history = PowerLossHistory(
            durable: image, pending: [], acknowledged: prepared, headBytes: headBytes)
        var next = acknowledgements[...]
        for (index, event) in events().enumerated() {
            while let first = next.first, first.events <= index {
                history.acknowledge(first.transaction)
                next.removeFirst()
            }
            history.add(event)
        }
        if let last = acknowledgements.last { history.acknowledge(last.transaction) }
        return history
    }

    private func commit(_ database: Database, _ acknowledge: (Int) -> Void) throws {
        let steps = (prepared + 1)...workload.count
        switch point.scenario {
        case "grouped": try GroupedCommits(workload, database).run(steps, acknowledge)
        case "relaxed":
            let connection = try Connection(database)
            for step in steps {
                let waits = step % 5 == 0
                try workload.run(step, on: connection, waits ? .full : .relaxed)
                if waits { acknowledge(step) }
            }
        default:
            let connection = try Connection(database)
            for step in steps {
                try workload.run(step, on: connection)
                acknowledge(step)
            }
        }
    }
}
