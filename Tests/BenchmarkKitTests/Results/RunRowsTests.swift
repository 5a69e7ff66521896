import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct RunRowsTests {
    /// A row that is read and written again is the same, whatever columns it fills.
    @Test func everyColumnIsReadBack() throws {
        let folder = try ResourceLocator.packageDirectory().appendingPathComponent(
            "results/reference/2026-11-29-default"
        ).path
        let run = try RunRows(path: folder)
        let context = RunContext(runIdentifier: run.rows[0]["run_id"])
        for row in run.rows {
            let measures = run.measures[row.name] ?? [:]
            let result = try #require(CaseResult(row, measures))
            #expect(result.measures.count == measures.count)
            let again = RunRow(result, context: context)
            for column in ColumnCatalogue.header where row[column] != again[column] {
                // Quotients are computed from figures that were written with four digits.
                let (old, new) = (row.number(column) ?? 0, again.number(column) ?? -1)
                #expect(abs(old - new) <= 0.002 * abs(old), "\(row.name) \(column)")
            }
        }
    }
}
