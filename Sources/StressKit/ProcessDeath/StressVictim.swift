import BenchmarkKit
import Glibc
import StorageEngine
import StressModel

/// The process that is killed: it carries out a workload, and says what it has done.
enum StressVictim {
    /// What it says, a line each.
    enum Message {
        static let open = "open"
        static let acknowledged = "acknowledged"
        /// How many calls that change files it made, its closing included.
        static let calls = "calls"
        /// A child of it lives that will outlive it.
        static let forked = "forked"
        /// What it has found.
        static let problem = "problem"
    }

    /// Goes on with a point's workload where the file at `path` stands. `faults`: see
    /// ``SystemCallFault``.
    static func run(_ point: StressPoint, path: String, faults: String) throws {
        ParentDeath.follow()
        if point.scenario == "forks" { return runForks(point, path) }
        guard let faults = SystemCallFault.list(parsing: faults) else {
            throw BenchmarkError(.usage, "'\(faults)' is no list of faults.")
        }
        let interceptor = SystemInterceptor(faults: faults)
        interceptor.install()
        try work(point, path)
        WorkerChannel.say("\(Message.calls) \(interceptor.changeCount)")
    }

    private static func runForks(_ point: StressPoint, _ path: String) {
        do { try ForkingProcess(point, path).run() } catch {
            WorkerChannel.say("\(Message.problem): \(error)")
            // Its threads may still write.
            _exit(0)
        }
    }

    /// In a function of its own, so that the database is closed, and its last calls are made, when
    /// it returns.
    private static func work(_ point: StressPoint, _ path: String) throws {
        let workload = try point.workload()
        let durability = try point.durability()
        let options = try point.options()
        // Refused while others have the file open.
        if try point.compacts() { _ = try Database.compact(path: path, options: options) }
        let connection = try Connection(Database.open(path: path, options: options))
        WorkerChannel.say(Message.open)
        var done = try StressWorkload.progress(of: connection)
        while done < workload.count {
            done += 1
            try workload.run(done, on: connection, durability)
            WorkerChannel.say("\(Message.acknowledged) \(done)")
        }
    }
}
