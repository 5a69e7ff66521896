import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct ResultsDocumentTests {
    private static func page() throws -> String {
        try String(
            contentsOf: ResourceLocator.packageDirectory().appendingPathComponent(
                "docs/results.md"), encoding: .utf8)
    }

    /// The document with the fixture's run as the only stored one.
    private func document() throws -> ResultsDocument {
        try ResultsDocument(
            reference: ResourceLocator.packageDirectory().appendingPathComponent(
                "Tests/BenchmarkKitTests/Fixtures"
            ).path)
    }

    private func mark(_ words: String) -> String {
        "<!-- bench:\(words) -->\n<!-- /bench:\(words.split(separator: " ")[0]) -->"
    }

    /// Without the table of the self-test, whose analysis takes minutes in a debug build.
    @Test func thePageOfResultsIsWhatTheStoredRunsSay() throws {
        let page = try Self.page()
        #expect(
            try ResultsDocument().filled(page, leaving: [.selftest]) == page,
            "Write it anew: realm-bench report --update docs/results.md")
    }

    @Test func everyTableOfThePageIsMarked() throws {
        var isMarked = false
        for line in try Self.page().split(separator: "\n") {
            if line.hasPrefix("<!-- bench:") { isMarked = true }
            if line.hasPrefix("<!-- /bench:") { isMarked = false }
            #expect(isMarked || !line.hasPrefix("|"), "typed by hand: \(line)")
        }
    }

    @Test func aFigureThatWasTypedIsWrittenAnew() throws {
        let text = try document().filled(mark("cases run workload=insert"))
        #expect(text.contains("| insert/api · full | realm |"))
        let figure = try #require(text.firstMatch(of: /[0-9],[0-9]{3}/))
        let typed = text.replacingCharacters(in: figure.range, with: "9,999")
        #expect(typed != text)
        #expect(try document().filled(typed) == text)
        let folder = try TemporaryFolder()
        try TextFile.write(typed, replacing: folder.path + "/page.md")
        #expect(throws: BenchmarkError.self) {
            let command = try ReportCommand.parse([
                "--update", folder.path + "/page.md", "--check", "--reference",
                document().reference,
            ])
            try command.run()
        }
    }

    @Test(arguments: ["checks run", "cases run", "peers run", "file-sizes run", "encryption run"])
    func everyTableHasRows(words: String) throws {
        #expect(try document().filled(mark(words)).split(separator: "\n").count > 4)
    }

    @Test func ratiosAreToTheNamedEngine() throws {
        let text = try document().filled(mark("peers run base=rocksdb"))
        #expect(text.contains(/sqlite/))
        #expect(text != (try document().filled(mark("peers run"))))
    }

    @Test(arguments: [
        "tables run", "cases", "cases missing", "cases run workload", "cases run base=grdb",
        "cases run workload=none", "selftest missing.csv.gz", "selftest missing.csv",
    ])
    func whatCannotBeShownIsAMistakeOfUse(words: String) throws {
        let error = #expect(throws: BenchmarkError.self) {
            try document().filled(mark(words))
        }
        #expect(error?.code == .usage)
    }
}
