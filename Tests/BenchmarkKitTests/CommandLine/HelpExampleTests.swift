import ArgumentParser
import Foundation
import RealmTool
import Testing
import ToolSupport

@testable import BenchmarkKit
@testable import StressKit

/// The commands that the help texts and the documents show do what they say.
@Suite struct HelpExampleTests {
    /// Returns a command and all commands below it.
    private static func all(_ command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        [command] + command.configuration.subcommands.flatMap(all)
    }

    private static let commands = all(RealmBenchCommand.self) + all(StressCommand.self)

    /// How commands of the runner begin, and those of the program of a user's package.
    private static let ofRunner = ["realm-bench ", ".build/release/realm-bench "]
    private static let ofPackage = [
        "bench ", "swift run -c release bench ", "swift run -c release bench-beside ",
    ]

    /// Returns the words after a beginning as a shell splits them; nil for what is no such command.
    /// A remark follows after several spaces or a `#`.
    private static func words(_ line: Substring, _ beginnings: [String]) -> [String]? {
        var line = String(line.drop { $0 == " " })
        guard let beginning = beginnings.first(where: line.hasPrefix) else { return nil }
        line.removeFirst(beginning.count)
        for mark in ["   ", " #", " >"] { line = line.components(separatedBy: mark)[0] }
        var words: [String] = []
        var word = ""
        var isQuoted = false
        for character in line + " " {
            if character == "'" {
                isQuoted.toggle()
            } else if character == " ", !isQuoted {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.append(character)
            }
        }
        return words
    }

    private static func examples(in text: String, _ beginnings: [String] = ofRunner) -> [[String]] {
        text.split(separator: "\n").compactMap { words($0, beginnings) }
    }

    /// Returns the commands of a block: the lines after a prompt, if there is one, else all.
    private static func commandLines(in block: String) -> String {
        let prompted = block.split(separator: "\n").filter { $0.hasPrefix("$ ") }
        return prompted.isEmpty
            ? block : prompted.map { $0.dropFirst(2) }.joined(separator: "\n")
    }

    /// Returns the commands of a document, which is named from the folder `docs`.
    private static func document(_ name: String) throws -> String {
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { url.deleteLastPathComponent() }
        let text = try String(
            contentsOf: url.appendingPathComponent("docs/\(name)"), encoding: .utf8)
        return text.components(separatedBy: "```").enumerated()
            .filter { $0.offset % 2 == 1 }.map { commandLines(in: $0.element) }
            .joined(separator: "\n")
    }

    /// Checks an example as far as it goes without measuring anything.
    private func check(_ words: [String], _ place: String) {
        let text = "\(place): realm-bench \(words.joined(separator: " "))"
        #expect(throws: Never.self, "\(text)") {
            if words.first == "stress" {
                let command = try StressCommand.parseAsRoot(Array(words.dropFirst()))
                if let replay = command as? StressReplayCommand { _ = try replay.point() }
                return
            }
            switch try RealmBenchCommand.parseAsRoot(words) {
            case let command as RunCommand:
                let cases = try command.chosenCases()
                _ = try command.options.overrides.checkEffect(on: cases)
                #expect(!cases.isEmpty, "\(text)")
            case let command as GateCommand:
                _ = try CaseFilter.chosen(of: command.suite ?? "counted", filter: command.filter)
            case let command as ListCommand:
                if let suite = command.suite {
                    _ = try BenchmarkKit.Suite.load(suite).expanded(overriding: .init())
                }
            case let command as ExplainCommand:
                if let column = command.column {
                    #expect(ExplainCommand.meanings.contains { $0.name == column }, "\(text)")
                }
            default: break
            }
        }
    }

    @Test func theExamplesOfHelpTextsWork() {
        var count = 0
        for command in Self.commands {
            let configuration = command.configuration
            let examples = Self.examples(in: configuration.discussion)
            count += examples.count
            let isShown = configuration.shouldDisplay && configuration.subcommands.isEmpty
            // `pins` is a command of the tool `realm`, whose tests have its examples.
            let saysExamples =
                configuration.discussion.contains("EXAMPLES") && command != PinsCommand.self
            #expect(!saysExamples || !examples.isEmpty, "\(configuration.commandName ?? "")")
            #expect(!isShown || !configuration.abstract.isEmpty)
            for example in examples { check(example, configuration.commandName ?? "") }
        }
        #expect(count > 30)
    }

    @Test(arguments: [
        "../README.md", "benchmarks.md", "benchmark-tour.md", "gate.md", "history.md", "stress.md",
    ])
    func theCommandsOfTheDocumentsWork(name: String) throws {
        let examples = Self.examples(in: try Self.document(name))
        #expect(!examples.isEmpty)
        for example in examples { check(example, name) }
    }

    /// The programs of packages have the commands of the runner, but other workloads. That of
    /// Examples/BenchBeside has other databases, too, which are not known here.
    @Test(arguments: [
        "../README.md", "benchmarks.md", "benchmark-tour.md", "../Examples/Bench/README.md",
    ])
    func theCommandsOfPackagesAreKnown(name: String) throws {
        let examples = Self.examples(in: try Self.document(name), Self.ofPackage)
        #expect(!examples.isEmpty)
        for example in examples {
            #expect(throws: Never.self, "\(name): bench \(example.joined(separator: " "))") {
                _ = try RealmBenchCommand.parseAsRoot(example)
            }
        }
    }

    /// The example workflow has the program of a package, whose gate has the same options.
    @Test func theGateOfTheWorkflowWorks() throws {
        let path = "docs/workflow.yml"
        let text = try String(
            contentsOf: ResourceLocator.packageDirectory().appendingPathComponent(path),
            encoding: .utf8)
        let gates = text.components(separatedBy: " bench gate ").dropFirst()
        #expect(gates.count == 1)
        for gate in gates {
            let options = gate.components(separatedBy: "\n      -")[0].split {
                $0 == " " || $0.isNewline
            }
            check(["gate"] + options.map(String.init), path)
        }
    }
}
