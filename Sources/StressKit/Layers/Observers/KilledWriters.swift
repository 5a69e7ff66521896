import RealmSwift
import StorageEngine
import StressModel
import ToolSupport

/// Kills a writer before and after each of its calls, while this process and another one observe
/// what it writes.
///
/// Afterwards the observers must be told of all that a reader sees, and then of the next
/// transaction, which another writer makes.
struct KilledWriters {
    private let point: StressPoint
    private let trial: Trial
    private let image: [UInt8]

    init(_ point: StressPoint, _ trial: Trial) throws {
        self.point = point
        self.trial = trial
        let path = trial.file("prepared")
        defer { trial.remove(path) }
        try Self.fill(point, path)
        image = try trial.read(path)
    }

    /// Fills the file, which is closed when this returns.
    private static func fill(_ point: StressPoint, _ path: String) throws {
        let realm = try Realm(configuration: point.observedConfiguration(path))
        try ObservedChanges(seed: try point.value("seed", default: 0)).fill(realm)
    }

    func run() throws {
        for kill in try kills() {
            guard SystemCallFault(parsing: "kill-\(kill)") != nil else {
                throw point.unreadable("kill", kill)
            }
            try trial.attempt(point.with("kill", kill), with: image) { path in
                try attempt(path, kill)
            }
            if trial.mustStop { return }
        }
    }

    /// Returns the kill that the point names, or all: those at calls that change files or wake
    /// sleepers first.
    private func kills() throws -> [String] {
        if let named = point["kill"] { return [named] }
        let path = trial.file("whole")
        try trial.write(image, to: path)
        defer { trial.remove(path) }
        return try kills(at: path)
    }

    private func kills(at path: String) throws -> [String] {
        let file = try ObservedFile(point, trial, path)
        let victim = try VictimProcess(point, path: path, transactions: 0, in: trial)
        guard try !victim.waitForEnd(), let calls = victim.calls else {
            throw BenchmarkError(
                .internalError, "A writing process did not say how many calls it made.")
        }
        try file.settle(file.count)
        try file.end()
        func both(_ name: String, _ count: Int) -> [String] {
            (1..<count + 1).flatMap { number in
                ["before", "after"].map { "\($0):\(name)\(number)" }
            }
        }
        return both("\(SystemCall.wake.rawValue):", victim.wakes) + both("", calls)
            + both("\(SystemCall.lock.rawValue):", victim.locks)
    }

    private func attempt(_ path: String, _ kill: String) throws {
        var file = try ObservedFile(point, trial, path)
        let watcher = try WatcherProcess(point, path: path, at: .main, trial, number: 0)
        try watcher.waitUntilOpen()
        try watcher.settle(file.count)
        let victim = try VictimProcess(
            point, path: path, faults: "kill-\(kill)", transactions: 0, in: trial)
        if try victim.waitForEnd() { trial.cover("writers killed") }
        let count = file.count
        guard count >= victim.acknowledged else {
            throw Finding(
                .lostCommit, "\(count) transactions are there, \(victim.acknowledged) returned.")
        }
        // First without a further transaction, which would wake those that were forgotten.
        try file.settle(count)
        try watcher.settle(count)
        let next = try file.write()
        guard next > count else { throw Finding(.wrongState, "a transaction is missing.") }
        try file.settle(next)
        try watcher.settle(next)
        trial.cover(watcher.counts)
        try file.end()
    }
}
