import Foundation
import ToolSupport

/// The folder `results/<run>/` of a run, read back from the files that ``RunFolderWriter`` writes.
struct RunFolder {
    let path: String
    var header: RunReport
    var rows: [RunRow]
    var samples: [RunSample] = []
    /// The measures by ``RunRow/name`` and their own name.
    var measures: [String: [String: Double]] = [:]
    /// The timelines by ``RunRow/name``.
    var timeline: [String: [TimelinePoint]] = [:]
    var growth: [String: [GrowthPoint]] = [:]

    static let reportName = "run.json"
    static let summaryName = "summary.csv"
    static let measuresName = "measures.csv"

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path + "/" + reportName)
    }

    /// Whether a folder has rows of a run that nothing is known of.
    static func hasRowsOnly(_ path: String) -> Bool {
        !exists(path) && FileManager.default.fileExists(atPath: path + "/" + summaryName)
    }

    /// Returns the path of a histogram, relative to the folder of the run.
    static func histogramFile(of name: String, _ kind: HistogramKind) -> String {
        let name = name.replacing("/", with: "-").replacing(" ", with: "-")
        return "histograms/\(name)\(kind == .latency ? "" : "." + kind.rawValue).hgrm"
    }

    /// Returns the percentiles of a case; empty if the case did not report that distribution.
    func percentiles(
        of name: String, _ kind: HistogramKind = .latency
    ) -> [HistogramText.Percentile] {
        let file = path + "/" + Self.histogramFile(of: name, kind)
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return [] }
        return HistogramText.percentiles(in: text)
    }
}

extension RunFolder {
    /// Reads the files. Throws `usage` if the folder does not hold a run, and `notComparable` if
    /// its files have another schema version.
    ///
    /// - Parameter isWhole: Whether a file that is cut is an error, and not that of an interrupted
    ///   run.
    init(path: String, isWhole: Bool = false) throws {
        self.path = path
        header = try Self.report(path)
        let read = try RunRows(path: path, isWhole: isWhole)
        (rows, samples, measures) = (read.rows, read.samples, read.measures)
        timeline = try Self.grouped(
            RunRows.records(path, TimelinePoint.fileName), TimelinePoint.init)
        growth = try Self.grouped(RunRows.records(path, GrowthPoint.fileName), GrowthPoint.init)
    }

    private static func report(_ path: String) throws -> RunReport {
        let file = path + "/" + reportName
        let data: Data
        do { data = try Data(contentsOf: URL(fileURLWithPath: file)) } catch {
            guard !hasRowsOnly(path) else {
                throw BenchmarkError(
                    .notComparable,
                    "'\(path)' has the rows of a run and not its \(reportName), which says on "
                        + "which machine, with which toolchain and of which commit it was. Without "
                        + "it the run can be neither reported nor compared; runs that were "
                        + "published until 2026-11-27 were kept so.")
            }
            throw BenchmarkError(
                .usage,
                "'\(path)' is not the folder of a run: '\(file)' cannot be read. Name a folder "
                    + "that \(ToolProgram.current.name) run made, as results/20260131T120000Z-4711."
            )
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        // The version comes first, so that a report of another layout is not called malformed.
        struct Version: Decodable { var schemaVersion: Int? }
        let version = try? decoder.decode(Version.self, from: data)
        try SchemaVersion.check(version?.schemaVersion, in: file)
        do { return try decoder.decode(RunReport.self, from: data) } catch {
            throw BenchmarkError(
                .usage, "'\(file)' is not what a run writes: \(DecodingProblem.text(of: error)).")
        }
    }

    private static func grouped<Point>(
        _ rows: [RunRow]?, _ point: (RunRow) -> Point?
    ) -> [String: [Point]] {
        Dictionary(grouping: rows ?? [], by: \.name).mapValues { $0.compactMap(point) }
    }
}

/// The version of the layout of files that a later run of the tool reads.
enum SchemaVersion {
    /// Throws `notComparable` unless a file has the layout of this build; nil stands for a file
    /// that has no version.
    static func check(_ version: Int?, in file: String) throws {
        let own = RunContext.schemaVersion
        guard version != own else { return }
        let advice =
            version ?? 0 < own
            ? "Run the cases again with this build."
            : "Read it with the build that wrote it, or a newer one."
        throw BenchmarkError(
            .notComparable,
            "'\(file)' has the layout of schema version \(version.map(String.init) ?? "none"), "
                + "this build that of \(own). \(advice)")
    }
}
