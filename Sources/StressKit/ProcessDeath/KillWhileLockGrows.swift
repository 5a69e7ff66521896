import StorageEngine
import StressModel

/// Kills or stops a victim while it makes `.lock` longer, because a crowd has used up what there is
/// of it, and has others come then.
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

    /// The crowd goes when this returns.
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

    /// Who comes now needs what the victim did, or has it. `done`: transactions of the victim.
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

    /// Those who need no more room go on; who needs some waits until the victim does.
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
