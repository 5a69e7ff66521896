import ArgumentParser
import Foundation
import ToolSupport

/// The command `realm-bench report`.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Writes report.html (or markdown) of a run again, from its files.",
        discussion: """
            Every run writes report.html when it ends. This writes it for a run that was \
            interrupted, or by a newer program. The page needs nothing beside it.

            With --update, the tables of a document such as docs/results.md are written anew from \
            the runs in results/reference instead. A mark in front of each names what it shows, \
            the folders of the runs and settings; '<!-- /bench:NAME -->' ends it:
              <!-- bench:checks RUN ... -->            targets of the design beside their controls
              <!-- bench:cases RUN ... workload=a,b --> the rows, of some workloads or of all
              <!-- bench:peers RUN ... base=sqlite -->  engines side by side
              <!-- bench:file-sizes RUN ... -->        file sizes of the engines
              <!-- bench:encryption RUN ... -->        what encryption costs
              <!-- bench:selftest POOL.csv.gz -->      analysis of the pool of a self-test

            EXAMPLES
              \(tool) report results/20260131T120000Z-4711
              \(tool) report results/20260131T120000Z-4711 --markdown > tables.md
              \(tool) report --update docs/results.md

            EXIT CODES
              3   a document is not what --update would write (--check)
              6   the run's files have another layout than this program's
              64  the folder is not that of a run, or a mark means nothing
            """)

    @Argument(help: ArgumentHelp("The folder of a run.", valueName: "run"))
    var folder: String?

    @Flag(help: "Print the tables as markdown instead.")
    var markdown = false

    @Option(
        help: ArgumentHelp(
            "Write the tables of this document from the stored runs.", valueName: "document"))
    var update: String?

    @Flag(help: "With --update: only say whether the document is what would be written.")
    var check = false

    @Option(
        help: ArgumentHelp(
            "With --update: the folder of the stored runs. Default: results/reference of the "
                + "package.", valueName: "folder"))
    var reference: String?

    func validate() throws {
        if (folder == nil) == (update == nil) {
            throw ValidationError("Name the folder of a run, or a document with --update.")
        }
        if update != nil, markdown { throw ValidationError("--markdown is for a run.") }
        if update == nil, check || reference != nil {
            throw ValidationError("--check and --reference go with --update.")
        }
    }

    func run() throws {
        if let folder {
            guard markdown else {
                print(try HTMLReport.write(run: folder))
                return
            }
            print(try MarkdownReport.text(of: RunFolder(path: folder)))
        } else if let update {
            let document = try ResultsDocument(reference: reference)
            let isUnchanged = try document.fill(file: update, isReadOnly: check)
            if check, !isUnchanged {
                throw BenchmarkError(
                    .caseFailed,
                    "'\(update)' has figures that the stored runs do not. To write them anew: "
                        + "realm-bench report --update \(update)")
            }
        }
    }
}
