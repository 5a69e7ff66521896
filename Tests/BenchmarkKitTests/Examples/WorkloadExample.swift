import Testing

@testable import BenchmarkKit

extension Workload {
    /// In `WorkloadCatalogue.all` the value itself stands in the table.
    fileprivate static let oldest: Workload =
        .pass(
            "oldest", "the age of the oldest person",
            PassQuestion(
                { .number(try $0.rangeOfAges()?.upperBound ?? -1) },
                { .number($0.rangeOfAges()?.upperBound ?? -1) }))
}

@Suite struct WorkloadExampleTests {
    // A pass compares the store's answer with that of the oracle, and throws if they differ.
    @Test func bothLayersFindTheOldestPerson() throws {
        let folder = try TemporaryFolder()
        let rows = try ["api", "engine"].map { layer in
            try runCase(.oldest, layer, size: 300, in: folder) { $0.count = 600 }.results[0]
        }
        #expect(rows[0].digest == rows[1].digest)
        #expect(rows.allSatisfy { $0.operations > 0 && $0.isDeterministic })
    }
}
