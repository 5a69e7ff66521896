import Foundation
import Glibc
import ToolSupport

/// The folder `results/<run>/` with everything that a run leaves.
final class RunDirectory {
    let path: String
    let context: RunContext
    let summary: CSVFile
    private let timeline: CSVFile
    private let samples: CSVFile
    private let measures: CSVFile
    private let growth: CSVFile

    /// Creates the folder, and `parent` if it is missing. The run's name is its start in UTC and
    /// the process identifier. `suffix` is appended to distinguish several runs of one process.
    init(parent: String, suffix: String = "") throws {
        let name = "\(Self.timestamp())-\(getpid())\(suffix)"
        let directory = URL(fileURLWithPath: parent).appendingPathComponent(name).path
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw BenchmarkError(
                .internalError,
                "The results folder '\(directory)' cannot be made: "
                    + "\((error as NSError).localizedDescription)")
        }
        path = directory
        context = RunContext(runIdentifier: name)
        summary = try CSVFile(path: directory + "/summary.csv", header: ColumnCatalogue.header)
        timeline = try CSVFile(
            path: directory + "/timeline.csv",
            header: [
                "run_id", "case_id", "elapsed_s", "operations", "file_bytes", "rss_bytes", "sweep",
            ])
        samples = try CSVFile(path: directory + "/samples.csv", header: Self.samplesHeader)
        measures = try CSVFile(
            path: directory + "/measures.csv", header: MeasureCatalogue.header)
        growth = try CSVFile(path: directory + "/growth.csv", header: GrowthPoint.header)
    }

    func append(_ result: CaseResult) throws {
        try summary.append(ColumnCatalogue.fields(of: result, context: context))
        for measure in result.measures {
            try measures.append([
                context.runIdentifier, result.identifier.description, measure.name,
                ColumnCatalogue.decimal(measure.value), result.sweep,
            ])
        }
    }

    static let samplesHeader = [
        "run_id", "case_id", "run", "operations", "elapsed_s", "throughput_ops_per_s",
        "latency_p50_us", "latency_p99_us", "other_load_cores", "status", "sweep",
    ]

    func append(sample result: CaseResult, run: Int) throws {
        try samples.append([
            context.runIdentifier, result.identifier.description, String(run),
            String(result.operations), ColumnCatalogue.decimal(result.elapsedSeconds),
            ColumnCatalogue.decimal(result.throughput),
            ColumnCatalogue.decimal(result.latency?.p50),
            ColumnCatalogue.decimal(result.latency?.p99),
            ColumnCatalogue.decimal(result.measure("other_load_cores")), result.status.rawValue,
            result.sweep,
        ])
    }

    func append(
        _ points: [TimelinePoint], of identifier: CaseIdentifier, sweep: String = ""
    ) throws {
        for point in points {
            try timeline.append([
                context.runIdentifier, identifier.description,
                ColumnCatalogue.decimal(point.elapsed), String(point.operations),
                String(point.fileBytes), String(point.residentBytes), sweep,
            ])
        }
    }

    func append(
        _ points: [GrowthPoint], of identifier: CaseIdentifier, sweep: String = ""
    ) throws {
        for point in points {
            try growth.append(
                point.fields(run: context.runIdentifier, case: identifier.description) + [sweep])
        }
    }

    /// Writes histograms into `histograms/`. The file of the latency has the case's name with `-`
    /// for `/` and spaces; other distributions append their own name after a dot.
    func write(_ histograms: [HistogramKind: HistogramData], of name: String) throws {
        guard histograms.contains(where: { !$0.value.isEmpty }) else { return }
        try FolderFiles.make(path + "/histograms")
        for (kind, data) in histograms where !data.isEmpty {
            let file = path + "/" + Self.histogramFile(of: name, kind)
            do {
                try Data(HistogramText.text(of: data).utf8)
                    .write(to: URL(fileURLWithPath: file))
            } catch {
                throw BenchmarkError(
                    .internalError,
                    "'\(file)' cannot be written: \((error as NSError).localizedDescription)")
            }
        }
    }

    /// Returns the path of a histogram, relative to the folder of the run.
    static func histogramFile(of name: String, _ kind: HistogramKind) -> String {
        let name = name.replacing("/", with: "-").replacing(" ", with: "-")
        return "histograms/\(name)\(kind == .latency ? "" : "." + kind.rawValue).hgrm"
    }

    func write(_ report: RunReport) throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(report)
        do { try data.write(to: URL(fileURLWithPath: path + "/run.json"), options: .atomic) } catch
        {
            throw BenchmarkError(
                .internalError,
                "'\(path)/run.json' cannot be written: "
                    + "\((error as NSError).localizedDescription)")
        }
    }

    /// Returns the time in UTC, as in `20260131T235959Z`.
    private static func timestamp() -> String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        var buffer = [CChar](repeating: 0, count: 32)
        let length = strftime(&buffer, buffer.count, "%Y%m%dT%H%M%SZ", &parts)
        return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
