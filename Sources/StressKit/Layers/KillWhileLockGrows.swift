import StorageEngine
import StressModel
import ToolSupport

/// Kills or stops a victim while it makes `.lock` longer, because a crowd has used up the places.
/// Then others open the file.
struct KillWhileLockGrows {
    private let point: StressPoint
    private let trial: Trial
    private let oracle: PrefixOracle
    private let options: Database.Options
    private let prepared: Int

    private static let faults = [
        "kill-before:fallocate:1", "kill-after:fallocate:1", "stop-before:fallocate:1",
    ]

    init(_ point: StressPoint, _ trial: Trial) throws {
        self.point = point
        self.trial = trial
        let workload = try point.workload()
        oracle = PrefixOracle(workload)
        options = try point.options()
        prepared = min(ProcessDeathLayer.prepared, workload.count - 1)
    }

    func run() throws {
        let image = try trial.prepare(point, transactions: prepared)
        let faults = point["fault"].map { [$0] } ?? Self.faults
        if let unknown = faults.first(where: { !Self.faults.contains($0) }) {
            throw point.unreadable("fault", unknown)
        }
        let needs =
            try point["need"] == nil
            ? Crowd.Need.allCases : [point.value("need", default: Crowd.Need.processes)]
        for need in needs {
            for fault in faults {
                let exact = point.with("need", need.rawValue).with("fault", fault)
                try trial.attempt(exact, with: image) { try attempt($0, need, fault) }
                if trial.mustStop { return }
            }
        }
    }

    /// Runs one victim beside a crowd. The crowd closes the file when this returns.
    private func attempt(_ path: String, _ need: Crowd.Need, _ fault: String) throws {
        let crowd = try Crowd(path, options, need)
        let victim = try VictimProcess(
            point, path: path, faults: fault, transactions: prepared, in: trial)
        if fault.hasPrefix("stop") {
            try goOnBesideStopped(victim, crowd, path, need)
        } else {
            guard try victim.waitForEnd() else {
                throw Finding(.wrongState, "the process ended without making `.lock` longer.")
            }
        }
        try judge(crowd, need, victim.acknowledged)
    }

    /// Adds a user, who needs the places that the victim was to make, and judges the file.
    ///
    /// - Parameter done: the number of the victim's transactions.
    private func judge(_ crowd: Crowd, _ need: Crowd.Need, _ done: Int) throws {
        try crowd.addUser(connections: need == .processes ? 1 : 20)
        let connection = crowd.connections.last!
        try oracle.judge(connection, CommitLedger(acknowledged: done))
        try oracle.workload.run(done + 1, on: connection)
        try oracle.judgeAll(connection, CommitLedger(acknowledged: done + 1))
        try crowd.judge { try oracle.judge($0, CommitLedger(acknowledged: prepared)) }
        try crowd.checkPins()
        trial.count(states: 5, commits: done)
    }

    /// Checks that users who need no more places go on while the victim is stopped. A user who
    /// needs some waits until the victim goes on.
    private func goOnBesideStopped(
        _ victim: VictimProcess, _ crowd: Crowd, _ path: String, _ need: Crowd.Need
    ) throws {
        defer { victim.goOn() }
        guard try victim.waitUntilStopped() else {
            throw Finding(.wrongState, "the process ended without making `.lock` longer.")
        }
        trial.cover("processes stopped")
        let late = BackgroundThread { [options] _ in
            try Crowd.open(path, options, connections: need == .processes ? 1 : 2).count
        }
        _ = try StressWorkload.countBystander(on: crowd.connections[0])
        victim.goOn()
        guard try !victim.waitForEnd() else {
            throw Finding(.crash, "a process that had been stopped was killed.")
        }
        _ = try late.wait()
    }
}
