import Testing

@testable import BenchmarkKit

@Suite struct SpeedCheckTests {
    @Test func checksCompareRowsWithTheirTargets() throws {
        var single = CaseResult.empty("sensors", "dedicated-thread")
        single.operations = 100
        single.elapsedSeconds = 1
        single.measure("ratio_to_control", 0.69)
        var batched = CaseResult.empty("sensors", "batched")
        batched.operations = 2000
        batched.elapsedSeconds = 1
        let outcomes = SpeedCheck.outcomes(for: [single, batched])
        #expect(outcomes.map(\.passed) == [false, true])
        #expect(outcomes.map(\.measured) == [0.69, 20])
    }

    @Test func everyPromiseIsCheckedBesideItsControls() {
        var rows: [CaseResult] = []
        func add(
            _ workload: String, _ strategy: String, _ control: String..., size: Int = 1_000_000,
            rate: Int = 1, measures: [String: Double] = [:]
        ) {
            for (strategy, engine) in [(strategy, "realm")] + control.map({ ($0, "control") }) {
                var row = CaseResult.empty(workload, strategy, engine: engine)
                row.identifier.size = size
                row.operations = rate
                row.elapsedSeconds = 1
                row.peakResidentBytes = 400_000_000
                row.latency = LatencySummary(
                    p50: 0.004, p90: 1, p99: 1, p999: 1, p9999: 1, max: 1)
                for (name, value) in measures { row.measure(name, value) }
                rows.append(row)
            }
        }
        add("sensors", "dedicated-thread", "bare-disk", measures: ["ratio_to_control": 0.8])
        add("sensors", "batched", rate: 30)
        add("sensors", "async-grouped", rate: 6)
        for (layer, ratio) in [("api", 0.85), ("engine", 0.84)] {
            add("commit", layer, "\(layer)-bare-disk", measures: ["ratio_to_control": ratio])
        }
        let sizes = ["file_bytes_per_object": 15.0, "payload_bytes_per_object": 22.0]
        add(
            "insert", "api", "api-bare-disk", "api-unmanaged", rate: 600_000, measures: sizes)
        add("insert", "api", size: 10_000_000, measures: sizes)
        add("insert", "engine", "engine-bare-disk", rate: 1_000_000)
        add("property-read", "same-module", "same-module-plain")
        add("property-read", "other-module", "other-module-plain")
        add("lookup", "api", "dictionary")
        for layer in ["api", "engine"] {
            add("lookup-indexed", layer)
            add("count", layer, rate: 3_000_000_000)
        }
        add("scan-column", "3-properties", "3-properties-memory", rate: 2)
        add("scan-column", "30-properties", "30-properties-memory", rate: 2)
        add("open", "api", "bare-file", measures: ["first_open_us": 1, "class_discovery_us": 2])
        let outcomes = SpeedCheck.outcomes(for: rows)
        #expect(outcomes.count == SpeedCheck.core.count)
        #expect(outcomes.filter { $0.controls.isEmpty }.map(\.title) == [])
        #expect(
            outcomes.filter { !$0.passed }.map(\.title)
                == ["commit/engine : bare disk", "insert/engine, 1,000,000"])
        #expect(outcomes.filter { $0.title.hasSuffix(": memory") }.map(\.measured) == [1, 1])
    }

    @Test func onlyRowsThatTheCheckIsMeantForHaveAVerdict() throws {
        var row = CaseResult.empty("insert", "api")
        row.identifier.size = 1
        row.operations = 1
        row.elapsedSeconds = 1
        row.measure("file_bytes_per_object", 393_216)
        let small = SpeedCheck.outcomes(for: [row])
        #expect(small.count == 2)
        #expect(small.map(\.verdict) == [.none, .none])
        #expect(
            ResultTable.table(of: small).rows.map { $0[3] }
                == Array(repeating: "no verdict: needs 100,000 objects", count: 2))
        row.identifier.size = 1_000_000
        row.operations = 1_000_000
        row.measure("other_load_cores", 0.5)
        // Another program changes times, but no sizes.
        let loaded = SpeedCheck.outcomes(for: [row])
        #expect(loaded.map(\.verdict) == [.none, .miss])
        #expect(loaded[0].objection == "others kept 0.5000 cores busy")
        var single = CaseResult.empty("commit", "api")
        single.elapsedSeconds = 1
        single.measure("ratio_to_control", 0.9)
        for (operations, verdict) in [(99, SpeedCheck.Outcome.Verdict.none), (100, .pass)] {
            single.operations = operations
            #expect(SpeedCheck.outcomes(for: [single]).map(\.verdict) == [verdict])
        }
    }

    @Test func whatIsFasterThanItsControlIsImplausible() {
        var row = CaseResult.empty("commit", "api")
        row.operations = 5000
        row.elapsedSeconds = 1
        row.measure("ratio_to_control", 1.3)
        #expect(SpeedCheck.outcomes(for: [row]).map(\.verdict) == [.implausible])
    }

    @Test func aColumnIsComparedWithTheMemory() throws {
        var scan = CaseResult.empty("scan-column", "30-properties")
        scan.operations = 49
        scan.elapsedSeconds = 1
        #expect(SpeedCheck.outcomes(for: [scan]) == [])
        var memory = CaseResult.empty(
            "scan-column", "30-properties-memory", engine: "control")
        memory.identifier.size = scan.identifier.size
        memory.operations = 100
        memory.elapsedSeconds = 1
        let outcome = try #require(SpeedCheck.outcomes(for: [scan, memory]).first)
        #expect(outcome.measured == 0.49)
        #expect(!outcome.passed)
    }

    private func row(
        _ workload: String, _ strategy: String, engine: String = "realm", p50: Double,
        measures: [String: Double] = [:]
    ) -> CaseResult {
        var row = CaseResult.empty(workload, strategy, engine: engine)
        row.latency = LatencySummary(p50: p50, p90: 1, p99: 1, p999: 1, p9999: 1, max: 1)
        for (name, value) in measures { row.measure(name, value) }
        return row
    }

    @Test func observersHaveATimeToBeToldIn() {
        var rows: [CaseResult] = []
        for (strategy, p50) in [
            ("same-thread", 41.0), ("refresh", 39), ("thread", 40), ("queue", 10), ("process", 79),
        ] {
            rows.append(row(NotifyWorkload.name, strategy, p50: p50))
            rows.append(
                row(NotifyWorkload.name, "\(strategy)-pipe", engine: "control", p50: 5))
        }
        let outcomes = SpeedCheck.outcomes(for: rows)
        #expect(outcomes.map(\.passed) == [false, true, true, true, true])
        #expect(outcomes.map(\.target) == [40, 40, 40, 40, 80])
        #expect(outcomes.allSatisfy { $0.controls.map(\.measured) == [5] })
    }

    @Test func observersAreComparedWithThoseOfGRDB() throws {
        let rows = [("queue", 10.0, 30.0), ("signal", 20, 10), ("same-thread", 30, 90)].flatMap {
            [
                row(NotifyWorkload.name, $0.0, p50: 1, measures: [NotifyWorkload.told: $0.1]),
                row(
                    NotifyWorkload.name, $0.0, engine: "grdb", p50: 1,
                    measures: [NotifyWorkload.told: $0.2]),
            ]
        }
        let outcome = try #require(SpeedCheck.outcomes(for: rows).last)
        #expect(outcome.measured == 0.5)
        #expect(!outcome.passed)
        #expect(outcome.title.contains("signal, the closest of 3 rows"))
    }

    @Test func migrationsHaveASpeedAndAMemory() {
        var rows: [CaseResult] = []
        func add(
            _ migration: PersonMigration, engine: String = "realm", size: Int, rate: Int = 1,
            measures: [String: Double] = [:]
        ) {
            var row = row(
                MigrateWorkload.name, migration.rawValue, engine: engine, p50: 1,
                measures: measures)
            row.identifier.size = size
            row.operations = rate
            row.elapsedSeconds = 1
            rows.append(row)
        }
        add(.add, size: 10_000_000, measures: ["beside_open_p50_us": 5001])
        add(.rename, size: 10_000_000, measures: ["beside_open_p50_us": 4000])
        add(.remove, size: 1_000_000, measures: ["beside_open_p50_us": 9000])
        add(.retypeBlock, size: 1_000_000, rate: 1_600_000)
        add(.retypeBlock, engine: "sqlite", size: 1_000_000, rate: 3_200_000)
        add(.retypeBlock, size: 10_000_000, measures: ["anonymous_growth_bytes": 101e6])
        add(.intKey, size: 10_000_000, measures: ["anonymous_growth_bytes": 99e6])
        let outcomes = SpeedCheck.outcomes(for: rows)
        #expect(outcomes.map(\.measured) == [5.001, 4, 1_600_000, 0.5, 101, 99])
        #expect(outcomes.map(\.target) == [5, 5, 1_500_000, 1, 100, 100])
        #expect(outcomes.map(\.passed) == [false, true, true, false, false, true])
    }

    @Test func whatKeepsAThreadIsComparedWithTheLeastThatItTakes() {
        let rows = [
            row(WriteAsyncWorkload.name, "queue", p50: 1.9),
            row(WriteAsyncWorkload.name, "queue-function", engine: "control", p50: 0.2),
            row(WriteAsyncWorkload.name, "run-loop", p50: 2.1),
            row(ChangeSetWorkload.name, "filtered", p50: 99),
            row(ChangeSetWorkload.name, "filtered-sorted", p50: 31),
            row(ChangeSetWorkload.name, "filtered-sorted-move", engine: "control", p50: 3),
            row(FreezeWorkload.name, FreezeWorkload.object, p50: 0.9),
            row(FreezeWorkload.name, FreezeWorkload.first, p50: 20),
        ]
        let outcomes = SpeedCheck.outcomes(for: rows)
        #expect(outcomes.map(\.measured) == [31, 2.1, 1.9, 0.9])
        #expect(outcomes.map(\.target) == [30, 2, 2, 1])
        #expect(outcomes.map { $0.controls.map(\.measured) } == [[3], [], [0.2], []])
        #expect(outcomes.map(\.passed) == [false, false, true, true])
    }

    @Test func theLongestPauseIsComparedWithThatWithoutObservers() throws {
        let name = InteractiveWorkload.name
        let rows = [
            row(name, "results", p50: 1, measures: ["pause_max_us": 4100]),
            row(
                name, "results-unobserved", engine: "control", p50: 1,
                measures: ["pause_max_us": 300]),
        ]
        let outcome = try #require(SpeedCheck.outcomes(for: rows).first)
        #expect(outcome.measured == 4.1)
        #expect(!outcome.passed)
        #expect(outcome.controls.map(\.measured) == [0.3])
    }

    /// A suite has rows of other durability, or of encrypted files, after the durable plain ones.
    /// The checks ignore them.
    @Test func checksAreOfDurablePlainRows() {
        var durable = CaseResult.empty("commit", "api")
        durable.measure("ratio_to_control", 0.8)
        var relaxed = durable
        relaxed.identifier.durability = .relaxed
        var encrypted = durable
        encrypted.identifier.isEncrypted = true
        for other in [relaxed, encrypted] {
            #expect(SpeedCheck.outcomes(for: [other]) == [])
            var slower = other
            slower.measure("ratio_to_control", 0.1)
            #expect(
                SpeedCheck.outcomes(for: [durable, slower])
                    == SpeedCheck.outcomes(for: [durable]))
        }
        #expect(SpeedCheck.outcomes(for: [durable]).count == 1)
    }

    @Test func checksWithoutTheirRowsAreLeftOut() {
        #expect(SpeedCheck.outcomes(for: []) == [])
        var failed = CaseResult.empty("sensors", "dedicated-thread")
        failed.measure("ratio_to_control", 1)
        failed.status = .failed
        #expect(SpeedCheck.outcomes(for: [failed]) == [])
    }
}
