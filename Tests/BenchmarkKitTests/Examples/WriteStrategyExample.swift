import Foundation
import RealmSwift
import Testing
import ToolSupport

@testable import BenchmarkKit

private final class Order: Object {
    @Persisted var cents: Int

    convenience init(_ operation: BenchmarkOperation) {
        self.init()
        cents = operation.random(below: 10_000)
    }
}

private func workloads() -> [BenchmarkWorkload] {
    [
        .writes("place-order", "adds an order", adding: Order.init)
            .writing(by: "halves", "two transactions a batch") { realm, operations, change in
                let middle = operations.count / 2
                for half in [operations[..<middle], operations[middle...]] {
                    try realm.write { for operation in half { try change(realm, operation) } }
                }
            }
    ]
}

@Suite struct WriteStrategyExampleTests {
    @Test func itLeavesTheSameAsTheOthers() throws {
        let folder = try TemporaryFolder()
        let rows = try ["batched", "halves"].map { strategy in
            try runCase(workloads()[0].asWorkload, strategy, in: folder) { $0.count = 250 }
                .results[0]
        }
        #expect(rows[0].digest == rows[1].digest && rows[0].digest != nil)
    }

    /// The samples of the document are the strategy above and a part of an example.
    @Test func theDocumentShowsIt() throws {
        let package = try ResourceLocator.packageDirectory()
        func text(_ path: String) throws -> String {
            try String(contentsOf: package.appendingPathComponent(path), encoding: .utf8)
        }
        let document = try text("docs/benchmarks.md")
        let source =
            try String(contentsOfFile: #filePath, encoding: .utf8)
            + text("Examples/BenchBeside/Sources/Bench.swift")
        func plain(_ text: String) -> String {
            text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
                .joined(separator: "\n")
        }
        let blocks = document.components(separatedBy: "```swift\n").dropFirst()
            .map { $0.components(separatedBy: "\n```")[0] }
        #expect(blocks.count == 2)
        for block in blocks { #expect(plain(source).contains(plain(block)), "\(block)") }
    }
}
