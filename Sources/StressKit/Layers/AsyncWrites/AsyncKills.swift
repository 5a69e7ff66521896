import StorageEngine
import StressModel
import ToolSupport

/// Kills a process with writers before and after each of its calls that change files, wake sleepers
/// or take locks, in half of the cases while this process looks at what it writes. Then others
/// write asynchronously.
struct AsyncKills {
    private let point: StressPoint
    private let trial: Trial
    private let judge: AsyncJudge
    private let image: [UInt8]

    private static let stepsAfterwards = 2

    init(_ point: StressPoint, _ trial: Trial) throws {
        self.point = point
        self.trial = trial
        judge = AsyncJudge(point: point, trial: trial)
        image = try judge.prepare()
    }

    func run() throws {
        for (index, kill) in try kills().enumerated() {
            guard SystemCallFault(parsing: "kill-\(kill)") != nil else {
                throw point.unreadable("kill", kill)
            }
            try trial.attempt(point.with("kill", kill), with: image) { path in
                try attempt(path, kill, isSeen: index % 2 == 0)
            }
            if trial.mustStop { return }
        }
    }

    /// Returns the kill that the point names, or all, in a random order: a run may end before all
    /// were tried.
    private func kills() throws -> [String] {
        if let named = point["kill"] { return [named] }
        let path = trial.file("whole")
        try trial.write(image, to: path)
        defer { trial.remove(path) }
        let victim = try VictimProcess(point.inProcess(1), path: path, transactions: 0, in: trial)
        guard try !victim.waitForEnd(), let calls = victim.calls else {
            throw BenchmarkError(
                .internalError, "A writing process did not say how many calls it made.")
        }
        func both(_ name: String, _ count: Int) -> [String] {
            (1..<count + 1).flatMap { number in
                ["before", "after"].map { "\($0):\(name)\(number)" }
            }
        }
        let all =
            both("", calls) + both("\(SystemCall.wake.rawValue):", victim.wakes)
            + both("\(SystemCall.lock.rawValue):", victim.locks)
        var random = RepeatableRandom(seed: try point.value("seed", default: 0), part: 34 << 32)
        return all.shuffled(using: &random)
    }

    private func attempt(_ path: String, _ kill: String, isSeen: Bool) throws {
        let events = AsyncEvents()
        let record = AsyncRecord { events.append($0) }
        let looking =
            isSeen ? AsyncOnlooker(point, path, try point.asyncJournal(), record) : nil
        let faults = "\(SystemCallFault.slowSyncs.text),kill-\(kill)"
        let victim = try VictimProcess(
            point.inProcess(1), path: path, faults: faults, transactions: 0, in: trial)
        victim.hear = { events.hear($0) }
        // The threads of the process take turns as they like, so it may make fewer calls.
        if try victim.waitForEnd() { trial.cover("processes killed") }
        try AsyncParty(
            point.with("transactions", Self.stepsAfterwards), path, record, process: 2,
            beside: .none
        ).run()
        try looking?.finish()
        try record.throwProblem()
        try judge.reopen(path, AsyncLedger(events.all))
    }
}

extension StressPoint {
    /// Returns the point of a process with this number, which also writes on its main thread.
    func inProcess(_ number: Int) -> StressPoint {
        with("writer", number).with("place", (self["place"].map { $0 + "+" } ?? "") + "main")
    }
}
