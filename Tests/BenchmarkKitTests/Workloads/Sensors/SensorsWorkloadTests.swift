import Foundation
import RealmSwift
import Testing

@testable import BenchmarkKit

/// Tests of the workload about sensors on tiny inputs. The measured work must also be correct.
@Suite(.serialized) struct SensorsWorkloadTests {
    // Without main-queue, which needs the main thread to itself: see RunProcessTests.
    @Test(arguments: [
        "current", "concurrent-gcd", "dedicated-thread", "batched", "async", "async-grouped",
        "actor",
    ])
    func everyStrategyWritesWhatWasProduced(strategy: String) async throws {
        let folder = try TemporaryFolder()
        let outcome = try await runCaseAside(SensorsWorkload.workload, strategy, in: folder) {
            $0.count = 250
            $0.batchSize = 60
            $0.sensors = 7
            $0.payload = 20
        }
        let result = outcome.results[0]
        #expect(result.operations == 250)
        #expect(result.measure("total_writes") == 250)
        #expect(result.measure("commits") == (strategy == "batched" ? 5 : 250))
        #expect(result.digest != nil)
        #expect(try problems(outcome) == [])
    }

    @Test func allStrategiesAgreeOnTheDigest() throws {
        let folder = try TemporaryFolder()
        let digests = try ["current", "batched"].map { strategy in
            try runCase("sensors", strategy, in: folder) { $0.count = 50 }.results[0].digest
        }
        #expect(digests[0] == digests[1])
    }

    @Test func theOldestReadingsAreDeletedBeyondTheCapacity() throws {
        let folder = try TemporaryFolder()
        let outcome = try runCase("sensors", "batched", in: folder) {
            $0.count = SensorAccount.capacity + 50
            $0.sensors = 1
        }
        #expect(outcome.results[0].measure("objects_persisted") == Double(SensorAccount.capacity))
        #expect(try #require(outcome.verification).problems() == [])
    }

    @Test func severalProducersLoseNothing() async throws {
        let folder = try TemporaryFolder()
        for strategy in ["dedicated-thread", "batched", "async-grouped", "actor"] {
            let outcome = try await runCaseAside(SensorsWorkload.workload, strategy, in: folder) {
                $0.count = 200
                $0.threads = 3
            }
            #expect(try #require(outcome.verification).problems() == [])
        }
    }

    @Test func aReadingThatIsMissingFailsTheProof() throws {
        let folder = try TemporaryFolder()
        let outcome = try runCase("sensors", "batched", in: folder) { $0.count = 40 }
        try withOwnLifetime {
            let realm = try Realm(
                configuration: Realm.Configuration(
                    path: folder.path + "/sensors-batched/sensors.realm",
                    objectTypes: [Sensor.self, Reading.self]))
            try realm.write {
                let sensor = try #require(realm.objects(Sensor.self).first { !$0.readings.isEmpty })
                realm.delete(sensor.readings[0])
            }
        }
        #expect(try #require(outcome.verification).problems().isEmpty == false)
    }

    @Test func aWrongCountFailsTheProof() throws {
        let folder = try TemporaryFolder()
        let outcome = try runCase("sensors", "batched", in: folder) { $0.count = 40 }
        try withOwnLifetime {
            let realm = try Realm(
                configuration: Realm.Configuration(
                    path: folder.path + "/sensors-batched/sensors.realm",
                    objectTypes: [Sensor.self, Reading.self]))
            try realm.write { realm.objects(Sensor.self)[0].written += 1 }
        }
        #expect(try #require(outcome.verification).problems().isEmpty == false)
    }

    @Test func singleCommitsComeWithTheirControl() throws {
        let folder = try TemporaryFolder()
        let outcome = try runCase("commit", "engine", in: folder) { $0.count = 30 }
        #expect(outcome.results.map(\.operations) == [30, 30])
        #expect(outcome.results[1].identifier.engine == "control")
        #expect(outcome.results[0].measure("ratio_to_control") != nil)
        #expect(try #require(outcome.verification).problems() == [])
    }

    /// There is no control: one that waits for the disk would not measure commits that do not wait.
    @Test(arguments: ["api", "engine"])
    func relaxedCommitsAreProvedAndHaveNoControl(strategy: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try runCase("commit", strategy, durability: .relaxed, in: folder) {
            $0.count = 300
        }
        #expect(outcome.results.map(\.operations) == [300])
        #expect(try #require(outcome.results[0].syncsPerCommit) < 1)
        #expect(try #require(outcome.verification).problems() == [])
    }

    /// Runs `body` in a function of its own, so that everything it opens is released before the
    /// next statement.
    private func withOwnLifetime(_ body: () throws -> Void) rethrows { try body() }
}
