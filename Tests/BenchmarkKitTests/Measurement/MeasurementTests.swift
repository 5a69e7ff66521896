import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct BareGroupsTests {
    @Test func recordsShareGroups() throws {
        let folder = try TemporaryFolder()
        let groups = try BareGroups(directory: folder.path, recordBytes: 300)
        let workers = WorkerThreads<Int>(count: 8, name: "writer") { _, start in
            guard start.wait() else { return nil }
            for _ in 0..<50 { try groups.commit() }
            return 50
        }
        workers.waitUntilReady()
        #expect(try workers.run().reduce(0, +) == 400)
        // At most one record of each thread is in a group, because each thread waits for its own
        // record before the next one.
        #expect((50...400).contains(groups.groups))
    }
}

@Suite struct MeasurementTests {
    @Test func percentilesAreExactToThreeDigits() throws {
        var recorder = LatencyRecorder()
        for microseconds in 1...10_000 { recorder.record(UInt64(microseconds) * 1000) }
        let summary = try #require(recorder.summary())
        for (measured, expected) in [
            (summary.p50, 5000.0), (summary.p90, 9000), (summary.p99, 9900),
            (summary.p999, 9990), (summary.p9999, 9999), (summary.max, 10_000),
        ] {
            #expect(abs(measured - expected) <= expected * 0.001 + 0.001)
        }
    }

    @Test func nothingRecordedGivesNothing() {
        #expect(LatencyRecorder().summary() == nil)
        #expect(LatencyRecorder().percentile(99) == nil)
    }

    @Test func durationsBeyondTheRangeAreKept() throws {
        var recorder = LatencyRecorder()
        recorder.record(0)
        recorder.record(.max)
        #expect(recorder.count == 2)
        #expect(try #require(recorder.summary()).max >= 599_000_000)
    }

    @Test func aBatchCountsForAllItsOperations() throws {
        var recorder = LatencyRecorder()
        recorder.record(1_000_000, count: 999)
        recorder.record(9_000_000)
        #expect(recorder.count == 1000)
        #expect(abs(try #require(recorder.percentile(99)) - 1000) < 2)
    }

    @Test func theIntervalHoldsTheMeanAndNarrowsWithMoreSamples() throws {
        var generator = SeededGenerator(seed: 1)
        let samples = (0..<30).map { _ in 100 + generator.nextUnit() }
        let few = try #require(ThroughputInterval(ratesOfEqualTimes: Array(samples.prefix(5))))
        let many = try #require(ThroughputInterval(ratesOfEqualTimes: samples))
        #expect(many.low <= 100.5 && 100.5 <= many.high || many.high - many.low < 0.5)
        #expect(many.high - many.low < few.high - few.low)
        #expect(ThroughputInterval(ratesOfEqualTimes: [1, 2]) == nil)
    }

    /// The times vary by a factor of twenty, like those of single commits.
    @Test(arguments: 0..<50)
    func theThroughputOfEqualCountsLiesInside(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let seconds = (0..<(20 + 3 * Int(seed))).map { _ in
            let unit = generator.nextUnit()
            return 0.001 * (1 + 19 * unit * unit * unit)
        }
        let throughput = Double(seconds.count) / seconds.reduce(0, +)
        let interval = try #require(
            ThroughputInterval(ratesOfEqualCounts: seconds.map { 1 / $0 }))
        #expect(interval.low <= throughput && throughput <= interval.high)
    }

    /// Returns long and short slices. The long ones have the higher rate, as when every hundredth
    /// commit changes a thousand objects.
    private func unequalSlices(_ count: Int, seed: UInt64) -> [ThroughputInterval.Slice] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            let isLong = generator.nextUnit() < 0.3
            let seconds = (isLong ? 10 : 1) * (0.5 + generator.nextUnit())
            return .init(operations: (isLong ? 900 : 100) * seconds, seconds: seconds)
        }
    }

    private func throughput(_ slices: [ThroughputInterval.Slice]) -> Double {
        slices.reduce(0) { $0 + $1.operations } / slices.reduce(0) { $0 + $1.seconds }
    }

    @Test(arguments: 0..<20)
    func theThroughputOfUnequalSlicesLiesInside(seed: UInt64) throws {
        let slices = unequalSlices(40 + 5 * Int(seed), seed: seed)
        let throughput = throughput(slices)
        let interval = try #require(ThroughputInterval(slices: slices, seed: seed))
        #expect(interval.low < throughput && throughput < interval.high)
        #expect(ThroughputInterval(slices: slices, seed: seed) == interval)
        // The mean of the rates is about 340, the throughput some 750.
        let rates = slices.map { $0.operations / $0.seconds }
        #expect(try #require(ThroughputInterval(ratesOfEqualTimes: rates)).high < interval.low)
    }

    /// A perfect interval would hold the true rate in 95 of 100 trials. A bootstrap of thirty
    /// values loses some.
    @Test func theIntervalOfUnequalSlicesHoldsTheTrueRate() throws {
        // The true rate: mean operations of a slice divided by its mean seconds.
        let rate = (0.3 * 10 * 900 + 0.7 * 100) / (0.3 * 10 + 0.7)
        let trials = 100
        let hits = try (0..<trials).count { trial in
            let slices = unequalSlices(30, seed: 1000 + UInt64(trial))
            let interval = try #require(ThroughputInterval(slices: slices, seed: 1))
            return interval.low <= rate && rate <= interval.high
        }
        #expect(hits >= 88, "\(hits) of \(trials)")
        #expect(hits <= 99, "\(hits) of \(trials)")
    }

    @Test func equalSlicesHaveTheirRateAndFewHaveNoInterval() throws {
        let slice = ThroughputInterval.Slice(operations: 30, seconds: 2)
        let interval = try #require(
            ThroughputInterval(slices: Array(repeating: slice, count: 50), seed: 3))
        #expect(interval.low == 15 && interval.high == 15)
        #expect(ThroughputInterval(slices: [slice, slice], seed: 3) == nil)
        let idle = ThroughputInterval.Slice(operations: 0, seconds: 0)
        #expect(ThroughputInterval(slices: [slice, slice, idle], seed: 3) == nil)
    }

    @Test func aRateWithoutUpperBoundHasNoInterval() {
        #expect(ThroughputInterval(ratesOfEqualCounts: [1000, 1000, 1]) == nil)
        #expect(ThroughputInterval(ratesOfEqualCounts: [1, 2]) == nil)
    }

    @Test func manySamplesBecomeThirtyGroups() {
        let groups = ThroughputInterval.groups(of: (0..<300).map(Double.init), atMost: 30)
        #expect(groups.count == 30)
        #expect(groups.first == 4.5)
    }

    @Test func checksCompareRowsWithTheirTargets() throws {
        var single = ColumnTests.result("sensors", "dedicated-thread")
        single.operations = 100
        single.elapsedSeconds = 1
        single.measure("ratio_to_control", 0.69)
        var batched = ColumnTests.result("sensors", "batched")
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
                var row = ColumnTests.result(workload, strategy, engine: engine)
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

    @Test func aColumnIsComparedWithTheMemory() throws {
        var scan = ColumnTests.result("scan-column", "30-properties")
        scan.operations = 49
        scan.elapsedSeconds = 1
        #expect(SpeedCheck.outcomes(for: [scan]) == [])
        var memory = ColumnTests.result(
            "scan-column", "30-properties-memory", engine: "control")
        memory.identifier.size = scan.identifier.size
        memory.operations = 100
        memory.elapsedSeconds = 1
        let outcome = try #require(SpeedCheck.outcomes(for: [scan, memory]).first)
        #expect(outcome.measured == 0.49)
        #expect(!outcome.passed)
    }

    /// A suite has rows of other durability, or of encrypted files, after the durable plain ones.
    /// The checks ignore them.
    @Test func checksAreOfDurablePlainRows() {
        var durable = ColumnTests.result("commit", "api")
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
        var failed = ColumnTests.result("sensors", "dedicated-thread")
        failed.measure("ratio_to_control", 1)
        failed.status = .failed
        #expect(SpeedCheck.outcomes(for: [failed]) == [])
    }

    @Test func theMedianRunStandsForAll() {
        let outcomes = [3.0, 1, 2].map { rate -> CaseOutcome in
            var result = ColumnTests.result()
            result.operations = Int(rate * 100)
            result.elapsedSeconds = 1
            return CaseOutcome(results: [result])
        }
        let chosen = RunSession.representative(of: outcomes)
        #expect(chosen.results[0].operations == 200)
        #expect(chosen.results[0].interval != nil)
    }

    @Test func aFailedRunStandsForAll() {
        var failed = ColumnTests.result()
        failed.status = .failed
        let outcomes = [
            CaseOutcome(results: [ColumnTests.result()]), CaseOutcome(results: [failed]),
        ]
        #expect(RunSession.representative(of: outcomes).results[0].status == .failed)
    }

    @Test func peakMemoryIsKnown() {
        #expect(ProcessStatus.peakResidentBytes() > 1_000_000)
        #expect(ProcessStatus.threadCount() >= 1)
    }

    @Test func theBareDiskWritesWhatItIsTold() throws {
        let folder = try TemporaryFolder()
        let disk = try BareDisk(directory: folder.path)
        try disk.replay([
            CommitShape(writeCalls: 2, bytes: 20_480), CommitShape(writeCalls: 1, bytes: 4096),
        ])
        let result = disk.result(
            beside: BenchmarkCase(
                identifier: CaseIdentifier(workload: "commit", strategy: "engine", size: 1),
                layer: "engine", options: CaseOptions()))
        #expect(result.operations == 2)
        #expect(result.identifier.description == "commit/bare-disk/full/plain/1/control")
        #expect(try #require(result.throughput) > 0)
    }
}
