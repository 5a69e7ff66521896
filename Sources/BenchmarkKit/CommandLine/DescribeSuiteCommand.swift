import ArgumentParser
import ToolSupport

/// The command `realm-bench describe-suite`.
struct DescribeSuiteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe-suite",
        abstract: "Prints what the JSON file of a suite may contain, as a JSON schema.",
        discussion: """
            A suite lists cases. Its models describe workloads over classes of their own, without \
            any Swift: classes with properties and values, and a mix of operations. \
            docs/benchmarks.md has an example. 'run --suite FILE.json' runs it.

            EXAMPLES
              realm-bench describe-suite > suite.schema.json
            """)

    func run() throws { print(try SuiteFormat.schema()) }
}
