import ArgumentParser
import Foundation
import Glibc
import ToolSupport

/// The command `realm-bench compare`.
struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Shows what differs between runs or baselines.",
        discussion: """
            Every side is compared with the first one, or with --reference. Counted metrics are \
            compared exactly in rows that repeat exactly (instructions within 0.5 %; allocations \
            not for sensors, where a sampler allocates too). Times are shown only: they were taken \
            at different moments, and decide nothing; \(tool) gate --against decides. Where \
            both sides ran a case several times (run --runs 5), a ratio has an interval and a \
            verdict.

            Rows that only one side has are named, and so is the load of others. Files that are \
            cut or damaged are errors. Differences do not change the exit code, but rows that did \
            the same work with different results do (3). Sides of different machines or \
            toolchains are refused (6).

            EXAMPLES
              \(tool) compare results/RUN1 results/RUN2
              \(tool) compare results/RUN1 results/RUN2 results/RUN3 --reference results/RUN2
              \(tool) compare counted results/RUN --counted
              \(tool) compare results/RUN1 results/RUN2 --page changes.html
              \(tool) compare results/RUN1 results/RUN2 --format csv > changes.csv
            """)

    @Argument(
        help: ArgumentHelp("Folders of runs, or names of baselines: two or more.", valueName: "run")
    )
    var runs: [String]

    @Option(
        help: ArgumentHelp(
            "The side that the others are compared with. Default: the first one.",
            valueName: "run"))
    var reference: String?

    @Flag(
        help: ArgumentHelp(
            "Compare counted metrics alone, which need the same architecture, page size and "
                + "toolchain only."))
    var counted = false

    @Option(
        help: ArgumentHelp(
            "What is printed: "
                + ComparisonFormat.allCases.map(\.rawValue).joined(separator: ", ") + ".",
            valueName: "format"))
    var format = ComparisonFormat.text

    @OptionGroup var table: TableOptions

    @Option(
        help: ArgumentHelp(
            "Also write a page to look at, with charts, that sorts and searches.",
            valueName: "file"))
    var page: String?

    @OptionGroup(title: "FILES FOR OTHER PROGRAMS") var exports: ReportExports

    @OptionGroup var location: BaselineCommand.Location

    func validate() throws {
        if table.wide, format != .text {
            throw ValidationError("--wide has an effect on --format text only.")
        }
        if names.others.isEmpty {
            throw ValidationError("Name at least two runs or baselines.")
        }
    }

    /// The reference, and what is compared with it.
    private var names: (reference: String, others: [String]) {
        var others = runs
        guard let reference else { return (others.removeFirst(), others) }
        if let position = others.firstIndex(of: reference) { others.remove(at: position) }
        return (reference, others)
    }

    func run() throws {
        if let page { try TextFile.checkWritable(page) }
        let names = names
        let reference = try side(names.reference)
        let others = try names.others.map(side)
        for other in others { try checkKeys(reference, other) }
        let comparison = RunComparison(reference: reference, sides: others)
        let text = ComparisonText(
            comparison: comparison, showsTimes: !counted, width: table.width)
        Terminal.write(try text.text(format), to: STDOUT_FILENO)
        if let page {
            let text = HTMLComparison(comparison: comparison, showsTimes: !counted).page.text
            try TextFile.write(text, replacing: page)
        }
        try exports.write(comparison.report(withTimes: !counted))
        guard comparison.wrongResults.isEmpty else {
            throw BenchmarkError(
                .caseFailed, comparison.wrongResults.joined(separator: "\n"))
        }
    }

    private func side(_ name: String) throws -> ComparedSide {
        if RunFolder.exists(name) || name.contains("/") {
            let run = try RunFolder(path: name, isWhole: true)
            return try ComparedSide(
                name: name, key: run.key,
                rows: run.metricRows().filter { $0.engine != "control" },
                isComplete: run.header.finishedAt != nil, header: run.header)
        }
        let baseline = try location.store().load(name, for: .current)
        return ComparedSide(name: name, key: baseline.key, rows: baseline.rows)
    }

    private func checkKeys(_ old: ComparedSide, _ new: ComparedSide) throws {
        let isSame = counted ? old.key.counted == new.key.counted : old.key == new.key
        guard !isSame else { return }
        let advice =
            old.key.counted == new.key.counted
            ? " Their counted metrics can be compared: --counted." : ""
        throw BenchmarkError(
            .notComparable,
            "'\(old.name)' is of (\(old.key)); '\(new.name)' is of (\(new.key)). Such figures are "
                + "not compared.\(advice)")
    }
}

extension ComparisonFormat: ExpressibleByArgument {}
