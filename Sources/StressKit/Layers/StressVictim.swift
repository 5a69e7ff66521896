import Glibc
import StorageEngine
import StressModel
import ToolSupport

/// The process that is killed. It carries out a workload and reports what it has done.
enum StressVictim {
    /// Continues a point's workload after the transactions that the file at `path` holds.
    ///
    /// - Parameter faults: a list of faults as text (``SystemCallFault``).
    static func run(_ point: StressPoint, path: String, faults: String) throws {
        ParentDeath.follow()
        if point.scenario == "forks" { return runForks(point, path) }
        guard let faults = SystemCallFault.list(parsing: faults) else {
            throw BenchmarkError(.usage, "'\(faults)' is no list of faults.")
        }
        let interceptor = SystemInterceptor(faults: faults)
        interceptor.install()
        if point.layer == ObserversLayer.layerName {
            try ObservedWriter(point).run(path)
        } else if point.layer == AsyncWritesLayer.layerName {
            try AsyncProcess.run(point, path)
        } else if point.layer == MigrationsLayer.layerName {
            try MigrationProcess.run(point, path)
        } else {
            try work(point, path)
        }
        WorkerChannel.say("\(VictimMessage.calls) \(interceptor.changeCount)")
        WorkerChannel.say("\(VictimMessage.wakes) \(interceptor.count(of: .wake))")
        WorkerChannel.say("\(VictimMessage.locks) \(interceptor.count(of: .lock))")
    }

    private static func runForks(_ point: StressPoint, _ path: String) {
        do { try ForkingProcess(point, path).run() } catch {
            WorkerChannel.say("\(VictimMessage.problem): \(error)")
            // Exit without closing: other threads may still write.
            _exit(0)
        }
    }

    /// Carries out the workload. A separate function, so that the database is closed, with its last
    /// calls, when it returns.
    private static func work(_ point: StressPoint, _ path: String) throws {
        let workload = try point.workload()
        let durability = try point.durability()
        let options = try point.options()
        // Returns false, without compacting, while others have the file open.
        if try point.compacts() { _ = try Database.compact(path: path, options: options) }
        let connection = try Connection(Database.open(path: path, options: options))
        WorkerChannel.say(VictimMessage.open)
        var done = try StressWorkload.progress(of: connection)
        while done < workload.count {
            done += 1
            try workload.run(done, on: connection, durability)
            WorkerChannel.say("\(VictimMessage.acknowledged) \(done)")
        }
    }
}
