import Testing

@testable import BenchmarkKit

@Suite struct OpenWorkloadTests {
    @Test func openingTellsFirstTimesApart() throws {
        let folder = try TemporaryFolder()
        let outcome = try runCase("open", "api", size: 100, in: folder) { $0.count = 5 }
        #expect(outcome.results[0].operations == 5)
        #expect(try #require(outcome.results[0].measure("first_open_us")) > 0)
    }
}
