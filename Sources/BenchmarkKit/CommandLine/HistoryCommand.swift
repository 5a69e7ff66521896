import ArgumentParser
import Foundation
import Glibc
import ToolSupport

/// The command `realm-bench history`.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Shows how metrics went from commit to commit, and where they changed.",
        discussion: """
            Takes the folders of runs, and folders that have such folders, by default results. The \
            runs are put into the order of their commits in the history of this branch. Prints the \
            metrics that changed, with the commit that was measured first after each change; \
            --all prints every metric. Runs of another toolchain than the newest, and times of \
            another machine, are left out.

            A counted metric changes where it differs, in rows that repeat exactly. Times change \
            where E-divisive (Matteson and James, 2014) finds a change with p <= 0.01.

            EXAMPLES
              \(tool) history
              \(tool) history results --metric file_bytes --filter '^\(exampleWorkload)/'
              \(tool) history results --page history.html
              \(tool) history --metric file_bytes --filter '/\(exampleStrategy)/' --picture a.svg
              \(tool) history --format csv > history.csv
            """)

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case text, csv, json
    }

    @Argument(
        help: ArgumentHelp(
            "Folders of runs, or folders that have them. Default: results.", valueName: "folder"))
    var folders: [String] = []

    @Option(
        help: ArgumentHelp(
            "A metric; several have a --metric each. Default: all of "
                + RunHistory.metrics.joined(separator: ", ") + ".", valueName: "name"))
    var metric: [String] = []

    @Option(
        help: ArgumentHelp(
            "Only cases whose id matches this regular expression.", valueName: "regex"))
    var filter: String?

    @Flag(help: "Metrics that did not change as well.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "What is printed: " + Format.allCases.map(\.rawValue).joined(separator: ", ") + ".",
            valueName: "format"))
    var format = Format.text

    @Option(
        help: ArgumentHelp("Write a page with the changes and charts.", valueName: "file"))
    var page: String?

    @Option(
        help: ArgumentHelp(
            "Write the chart of one metric of one case as SVG.", valueName: "file"))
    var picture: String?

    @OptionGroup var table: TableOptions

    func validate() throws {
        if table.wide, format != .text {
            throw ValidationError("--wide has an effect on --format text only.")
        }
        for name in metric where !RunHistory.metrics.contains(name) {
            throw ValidationError(
                NameSuggestion.message(kind: "metric", name: name, among: RunHistory.metrics))
        }
    }

    func run() throws {
        let expression = try filter.map { filter -> Regex<AnyRegexOutput> in
            do { return try Regex(filter) } catch {
                throw BenchmarkError(
                    .usage, "'\(filter)' is not a regular expression: \(error)")
            }
        }
        let log = CommitLog()
        let runs = try Self.runs(in: folders.isEmpty ? ["results"] : folders)
        let history = try RunHistory(
            of: runs, metrics: metric.isEmpty ? RunHistory.metrics : metric, log: log
        ) { id in expression.map { id.contains($0) } ?? true }
        guard !history.lines.isEmpty else {
            throw BenchmarkError(
                .usage, "None of \(Display.count(runs.count, "run")) has such a metric.")
        }
        let text = HistoryText(history: history, log: log)
        switch format {
        case .text: for line in text.lines(all: all, width: table.width) { print(line) }
        case .csv: Terminal.write(text.csv, to: STDOUT_FILENO)
        case .json: Terminal.write(try text.json(), to: STDOUT_FILENO)
        }
        if let page { try TextFile.write(text.page(all: all), replacing: page) }
        if let picture {
            guard history.lines.count == 1 else {
                throw BenchmarkError(
                    .usage,
                    "--picture shows one metric of one case, and \(history.lines.count) were "
                        + "chosen: choose with --metric and --filter.")
            }
            try TextFile.write(HistoryText.picture(of: history.lines[0]), replacing: picture)
        }
    }

    /// Reads the runs in folders. A run that was interrupted counts with the rows that it has.
    private static func runs(in folders: [String]) throws -> [RunFolder] {
        let found = folders.flatMap { StoredRuns.paths(in: $0, includingRowsOnly: true) }
        let unknown = found.filter(RunFolder.hasRowsOnly)
        if !unknown.isEmpty {
            Terminal.write(
                "Note: \(Display.count(unknown.count, "run")) without \(RunFolder.reportName), "
                    + "whose commits are not known, left out: "
                    + unknown.joined(separator: ", ") + ".\n", to: STDERR_FILENO)
        }
        let paths = found.filter(RunFolder.exists)
        guard !paths.isEmpty else {
            throw BenchmarkError(
                .usage, "There is no run in \(folders.map { "'\($0)'" }.joined(separator: ", ")).")
        }
        return try paths.map { try RunFolder(path: $0) }
    }
}
