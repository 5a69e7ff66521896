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

    /// Those that were published without their `run.json`, which nobody can make again.
    private static let withoutReport: Set<String> = [
        "2026-11-22-objects", "2026-11-22-pinned", "2026-11-22-scale", "2026-11-23-ten-million",
        "2026-11-27-async", "2026-11-27-notify",
    ]

    /// Each published run can be reported and compared, or it is said why not.
    @Test func publishedRunsCanBeReadAgain() throws {
        let folder = try ResourceLocator.packageDirectory().appendingPathComponent(
            "results/reference")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix("/" + RunFolder.summaryName) }
            .map { String($0.dropLast(RunFolder.summaryName.count + 1)) }
        #expect(paths.count >= Self.withoutReport.count)
        for path in paths {
            let whole = folder.appendingPathComponent(path).path
            if Self.withoutReport.contains(path) {
                let error = #expect(throws: BenchmarkError.self) { try RunFolder(path: whole) }
                #expect(error?.code == .notComparable, "\(path)")
                #expect(error?.message.contains("can be neither reported nor compared") == true)
            } else {
                #expect(throws: Never.self, "\(path)") {
                    let run = try RunFolder(path: whole, isWhole: true)
                    #expect(try !run.metricRows().isEmpty && run.header.gitRevision != nil)
                    #expect(!run.header.arguments.contains { $0.hasPrefix("/") }, "\(path)")
                }
            }
        }
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
