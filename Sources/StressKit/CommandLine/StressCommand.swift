import ArgumentParser

/// The subcommands that executables give to `BenchmarkTool.main`.
public enum StressTool {
    public static var commands: [any ParsableCommand.Type] {
        [
            StressCommand.self, StressWorkerCommand.self, StressVictimCommand.self,
            StressAppenderCommand.self, StressWatcherCommand.self,
        ]
    }
}

/// The command `realm-bench stress`.
struct StressCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stress",
        abstract: "Makes trouble of every kind, and proves that no commit is lost by it.",
        discussion: """
            Layers kill processes, rebuild what a loss of power leaves, make system calls fail, \
            fill disks, hold old versions and have many processes write at once. A model that the \
            database has no part in tells what must be found after each. docs/stress.md explains \
            what each layer proves.

            EXAMPLES
              realm-bench stress list
              realm-bench stress run
              realm-bench stress run power-loss --for 30m --append results/stress.csv
              realm-bench stress summary results/stress.csv
              realm-bench stress replay 'process-death/alone seed=7 kill=before:17'
              realm-bench stress selftest --list
            """,
        subcommands: [
            StressListCommand.self, StressRunCommand.self, StressReplayCommand.self,
            StressSummaryCommand.self, StressSelftestCommand.self,
        ])
}

/// The command `realm-bench stress list`.
struct StressListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the layers, their scenarios, and what each proves.")

    func run() throws {
        for layer in LayerCatalogue.all {
            print("\(layer.name): \(layer.summary)")
            print("  proves: \(layer.proves)")
            for scenario in layer.scenarios { print("  \(scenario.name): \(scenario.summary)") }
        }
    }
}
