import Foundation
import ToolSupport

/// How the metrics of cases went from commit to commit, and where they changed.
struct RunHistory {
    struct Point: Equatable {
        var run: String
        /// The commit that ran, as shown: its short hash, or the run's name without one.
        var commit: String
        var value: Double
    }

    struct Change: Equatable {
        /// The position of the first point after the change.
        var position: Int
        /// The medians of the points since the change before, and up to the next one.
        var before, after: Double
        /// Nil for a counted metric, of which every difference is a change.
        var p: Double?
    }

    struct Line {
        var caseId: String
        var metric: String
        var points: [Point]
        var changes: [Change] = []

        var name: String { "\(caseId) \(metric)" }
    }

    /// The metrics that a clock measures.
    static let timed = ["throughput_ops_per_s", "latency_p50_us"]
    static let metrics = GatedMetric.all.map(\.name) + timed

    private(set) var lines: [Line] = []
    /// The number of runs that the lines are of.
    private(set) var runs = 0
    /// What the reader should know, as sentences.
    private(set) var notes: [String] = []

    /// - Parameters:
    ///   - folders: The runs in any order, at least one.
    ///   - metrics: Names among ``metrics``.
    ///   - filter: Chooses the cases by their ids.
    init(
        of folders: [RunFolder], metrics: [String], log: CommitLog, filter: (String) -> Bool
    ) throws {
        let ordered = ordered(folders, log)
        guard let newest = ordered.last else { return }
        let alike = ordered.filter { $0.key.counted == newest.key.counted }
        if alike.count < ordered.count {
            notes.append(
                "\(Display.count(ordered.count - alike.count, "run")) of another architecture, "
                    + "toolchain or configuration than \(newest.key.counted) left out.")
        }
        let timedAlike = alike.filter { $0.key == newest.key }
        if timedAlike.count < alike.count, !Set(metrics).isDisjoint(with: Self.timed) {
            notes.append(
                "Times of \(Display.count(alike.count - timedAlike.count, "run")) on another "
                    + "machine left out.")
        }
        runs = alike.count
        let rows = try alike.map { run in
            try run.metricRows().filter {
                $0.engine != "control" && $0.status == "ok" && filter($0.caseId)
            }
        }
        /// The newest row of each case that repeats exactly. Others that did less or more of the
        /// same would look like changes.
        var latest: [String: MetricRow] = [:]
        for row in rows.joined() where row.isDeterministic { latest[row.caseId] = row }
        var others = 0
        var found: [String: Line] = [:]
        var order: [String] = []
        for (run, rows) in zip(alike, rows) {
            let isTimed = run.key == newest.key
            for row in rows {
                if let last = latest[row.caseId], !row.didSameWork(as: last) {
                    others += 1
                    continue
                }
                for metric in metrics {
                    guard let value = value(of: metric, row, isTimed: isTimed) else { continue }
                    let line = Line(caseId: row.caseId, metric: metric, points: [])
                    if found[line.name] == nil { order.append(line.name) }
                    found[line.name, default: line].points.append(
                        Point(
                            run: run.header.runId,
                            commit: run.header.gitRevision.map(CommitLog.short)
                                ?? run.header.runId, value: value))
                }
            }
        }
        if others > 0 {
            notes.append(
                "\(Display.count(others, "row")) with another number of operations or another "
                    + "seed than the newest of the case left out.")
        }
        lines = order.compactMap { found[$0] }.map { line in
            var line = line
            line.changes = Self.changes(in: line)
            return line
        }
    }

    /// Returns the runs in the order of their commits, or of their starts if that is not known.
    private mutating func ordered(_ folders: [RunFolder], _ log: CommitLog) -> [RunFolder] {
        let byStart = folders.sorted { $0.header.startedAt < $1.header.startedAt }
        let places = byStart.map { $0.header.gitRevision.flatMap(log.place) }
        let unknown = places.count { $0 == nil }
        guard unknown == 0 else {
            notes.append(
                "\(Display.count(unknown, "run")) of no commit in the history of this branch: the "
                    + "order is that in which the runs began.")
            return byStart
        }
        return zip(byStart, places).enumerated()
            .sorted { ($0.element.1 ?? 0, $0.offset) < ($1.element.1 ?? 0, $1.offset) }
            .map(\.element.0)
    }

    private func value(of metric: String, _ row: MetricRow, isTimed: Bool) -> Double? {
        if Self.timed.contains(metric) { return isTimed ? row.timed[metric] : nil }
        return row.isDeterministic ? row.counted[metric] : nil
    }

    static func changes(in line: Line) -> [Change] {
        let values = line.points.map(\.value)
        let gated = GatedMetric.all.first { $0.name == line.metric }
        let found: [(position: Int, p: Double?)] =
            if let gated {
                values.indices.dropFirst()
                    .filter { !gated.isEqual(values[$0], values[$0 - 1]) }.map { ($0, nil) }
            } else {
                ChangePoints.changes(in: values).map { ($0.position, $0.p) }
            }
        let bounds = [0] + found.map(\.position) + [values.count]
        return found.enumerated().map { index, change in
            Change(
                position: change.position,
                before: Quantiles.median(Array(values[bounds[index]..<change.position])),
                after: Quantiles.median(Array(values[change.position..<bounds[index + 2]])),
                p: change.p)
        }
    }
}

/// The commits of a branch, as git knows them.
struct CommitLog {
    struct Commit: Equatable {
        var revision: String
        /// The day of the commit, as `2026-01-31`.
        var day: String
        var subject: String
    }

    private var places: [String: Int] = [:]
    private var commits: [Commit] = []

    init(_ commits: [Commit]) {
        self.commits = commits
        for (place, commit) in commits.enumerated() { places[commit.revision] = place }
    }

    /// Reads the history of the branch that is checked out in the package's folder; empty outside
    /// of a working copy.
    init() {
        let lines = SourceRevision.history()
        self.init(
            lines.map { line in
                let parts = line.split(
                    separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
                return Commit(
                    revision: String(parts[0]), day: parts.count > 1 ? String(parts[1]) : "",
                    subject: parts.count > 2 ? String(parts[2]) : "")
            })
    }

    /// The place of a commit, counted from the oldest.
    func place(_ revision: String) -> Int? { places[revision] }
    func commit(_ revision: String) -> Commit? { place(revision).map { commits[$0] } }
    func commit(beginningWith hash: String) -> Commit? {
        commits.first { $0.revision.hasPrefix(hash) }
    }

    static func short(_ revision: String) -> String { String(revision.prefix(8)) }
}
