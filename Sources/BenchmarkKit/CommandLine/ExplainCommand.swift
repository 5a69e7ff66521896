import ArgumentParser
import ToolSupport

/// The command `realm-bench explain`.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Tells what a column of summary.csv, or a measure of measures.csv, means.",
        discussion: """
            EXAMPLES
              \(tool) explain write_amplification
              \(tool) explain                      all of them
            """)

    @Argument(help: ArgumentHelp("A column or a measure.", valueName: "column"))
    var column: String?

    static var meanings: [(name: String, meaning: String)] {
        ColumnCatalogue.summary.map { ($0.name, $0.meaning) } + MeasureCatalogue.all
    }

    func run() throws {
        guard let column else {
            for entry in Self.meanings { print("\(entry.name)\n    \(entry.meaning)") }
            return
        }
        guard let entry = Self.meanings.first(where: { $0.name == column }) else {
            throw BenchmarkError(
                .usage,
                NameSuggestion.message(
                    kind: "column", name: column, among: Self.meanings.map { $0.name }))
        }
        print(entry.meaning)
    }
}
