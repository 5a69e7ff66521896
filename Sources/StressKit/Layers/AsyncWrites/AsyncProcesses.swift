import StorageEngine
import StressModel
import ToolSupport

/// Writers in several processes. All but the first are killed after a number of events, and this
/// process looks at what they write.
struct AsyncProcesses {
    private let point: StressPoint
    private let trial: Trial
    private let path: String

    private static let longestLife = 150

    init(_ point: StressPoint, _ trial: Trial, _ path: String) {
        self.point = point
        self.trial = trial
        self.path = path
    }

    func run() throws {
        let judge = AsyncJudge(point: point, trial: trial)
        try judge.create(path)
        let events = AsyncEvents()
        let record = AsyncRecord { events.append($0) }
        let looking = AsyncOnlooker(point, path, try point.asyncJournal(), record)
        var random = RepeatableRandom(seed: try point.value("seed", default: 0), part: 33 << 32)
        let count = try point.number("processes", in: 1...16, default: 2)
        // Each process dies with the thread that has started it.
        let works = (1...count).map { number in
            let life = number > 1 ? 2 + random.below(Self.longestLife) : nil
            // Other threads only ask it for names of files.
            let given = Handed(trial)
            return BackgroundThread { [point, path] _ in
                try Self.follow(point, path, number, events, given.value, killedAfter: life)
            }
        }
        let results = works.map { work in Result { try work.wait() } }
        try looking.finish()
        for result in results {
            if try result.get() { trial.cover("processes killed") }
        }
        try record.throwProblem()
        let ledger = try AsyncLedger(events.all)
        if let (ticket, failure) = ledger.failures.first {
            throw Finding(.wrongError, "\(ticket) fails (\(failure.rawValue)), and nothing did.")
        }
        trial.cover("commits", times: ledger.done.count)
        try judge.reopen(path, ledger)
    }

    /// Runs a process and collects its events. Returns whether it was killed.
    private static func follow(
        _ point: StressPoint, _ path: String, _ number: Int, _ events: AsyncEvents,
        _ trial: Trial, killedAfter life: Int?
    ) throws -> Bool {
        let victim = try VictimProcess(
            point.inProcess(number), path: path, faults: SystemCallFault.slowSyncs.text,
            transactions: 0, in: trial, name: "writer-\(number)")
        var lines = 0
        victim.hear = { [unowned victim] line in
            events.hear(line)
            lines += 1
            if lines == life { victim.kill() }
        }
        return try victim.waitForEnd()
    }
}
