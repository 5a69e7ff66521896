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

    /// Rows of different numbers of threads are compared, and each thread reads a share.
    @Test(arguments: [FreezeWorkload.threads, FreezeWorkload.readers])
    func severalThreadsReadTheSameValues(_ strategy: String) throws {
        let folder = try TemporaryFolder()
        let result = try runCase(
            FreezeWorkload.workload, strategy, size: 100, in: folder
        ) {
            $0.count = 3200
            $0.threads = 4
        }.results[0]
        #expect(result.operations == 3200)
        #expect(result.latency != nil)
        #expect(result.digest == nil)
        #expect(!result.isDeterministic)
    }

    @Test func whatIsFrozenAfterACommitHasItsValue() throws {
        let folder = try TemporaryFolder()
        let outcome = try runCase(
            FreezeWorkload.workload, FreezeWorkload.first, size: 100, in: folder
        ) { $0.count = 30 }
        #expect(outcome.results[0].operations == 30)
        #expect(outcome.results[0].isDeterministic)
        #expect(try problems(outcome) == [])
    }

    @Test func asynchronousTransactionsAreAllWritten() throws {
        let folder = try TemporaryFolder()
        let rows = try WriteAsyncWorkload.ways.map(\.name).map { strategy in
            let outcome = try runCase(
                WriteAsyncWorkload.workload, strategy, size: 50, in: folder
            ) { $0.count = 200 }
            #expect(outcome.results.map(\.operations) == [200, 200])
            #expect(outcome.results[1].identifier.strategy == "\(strategy)-function")
            #expect(outcome.results[1].identifier.engine == "control")
            #expect(outcome.results.allSatisfy { $0.latency != nil })
            #expect(try problems(outcome) == [])
            return outcome.results[0]
        }
        #expect(rows.allSatisfy { $0.isDeterministic })
        #expect(rows[0].digest != nil)
        #expect(Set(rows.map(\.digest)).count == 1)
    }

    /// Each change set is compared with positions that were found without a database.
    @Test(arguments: [1, 7, 300])
    func changeSetsAreThoseOfTheCommits(size: Int) throws {
        let folder = try TemporaryFolder()
        let rows = try ChangeSetWorkload.Observed.allCases.map(\.rawValue).map { strategy in
            let outcome = try runCase(
                ChangeSetWorkload.workload, strategy, size: size, in: folder
            ) { $0.count = 60 }
            #expect(outcome.results.map(\.operations) == [60, 60])
            #expect(outcome.results[1].identifier.strategy == "\(strategy)-move")
            #expect(outcome.results[1].identifier.engine == "control")
            #expect(try problems(outcome) == [])
            return outcome.results[0]
        }
        #expect(rows.allSatisfy { $0.isDeterministic })
        #expect(rows[0].digest != nil)
        #expect(Set(rows.map(\.digest)).count == 1)
    }

    @Test func positionsOfYoungPersonsAreThoseOfALoop() {
        let oracle = PersonsOracle(size: 200, seed: 4)
        let young = (0..<200).filter { oracle.person($0).age < 50 }
        let sorted = young.sorted { (oracle.person($0).age, $0) < (oracle.person($1).age, $1) }
        for number in 0..<200 {
            #expect(oracle.position(of: number, ageBelow: 50) == young.firstIndex(of: number))
            #expect(
                oracle.position(of: number, sortedByAgeBelow: 50)
                    == sorted.firstIndex(of: number))
        }
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
