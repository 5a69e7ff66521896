import ArgumentParser
import Foundation
import ToolSupport

/// The command `realm-bench list`.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists workloads, engines and suites, or what one of them has.",
        discussion: """
            Without a name: all of them, a line each. With the name of a workload: its strategies \
            and the options that change it; of a suite: the ids of its cases; of an engine: its \
            version and durabilities.

            EXAMPLES
              \(tool) list
              \(tool) list \(exampleWorkload)
              \(tool) list \(exampleSuite)
              \(tool) list --json
            """)

    @Argument(help: ArgumentHelp("A workload, a suite or an engine.", valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "List only the case ids of this suite, also of a JSON file.", valueName: "name"))
    var suite: String?

    @Flag(help: "Print everything about them as JSON.")
    var json = false

    func validate() throws {
        if suite != nil, name != nil || json {
            throw ValidationError("--suite lists ids alone, without a name or --json.")
        }
    }

    func run() throws {
        if let suite { return try Self.printCases(of: Suite.load(suite)) }
        let catalogue = try ListedCatalogue(named: name)
        if json { return print(try catalogue.json()) }
        for line in catalogue.lines(isWhole: name != nil) {
            let parts = Self.wrapped(line)
            if name != nil {
                for part in parts { print(part) }
            } else {
                // The name tells the rest.
                print(parts[0] + (parts.count > 1 ? " …" : ""))
            }
        }
        guard let name, catalogue.suites.contains(where: { $0.name == name }) else { return }
        try Self.printCases(of: Suite.load(name), indented: true)
    }

    /// Returns a line in parts that fit the page, further ones indented more than the first.
    private static func wrapped(_ line: String) -> [String] {
        let indent = String(line.prefix { $0 == " " })
        let parts = PageWidth.lines(of: line, within: PageWidth.usual - indent.count - 4)
        return parts.prefix(1).map { indent + $0 } + parts.dropFirst().map { "\(indent)    \($0)" }
    }

    private static func printCases(of suite: Suite, indented: Bool = false) throws {
        for benchmarkCase in try suite.expanded(overriding: OptionOverrides()) {
            print((indented ? "  " : "") + benchmarkCase.name)
        }
    }
}

/// What can be measured, as `list` tells it.
struct ListedCatalogue: Encodable {
    struct ListedStrategy: Encodable {
        var name, summary: String
        var options: [String]
    }

    struct ListedWorkload: Encodable {
        var name, summary: String
        var defaultSize: Int
        var strategies: [ListedStrategy]
    }

    struct ListedEngine: Encodable {
        var name, version, summary: String
        var durabilities: [String]
    }

    struct ListedSuite: Encodable {
        var name, description: String
    }

    var workloads: [ListedWorkload]
    var engines: [ListedEngine]
    var suites: [ListedSuite]

    /// Lists everything, or what has a name.
    ///
    /// - Throws: a usage error if nothing has it.
    init(named name: String?) throws {
        workloads = WorkloadCatalogue.all.map { workload in
            ListedWorkload(
                name: workload.name, summary: workload.summary, defaultSize: workload.defaultSize,
                strategies: workload.strategies.map { strategy in
                    ListedStrategy(
                        name: strategy.name, summary: strategy.summary,
                        options: workload.options.union(strategy.furtherOptions)
                            .map(\.rawValue).sorted())
                })
        }
        engines = EngineCatalogue.all.reduce(into: []) { engines, engine in
            guard !engines.contains(where: { $0.name == engine.name }) else { return }
            engines.append(
                ListedEngine(
                    name: engine.name, version: engine.version, summary: engine.summary,
                    durabilities: engine.durabilities.map(\.rawValue)))
        }
        suites = try Suite.available().map {
            let suite = try Suite.load($0)
            return ListedSuite(name: suite.name, description: suite.description)
        }
        guard let name else { return }
        let known = workloads.map(\.name) + suites.map(\.name) + engines.map(\.name)
        workloads.removeAll { $0.name != name }
        engines.removeAll { $0.name != name }
        suites.removeAll { $0.name != name }
        guard known.contains(name) else {
            throw BenchmarkError(
                .usage,
                NameSuggestion.message(
                    kind: "workload, suite or engine", name: name, among: known))
        }
    }

    /// Returns the list as text; `isWhole` tells everything about each.
    func lines(isWhole: Bool) -> [String] {
        var lines: [String] = []
        for workload in workloads {
            lines.append("workload \(workload.name): \(workload.summary)")
            guard isWhole else { continue }
            lines.append("  size \(Display.grouped(workload.defaultSize)) unless one is given")
            let common = workload.strategies.map { Set($0.options) }
                .reduce(Set(workload.strategies[0].options)) { $0.intersection($1) }
            lines.append("  options: \(common.sorted().joined(separator: ", "))")
            for strategy in workload.strategies {
                lines.append("  \(strategy.name): \(strategy.summary)")
                let own = strategy.options.filter { !common.contains($0) }
                if !own.isEmpty { lines.append("    also: \(own.joined(separator: ", "))") }
            }
        }
        for engine in engines {
            let durabilities = engine.durabilities.joined(separator: ", ")
            lines.append(
                "engine \(engine.name) \(engine.version): \(engine.summary) (\(durabilities))")
        }
        for suite in suites { lines.append("suite \(suite.name): \(suite.description)") }
        if !isWhole { lines.append("\(ToolProgram.current.name) list NAME tells more about each.") }
        return lines
    }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
