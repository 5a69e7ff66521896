import Foundation
import ToolSupport

/// A named set of reference measurements, committed under `results/baselines`.
struct Baseline: Codable, Sendable {
    var schemaVersion = RunContext.schemaVersion
    var name: String
    var runId: String
    var suite: String
    var gitRevision: String?
    var key: TimedKey
    var rows: [MetricRow]

    /// Merges one or more runs of the same build. The rows are those of the first run. The other
    /// runs add the further values of counted metrics that do not repeat exactly, and rows that the
    /// first run lacks.
    init(name: String, from runs: [RunFolder]) throws {
        let first = runs[0]
        self.name = name
        runId = first.header.runId
        suite = first.header.suite
        gitRevision = first.header.gitRevision
        key = first.key
        var ids: [String] = []
        var found: [String: [MetricRow]] = [:]
        for run in runs {
            guard run.key.counted == key.counted else {
                throw BenchmarkError(
                    .notComparable,
                    "The run \(run.header.runId) is of (\(run.key.counted)), \(runId) of "
                        + "(\(key.counted)): they make no baseline together.")
            }
            for row in try Self.rows(of: run) {
                if found[row.caseId] == nil { ids.append(row.caseId) }
                found[row.caseId, default: []].append(row)
            }
        }
        rows = try ids.map { try MetricRow(merging: found[$0] ?? []) }
    }

    /// Returns the finished rows of a run without its control rows, which measure the machine and
    /// not the database. Throws `caseFailed` if a case of the run failed.
    private static func rows(of run: RunFolder) throws -> [MetricRow] {
        let all = try run.metricRows()
        let failed = all.filter { $0.status == "failed" }.map(\.caseId)
        guard failed.isEmpty else {
            throw BenchmarkError(
                .caseFailed,
                "The run \(run.header.runId) has failed cases and cannot be a baseline: "
                    + failed.joined(separator: ", ") + ".")
        }
        let rows = all.filter { $0.engine != "control" && $0.status == "ok" }
        guard !rows.isEmpty else {
            throw BenchmarkError(.usage, "The run \(run.header.runId) has no finished case.")
        }
        return rows
    }
}

/// The folder of baselines, laid out as `<counted key>/<name>.json`. The folder is named by the
/// counted key only, since counted metrics need no more. The file itself records the machine on
/// which the times were measured.
struct BaselineStore {
    let path: String

    /// Opens the folder `path`; nil means the package's own `results/baselines`.
    init(path: String?) throws {
        self.path =
            try path
            ?? ResourceLocator.packageDirectory().appendingPathComponent("results/baselines").path
    }

    func file(of name: String, _ key: CountedKey) -> String {
        "\(path)/\(key.folderName)/\(name).json"
    }

    func save(_ baseline: Baseline) throws -> String {
        let file = file(of: baseline.name, baseline.key.counted)
        try JSONFile.write(baseline, to: file)
        return file
    }

    /// Returns the baseline with that name and key. Throws `notComparable` if the name exists only
    /// with other keys, and `noBaseline` if it does not exist.
    func load(_ name: String, for key: CountedKey) throws -> Baseline {
        try Self.checkName(name)
        let file = file(of: name, key)
        if FileManager.default.fileExists(atPath: file) {
            let baseline = try read(file)
            // A file can be moved by hand into the folder of another key.
            guard baseline.key.counted == key else {
                throw Self.refusal(name, [baseline.key.counted], key)
            }
            return baseline
        }
        let others = try all().filter { $0.name == name }
        guard others.isEmpty else {
            throw Self.refusal(name, others.map(\.key.counted), key)
        }
        let known = Set(try all().map(\.name)).sorted()
        throw BenchmarkError(
            .noBaseline,
            "There is no baseline '\(name)' in '\(path)'. "
                + (known.isEmpty
                    ? "There are none at all."
                    : "There are: \(known.joined(separator: ", ")).")
                + " Make one: \(ToolProgram.current.name) baseline save \(name) --from results/RUN")
    }

    /// Returns all baselines, ordered by key and name.
    func all() throws -> [Baseline] {
        let manager = FileManager.default
        let folders = ((try? manager.contentsOfDirectory(atPath: path)) ?? []).sorted()
        return try folders.flatMap { folder -> [Baseline] in
            let files = ((try? manager.contentsOfDirectory(atPath: "\(path)/\(folder)")) ?? [])
            return try files.sorted()
                .filter { $0.hasSuffix(".json") && $0 != NoiseFloors.fileName }
                .map { try read("\(path)/\(folder)/\($0)") }
        }
    }

    private func read(_ file: String) throws -> Baseline {
        struct Version: Decodable { var schemaVersion: Int }
        let version = try JSONFile.read(Version.self, from: file)
        try SchemaVersion.check(version.schemaVersion, in: file)
        let baseline = try JSONFile.read(Baseline.self, from: file)
        try MetricRow.checkUnique(baseline.rows, in: "The baseline '\(file)'")
        return baseline
    }

    /// Throws `usage` unless `name` can be part of a file name and is not reserved.
    static func checkName(_ name: String) throws {
        let isPlain = name.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0))
        }
        guard isPlain, !name.isEmpty, !name.hasPrefix("."), name + ".json" != NoiseFloors.fileName
        else {
            throw BenchmarkError(
                .usage,
                "'\(name)' cannot name a baseline: letters, digits, '-', '_' and '.' can, "
                    + "'noise' is taken.")
        }
    }

    static func refusal(_ name: String, _ theirs: [CountedKey], _ own: CountedKey)
        -> BenchmarkError
    {
        BenchmarkError(
            .notComparable,
            "The baseline '\(name)' is of \(theirs.map { "(\($0))" }.joined(separator: " and ")); "
                + "this is (\(own)). Such figures are not compared. Save a baseline of this "
                + "kind: \(ToolProgram.current.name) baseline save \(name) --from results/RUN")
    }
}
