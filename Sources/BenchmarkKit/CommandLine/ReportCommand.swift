import ArgumentParser
import Foundation

/// The command `realm-bench report`.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Writes report.html (or markdown) of a run again, from its files.",
        discussion: """
            Every run writes report.html when it ends. This writes it for a run that was \
            interrupted, or by a newer program. The page needs nothing beside it.

            EXAMPLES
              realm-bench report results/20260131T120000Z-4711
              realm-bench report results/20260131T120000Z-4711 --markdown > tables.md

            EXIT CODES
              6   the run's files have another layout than this program's
              64  the folder is not that of a run
            """)

    @Argument(help: ArgumentHelp("The folder of a run.", valueName: "run"))
    var folder: String

    @Flag(help: "Print the tables as markdown instead.")
    var markdown = false

    func run() throws {
        guard markdown else {
            print(try HTMLReport.write(run: folder))
            return
        }
        print(try MarkdownReport.text(of: RunFolder(path: folder)))
    }
}
