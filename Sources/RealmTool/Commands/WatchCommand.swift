import ArgumentParser
import Foundation
import StorageEngine
import ToolSupport

/// The command `realm watch`.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Prints what changes in a file, as it is committed, until Control-C.",
        discussion: """
            Commits of any process are shown within milliseconds. Commits that follow each other \
            while one is printed are shown together. A line for each object says what happened to \
            it: + inserted, ~ modified, - deleted, with the old and new values of properties.

            EXAMPLES
              realm watch people.realm
              realm watch people.realm Person --limit 3
              realm watch people.realm --format jsonl | jq '.changes[].class'
            """)

    enum Format: String, CaseIterable, ExpressibleByArgument { case text, jsonl }

    @Argument(help: ArgumentHelp("The database file.", valueName: "file"))
    var file: String

    @Argument(help: ArgumentHelp("Only these classes.", valueName: "class"))
    var classes: [String] = []

    @Option(help: "For people; or for programs, an object for each change set.")
    var format = Format.text

    @Option(
        help: ArgumentHelp(
            "The most objects that are shown of a class in a change set; 0 for all.",
            valueName: "count"))
    var limit = 20

    @Option(
        help: ArgumentHelp("End after so many change sets.", valueName: "count"))
    var count: Int?

    @OptionGroup var key: KeyOptions

    /// How long Control-C may have to wait.
    private static let patience = Duration.milliseconds(200)

    func run() throws {
        Interruption.watch()
        let opened = try RealmFile.open(file, key: key.key())
        for name in classes { _ = try opened.table(name) }
        let connection = opened.connection
        let observation = try connection.observeChanges()
        let output = ByteOutput.standard
        let report = ChangeReport(
            observation, classes: classes.isEmpty ? nil : Set(classes),
            limit: limit == 0 ? .max : limit)
        var shown = 0
        do {
            while shown < count ?? .max {
                try Interrupted.check()
                let newest = opened.database.waitForVersion(
                    newerThan: connection.version, timeout: Self.patience)
                guard newest > connection.version, try connection.refresh() else { continue }
                let isShown =
                    try format == .text
                    ? report.appendText(to: output)
                    : report.appendJSON(to: output)
                if isShown { shown += 1 }
                output.flush()
                try output.check()
                try observation.advance()
                connection.releaseExcessMemory()
            }
        } catch let error as ToolError where error.code.rawValue > 128 {
            // That is how this command ends.
            throw ExitCode(error.code.rawValue)
        }
    }
}
