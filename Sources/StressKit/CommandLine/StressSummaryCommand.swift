import ArgumentParser
import Foundation
import ToolSupport

/// The command `realm-bench stress summary`.
struct StressSummaryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "summary",
        abstract: "Adds up the rows of all runs in a file of results.",
        discussion: """
            With --write-into, the marked places of a document (docs/reliability.md) are filled \
            with the figures instead.

            EXAMPLES
              realm-bench stress summary results/stress.csv
              realm-bench stress summary results/stress.csv --write-into docs/reliability.md

            EXIT CODES
              0   what was found, if anything, is in the table
              6   the file has other columns
              64  there is no such file, or it cannot be read
            """)

    @Argument(help: ArgumentHelp("What 'stress run --append' has written.", valueName: "file"))
    var file: String

    @Option(
        help: ArgumentHelp(
            "Only rows of builds of this commit (the beginning of its name).", valueName: "commit"))
    var revision: String?

    @Flag(help: "Prints Markdown.")
    var markdown = false

    @Option(
        help: ArgumentHelp(
            "Fills the marked places of this document; may be given several times.",
            valueName: "document"))
    var writeInto: [String] = []

    func run() throws {
        let rows = try CSVFile.rows(of: file)
        guard !rows.isEmpty else {
            throw BenchmarkError(.usage, "'\(file)' does not exist or is empty.")
        }
        let tables = SummaryTables(try StressSummary(rows: rows, revision: revision))
        for document in writeInto { try write(tables, into: document) }
        if markdown {
            for section in SummaryTables.Section.allCases { print(tables.markdown(section) + "\n") }
        } else if writeInto.isEmpty {
            for line in tables.lines { print(line) }
        }
    }

    private func write(_ tables: SummaryTables, into document: String) throws {
        try MarkedDocument(tool: "stress").fill(file: document) { mark in
            guard let section = SummaryTables.Section(rawValue: mark.name),
                mark.arguments.isEmpty
            else { throw BenchmarkError(.usage, "The mark '\(mark.line)' means nothing.") }
            return tables.markdown(section)
        }
    }
}
