import Foundation
import ToolSupport

/// The counted and timed metrics of one case of a run or a baseline.
struct MetricRow: Codable, Equatable, Sendable {
    var caseId: String
    var engine: String
    var status: String
    var seed: UInt64
    var operations: Int
    var digest: String?
    /// The counted metrics by the name of their column or measure.
    var counted: [String: Double]
    /// The further values of counted metrics that runs of the same build had, by name, in ascending
    /// order. Present only in a baseline of several runs; `counted` has the most frequent value.
    var otherValues: [String: [Double]]?
    var timed: [String: Double]
    /// The operations a second of each repetition of the case; nil if there was only one.
    var throughputSamples: [Double]?

    /// Whether another run of the same build counts the same; see the column `deterministic`.
    var isDeterministic: Bool

    /// Creates a row from one of `summary.csv` and the measures of the same case.
    init(_ row: RunRow, measures: [String: Double]) throws {
        func number(_ name: String) -> Double? { row.number(name) ?? measures[name] }
        _ = try row.required("case_id")
        caseId = row.name
        engine = try row.required("engine")
        status = try row.required("status")
        seed = UInt64(try row.required("seed")) ?? 0
        operations = Int(try row.required("operations")) ?? 0
        let digest = try row.required("digest")
        self.digest = digest.isEmpty ? nil : digest
        counted = [:]
        for metric in GatedMetric.all { counted[metric.name] = number(metric.name) }
        timed = [:]
        for name in [
            "throughput_ops_per_s", "latency_p50_us", "latency_p99_us", "other_load_cores",
        ] {
            timed[name] = number(name)
        }
        isDeterministic =
            try row.required("deterministic") == "true"
            && status == CaseResult.Status.ok.rawValue
    }

    /// Whether two rows of one case did the same operations.
    func didSameWork(as other: MetricRow) -> Bool {
        operations == other.operations && seed == other.seed
    }

    /// Creates the row that reading the run's files would give, with the same rounding.
    init(_ result: CaseResult) throws {
        let measures = result.measures.compactMap { measure in
            Double(ColumnCatalogue.decimal(measure.value)).map { (measure.name, $0) }
        }
        try self.init(
            RunRow(result, context: RunContext(runIdentifier: "")),
            measures: Dictionary(measures) { first, _ in first })
    }
}

extension RunFolder {
    /// Returns the metrics of all rows, those of controls included.
    ///
    /// - Throws: `notComparable` if a case has several rows, of which none is the right one.
    func metricRows() throws -> [MetricRow] {
        let found = try metrics()
        try MetricRow.checkUnique(found, in: "'\(path)/\(Self.summaryName)'")
        return found
    }

    private func metrics() throws -> [MetricRow] {
        let rates = Dictionary(grouping: samples, by: \.name).mapValues { $0.map(\.throughput) }
        return try rows.map { row in
            var metrics = try MetricRow(row, measures: measures[row.name] ?? [:])
            if let rates = rates[row.name], rates.count > 1 { metrics.throughputSamples = rates }
            return metrics
        }
    }
}

extension MetricRow {
    /// Throws `notComparable` if several rows are of the same case.
    static func checkUnique(_ rows: [MetricRow], in place: String) throws {
        var ids: Set<String> = []
        let measured = rows.filter { $0.engine != "control" }
        guard let twice = measured.first(where: { !ids.insert($0.caseId).inserted }) else { return }
        throw BenchmarkError(
            .notComparable,
            "\(place) has several rows of \(twice.caseId), so nothing can be compared with it.")
    }
}

/// A counted metric, of which less is better.
struct GatedMetric: Equatable, Sendable {
    var name: String
    /// The largest relative change that still counts as equal.
    var tolerance: Double = 0
    /// The workloads in which other threads of the process add to the metric by an amount that
    /// depends on timing.
    var excludedWorkloads: Set<String> = []
    /// Whether the metric is measured only on request, so that a missing value is no difference.
    var isOnRequest = false

    /// Whether `value` equals `reference` within the tolerance.
    func isEqual(_ value: Double, _ reference: Double) -> Bool {
        abs(value - reference) <= tolerance * abs(reference)
    }

    /// The workloads with a thread that samples the file's size beside the writers.
    private static let sampled: Set<String> = [SensorsWorkload.name]

    static let all: [GatedMetric] = [
        GatedMetric(name: "syncs_per_commit"), GatedMetric(name: "write_calls_per_commit"),
        GatedMetric(name: "bytes_written_per_commit"),
        GatedMetric(name: "pages_written_per_commit"), GatedMetric(name: "file_bytes"),
        GatedMetric(name: "live_bytes"),
        GatedMetric(name: "allocations_per_op", excludedWorkloads: sampled),
        GatedMetric(name: "allocated_bytes_per_op", excludedWorkloads: sampled),
        GatedMetric(name: "instructions", tolerance: 0.005, isOnRequest: true),
    ]
}

extension MetricRow {
    /// Returns all observed values of a metric, the most frequent first; empty if it was not
    /// measured.
    func values(of metric: String) -> [Double] {
        guard let usual = counted[metric] else { return [] }
        return [usual] + (otherValues?[metric] ?? [])
    }

    /// Merges the rows that several runs of one build have of the same case. Every metric keeps all
    /// its values, and its most frequent value becomes the usual one.
    ///
    /// - Throws: `notComparable` if the runs did different work, `caseFailed` if their digests
    ///   differ.
    init(merging rows: [MetricRow]) throws {
        self = rows[0]
        for row in rows.dropFirst() {
            guard row.didSameWork(as: self),
                row.isDeterministic == isDeterministic, Set(row.counted.keys) == Set(counted.keys)
            else {
                throw BenchmarkError(
                    .notComparable, "The runs did other work or counted other things in \(caseId).")
            }
            // Where time decides how much work is done, digests differ between correct runs.
            guard row.digest == digest || !isDeterministic else {
                throw BenchmarkError(.caseFailed, "The runs came to other results in \(caseId).")
            }
        }
        guard isDeterministic else { return }
        for name in counted.keys {
            let values = rows.compactMap { $0.counted[name] }
            let frequencies = values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            let most = frequencies.values.max() ?? 0
            guard let usual = values.first(where: { frequencies[$0] == most }) else { continue }
            counted[name] = usual
            let metric = GatedMetric.all.first { $0.name == name }
            let others = frequencies.keys.filter { metric?.isEqual($0, usual) != true }.sorted()
            if !others.isEmpty { otherValues = (otherValues ?? [:]).merging([name: others]) { $1 } }
        }
    }
}
