import Foundation
import Glibc
import ToolSupport

/// One `realm-bench run`: it runs the cases in order, writes the reports and shows the progress.
final class RunSession {
    struct Options {
        var suite: String
        /// How often each case runs.
        var runs = 1
        /// Whether to count instructions, and the operations of a case while they are counted.
        var instructions = false
        var count: Int?
        /// The names of the cases that get a flame graph, and the tool for it.
        var profiled: Set<String> = []
        var profiler: Profiler?
        /// The folder for database files; nil means one in the folder of the run.
        var databases: String?
        /// The folder that gets the folder of the run.
        var output: String
        /// Whether progress is left out.
        var isQuiet = false
        /// Whether tables have all columns.
        var isWide = false
        /// The files that get the tables and the rows as well.
        var exportMarkdown, exportJson: String?
    }

    private let options: Options
    private let cases: [BenchmarkCase]
    private let terminal: Terminal
    private let directory: RunFolderWriter
    private let runner: CaseRunner
    private var report: RunReport
    private var results: [CaseResult] = []
    private var isLoadKnown = false
    /// Why cases have no flame graph.
    private var profileProblems: [String] = []
    /// The number of runs of cases started so far.
    private var started = 0

    init(_ options: Options, _ cases: [BenchmarkCase]) throws {
        self.options = options
        self.cases = cases
        terminal = Terminal(isQuiet: options.isQuiet)
        directory = try RunFolderWriter(parent: options.output)
        runner = try CaseRunner(databasesBelow: options.databases, of: directory)
        report = RunReport(
            of: cases, suite: options.suite, in: directory, databases: runner.databases)
    }

    func run() throws {
        defer { runner.removeDatabases() }
        Interruption.watch()
        if RunReport.Toolchain.configuration == "debug" {
            warn("This is a debug build; its figures mean nothing. Build with -c release.")
        }
        if runner.removed.folders > 0 { terminal.note(runner.removed.sentence) }
        try directory.write(report)
        do {
            for group in CaseGroup.groups(of: cases) { try run(group) }
        } catch {
            terminal.note(
                "\nEnded early. The rows of finished cases: \(directory.path)/summary.csv")
            // The cause is told in any case; a disk may have no room for the page.
            if let page = try? HTMLReport.write(run: directory.path) {
                terminal.note("To look at: \(page)")
            }
            throw error
        }
        report.finishedAt = RunReport.now()
        // The targets are those of the workloads of realm-bench, whose names a user may use.
        if OwnWorkloads.all == nil { report.checks = SpeedCheck.outcomes(for: results) }
        try directory.write(report)
        try export()
        try conclude()
    }

    /// Writes the exports, which contain all rows.
    private func export() throws {
        if let path = options.exportMarkdown {
            try TextFile.write(
                MarkdownReport.text(of: RunFolder(path: directory.path)), into: path)
        }
        if let path = options.exportJson {
            try TextFile.write(
                RunExport.json(of: results, context: directory.context), into: path)
        }
    }

    /// Runs the cases of a group round by round. A case that did not succeed is not repeated.
    private func run(_ group: CaseGroup) throws {
        var outcomes: [[CaseOutcome]] = group.cases.map { _ in [] }
        for round in 0..<options.runs {
            for position in group.order(ofRound: round) {
                let benchmarkCase = group.cases[position]
                let hasEnded =
                    outcomes[position].last.map { !$0.results[0].status.hasRun } ?? false
                if hasEnded {
                    // Counted all the same, so that the last run is the last of all.
                    started += 1
                } else {
                    outcomes[position].append(try run(benchmarkCase, round: round))
                }
                // After a case's last run its row need not wait for the rest of the group.
                if round == options.runs - 1 { try finish(benchmarkCase, outcomes[position]) }
            }
        }
    }

    private func run(_ benchmarkCase: BenchmarkCase, round: Int) throws -> CaseOutcome {
        try Interruption.throwIfRequested()
        started += 1
        let title = "[\(started)/\(cases.count * options.runs)] \(benchmarkCase.name)"
        terminal.status(title)
        if !terminal.isInteractive { terminal.note(title) }
        let outcome = try runner.run(benchmarkCase) { [terminal] update in
            terminal.status(title + Self.text(of: update))
        }
        for result in outcome.results { try directory.append(sample: result, run: round + 1) }
        return outcome
    }

    /// Writes and reports the row of a case from all its runs.
    private func finish(_ benchmarkCase: BenchmarkCase, _ outcomes: [CaseOutcome]) throws {
        var chosen = RunSession.representative(of: outcomes)
        if options.instructions {
            try runner.countInstructions(
                of: benchmarkCase, into: &chosen.results[0], count: options.count, in: directory
            ) { [terminal] in terminal.status(benchmarkCase.name + Self.text(of: $0)) }
        }
        for result in chosen.results {
            try directory.append(result)
            tell(result)
        }
        if let profiler = options.profiler, options.profiled.contains(benchmarkCase.name),
            chosen.results[0].status == .ok
        {
            try writeProfile(of: benchmarkCase, with: profiler)
        }
        try directory.append(
            chosen.timeline, of: benchmarkCase.identifier, sweep: benchmarkCase.sweep)
        try directory.append(
            chosen.growth, of: benchmarkCase.identifier, sweep: benchmarkCase.sweep)
        try directory.write(Self.mergedHistograms(of: outcomes), of: benchmarkCase.name)
        results += chosen.results
        if let fullDisk = chosen.fullDisk { throw fullDisk.error }
    }

    /// Writes the flame graph of a case beside its row.
    private func writeProfile(of benchmarkCase: BenchmarkCase, with profiler: Profiler) throws {
        do {
            let profile = try runner.profile(benchmarkCase, with: profiler) { [terminal] in
                terminal.status(benchmarkCase.name + Self.text(of: $0))
            }
            let file = try ProfileFiles.write(profile, of: benchmarkCase, in: directory.path)
            terminal.note("  flame graph: \(file)")
        } catch let error as BenchmarkError where error.code == .caseFailed {
            terminal.note(terminal.styled("  no flame graph: ", .red) + error.message)
            profileProblems.append(error.message)
        }
    }

    /// Returns the first outcome that failed, else the one with the median throughput. Each further
    /// row, such as that of a control, is that of its own median.
    static func representative(of outcomes: [CaseOutcome]) -> CaseOutcome {
        if let failed = outcomes.first(where: { !$0.results[0].status.hasRun }) { return failed }
        var chosen = outcomes[median(of: outcomes.map { $0.results[0] })]
        for row in chosen.results.indices {
            let runs = outcomes.compactMap { outcome in
                outcome.results.first { $0.identifier == chosen.results[row].identifier }
            }
            if row > 0 { chosen.results[row] = runs[median(of: runs)] }
            guard outcomes.count >= 3 else { continue }
            chosen.results[row].interval = ThroughputInterval(
                ratesOfEqualTimes: runs.compactMap(\.throughput))
        }
        return chosen
    }

    /// Returns the position of the row with the median throughput, of an even number the lower one.
    private static func median(of rows: [CaseResult]) -> Int {
        let order = rows.indices.sorted {
            (rows[$0].throughput ?? 0) < (rows[$1].throughput ?? 0)
        }
        return order[(order.count - 1) / 2]
    }

    /// Returns the merged histograms of the runs that succeeded.
    static func mergedHistograms(of outcomes: [CaseOutcome]) -> [HistogramKind: HistogramData] {
        outcomes.filter { $0.results[0].status == .ok }.reduce(into: [:]) { merged, outcome in
            for (kind, data) in outcome.histograms { merged[kind, default: .init()].add(data) }
        }
    }

    // MARK: Messages

    private func tell(_ result: CaseResult) {
        let name = Self.shortName(of: result)
        switch result.status {
        case .ok:
            let rate = Display.number(result.throughput)
            let latency = Display.number(result.latency?.p50)
            terminal.note("  \(name): \(rate) operations/s, p50 \(latency) us")
        case .unsupported:
            terminal.note("  \(name): unsupported. \(result.failure ?? "")")
        case .noRate:
            terminal.note(
                terminal.styled("  \(name): ", .yellow) + (result.failure ?? ""))
        case .failed:
            terminal.note(
                terminal.styled("  \(name): FAILED. ", .red) + (result.failure ?? ""))
        }
        if let load = result.measure("other_load_cores"), load > 0.2 {
            // The full advice is printed once, since a busy machine stays busy.
            let advice =
                isLoadKnown
                ? "" : " Times taken beside other work are not to be trusted; rerun when it ends."
            isLoadKnown = true
            warn("Other processes kept \(Display.number(load)) cores busy.\(advice)")
        }
    }

    /// Returns the name of a row; the engine, durability and sweep appear only if they differ from
    /// the default.
    private static func shortName(of result: CaseResult) -> String {
        let identifier = result.identifier
        var name = "\(identifier.workload)/\(identifier.strategy)"
        if identifier.durability != .full { name += " \(identifier.durability)" }
        if identifier.engine != "realm", identifier.engine != "control" {
            name += " \(identifier.engine)"
        }
        return result.sweep.isEmpty ? name : name + " \(result.sweep)"
    }

    private static func text(of update: ProgressUpdate) -> String {
        var text = "  \(update.phase)"
        if let fraction = update.fraction { text += " \(Int(fraction * 100)) %" }
        if let left = update.secondsLeft { text += ", \(Int(left.rounded(.up))) s left" }
        if let rate = update.operationsPerSecond, rate > 0 {
            text += ", \(Display.number(rate))/s"
        }
        return text
    }

    private func warn(_ text: String) {
        terminal.warn(text)
        report.warnings.append(text)
    }

    /// Prints the tables. Throws if a case failed or results disagree.
    private func conclude() throws {
        terminal.note("")
        let width = options.isWide ? nil : PageWidth.usual
        for line in TerminalResults.lines(for: results, isWide: options.isWide) {
            terminal.print(line)
        }
        for remark in ResultTable.remarks(on: results) {
            for line in PageWidth.lines(of: remark, within: width) { terminal.print(line) }
        }
        if !report.checks.isEmpty {
            terminal.print("")
            for (line, check) in TerminalResults.lines(
                for: report.checks, isWide: options.isWide)
            {
                guard let check else {
                    terminal.print(line)
                    continue
                }
                let isPlain = check.verdict == .none
                terminal.print(
                    isPlain
                        ? line : terminal.styled(line, check.verdict == .pass ? .green : .yellow))
            }
        }
        let files = try RunFolder(path: directory.path)
        if let peers = try PeersTable(files.rows, samples: files.samples, indirect: .load()) {
            terminal.print("")
            for line in peers.textLines(within: width) { terminal.print(line) }
        }
        if let encryption = EncryptionTable(files.rows, samples: files.samples) {
            terminal.print("")
            for line in encryption.textLines(within: width) { terminal.print(line) }
        }
        let page = try HTMLReport.write(run: directory.path)
        terminal.print("\nResults: \(directory.path)/summary.csv\nTo look at: \(page)")
        var problems = results.filter { $0.status == .failed }.map {
            "The case \($0.identifier) failed: \($0.failure ?? "")"
        }
        problems += DigestCheck.disagreements(in: results) + profileProblems
        guard problems.isEmpty else {
            throw BenchmarkError(.caseFailed, problems.joined(separator: "\n"))
        }
    }
}
