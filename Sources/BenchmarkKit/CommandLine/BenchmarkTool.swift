import ArgumentParser
import RealmTool
import StorageEngine
import ToolSupport

/// The command line of the benchmark runner, which executables call as their whole `main`.
public enum BenchmarkTool {
    static let allocations = Locked<AllocationProbe?>(nil)
    /// The commands of other libraries that the executable links.
    static let furtherCommands = Locked<[any ParsableCommand.Type]>([])

    /// Parses the arguments, runs the command, and exits with a code that tells the outcome.
    ///
    /// - Parameters:
    ///   - probe: The counters of the allocator that the executable links.
    ///   - engines: The databases to measure in addition to the embedded one.
    ///   - commands: Additional commands.
    public static func main(
        allocations probe: AllocationProbe?, engines: [any BenchmarkEngine] = [],
        commands: [any ParsableCommand.Type] = []
    ) -> Never {
        allocations.withLock { $0 = probe }
        furtherCommands.withLock { $0 = commands }
        EngineCatalogue.register(engines)
        CommandRun.main(RealmBenchCommand.self)
    }

    /// Does the same in a program of a user's package, with its workloads instead of those of
    /// `realm-bench`.
    public static func main(
        allocations probe: AllocationProbe?, workloads: [BenchmarkWorkload]
    ) -> Never {
        allocations.withLock { $0 = probe }
        CommandRun.main(RealmBenchCommand.self) { try OwnWorkloads.register(workloads) }
    }
}

/// The root command, `realm-bench`.
struct RealmBenchCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        var configuration = OwnWorkloads.all == nil ? ofRealmBench : ofUser
        configuration.subcommands += BenchmarkTool.furtherCommands.withLock { $0 }
        return configuration
    }

    private static let ofRealmBench = CommandConfiguration(
        commandName: "realm-bench",
        abstract: "Measures the database, and proves that nothing it measured was lost.",
        discussion: """
            Every case runs in a process of its own. When it has written, a fresh process opens \
            the file and proves that it holds exactly what was produced; only then does the case \
            count. Results lie in results/<run>/: report.html to look at, summary.csv (one row a \
            case), measures.csv, samples.csv, timeline.csv, growth.csv, histograms and run.json.

            EXAMPLES
              realm-bench run                      the default suite
              realm-bench run --suite quick        the same in less than a minute
              realm-bench run batched --seconds 30   one strategy, longer
              realm-bench run sensors --input synthetic --payload 100
              realm-bench run sensors --sweep batch-size=1,10,100,1000
              realm-bench list                     all cases and what they do
              realm-bench explain latency_p99_us   what a column means
              realm-bench gate                     fails when a counted metric grew
              realm-bench compare RUN1 RUN2        what differs between two runs
              realm-bench init Benchmarks          a package for workloads of your own

            \(ending)
            """,
        subcommands: commands + [InitCommand.self])

    /// The configuration in a user's package.
    private static var ofUser: CommandConfiguration {
        let name = ToolProgram.current.name
        return CommandConfiguration(
            commandName: name,
            abstract: "Measures the workloads of this package, and proves what they wrote.",
            discussion: """
                Every case runs in a process of its own. When it has written, a fresh process \
                opens the file and compares all objects with those that the case has left. \
                Results lie in results/<run>/: report.html to look at, summary.csv (one row a \
                case) and run.json.

                EXAMPLES
                  \(name) run                    all workloads
                  \(name) list                   what they do
                  \(name) run --suite counted    what the gate compares
                  \(name) baseline save counted --from results/RUN
                  \(name) gate                   fails when a counted metric grew
                  \(name) compare RUN1 RUN2      what differs between two runs

                \(ending)
                """, subcommands: commands)
    }

    private static let ending = """
        EXIT CODES
          0   all cases ran and were proved; the gate is passed
          1   the tool itself could not do its work (full disk, unwritable folder)
          2   the gate found a regression
          3   a case failed, lost data, or two cases disagree on their result
          4   the gate found an improvement, with --strict
          5   there is no baseline
          6   what is to be compared is of another machine class, toolchain or layout
          64  the command line asks for something that does not exist
          130 interrupted by Control-C; rows of finished cases are kept

        ENVIRONMENT
          NO_COLOR  set to anything: no colours
        """

    private static var commands: [any ParsableCommand.Type] {
        [
            RunCommand.self, ListCommand.self, ExplainCommand.self, ReportCommand.self,
            PinsCommand.self, BaselineCommand.self, CompareCommand.self, HistoryCommand.self,
            GateCommand.self, SelftestCommand.self, DescribeSuiteCommand.self,
            CompletionCommand.self,
            RunCaseCommand.self, VerifyRunCommand.self, WriteSensorsCommand.self,
            ObservePersonsCommand.self, TimeCaseCommand.self,
        ]
    }
}
