import ArgumentParser
import ToolSupport

/// The options for files that other programs read, of `gate` and `compare`.
struct ReportExports: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Also write a summary as Markdown, for a pull request.", valueName: "file"))
    var exportMarkdown: String?

    @Option(help: ArgumentHelp("Also write the outcome of each case as JSON.", valueName: "file"))
    var exportJson: String?

    @Option(help: ArgumentHelp("Also write the outcome as JUnit XML.", valueName: "file"))
    var exportJunit: String?

    @Option(
        help: ArgumentHelp(
            "Also write the figures for GitHub's benchmark action.",
            discussion: "Of gate, counted metrics: customSmallerIsBetter. Of compare, rates: "
                + "customBiggerIsBetter.", valueName: "file"))
    var exportAction: String?

    /// Throws if a file cannot be written, before the work whose outcome it gets.
    func check() throws {
        for path in [exportMarkdown, exportJson, exportJunit, exportAction].compactMap(\.self) {
            try TextFile.checkWritable(path)
        }
    }

    func write(_ report: GateReport) throws {
        if let exportMarkdown { try TextFile.write(report.markdown, into: exportMarkdown) }
        if let exportJson { try TextFile.write(report.json, into: exportJson) }
        if let exportJunit { try TextFile.write(report.junit, into: exportJunit) }
        if let exportAction { try TextFile.write(report.benchmarkAction, into: exportAction) }
    }
}
