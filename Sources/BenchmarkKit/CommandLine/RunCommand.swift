import ArgumentParser
import Foundation
import Glibc
import ToolSupport

/// The command `realm-bench run`.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs a suite, or a part of it, and writes the results.",
        discussion: """
            Names choose cases of the suite by workload (\(exampleWorkload)), strategy \
            (\(exampleStrategy)), or case id; a workload that the suite lacks runs with its usual \
            options. --filter chooses by \
            regular expression, among the ids as --dry-run prints them. Rows are written as cases \
            finish: an interrupted run keeps what it has.

            An option that changes none of the cases is an error.

            Cases that differ only in strategy or engine take turns when --runs asks for several \
            runs of each: A B C, then C B A, so that what else happens on the machine strikes all.

            EXAMPLES
            \(OwnWorkloads.all == nil ? examples : examplesOfUser)
            """)

    private static let examples = """
          realm-bench run --suite quick
          realm-bench run dedicated-thread batched --seconds 20 --runs 3
          realm-bench run --filter '^insert/engine/'
          realm-bench run sensors --count 100000 --sensors 20
          realm-bench run sensors --sweep threads=1,2,4 --export-markdown sweep.md
          realm-bench run --profile insert/api
          realm-bench-peers run insert --engine realm,sqlite --durability full,relaxed
          realm-bench run --dry-run
        """

    private static let examplesOfUser = """
          \(tool) run \(exampleWorkload) --runs 3
          \(tool) run --filter '^\(exampleWorkload)/\(exampleStrategy)/'
          \(tool) run \(exampleWorkload) --count 10000
          \(tool) run \(exampleWorkload) --sweep count=1000,10000
          \(tool) run --dry-run
        """

    @Argument(help: ArgumentHelp("Workloads, strategies or case ids.", valueName: "name"))
    var names: [String] = []

    @Option(
        help: ArgumentHelp(
            "A suite of Benchmarks/Suites, or the path of a JSON file.", valueName: "name"))
    var suite = "default"

    @Option(
        help: ArgumentHelp(
            "Only cases whose id matches this regular expression.", valueName: "regex"))
    var filter: String?

    @Flag(help: "Leave out the progress, which goes to standard error; warnings stay.")
    var quiet = false

    @OptionGroup var table: TableOptions

    @Flag(help: "Print the ids of the cases and stop.")
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            "How often each case runs.",
            discussion: "Comparable cases take turns. The row is that of the run with the median "
                + "throughput; from three runs on, the interval is that of the runs.",
            valueName: "number"))
    var runs = 1

    @Option(
        help: ArgumentHelp(
            "Also draw where the time of a case goes, as a flame graph: profiles/CASE.svg.",
            discussion: "A workload, strategy or case id; without other names, only these run. "
                + "Each runs once more with perf or, where that does not work, with callgrind and "
                + "less work.", valueName: "name"))
    var profile: [String] = []

    @Option(
        help: ArgumentHelp(
            "The folder for database files, made if missing. Its disk is what is measured.",
            discussion: "The default is a folder in the results.", valueName: "folder"))
    var path: String?

    @Option(
        help: ArgumentHelp("The folder that gets the folder of this run.", valueName: "folder"))
    var output = "results"

    @Option(
        help: ArgumentHelp("Write the table to this file as Markdown as well.", valueName: "file"))
    var exportMarkdown: String?

    @Option(
        help: ArgumentHelp(
            "Write all rows with all columns to this file as JSON as well.", valueName: "file"))
    var exportJson: String?

    @OptionGroup(title: "OPTIONS OF THE CASES") var options: RunOptions

    func validate() throws {
        if runs < 1 { throw ValidationError("--runs must be at least 1.") }
    }

    func run() throws {
        let cases = try chosenCases()
        let notes = try options.overrides.checkEffect(on: cases)
        if options.instructions { try checkInstructions(of: cases) }
        for note in notes where !quiet {
            Terminal.write("Note: \(note)\n", to: STDERR_FILENO)
        }
        if dryRun {
            for benchmarkCase in cases { print(benchmarkCase.name) }
            return
        }
        try checkInput()
        if options.instructions { try InstructionCount.checkTools() }
        let profiler = profile.isEmpty ? nil : try Profiler.available()
        if try cases.contains(where: { try $0.unsupported == nil && $0.usesSystemAllocator() }) {
            _ = try SystemAllocatorProgram.path()
        }
        for path in [exportMarkdown, exportJson].compactMap(\.self) {
            try TextFile.checkWritable(path)
        }
        let session = RunSession.Options(
            suite: suite, runs: runs, instructions: options.instructions, count: options.count,
            profiled: Set(try profiledCases(of: cases)), profiler: profiler,
            databases: path, output: output, isQuiet: quiet, isWide: table.wide,
            exportMarkdown: exportMarkdown, exportJson: exportJson)
        try RunSession(session, cases).run()
    }

    /// Returns the cases of the suite that match the names and the filter.
    func chosenCases() throws -> [BenchmarkCase] {
        var cases = try Suite.load(suite).expanded(overriding: options.overrides)
        let names = self.names.isEmpty ? profile : self.names
        if !names.isEmpty {
            cases += try namedBeyondSuite(names, cases)
            try check(names, cases)
            cases = cases.filter { benchmarkCase in
                names.contains { Self.matches($0, benchmarkCase.identifier) }
            }
        }
        guard let filter else { return cases }
        return try CaseFilter.chosen(from: cases, of: suite, filter: filter)
    }

    /// Returns the names of the cases that are to be profiled.
    private func profiledCases(of cases: [BenchmarkCase]) throws -> [String] {
        try check(profile, cases)
        return cases.filter { benchmarkCase in
            profile.contains { Self.matches($0, benchmarkCase.identifier) }
        }.map(\.name)
    }

    /// Throws if none of the cases has instructions to count.
    private func checkInstructions(of cases: [BenchmarkCase]) throws {
        let isCounted = try cases.contains {
            try InstructionCount.reduced($0, count: options.count)?.isDeterministic == true
        }
        guard isCounted else {
            throw BenchmarkError(
                .usage,
                "--instructions has no effect: in none of the cases would they repeat.")
        }
    }

    private static func matches(_ name: String, _ identifier: CaseIdentifier) -> Bool {
        name == identifier.workload || name == identifier.strategy
            || name == identifier.description
            || identifier.description.hasPrefix(name + "/")
    }

    /// Returns the cases of workloads that are named but missing from the suite, with the default
    /// options.
    private func namedBeyondSuite(
        _ names: [String], _ cases: [BenchmarkCase]
    ) throws -> [BenchmarkCase] {
        let missing = names.filter { name in
            !cases.contains { Self.matches(name, $0.identifier) }
        }
        let entries = WorkloadCatalogue.all.flatMap { workload in
            missing.compactMap { name -> Suite.Entry? in
                if name == workload.name { return Suite.Entry(workload: name) }
                return workload.strategies
                    .first { name == "\(workload.name)/\($0.name)" }
                    .map { Suite.Entry(workload: workload.name, strategies: [$0.name]) }
            }
        }
        return try Suite(name: suite, description: "", cases: entries)
            .expanded(overriding: options.overrides)
    }

    /// Throws if a name is that of none of the cases.
    private func check(_ names: [String], _ cases: [BenchmarkCase]) throws {
        for name in names where !cases.contains(where: { Self.matches(name, $0.identifier) }) {
            let strategies = cases.map(\.identifier.strategy)
            let known = WorkloadCatalogue.all.map { $0.name } + strategies
            throw BenchmarkError(
                .usage,
                NameSuggestion.message(
                    kind: "workload, or case of the suite '\(suite)',", name: name,
                    among: known.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }))
        }
    }

    /// Reads the input once before any case runs, so that a mistake is reported at once.
    private func checkInput() throws {
        guard let input = options.input, input != "synthetic" else { return }
        _ = try Recording.load(path: input)
    }
}
