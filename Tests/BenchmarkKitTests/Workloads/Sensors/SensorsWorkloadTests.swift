import Foundation
import RealmSwift
import Testing

@testable import BenchmarkKit

/// Tests of workloads on tiny inputs, in this process. The measured work must also be correct.
@Suite(.serialized) struct WorkloadTests {
    private func run(
        _ workload: String, _ strategy: String, durability: Durability = .full,
        size: Int? = nil, in folder: TemporaryFolder,
        _ change: (inout CaseOptions) -> Void = { _ in }
    ) throws -> CaseOutcome {
        var options = CaseOptions()
        change(&options)
        let benchmarkCase = try #require(
            try WorkloadCatalogue.makeCase(
                workload: workload, strategy: strategy, durability: durability, size: size,
                options: options))
        let directory = folder.path + "/" + strategy
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        let environment = CaseEnvironment(
            directory: directory, fixtures: folder.path, allocations: nil, progress: { _ in })
        let found = try WorkloadCatalogue.workload(named: workload)
        try found.prepare(benchmarkCase, in: environment)
        return try found.run(benchmarkCase, in: environment)
    }

    // Without main-queue, which needs the main thread to itself: see ProcessTests.
    @Test(arguments: ["current", "concurrent-gcd", "dedicated-thread", "batched"])
    func everyStrategyWritesWhatWasProduced(strategy: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try run("sensors", strategy, in: folder) {
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
        let problems = try #require(outcome.verification).problems()
        #expect(problems == [])
    }

    @Test func allStrategiesAgreeOnTheDigest() throws {
        let folder = try TemporaryFolder()
        let digests = try ["current", "batched"].map { strategy in
            try run("sensors", strategy, in: folder) { $0.count = 50 }.results[0].digest
        }
        #expect(digests[0] == digests[1])
    }

    @Test func theOldestReadingsAreDeletedBeyondTheCapacity() throws {
        let folder = try TemporaryFolder()
        let outcome = try run("sensors", "batched", in: folder) {
            $0.count = SensorAccount.capacity + 50
            $0.sensors = 1
        }
        #expect(outcome.results[0].measure("objects_persisted") == Double(SensorAccount.capacity))
        #expect(try #require(outcome.verification).problems() == [])
    }

    @Test func severalProducersLoseNothing() throws {
        let folder = try TemporaryFolder()
        for strategy in ["dedicated-thread", "batched"] {
            let outcome = try run("sensors", strategy, in: folder) {
                $0.count = 200
                $0.threads = 3
            }
            #expect(try #require(outcome.verification).problems() == [])
        }
    }

    @Test func aReadingThatIsMissingFailsTheProof() throws {
        let folder = try TemporaryFolder()
        let outcome = try run("sensors", "batched", in: folder) { $0.count = 40 }
        try withOwnLifetime {
            let realm = try Realm(
                configuration: Realm.Configuration(
                    path: folder.path + "/batched/sensors.realm",
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
        let outcome = try run("sensors", "batched", in: folder) { $0.count = 40 }
        try withOwnLifetime {
            let realm = try Realm(
                configuration: Realm.Configuration(
                    path: folder.path + "/batched/sensors.realm",
                    objectTypes: [Sensor.self, Reading.self]))
            try realm.write { realm.objects(Sensor.self)[0].written += 1 }
        }
        #expect(try #require(outcome.verification).problems().isEmpty == false)
    }

    @Test func singleCommitsComeWithTheirControl() throws {
        let folder = try TemporaryFolder()
        let outcome = try run("commit", "engine", in: folder) { $0.count = 30 }
        #expect(outcome.results.map(\.operations) == [30, 30])
        #expect(outcome.results[1].identifier.engine == "control")
        #expect(outcome.results[0].measure("ratio_to_control") != nil)
        #expect(try #require(outcome.verification).problems() == [])
    }

    /// There is no control: one that waits for the disk would not measure commits that do not wait.
    @Test(arguments: ["api", "engine"])
    func relaxedCommitsAreProvedAndHaveNoControl(strategy: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try run("commit", strategy, durability: .relaxed, in: folder) {
            $0.count = 300
        }
        #expect(outcome.results.map(\.operations) == [300])
        #expect(try #require(outcome.results[0].syncsPerCommit) < 1)
        #expect(try #require(outcome.verification).problems() == [])
    }

    @Test func openingTellsFirstTimesApart() throws {
        let folder = try TemporaryFolder()
        let outcome = try run("open", "api", size: 100, in: folder) { $0.count = 5 }
        #expect(outcome.results[0].operations == 5)
        #expect(try #require(outcome.results[0].measure("first_open_us")) > 0)
    }

    @Test(arguments: ["same-module", "other-module"])
    func propertyReadsAreCounted(strategy: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try run("property-read", strategy, size: 20, in: folder) { $0.count = 2000 }
        #expect(outcome.results[0].operations == 2000)
    }

    @Test(arguments: ["seal", "open"])
    func theCipherOpensWhatItSealed(strategy: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try run("cipher", strategy, size: 20, in: folder) { _ in }
        #expect(outcome.results[0].operations == 200)
    }

    /// Runs `body` in a function of its own, so that everything it opens is released before the
    /// next statement.
    private func withOwnLifetime(_ body: () throws -> Void) rethrows { try body() }
}
