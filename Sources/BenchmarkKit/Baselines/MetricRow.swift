import Foundation

/// One case of a run or of a baseline: what was counted, and what took how long.
struct MetricRow: Codable, Equatable, Sendable {
    var caseId: String
    var engine: String
    var status: String
    var seed: UInt64
    var operations: Int
    var digest: String?
    /// By the name of the column or measure.
    var counted: [String: Double]
    var timed: [String: Double]
    /// Operations a second of each run of the case, where there were several.
    var throughputSamples: [Double]?

    /// Whether a second run of the same build counts the same; see the column `deterministic`.
    var isDeterministic: Bool

    /// From the fields of `summary.csv` by column, and the measures of the same case.
    init(fields: [String: String], measures: [String: Double]) throws {
        func text(_ name: String) throws -> String {
            guard let text = fields[name] else {
                throw BenchmarkError(.notComparable, "The column '\(name)' is missing.")
            }
            return text
        }
        func number(_ name: String) -> Double? {
            fields[name].flatMap { $0.isEmpty ? nil : Double($0) } ?? measures[name]
        }
        let sweep = fields["sweep"] ?? ""
        caseId = try text("case_id") + (sweep.isEmpty ? "" : " " + sweep)
        engine = try text("engine")
        status = try text("status")
        seed = UInt64(try text("seed")) ?? 0
        operations = Int(try text("operations")) ?? 0
        let digest = try text("digest")
        self.digest = digest.isEmpty ? nil : digest
        counted = [:]
        for metric in GatedMetric.all { counted[metric.name] = number(metric.name) }
        timed = [:]
        for name in ["throughput_ops_per_s", "latency_p50_us", "latency_p99_us"] {
            timed[name] = number(name)
        }
        isDeterministic =
            try text("deterministic") == "true" && status == CaseResult.Status.ok.rawValue
    }

    /// The same figures as if they had been read from the run's files, rounding included.
    init(_ result: CaseResult) throws {
        let fields = ColumnCatalogue.fields(
            of: result, context: RunContext(runIdentifier: ""))
        let measures = result.measures.compactMap { measure in
            Double(ColumnCatalogue.decimal(measure.value)).map { (measure.name, $0) }
        }
        try self.init(
            fields: Dictionary(uniqueKeysWithValues: zip(ColumnCatalogue.header, fields)),
            measures: Dictionary(measures) { first, _ in first })
    }
}

/// A counted metric; less of it is better.
struct GatedMetric: Equatable, Sendable {
    var name: String
    /// The relative change that is still none.
    var tolerance: Double = 0
    /// Workloads in which other threads of the process add a little of it, by time.
    var excludedWorkloads: Set<String> = []
    /// Measured only where a run asks for it, so that its absence says nothing.
    var isOnRequest = false

    /// A sampler of the file's size runs beside the writers.
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
