import Foundation
import ToolSupport

/// The comparison of the counted metrics of a run with those of a baseline.
struct CountedComparison {
    enum Verdict: String { case equal, regression, improvement, missing }

    struct Difference: Equatable {
        var caseId: String
        var metric: String
        /// The values of both sides; nil where a side was not measured.
        var baseline, now: Double?
        /// The further values of the metric in the runs of the baseline's build.
        var otherBaselines: [Double] = []
        var verdict: Verdict

        /// The relative change in percent of the baseline.
        var change: Double? {
            guard let baseline, let now, baseline != 0 else { return nil }
            return (now / baseline - 1) * 100
        }
    }

    /// The metrics that are not equal, in the order of the rows.
    private(set) var differences: [Difference] = []
    /// One sentence for each row that failed or whose digest differs.
    private(set) var wrongResults: [String] = []
    /// One sentence for each row that is present on one side only or did different work.
    private(set) var incomparable: [String] = []
    /// One sentence for each row or metric that is not compared because its count does not repeat
    /// exactly.
    private(set) var notGated: [String] = []
    /// The rows of this run that repeat exactly and that the baseline does not contain.
    private(set) var newRows: [String] = []
    /// All rows of this run that the baseline does not contain.
    private(set) var alone: Set<String> = []
    /// The metrics that differed at first and did not differ when their case was measured again.
    private(set) var unconfirmed: [Difference] = []
    /// The rows whose baseline has metrics that are measured on request only, and were not.
    private(set) var unrequested: [String] = []
    /// The cases of both sides, in the order of the rows.
    private(set) var caseIds: [String] = []
    /// The number of rows and metrics that were compared.
    private(set) var comparedRows = 0
    private(set) var comparedMetrics = 0
    /// Whether the run asked for the metrics that are measured only on request.
    private let withRequested: Bool

    /// Compares the rows that have the same case identifier. Rows that repeat on neither side are
    /// not compared.
    ///
    /// - Parameters:
    ///   - isWhole: Whether a row of the baseline that is missing from `rows` counts as a
    ///     difference; false if cases were left out on purpose.
    ///   - withRequested: Whether a missing metric that is measured only on request counts as a
    ///     difference.
    ///   - unrepeatable: Cases whose counts depend on timing or chance, even if an older baseline
    ///     calls them deterministic.
    init(
        rows: [MetricRow], baseline: [MetricRow], isWhole: Bool, withRequested: Bool = false,
        unrepeatable: Set<String> = []
    ) {
        self.withRequested = withRequested
        let before = Dictionary(baseline.map { ($0.caseId, $0) }) { first, _ in first }
        for row in rows where row.engine != "control" {
            caseIds.append(row.caseId)
            compare(row, before[row.caseId])
        }
        guard isWhole else { return }
        let now = Set(rows.map(\.caseId))
        for row in baseline where row.isDeterministic && !now.contains(row.caseId) {
            caseIds.append(row.caseId)
            if unrepeatable.contains(row.caseId) {
                notGated.append("\(row.caseId) does not repeat, whatever the baseline says.")
            } else {
                incomparable.append("\(row.caseId) is in the baseline, but did not run.")
            }
        }
    }

    private mutating func compare(_ row: MetricRow, _ before: MetricRow?) {
        if row.status == CaseResult.Status.failed.rawValue {
            wrongResults.append("\(row.caseId) failed.")
            return
        }
        guard let before else {
            alone.insert(row.caseId)
            if row.isDeterministic { newRows.append(row.caseId) }
            return
        }
        guard before.isDeterministic else {
            if row.isDeterministic {
                incomparable.append("\(row.caseId) repeats exactly, but did not in the baseline.")
            } else {
                notGated.append("\(row.caseId) does not repeat exactly in the baseline.")
            }
            return
        }
        guard row.status == CaseResult.Status.ok.rawValue else {
            incomparable.append("\(row.caseId) is \(row.status), but was not in the baseline.")
            return
        }
        guard row.isDeterministic else {
            notGated.append("\(row.caseId) does not repeat exactly, whatever the baseline says.")
            return
        }
        guard row.didSameWork(as: before) else {
            incomparable.append(
                "\(row.caseId) did \(row.operations) operations with seed \(row.seed), in the "
                    + "baseline \(before.operations) with seed \(before.seed).")
            return
        }
        comparedRows += 1
        if row.digest != before.digest {
            wrongResults.append(
                "\(row.caseId): the result's digest is \(row.digest ?? "missing"), in the "
                    + "baseline \(before.digest ?? "missing").")
        }
        let workload = row.caseId.prefix { $0 != "/" }
        for metric in GatedMetric.all where !metric.excludedWorkloads.contains(String(workload)) {
            compare(metric, row, before)
        }
        let known = Set(GatedMetric.all.map(\.name))
        for name in before.counted.keys.sorted() where !known.contains(name) {
            incomparable.append("\(row.caseId): no metric of this build is named \(name).")
        }
    }

    private mutating func compare(_ metric: GatedMetric, _ row: MetricRow, _ before: MetricRow) {
        let old = before.counted[metric.name]
        let new = row.counted[metric.name]
        let verdict: Verdict
        switch (old, new) {
        case (nil, nil): return
        case (nil, .some):
            notGated.append("\(row.caseId): \(metric.name) is not in the baseline.")
            return
        case (.some, nil):
            if metric.isOnRequest, !withRequested {
                unrequested.append(row.caseId)
                return
            }
            verdict = .missing
        case (.some(let old), .some(let new)):
            comparedMetrics += 1
            if before.values(of: metric.name).contains(where: { metric.isEqual(new, $0) }) {
                return
            }
            verdict = new > old ? .regression : .improvement
        }
        differences.append(
            Difference(
                caseId: row.caseId, metric: metric.name, baseline: old, now: new,
                otherBaselines: before.otherValues?[metric.name] ?? [], verdict: verdict))
    }

    // MARK: Confirmation

    /// Returns the cases to measure again before the gate may fail because of a metric: those in
    /// which a metric grew or, if `isStrict`, changed. Empty if the gate passes or fails for
    /// another reason.
    func casesToConfirm(isStrict: Bool) -> Set<String> {
        guard let code = code(isStrict: isStrict), code == .regression || code == .improvement
        else { return [] }
        return Set(differences.filter { $0.verdict == .regression || isStrict }.map(\.caseId))
    }

    /// Drops the differences that the second measurement `again` does not confirm. A confirmed
    /// metric differs in the same direction both times. Wrong results and incomparable rows of
    /// `again` are added to those of this comparison.
    mutating func confirm(_ cases: Set<String>, by again: CountedComparison) {
        differences.removeAll { difference in
            guard cases.contains(difference.caseId), difference.verdict != .missing else {
                return false
            }
            let isConfirmed = again.differences.contains {
                $0.caseId == difference.caseId && $0.metric == difference.metric
                    && $0.verdict == difference.verdict
            }
            if !isConfirmed { unconfirmed.append(difference) }
            return !isConfirmed
        }
        differences += again.differences.filter { $0.verdict == .missing }
        wrongResults += again.wrongResults
        incomparable += again.incomparable
    }

    func count(_ verdict: Verdict) -> Int { differences.count { $0.verdict == verdict } }

    /// Returns the exit code of the gate, or nil for a pass. A wrong result takes precedence over a
    /// regression, and a regression over rows that cannot be compared.
    func code(isStrict: Bool) -> BenchmarkError.Code? {
        if !wrongResults.isEmpty { return .caseFailed }
        if count(.regression) > 0 { return .regression }
        if !incomparable.isEmpty || count(.missing) > 0 || comparedMetrics == 0 {
            return .notComparable
        }
        return isStrict && count(.improvement) > 0 ? .improvement : nil
    }

    /// Returns the differences as a table, which is empty if there are none.
    func table() -> TextTable {
        var table = TextTable(header: ["case", "metric", "baseline", "now", "change", "verdict"])
        table.leftColumns = [0, 1, 5]
        table.rows = differences.map { difference in
            [
                difference.caseId, difference.metric,
                ([difference.baseline] + difference.otherBaselines)
                    .map { ColumnCatalogue.decimal($0) }.joined(separator: " or "),
                ColumnCatalogue.decimal(difference.now),
                difference.change.map { Percent.signed($0) } ?? "",
                difference.verdict == .missing ? "not measured" : difference.verdict.rawValue,
            ]
        }
        return table
    }
}

enum Percent {
    /// Formats a percentage with its sign, as in `+3.21 %`, with enough digits to show a small
    /// change.
    static func signed(_ percent: Double) -> String {
        let digits = abs(percent) < 0.01 ? "%+.5f" : "%+.2f"
        return String(format: digits, percent) + " %"
    }

    /// Formats a fraction as a percentage, as in `3.2 %`.
    static func plain(_ fraction: Double) -> String {
        String(format: "%.1f %%", fraction * 100)
    }
}
