import Testing

@testable import BenchmarkKit

extension PersonStore {
    /// Returns how many persons are older than `limit`.
    public func count(ageAbove limit: Int) throws -> Int {
        try countByScanning { _, _, age in age > limit }
    }
}

@Suite struct StoreOperationExampleTests {
    @Test func everyStoreAnswersTheNewOperation() throws {
        let folder = try TemporaryFolder()
        let old: Workload = .pass(
            "old", "counts the persons older than 60",
            PassQuestion(
                { .number(try $0.count(ageAbove: 60)) }, { .number($0.count { $0.age > 60 }) }))
        let digests = try ["api", "engine"].map { layer in
            try runCase(old, layer, size: 300, in: folder) { $0.count = 600 }.results[0].digest
        }
        #expect(digests[0] == digests[1])
    }
}
