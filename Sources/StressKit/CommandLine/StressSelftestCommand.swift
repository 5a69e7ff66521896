import ArgumentParser
import ToolSupport

/// The command `realm-bench stress selftest`.
struct StressSelftestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "selftest",
        abstract: "Tries the harness on itself: whether it finds bugs that were planted.",
        discussion: """
            Needs an engine with planted bugs: scripts/stress selftest builds one. First all \
            layers run without a bug, and must find nothing. Then each bug of the catalogue in \
            turn: the scenarios that are expected to find it, then all others, until one does or \
            the time is over. docs/planted-bugs.md explains the bugs.

            EXAMPLES
              scripts/stress selftest
              scripts/stress selftest --bug skip-sync --bug lock-not-robust --for 20s
              realm-bench stress selftest --list

            EXIT CODES
              0   every bug was found, and nothing without one
              1   the tool itself could not do its work
              3   a bug was not found, or something was found without one
              6   the file to append to has other columns
              64  this build has no planted bugs, or there is no bug of that name
            """)

    @Flag(help: "Lists the bugs, what each breaks, and who is expected to find it.")
    var list = false

    @Option(
        name: .customLong("bug"),
        help: ArgumentHelp("Only this bug; may be given several times.", valueName: "name"))
    var names: [String] = []

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long for each bug, and without one.", valueName: "time"))
    var duration = StressDuration(seconds: 60)

    @OptionGroup var options: StressRunOptions

    func run() throws {
        let bugs =
            try names.isEmpty
            ? PlantedBugCatalogue.all : names.map(PlantedBugCatalogue.entry(named:))
        if list { return printCatalogue(bugs) }
        guard PlantedBugCatalogue.isCompiledIn else {
            throw BenchmarkError(
                .usage,
                "This build has no planted bugs. 'scripts/stress selftest' builds one that has, "
                    + "in .build-planted; without it: swift build --traits PlantedBugs.")
        }
        guard PlantedBugCatalogue.mismatches.isEmpty else {
            throw BenchmarkError(
                .internalError,
                "Engine and catalogue have different bugs: "
                    + PlantedBugCatalogue.mismatches.joined(separator: ", "))
        }
        try hunt(bugs)
    }

    private func printCatalogue(_ bugs: [PlantedBugEntry]) {
        for bug in bugs {
            print("\(bug.name): \(bug.mistake)")
            print("  breaks \(bug.clause)")
            print("  expected to be found by \(bug.expected.joined(separator: ", "))")
        }
    }

    private func hunt(_ bugs: [PlantedBugEntry]) throws {
        Interruption.watch()
        try options.withFolder { try hunt(bugs, identifier: $0, folder: $1) }
    }

    private func hunt(_ bugs: [PlantedBugEntry], identifier: String, folder: String) throws {
        let file = try options.append.map {
            try CSVFile(continuing: $0, header: SelftestTable.header)
        }
        let revision = BuildRevision.current()
        let plan = SelftestRun.Plan(
            bugs: bugs, layers: LayerCatalogue.all, seconds: duration.seconds,
            seed: options.seed)
        let terminal = Terminal()
        let rows = try SelftestRun(plan) { workers(for: $0, folder, terminal) }.run { row in
            terminal.print(
                terminal.styled("\(row.name): ", row.isAsItShouldBe ? .green : .red)
                    + (row.outcome.failure.map { "\($0.kind.rawValue): \($0.message)" }
                        ?? "nothing found"))
            if !row.replay.isEmpty { terminal.print("  \(row.replay)") }
            try file?.append(
                SelftestTable.fields(
                    of: row, seed: options.seed, run: identifier, revision: revision))
        }
        terminal.print("")
        for line in SelftestTable.lines(for: rows) { terminal.print(line) }
        let wrong = rows.filter { !$0.isAsItShouldBe }
        guard wrong.isEmpty else {
            throw BenchmarkError(
                .caseFailed,
                "Found without a bug, or not found: " + wrong.map(\.name).joined(separator: ", "))
        }
    }

    /// Returns an attempt that runs in a worker with the bug, and a function that ends the worker.
    private func workers(
        for bug: PlantedBugEntry?, _ folder: String, _ terminal: Terminal
    ) -> (attempt: BugHunt.Attempt, end: () -> Void) {
        var limits = options.limits.limits
        // A bug that hangs is found by the silence of its worker, so the limit is short.
        if bug != nil { limits.silenceSeconds = min(limits.silenceSeconds, 20) }
        let worker = WorkerProcess(
            executable: ChildProcess.ownExecutable, directory: folder, limits: limits,
            environment: bug.map { [PlantedBugCatalogue.variable: $0.name] } ?? [:])
        let attempt: BugHunt.Attempt = { point, seconds in
            try Interruption.throwIfRequested()
            let name = bug?.name ?? SelftestRow.controlName
            let title = "\(name) in \(point.layer)/\(point.scenario)"
            terminal.status(title)
            return try worker.run(point, secondsLeft: seconds) {
                terminal.status("\(title): \($0) points, \($1) states")
            }
        }
        return (attempt, { worker.end() })
    }
}
