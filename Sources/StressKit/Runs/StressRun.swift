import Foundation
import StorageEngine
import StressModel
import ToolSupport

/// One `realm-bench stress run`: rounds of layers until the time is over.
final class StressRun {
    struct Plan {
        var layers: [any StressLayer]
        /// Duration of all layers together.
        var seconds: Double
        var seed: UInt64
        /// The file that rows are appended to. It may have rows already.
        var results: String
        /// Directory for database files.
        var directory: String
        var limits = StressLimits()
        var shrinkSeconds = 60.0
    }

    private let plan: Plan
    private let identifier: String
    private let revision = BuildRevision.current()
    private let terminal = Terminal()
    private let worker: WorkerProcess
    private let file: CSVFile
    /// Rows of earlier runs in the same file.
    private let earlier: [[String]]
    private var tallies: [LayerTally] = []

    init(_ plan: Plan, identifier: String) throws {
        self.plan = plan
        self.identifier = identifier
        worker = WorkerProcess(
            executable: ChildProcess.ownExecutable, directory: plan.directory,
            limits: plan.limits)
        earlier = try CSVFile.rows(of: plan.results)
        file = try CSVFile(continuing: plan.results, header: StressTable.header)
    }

    /// Runs all layers.
    ///
    /// - Throws: `caseFailed` if anything was found.
    func run() throws {
        Interruption.watch()
        defer { worker.end() }
        do {
            for (index, layer) in plan.layers.enumerated() {
                // Time that a layer leaves unused goes to the next ones.
                let left = plan.seconds - tallies.reduce(0) { $0 + $1.seconds }
                try run(layer, seconds: left / Double(plan.layers.count - index))
            }
        } catch {
            // The finished rounds are in the file. Print them before the error ends the run.
            conclude()
            throw error
        }
        conclude()
        let failures = tallies.flatMap(\.report.failures)
        guard failures.isEmpty else {
            throw BenchmarkError(
                .caseFailed,
                failures.map { "\($0.kind.rawValue) in \($0.point): \($0.message)" }
                    .joined(separator: "\n"))
        }
    }

    /// Runs rounds of all scenarios of a layer, as long as there is time. A scenario with a
    /// finding, or one that cannot run on this machine, is left out from then on.
    private func run(_ layer: any StressLayer, seconds: Double) throws {
        let start = System.monotonicNanoseconds
        func left() -> Double { seconds - Double(System.monotonicNanoseconds - start) / 1e9 }
        var rows = layer.scenarios.map { scenario in
            TallyRow(
                LayerTally(
                    layer: layer.name, scenario: scenario.name, seed: plan.seed,
                    firstRound: StressTable.nextRound(
                        in: earlier, layer: layer.name, scenario: scenario.name, seed: plan.seed)))
        }
        defer { tallies += rows.map(\.whole) }
        do {
            while left() > 0 {
                // Scenarios take turns, and each gets an equal share of the time left.
                let turns = rows.indices.filter { rows[$0].mayGoOn }
                if turns.isEmpty { break }
                for (turn, index) in turns.enumerated() where left() > 0 {
                    try runRound(layer, &rows[index].unwritten, left() / Double(turns.count - turn))
                    if rows[index].isDue { try write(&rows[index]) }
                }
            }
        } catch {
            // The whole rounds of an interrupted run count too.
            for index in rows.indices { try write(&rows[index]) }
            throw error
        }
        for index in rows.indices {
            try write(&rows[index])
            tell(rows[index].whole)
        }
    }

    private func write(_ row: inout TallyRow) throws {
        guard let tally = row.takeUnwritten() else { return }
        try file.append(StressTable.fields(of: tally, run: identifier, revision: revision))
    }

    private func runRound(
        _ layer: any StressLayer, _ tally: inout LayerTally, _ secondsLeft: Double
    ) throws {
        let round = tally.firstRound + tally.rounds
        let began = System.monotonicNanoseconds
        for point in layer.points(round: round, seed: plan.seed)
        where point.scenario == tally.scenario {
            try Interruption.throwIfRequested()
            let title = "\(point.layer)/\(point.scenario) round \(round)"
            terminal.status(title)
            let report = try worker.run(point, secondsLeft: secondsLeft) { [terminal] in
                terminal.status("\(title): \($0) points, \($1) states")
            }
            tally.report.add(try shrunk(report, layer))
        }
        tally.rounds += 1
        tally.seconds += Double(System.monotonicNanoseconds - began) / 1e9
    }

    /// Returns the report with its failures shrunk.
    private func shrunk(_ report: TrialReport, _ layer: any StressLayer) throws -> TrialReport {
        var report = report
        for (index, failure) in report.failures.enumerated() {
            tell(failure)
            let shrinker = Shrinker(layer) { [worker] point in
                try Interruption.throwIfRequested()
                return try worker.run(point, secondsLeft: 20).failures.first
            }
            let (smallest, attempts) = try shrinker.shrink(failure, seconds: plan.shrinkSeconds)
            report.failures[index] = smallest
            terminal.print("  After \(attempts) smaller points:")
            tell(smallest)
        }
        return report
    }

    // MARK: Output

    private func tell(_ failure: TrialReport.Failure) {
        terminal.print(
            terminal.styled("  FOUND \(failure.kind.rawValue): ", .red) + failure.message
                + "\n  realm-bench stress replay '\(failure.point)'")
    }

    private func tell(_ tally: LayerTally) {
        let name = "\(tally.layer)/\(tally.scenario)"
        if let reason = tally.report.skipped {
            return terminal.print("\(name): skipped, \(reason)")
        }
        terminal.print(
            "\(name): \(tally.report.points) points, \(tally.report.states) states, "
                + "\(tally.report.failures.count) failures, \(Display.number(tally.seconds)) s")
    }

    private func conclude() {
        terminal.print("")
        for line in StressTable.lines(for: tallies) { terminal.print(line) }
        terminal.print("\nResults: \(plan.results)")
    }
}
