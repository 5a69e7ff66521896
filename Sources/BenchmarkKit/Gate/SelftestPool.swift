import Foundation
import ToolSupport

/// A pool of short process runs of every row, on which the gate is tested.
struct SelftestPool {
    /// The planted slowdowns of every interval.
    static let plants = [0.02, 0.05, 0.1, 0.2].map { PlantedSlowdown(fraction: $0) }
    /// A slowdown of one interval in a hundred, which takes five times as long.
    static let tailPlant = PlantedSlowdown(fraction: 4, every: 100)

    struct Entry: Equatable, Sendable {
        /// The round of the run. Runs of one round follow each other, and both sides of a simulated
        /// comparison are drawn by round.
        var round: Int
        /// Which of the two sets of fixtures the run read, 0 or 1.
        var side: Int
        var planted: PlantedSlowdown
        /// The fingerprint of the case's options.
        var options: String
        var run: TimedRun
    }

    static let header = [
        "schema_version", "machine", "case_id", "round", "side", "planted", "operations",
        "elapsed_s", "latency_p10_us", "latency_p50_us", "slow_share",
        "chain_before_ns", "chain_after_ns",
        "wide_before_ns", "wide_after_ns", "processor_s", "wall_s", "digest", "options",
        "sync_share",
    ]

    /// The folder name of the timed key of the measuring machine.
    var machine: String
    var entries: [Entry] = []

    /// The case identifiers in the order in which they were first measured.
    var caseIds: [String] {
        var seen: Set<String> = []
        return entries.map(\.run.report.caseId).filter { seen.insert($0).inserted }
    }

    /// The number of rounds that every case has begun.
    var rounds: Int {
        Dictionary(grouping: entries, by: \.run.report.caseId).values
            .map { Set($0.map(\.round)).count }.min() ?? 0
    }

    /// The fraction of processes that began or ended on a crowded core.
    var crowdedFraction: Double {
        let calibrations = entries.map { [$0.run.calibrationBefore, $0.run.calibrationAfter] }
        var scale = CrowdingScale()
        for calibration in calibrations.joined() { scale.add(calibration) }
        let crowded = calibrations.count { !$0.allSatisfy(scale.isCalm) }
        return Double(crowded) / Double(max(1, entries.count))
    }

    static func fields(_ entry: Entry, machine: String) -> [String] {
        let run = entry.run
        let report = run.report
        // Writes all digits, so that an analysis of the file equals that of the run.
        func text(_ value: Double?) -> String { value.map { "\($0)" } ?? "" }
        return [
            String(RunContext.schemaVersion), machine, report.caseId, String(entry.round),
            String(entry.side), entry.planted.description, String(report.operations),
            text(report.elapsedSeconds), text(report.latencyP10), text(report.latencyP50),
            text(report.slowShare),
            text(run.calibrationBefore.chainNanoseconds),
            text(run.calibrationAfter.chainNanoseconds),
            text(run.calibrationBefore.wideNanoseconds),
            text(run.calibrationAfter.wideNanoseconds), text(report.processorSeconds),
            text(report.wallSeconds), report.digest ?? "", entry.options,
            text(report.syncShare),
        ]
    }

    static func load(_ path: String) throws -> SelftestPool {
        let records = try CSVRow.rows(in: TextFile.unpacked(path), path: path)
        guard let first = records.first else {
            throw BenchmarkError(.usage, "The pool '\(path)' has no rows.")
        }
        try SchemaVersion.check(first.integer("schema_version"), in: path)
        var pool = SelftestPool(machine: first["machine"])
        for (index, record) in records.enumerated() {
            guard let entry = Entry(record) else {
                throw BenchmarkError(
                    .usage, "\(path): the record \(index + 1) is not one of a selftest's pool.")
            }
            pool.entries.append(entry)
        }
        return pool
    }
}

extension SelftestPool.Entry {
    fileprivate init?(_ record: CSVRow) {
        func number(_ name: String) -> Double? { record.number(name) }
        guard let round = record.integer("round"),
            let side = record.integer("side"), let planted = PlantedSlowdown(record["planted"]),
            let operations = number("operations"),
            let elapsed = number("elapsed_s"), let chainBefore = number("chain_before_ns"),
            let chainAfter = number("chain_after_ns"), let wideBefore = number("wide_before_ns"),
            let wideAfter = number("wide_after_ns"), let processor = number("processor_s"),
            let wall = number("wall_s"), record.hasColumn("case_id"), record.hasColumn("options")
        else { return nil }
        self.round = round
        self.side = side
        self.planted = planted
        options = record["options"]
        let report = TimedReport(
            caseId: record["case_id"], status: .ok, operations: Int(operations),
            elapsedSeconds: elapsed,
            latencyP10: number("latency_p10_us"), latencyP50: number("latency_p50_us"),
            // Pools before 2026-11-27 lack it.
            slowShare: record.hasColumn("slow_share") ? number("slow_share") : nil,
            // Pools before 2026-11-28 lack it.
            syncShare: record.hasColumn("sync_share") ? number("sync_share") : nil,
            processorSeconds: processor, wallSeconds: wall,
            digest: record["digest"].isEmpty ? nil : record["digest"])
        run = TimedRun(
            report: report,
            calibrationBefore: Calibration(
                chainNanoseconds: chainBefore, wideNanoseconds: wideBefore),
            calibrationAfter: Calibration(
                chainNanoseconds: chainAfter, wideNanoseconds: wideAfter))
    }
}
