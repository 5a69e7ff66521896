import Foundation
import Testing

@testable import BenchmarkKit

/// Tests of the other workloads about changes, on tiny inputs.
@Suite(.serialized) struct ChangeWorkloadTests {
    @Test func referencesLeadToTheSameObjects() throws {
        let folder = try TemporaryFolder()
        let rows = try ["object", "results"].map { strategy in
            let outcome = try runCase(
                ReferenceWorkload.workload, strategy, size: 100, in: folder
            ) { $0.count = 300 }
            #expect(outcome.results.map(\.operations) == [300, 300])
            #expect(outcome.results[1].identifier.strategy == "\(strategy)-number")
            #expect(outcome.results[1].identifier.engine == "control")
            let result = outcome.results[0]
            #expect(try #require(result.measure("make_p50_us")) > 0)
            #expect(try #require(result.measure("resolve_p50_us")) > 0)
            return result
        }
        #expect(rows[0].digest != nil)
        #expect(rows[0].digest == rows[1].digest)
        #expect(rows.allSatisfy { $0.isDeterministic })
    }

    @Test func frozenObjectsHaveTheValuesOfTheFile() throws {
        let folder = try TemporaryFolder()
        let outcome = try runCase(
            FreezeWorkload.workload, FreezeWorkload.object, size: 100, in: folder
        ) { $0.count = 3200 }
        #expect(outcome.results[0].operations == 3200)
        #expect(outcome.results[0].digest != nil)
        #expect(outcome.results[0].isDeterministic)
    }

    @Test func aMainThreadAnswersWhileAnotherWrites() throws {
        let folder = try TemporaryFolder()
        let outcome = try runCase(
            InteractiveWorkload.workload, InteractiveWorkload.results, size: 300, in: folder
        ) {
            $0.count = 20
            $0.batchSize = 30
        }
        #expect(outcome.results.map(\.identifier.strategy) == ["results", "results-unobserved"])
        let result = outcome.results[0]
        // An answer may be missing if the thread that answers was kept from running.
        #expect(result.operations > 0)
        #expect(try #require(result.measure("batches_per_s")) > 0)
        #expect(try #require(result.measure("pause_max_us")) > 0)
        #expect(try #require(result.measure("calls")) > 0)
        #expect(!result.isDeterministic)
        #expect(try problems(outcome) == [])
    }
}
