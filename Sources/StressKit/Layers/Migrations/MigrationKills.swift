import RealmSwift
import StorageEngine
import StressModel
import ToolSupport

/// The process that migrates, and is killed.
enum MigrationProcess {
    /// What it says when the disk is full.
    static let full = "full"

    static func run(_ point: StressPoint, _ path: String) throws {
        let file = try MigratedFile(point)
        WorkerChannel.say(VictimMessage.open)
        do {
            try file.migrate(path)
            WorkerChannel.say("\(VictimMessage.acknowledged) 1")
        } catch let error as Realm.Error {
            if error.code == .fail, file.mustFail { return }
            if error.code == .outOfDiskSpace, point["bytes"] != nil {
                return WorkerChannel.say(full)
            }
            WorkerChannel.say("\(VictimMessage.problem): \(error.code): \(error)")
        }
    }
}

/// Kills a process while it migrates: at its calls, and at random times.
struct MigrationKills {
    private let point: StressPoint
    private let trial: Trial
    private let file: MigratedFile
    private let image: [UInt8]

    /// The number of kills at calls, and at times, that are tried at most.
    private static let calls = 36
    private static let times = 6
    /// The longest time in microseconds after which a process is killed.
    private static let longestDelay = 12_000
    private static let time = "time:"
    /// What is tried first: others see a migration that comes to its end.
    private static let never = "never"

    init(_ point: StressPoint, _ trial: Trial) throws {
        self.point = point
        self.trial = trial
        file = try MigratedFile(point)
        image = try file.prepare(trial)
    }

    func run() throws {
        for kill in try kills() {
            guard Self.isWithoutFault(kill) || SystemCallFault(parsing: "kill-\(kill)") != nil
            else { throw point.unreadable("kill", kill) }
            try trial.attempt(point.with("kill", kill), with: image) { try attempt($0, kill) }
            if trial.mustStop { return }
        }
    }

    /// Returns the kill that the point names, or some, in a random order.
    private func kills() throws -> [String] {
        if let named = point["kill"] { return [named] }
        let path = trial.file("whole")
        try trial.write(image, to: path)
        defer { trial.remove(path) }
        let victim = try VictimProcess(point, path: path, transactions: 0, in: trial)
        guard try !victim.waitForEnd(), let calls = victim.calls else {
            throw BenchmarkError(
                .internalError, "A migrating process did not say how many calls it made.")
        }
        var random = RepeatableRandom(seed: try point.value("seed", default: 0), part: 61 << 32)
        let all = (1..<calls + 1).flatMap { ["before:\($0)", "after:\($0)"] }
        let times = (0..<Self.times).map { _ in
            Self.time + String(random.below(Self.longestDelay))
        }
        let chosen = all.shuffled(using: &random).prefix(Self.calls) + times
        return [Self.never] + chosen.shuffled(using: &random)
    }

    private static func isWithoutFault(_ kill: String) -> Bool {
        kill == never || kill.hasPrefix(time)
    }

    private func attempt(_ path: String, _ kill: String) throws {
        let beside = try MigrationBystander(point.scenario, file, path)
        let faults = Self.isWithoutFault(kill) ? "" : "kill-\(kill)"
        let victim = try VictimProcess(
            point, path: path, faults: faults, transactions: 0, in: trial)
        if kill.hasPrefix(Self.time), let delay = UInt64(kill.dropFirst(Self.time.count)),
            try victim.waitUntilOpen()
        {
            System.sleep(nanoseconds: delay * 1000)
            victim.kill()
        }
        if try victim.waitForEnd() { trial.cover("processes killed") }
        let outcome: MigratedFile.Outcome = victim.acknowledged > 0 ? .acknowledged : .unknown
        try beside.finish(outcome)
        try file.judgeAndMigrate(path, outcome, in: trial)
    }
}
