import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct RunExportTests {
    private let context = RunContext(runIdentifier: "r")

    @Test func markdownHasAHeaderARuleAndTheRows() {
        let table = TextTable(
            header: ["case", "ops/s"], rows: [["insert", "1"], ["lookup", "2"]])
        let lines = table.markdownText.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix("| case | ops/s |"))
        #expect(lines[1].hasPrefix("| --- | ---: |"))
        #expect(Set(lines.map { $0.filter { $0 == "|" }.count }).count == 1)
    }

    @Test func jsonHasEveryColumnWithItsType() throws {
        struct Row: Decodable {
            var run_id: String
            var encrypted: Bool
            var threads: Int
            var throughput_ops_per_s: Double
            var latency_p50_us: Double?
            var digest: String
            var sweep: String?
        }
        var result = CaseResult.empty()
        result.operations = 3
        result.elapsedSeconds = 2
        // A digest of digits only, which is one in two thousand. It must stay a string.
        result.digest = "0123456789012345"
        let data = Data(try RunExport.json(of: [result], context: context).utf8)
        let row = try #require(try JSONDecoder().decode([Row].self, from: data).first)
        #expect(row.throughput_ops_per_s == 1.5)
        #expect(row.digest == "0123456789012345")
        #expect(row.latency_p50_us == nil && row.sweep == nil && !row.encrypted)
        let members = try #require(
            try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        #expect(Set(members[0].keys) == Set(ColumnCatalogue.header))
    }
}
