import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct CountedComparisonTests {
    private func row(
        _ counted: [String: Double], id: String = "a", digest: String = "d", operations: Int = 10
    ) throws -> MetricRow {
        var fields = [
            "case_id": id, "engine": "realm", "status": "ok", "seed": "1",
            "operations": String(operations), "digest": digest, "deterministic": "true",
        ]
        for (name, value) in counted { fields[name] = "\(value)" }
        return try MetricRow(RunRow(CSVRow(fields)), measures: [:])
    }

    private func code(
        _ now: [MetricRow], _ before: [MetricRow], strict: Bool = false
    ) -> BenchmarkError.Code? {
        CountedComparison(rows: now, baseline: before, isWhole: true).code(isStrict: strict)
    }

    @Test func countedMetricsAreComparedExactly() throws {
        let before = [try row(["file_bytes": 4096, "allocations_per_op": 2.5])]
        #expect(code(before, before) == nil)
        let more = [try row(["file_bytes": 4096, "allocations_per_op": 2.500001])]
        #expect(code(more, before) == .regression)
        let less = [try row(["file_bytes": 4095, "allocations_per_op": 2.5])]
        #expect(code(less, before) == nil)
        #expect(code(less, before, strict: true) == .improvement)
    }

    @Test func instructionsMayDifferByHalfAPercent() throws {
        let before = [try row(["instructions": 1000])]
        #expect(code([try row(["instructions": 1005])], before) == nil)
        #expect(code([try row(["instructions": 1005.1])], before) == .regression)
        let less = [try row(["instructions": 994.9])]
        #expect(code(less, before, strict: true) == .improvement)
    }

    @Test func aDifferentResultCountsMoreThanARegression() throws {
        let before = [try row(["file_bytes": 4096])]
        #expect(code([try row(["file_bytes": 8192], digest: "e")], before) == .caseFailed)
        #expect(code([try row(["file_bytes": 4096], digest: "")], before) == .caseFailed)
    }

    @Test func aMetricThatTheBuildDoesNotKnowIsNoPass() throws {
        let now = [try row(["file_bytes": 1])]
        var before = now
        before[0].counted["fyle_bytes"] = 1
        #expect(code(now, before) == .notComparable)
        let comparison = CountedComparison(rows: now, baseline: before, isWhole: true)
        #expect(comparison.incomparable == ["a: no metric of this build is named fyle_bytes."])
    }

    @Test func instructionsThatWereNotAskedForAreTold() throws {
        let before = [try row(["file_bytes": 1, "instructions": 5])]
        let comparison = CountedComparison(
            rows: [try row(["file_bytes": 1])], baseline: before, isWhole: true)
        #expect(comparison.unrequested == ["a"])
        #expect(comparison.code(isStrict: true) == nil)
    }

    @Test func whatCannotBeComparedIsNoPass() throws {
        let before = [try row(["file_bytes": 1], id: "a"), try row(["file_bytes": 1], id: "b")]
        #expect(code([before[0]], before) == .notComparable)
        #expect(code([before[0], try row([:], id: "b")], before) == .notComparable)
        let other = try row(["file_bytes": 1], id: "b", operations: 11)
        #expect(code([before[0], other], before) == .notComparable)
        #expect(code([], []) == .notComparable)
        let filtered = CountedComparison(rows: [before[0]], baseline: before, isWhole: false)
        #expect(filtered.code(isStrict: false) == nil)
        let added = CountedComparison(
            rows: before + [try row(["file_bytes": 1], id: "c")], baseline: before, isWhole: true)
        #expect(added.newRows == ["c"])
        // Nothing was found of a row that only one side has, whether it repeats or not.
        var unsteady = try row(["file_bytes": 1], id: "d")
        unsteady.isDeterministic = false
        let alone = CountedComparison(
            rows: [unsteady, try row(["file_bytes": 1], id: "c")], baseline: before,
            isWhole: false)
        #expect(alone.entries(isStrict: true).map(\.status) == [.skipped, .skipped])
        #expect(added.code(isStrict: true) == nil)
    }

    @Test func whatIsNotGatedIsNamed() throws {
        let counted = try row(["file_bytes": 1])
        var unsteady = counted
        unsteady.isDeterministic = false
        var other = unsteady
        other.caseId = "b"
        // The row could be gated now, but the baseline has no value to compare it with.
        #expect(code([counted], [unsteady]) == .notComparable)
        let both = CountedComparison(
            rows: [try row(["file_bytes": 1, "live_bytes": 2]), other],
            baseline: [counted, other], isWhole: true)
        #expect(both.code(isStrict: true) == nil)
        #expect(
            both.notGated == [
                "a: live_bytes is not in the baseline.",
                "b does not repeat exactly in the baseline.",
            ])
    }

    @Test func instructionsThatWereAskedForMayNotBeMissing() throws {
        let before = [try row(["file_bytes": 1, "instructions": 1000])]
        let now = [try row(["file_bytes": 1])]
        #expect(code(now, before) == nil)
        let asked = CountedComparison(
            rows: now, baseline: before, isWhole: true, withRequested: true)
        #expect(asked.code(isStrict: false) == .notComparable)
    }

    @Test func aMetricWithSeveralValuesIsGatedByTheirSet() throws {
        let seen = [
            try row(["allocated_bytes_per_op": 5]), try row(["allocated_bytes_per_op": 7]),
            try row(["allocated_bytes_per_op": 5]),
        ]
        let before = [try MetricRow(merging: seen)]
        #expect(before[0].values(of: "allocated_bytes_per_op") == [5, 7])
        #expect(code(seen, before, strict: true) == nil)
        for (value, expected) in [(6, .regression), (8, .regression), (4, .improvement)]
            as [(Double, BenchmarkError.Code)]
        {
            let now = [try row(["allocated_bytes_per_op": value])]
            #expect(code(now, before, strict: true) == expected)
        }
    }

    @Test func runsOfOneBuildMayNotDifferInResultOrWork() throws {
        let one = try row(["file_bytes": 1])
        #expect(throws: BenchmarkError.self) {
            try MetricRow(merging: [one, row(["file_bytes": 1], digest: "e")])
        }
        #expect(throws: BenchmarkError.self) {
            try MetricRow(merging: [one, row(["file_bytes": 1], operations: 11)])
        }
        #expect(throws: BenchmarkError.self) {
            try MetricRow(merging: [one, row(["live_bytes": 1])])
        }
        let instructions = try MetricRow(
            merging: [row(["instructions": 1000]), row(["instructions": 1004])])
        #expect(instructions.otherValues == nil)
    }

    @Test func onlyWhatGrowsTwiceIsARegression() throws {
        let before = [try row(["file_bytes": 4, "live_bytes": 4]), try row([:], id: "b")]
        func compared(_ rows: [MetricRow], isWhole: Bool = true) -> CountedComparison {
            CountedComparison(rows: rows, baseline: before, isWhole: isWhole)
        }
        let grown = [try row(["file_bytes": 5, "live_bytes": 5]), before[1]]
        var comparison = compared(grown)
        #expect(comparison.casesToConfirm(isStrict: false) == ["a"])
        comparison.confirm(
            ["a"], by: compared([try row(["file_bytes": 4, "live_bytes": 6])], isWhole: false))
        #expect(comparison.differences.map(\.metric) == ["live_bytes"])
        #expect(comparison.unconfirmed.map(\.metric) == ["file_bytes"])
        #expect(comparison.code(isStrict: false) == .regression)

        comparison = compared(grown)
        comparison.confirm(["a"], by: compared([before[0]], isWhole: false))
        #expect(comparison.code(isStrict: true) == nil)

        // A second change in the other direction confirms nothing.
        comparison = compared(grown)
        comparison.confirm(
            ["a"], by: compared([try row(["file_bytes": 3, "live_bytes": 3])], isWhole: false))
        #expect(comparison.code(isStrict: true) == nil)

        // A wrong result in the second measurement is a failure, not a confirmation.
        comparison = compared(grown)
        comparison.confirm(
            ["a"],
            by: compared(
                [try row(["file_bytes": 4, "live_bytes": 4], digest: "e")], isWhole: false)
        )
        #expect(comparison.code(isStrict: false) == .caseFailed)
    }

    @Test func improvementsAreMeasuredAgainOnlyWhereTheyFail() throws {
        let before = [try row(["file_bytes": 4])]
        let comparison = CountedComparison(
            rows: [try row(["file_bytes": 3])], baseline: before, isWhole: true)
        #expect(comparison.casesToConfirm(isStrict: false) == [])
        #expect(comparison.casesToConfirm(isStrict: true) == ["a"])
        let wrong = CountedComparison(
            rows: [try row(["file_bytes": 5], digest: "e")], baseline: before, isWhole: true)
        #expect(wrong.casesToConfirm(isStrict: true) == [])
    }

    @Test func aRowThatCannotRepeatIsNotGatedByAnOlderBaseline() throws {
        let before = [try row(["file_bytes": 4]), try row(["file_bytes": 4], id: "relaxed")]
        let comparison = CountedComparison(
            rows: [before[0]], baseline: before, isWhole: true, unrepeatable: ["relaxed"])
        #expect(comparison.code(isStrict: true) == nil)
        #expect(
            comparison.notGated == ["relaxed does not repeat, whatever the baseline says."])
    }

    @Test(arguments: ["insert", "commit", "update", "sensors", "concurrent-commit"])
    func onlyOneDurableWriterRepeats(workload: String) throws {
        func cases(_ durability: Durability, _ threads: Int) throws -> [BenchmarkCase] {
            var options = CaseOptions()
            options.count = 100
            options.threads = threads
            return try WorkloadCatalogue.workload(named: workload).strategies.compactMap {
                try WorkloadCatalogue.makeCase(
                    workload: workload, strategy: $0.name, durability: durability, size: nil,
                    options: options)
            }.filter { $0.unsupported == nil }
        }
        #expect(try cases(.full, 1).contains { $0.isDeterministic })
        #expect(try !cases(.relaxed, 1).contains { $0.isDeterministic })
        #expect(try !cases(.full, 2).contains { $0.isDeterministic })
    }
}
