import Foundation
import RealmSwift
import Testing
import ToolSupport

@testable import BenchmarkKit

private func example() -> BenchmarkWriteStrategy {
    let halves = BenchmarkWriteStrategy("halves", "two transactions a batch") {
        realm, operations, change in
        let middle = operations.count / 2
        for half in [operations[..<middle], operations[middle...]] {
            try realm.write { for operation in half { try change(realm, operation) } }
        }
    }
    return halves
}

@Suite struct WriteStrategyExampleTests {
    @Test func itLeavesTheSameAsTheOthers() throws {
        let folder = try TemporaryFolder()
        let workload = BenchmarkWorkload.writes(
            "deliver", "adds a delivery", of: [Delivery.self],
            strategies: [.batched, example()],
            change: { realm, operation in realm.create(Delivery.self, value: [operation.number]) })
        let rows = try ["batched", "halves"].map { strategy in
            try runCase(workload.asWorkload, strategy, in: folder) { $0.count = 250 }.results[0]
        }
        #expect(rows[0].digest == rows[1].digest && rows[0].digest != nil)
    }

    /// The sample of the document is the strategy above.
    @Test func theDocumentShowsIt() throws {
        let package = try ResourceLocator.packageDirectory()
        let document = try String(
            contentsOf: package.appendingPathComponent("docs/benchmarks.md"), encoding: .utf8)
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        func plain(_ text: String) -> String {
            text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
                .joined(separator: "\n")
        }
        let blocks = document.components(separatedBy: "```swift\n").dropFirst()
            .map { $0.components(separatedBy: "\n```")[0] }
        #expect(blocks.count == 1)
        for block in blocks { #expect(plain(source).contains(plain(block)), "\(block)") }
    }
}
