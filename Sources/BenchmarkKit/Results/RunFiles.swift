import Foundation
import ToolSupport

/// The files of a run, read back as the input of reports.
struct RunFiles {
    var header: RunReport
    var rows: [RunRow]
    var samples: [RunSample]
    /// The timelines by ``RunRow/name``.
    var timeline: [String: [TimelinePoint]]
    var growth: [String: [GrowthPoint]]
    private let path: String

    /// One of the repeated runs of a case.
    struct RunSample: Equatable, Sendable {
        /// The name as in ``RunRow/name``.
        var name: String
        var run: Int
        var throughput: Double
    }

    /// Reads the files. Throws `usage` if the folder does not hold a run, and `notComparable` if
    /// its files have another schema version.
    init(path: String) throws {
        self.path = path
        header = try Self.readHeader(path)
        rows = try Self.records(path, "summary.csv", isNeeded: true)
        for row in rows where row["schema_version"] != String(RunContext.schemaVersion) {
            throw Self.otherLayout(path, row["schema_version"])
        }
        samples = try Self.records(path, "samples.csv").compactMap { row in
            guard let run = row.number("run"), let rate = row.number("throughput_ops_per_s") else {
                return nil
            }
            return RunSample(name: row.name, run: Int(run), throughput: rate)
        }
        timeline = try Self.grouped(Self.records(path, "timeline.csv"), TimelinePoint.init)
        growth = try Self.grouped(Self.records(path, "growth.csv"), GrowthPoint.init)
    }

    /// Returns the percentiles of a case; empty if the case did not report that distribution.
    func percentiles(
        of name: String, _ kind: HistogramKind = .latency
    ) -> [HistogramText.Percentile] {
        let file = path + "/" + RunDirectory.histogramFile(of: name, kind)
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return [] }
        return HistogramText.percentiles(in: text)
    }

    private static func readHeader(_ path: String) throws -> RunReport {
        let file = path + "/run.json"
        let data: Data
        do { data = try Data(contentsOf: URL(fileURLWithPath: file)) } catch {
            throw BenchmarkError(
                .usage,
                "'\(path)' is not the folder of a run: '\(file)' cannot be read. Name a folder "
                    + "that realm-bench run made, as results/20260131T120000Z-4711.")
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        struct Version: Decodable { var schemaVersion: Int? }
        let version = (try? decoder.decode(Version.self, from: data))?.schemaVersion
        guard version == RunContext.schemaVersion else {
            throw otherLayout(path, version.map(String.init) ?? "none")
        }
        do { return try decoder.decode(RunReport.self, from: data) } catch {
            throw BenchmarkError(.usage, "'\(file)' is not what a run writes: \(error)")
        }
    }

    private static func otherLayout(_ path: String, _ version: String) -> BenchmarkError {
        BenchmarkError(
            .notComparable,
            "The run '\(path)' has files of schema version \(version); this program reads version "
                + "\(RunContext.schemaVersion). Use the program that wrote them, or run again.")
    }

    /// Returns the records of a file; empty if the file is missing, as some are in older runs.
    private static func records(
        _ path: String, _ name: String, isNeeded: Bool = false
    ) throws -> [RunRow] {
        let file = path + "/" + name
        guard isNeeded || FileManager.default.fileExists(atPath: file) else { return [] }
        let text: String
        do { text = try String(contentsOfFile: file, encoding: .utf8) } catch {
            throw BenchmarkError(
                .usage,
                "'\(file)' cannot be read: \((error as NSError).localizedDescription)")
        }
        let records: [CSV.Record]
        do { records = try CSV.parse(text) } catch {
            throw BenchmarkError(.usage, "'\(file)', line \(error.line): \(error.message).")
        }
        guard let first = records.first else {
            throw BenchmarkError(.usage, "'\(file)' is empty; it should begin with a header.")
        }
        // The last row of an interrupted run may be truncated.
        return records.dropFirst().filter { $0.fields.count == first.fields.count }.map {
            RunRow(header: first.fields, fields: $0.fields)
        }
    }

    private static func grouped<Point>(
        _ rows: [RunRow], _ point: (RunRow) -> Point?
    ) -> [String: [Point]] {
        Dictionary(grouping: rows, by: \.name).mapValues { $0.compactMap(point) }
    }
}

extension TimelinePoint {
    fileprivate init?(_ row: RunRow) {
        guard let elapsed = row.number("elapsed_s"), let operations = row.number("operations"),
            let fileBytes = row.number("file_bytes"), let resident = row.number("rss_bytes")
        else { return nil }
        self.init(
            elapsed: elapsed, operations: Int(operations), fileBytes: Int(fileBytes),
            residentBytes: Int(resident))
    }
}

extension GrowthPoint {
    fileprivate init?(_ row: RunRow) {
        guard let elapsed = row.number("elapsed_s"), let commits = row.number("commits"),
            let fileBytes = row.number("file_bytes")
        else { return nil }
        func integer(_ column: String) -> Int? { row.number(column).map { Int($0) } }
        self.init(elapsed: elapsed, commits: Int(commits), fileBytes: Int(fileBytes))
        liveBytes = integer("live_bytes")
        freeBytes = integer("free_bytes")
        waitingBytes = integer("waiting_bytes")
        pinnedVersions = integer("pinned_versions")
        oldestPinAgeCommits = integer("oldest_pin_age_commits")
        oldestPinAgeSeconds = row.number("oldest_pin_age_s")
        oldestPinOwner = row["oldest_pin_owner"].isEmpty ? nil : row["oldest_pin_owner"]
        newestVersion = integer("newest_version")
    }
}
