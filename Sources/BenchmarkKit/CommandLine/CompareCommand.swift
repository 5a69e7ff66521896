import ArgumentParser
import Foundation
import ToolSupport

/// The command `realm-bench compare`.
struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Shows what differs between two runs or baselines.",
        discussion: """
            Counted metrics are compared exactly in rows that repeat exactly (instructions within \
            0.5 %; allocations not for sensors, where a sampler allocates too). Times are shown \
            only: they were taken at different moments, and decide nothing; realm-bench gate \
            --against decides. An interval stands beside a ratio where both sides ran a case \
            several times (run --runs 3).

            Differences do not change the exit code, but rows that did the same work with \
            different results do (3). Sides of different machines or toolchains are refused (6).

            EXAMPLES
              realm-bench compare results/RUN1 results/RUN2
              realm-bench compare counted results/RUN --counted
            """)

    @Argument(help: "The older side: the folder of a run, or the name of a baseline.")
    var before: String

    @Argument(help: "The newer side.")
    var after: String

    @Flag(
        help: ArgumentHelp(
            "Compare counted metrics alone, which need the same architecture, page size and "
                + "toolchain only."))
    var counted = false

    @Option(help: ArgumentHelp("Also write the tables as Markdown.", valueName: "file"))
    var exportMarkdown: String?

    @OptionGroup var location: BaselineCommand.Location

    private struct Side {
        var key: TimedKey
        var rows: [MetricRow]
    }

    func run() throws {
        let old = try side(before)
        let new = try side(after)
        try checkKeys(old.key, new.key)
        let comparison = CountedComparison(rows: new.rows, baseline: old.rows, isWhole: false)
        var sections: [(title: String, table: TextTable)] = []
        if !comparison.differences.isEmpty {
            sections.append(("Counted metrics that differ", comparison.table()))
        }
        if !counted {
            sections.append(("Times (shown only)", RatioTable.table(old.rows, new.rows)))
        }
        try show(sections, comparison)
        guard comparison.wrongResults.isEmpty else {
            throw BenchmarkError(
                .caseFailed, comparison.wrongResults.joined(separator: "\n"))
        }
    }

    private func side(_ name: String) throws -> Side {
        if RunFolder.exists(name) || name.contains("/") {
            let run = try RunFolder(path: name)
            return try Side(key: run.key, rows: run.metricRows().filter { $0.engine != "control" })
        }
        let baseline = try location.store().load(name, for: .current)
        return Side(key: baseline.key, rows: baseline.rows)
    }

    private func checkKeys(_ old: TimedKey, _ new: TimedKey) throws {
        let isSame = counted ? old.counted == new.counted : old == new
        guard !isSame else { return }
        let advice =
            old.counted == new.counted
            ? " Their counted metrics can be compared: --counted." : ""
        throw BenchmarkError(
            .notComparable,
            "'\(before)' is of (\(old)); '\(after)' is of (\(new)). Such figures are not "
                + "compared.\(advice)")
    }

    private func show(
        _ sections: [(title: String, table: TextTable)], _ comparison: CountedComparison
    ) throws {
        let closing =
            [
                "\(comparison.comparedMetrics) counted metrics of \(comparison.comparedRows) rows "
                    + "compared, \(comparison.differences.count) differ."
            ] + comparison.incomparable
        for section in sections {
            print(section.title + "\n")
            for line in section.table.lines() { print(line) }
            print("")
        }
        for line in closing { print(line) }
        guard let exportMarkdown else { return }
        var lines = ["# \(before) and \(after)", ""]
        for section in sections {
            lines += ["## " + section.title, ""] + section.table.markdown() + [""]
        }
        try TextFile.write(lines + closing, to: exportMarkdown)
    }
}

/// The table of the ratios of two sides' times.
enum RatioTable {
    static func table(_ before: [MetricRow], _ after: [MetricRow]) -> TextTable {
        var table = TextTable(header: [
            "case", "ops/s before", "ops/s after", "ratio", "95 % interval", "p50 ratio",
        ])
        let old = Dictionary(before.map { ($0.caseId, $0) }) { first, _ in first }
        for row in after {
            guard let before = old[row.caseId], let rate = row.timed["throughput_ops_per_s"],
                let formerRate = before.timed["throughput_ops_per_s"], formerRate > 0
            else { continue }
            var interval = ""
            if let own = row.throughputSamples, let former = before.throughputSamples {
                let found = Bootstrap.ratioOfMedians(own, over: former, seed: row.seed)
                interval = String(format: "%.3f to %.3f", found.low, found.high)
            }
            var latency = ""
            if let own = row.timed["latency_p50_us"], let former = before.timed["latency_p50_us"],
                former > 0
            {
                latency = String(format: "%.3f", own / former)
            }
            table.rows.append([
                row.caseId, Display.number(formerRate), Display.number(rate),
                String(format: "%.3f", rate / formerRate), interval, latency,
            ])
        }
        return table
    }
}
