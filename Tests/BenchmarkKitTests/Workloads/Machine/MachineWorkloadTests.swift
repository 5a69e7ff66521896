import Testing

@testable import BenchmarkKit

/// Tests of the workloads that measure the machine or the compiler beside the database.
@Suite struct MachineWorkloadTests {
    @Test(arguments: ["same-module", "other-module"])
    func propertyReadsAreCounted(strategy: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try runCase("property-read", strategy, size: 20, in: folder) {
            $0.count = 2000
        }
        #expect(outcome.results[0].operations == 2000)
    }

    @Test(arguments: ["seal", "open"])
    func theCipherOpensWhatItSealed(strategy: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try runCase("cipher", strategy, size: 20, in: folder) { _ in }
        #expect(outcome.results[0].operations == 200)
    }
}
