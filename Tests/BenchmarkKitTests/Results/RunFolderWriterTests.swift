import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct RunFolderWriterTests {
    @Test func rowsAreInTheFileAtOnce() throws {
        let folder = try TemporaryFolder()
        let directory = try RunFolderWriter(parent: folder.path)
        var result = CaseResult.empty()
        result.measure("commits", 3)
        try directory.append(result)
        let text = try String(contentsOfFile: directory.path + "/summary.csv", encoding: .utf8)
        let records = try CSV.parse(text)
        #expect(records.count == 2)
        #expect(records[0].fields == ColumnCatalogue.header)
        let measures = try CSV.parse(
            String(contentsOfFile: directory.path + "/measures.csv", encoding: .utf8))
        #expect(measures[1].fields.suffix(3) == ["commits", "3", ""])
    }

    /// Gates of small suites do.
    @Test func runsOfOneSecondHaveFoldersOfTheirOwn() throws {
        let folder = try TemporaryFolder()
        let runs = try (0..<3).map { _ in try RunFolderWriter(parent: folder.path) }
        #expect(Set(runs.map(\.path)).count == 3)
        #expect(Set(runs.map(\.context.runIdentifier)).count == 3)
    }
}
