import ArgumentParser
import Foundation
import Testing

@testable import RealmTool

/// The commands that the help texts and the page of the guide show are commands.
@Suite struct ExampleTests {
    private static let page: String = {
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { url.deleteLastPathComponent() }
        return url.appendingPathComponent("docs/guide/tool.md").path
    }()

    /// The words of a command, as a shell splits them, up to a pipe or a redirection.
    private func words(_ line: Substring) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            switch (quote, character) {
            case (nil, "|"), (nil, ">"):
                return words + (word.map { [$0] } ?? [])
            case (nil, " "):
                if let ended = word { words.append(ended) }
                word = nil
            case (nil, "'"), (nil, "\""):
                quote = character
                word = word ?? ""
            case (let open?, _) where open == character: quote = nil
            default: word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }

    /// The commands of a text: what begins with `realm ` on a line, or behind a pipe.
    private func commands(in text: String) -> [[String]] {
        text.split(separator: "\n").flatMap { line -> [[String]] in
            line.split(separator: "|").compactMap { part in
                let trimmed = part.drop { $0 == " " }
                guard trimmed.hasPrefix("realm ") else { return nil }
                // In the first help text, a remark follows after several spaces.
                return words(trimmed.components(separatedBy: "   ")[0].dropFirst(6)[...])
            }
        }
    }

    private func expectCommands(in text: String, atLeast count: Int, _ place: String) {
        let commands = commands(in: text).filter { $0.first?.hasPrefix("-") == false }
        #expect(commands.count >= count, "\(place)")
        for command in commands {
            #expect(throws: Never.self, "\(place): realm \(command.joined(separator: " "))") {
                _ = try RealmCommand.parseAsRoot(command)
            }
        }
    }

    @Test func theExamplesOfHelpTextsAreCommands() {
        expectCommands(in: RealmCommand.configuration.discussion, atLeast: 5, "realm --help")
        for command in RealmCommand.configuration.subcommands {
            let name = command.configuration.commandName ?? ""
            expectCommands(in: command.configuration.discussion, atLeast: 1, name)
        }
    }

    @Test func theCommandsOfTheGuideAreCommands() throws {
        let text = try String(contentsOfFile: Self.page, encoding: .utf8)
        let blocks = text.components(separatedBy: "```").enumerated()
            .filter { $0.offset % 2 == 1 }.map { $0.element }
        expectCommands(in: blocks.joined(separator: "\n"), atLeast: 8, "tool.md")
        for command in RealmCommand.configuration.subcommands {
            let name = command.configuration.commandName ?? ""
            #expect(text.contains("`realm \(name)") || text.contains("`\(name)"), "\(name)")
        }
    }

    /// Help is written for terminals of 80 columns, which break longer lines anywhere.
    @Test func helpFitsATerminal() {
        let texts =
            RealmCommand.configuration.subcommands.map { $0.configuration.discussion }
            + [RealmCommand.configuration.discussion]
        for text in texts {
            for line in text.split(separator: "\n") where line.hasPrefix("  ") {
                #expect(line.count < 80, "\(line)")
            }
        }
    }
}
