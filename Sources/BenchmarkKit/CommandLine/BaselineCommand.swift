import ArgumentParser
import Foundation
import ToolSupport

/// The command `realm-bench baseline`.
struct BaselineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "baseline",
        abstract: "Keeps runs by name, to compare later ones with.",
        discussion: """
            Baselines lie under results/baselines, one JSON file for each name and key, and are \
            meant to be committed. The key of counted metrics is architecture, page size, \
            toolchain and build configuration; that of times also processor, cores and file \
            system. What has another key is never compared: exit code 6.

            EXAMPLES
              \(tool) run --suite counted
              \(tool) baseline save counted --from results/20260131T235959Z-4711
              \(tool) baseline list
              \(tool) baseline show counted
            """,
        subcommands: [SaveCommand.self, ListBaselinesCommand.self, ShowCommand.self])

    /// The option for the folder of baselines.
    struct Location: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "The folder of baselines.",
                discussion: "The default is results/baselines of the package.",
                valueName: "folder"))
        var baselines: String?

        func store() throws -> BaselineStore { try BaselineStore(path: baselines) }
    }

    struct SaveCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "save", abstract: "Makes a run the baseline of that name and its key.")

        @Argument(help: "The baseline's name; the gate uses 'counted'.")
        var name: String

        @Option(
            help: ArgumentHelp(
                "The folder of a run.",
                discussion: "Several runs of one build, each behind a --from of its own, store "
                    + "every value that a metric had; the gate takes each of them for unchanged.",
                valueName: "folder"))
        var from: [String]

        @OptionGroup var location: Location

        func validate() throws {
            if from.isEmpty { throw ValidationError("--from must name the folder of a run.") }
        }

        func run() throws {
            try BaselineStore.checkName(name)
            let baseline = try Baseline(
                name: name, from: from.map { try RunFolder(path: $0, isWhole: true) })
            let file = try location.store().save(baseline)
            let repeating = baseline.rows.count { $0.isDeterministic }
            print("\(file)\n\(baseline.rows.count) rows, of which \(repeating) repeat exactly")
            for row in baseline.rows {
                for metric in (row.otherValues ?? [:]).keys.sorted() {
                    let values = row.values(of: metric).map { ColumnCatalogue.decimal($0) }
                    print("\(row.caseId): \(metric) is \(values.joined(separator: " or "))")
                }
            }
        }
    }

    struct ListBaselinesCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists all baselines with their keys.")

        @OptionGroup var location: Location

        func run() throws {
            var table = TextTable(header: ["name", "rows", "run", "key"])
            table.leftColumns = [0, 2, 3]
            table.rows = try location.store().all().map {
                [$0.name, String($0.rows.count), $0.runId, $0.key.description]
            }
            for line in table.lines() { print(line) }
        }
    }

    struct ShowCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Prints the rows of the baseline for this machine.")

        @Argument(help: "The baseline's name.")
        var name: String

        @OptionGroup var location: Location

        func run() throws {
            let baseline = try location.store().load(name, for: .current)
            print("Baseline \(name) from the run \(baseline.runId), suite \(baseline.suite)")
            print("Revision: \(baseline.gitRevision ?? "unknown")\nKey: \(baseline.key)\n")
            var table = TextTable(header: ["case", "metric", "value"])
            table.leftColumns = [0, 1]
            for row in baseline.rows {
                for metric in GatedMetric.all {
                    let values = row.values(of: metric.name).map { ColumnCatalogue.decimal($0) }
                    guard !values.isEmpty else { continue }
                    table.rows.append([row.caseId, metric.name, values.joined(separator: " or ")])
                }
                if let digest = row.digest { table.rows.append([row.caseId, "digest", digest]) }
            }
            for line in table.lines() { print(line) }
        }
    }
}
