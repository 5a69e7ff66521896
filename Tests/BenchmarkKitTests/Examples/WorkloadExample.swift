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
            try run(.oldest, layer, size: 300, in: folder).results[0]
        }
        #expect(rows[0].digest == rows[1].digest)
        #expect(rows.allSatisfy { $0.operations > 0 && $0.isDeterministic })
    }
}

/// Prepares and runs one case in this process.
func run(
    _ workload: Workload, _ strategy: String, size: Int, in folder: TemporaryFolder
) throws -> CaseOutcome {
    var options = CaseOptions()
    options.count = size * 2
    let benchmarkCase = try #require(
        try WorkloadCatalogue.makeCase(
            of: workload, strategy: strategy, size: size, options: options))
    let environment = CaseEnvironment(
        directory: "\(folder.path)/\(workload.name)-\(strategy)", fixtures: folder.path,
        allocations: nil, progress: { _ in })
    try workload.prepare(benchmarkCase, in: environment)
    return try workload.run(benchmarkCase, in: environment)
}
