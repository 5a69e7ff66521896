import ArgumentParser
import ToolSupport

/// The command `realm-bench list`.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists workloads, strategies, engines, suites and the ids of cases.",
        discussion: """
            EXAMPLES
              realm-bench list
              realm-bench list --suite full
            """)

    @Option(
        help: ArgumentHelp("List only the case ids of this suite.", valueName: "name"))
    var suite: String?

    func run() throws {
        if let suite {
            for benchmarkCase in try Suite.load(suite).expanded(overriding: OptionOverrides()) {
                print(benchmarkCase.identifier)
            }
            return
        }
        for workload in WorkloadCatalogue.all {
            print("\(workload.name): \(workload.summary)")
            for strategy in workload.strategies {
                print("  \(strategy.name): \(strategy.summary)")
            }
        }
        print("")
        for engine in EngineCatalogue.all {
            let durabilities = engine.durabilities.map(\.rawValue).joined(separator: ", ")
            print("engine \(engine.name) \(engine.version): \(engine.summary) (\(durabilities))")
        }
        print("")
        for name in try Suite.available() {
            let suite = try Suite.load(name)
            print("suite \(name): \(suite.description)")
            do {
                for benchmarkCase in try suite.expanded(overriding: OptionOverrides()) {
                    print("  \(benchmarkCase.identifier)")
                }
            } catch let error as BenchmarkError {
                // The suite is for a program with other engines.
                print("  \(error.message)")
            }
        }
    }
}
