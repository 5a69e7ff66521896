import Foundation
import ToolSupport

/// The runs that are stored in a folder, and their pages: for the Studio. Any thread may use it.
///
/// A page is made from what a run has measured, not read from the run's own `report.html`. It needs
/// nothing beside it, and has one script, which sorts and searches.
public struct StoredRuns: Sendable {
    /// A run as a list shows it.
    public struct Run: Encodable, Equatable, Sendable {
        /// The name of its folder.
        public let name: String
        public fileprivate(set) var startedAt: String?
        /// The commit that was measured; nil outside of a working copy.
        public fileprivate(set) var commit: String?
        public fileprivate(set) var suite: String?
        public fileprivate(set) var processor: String?
        /// The number of results.
        public fileprivate(set) var rows: Int?
        /// Why it cannot be shown; nil if it can.
        public fileprivate(set) var problem: String?
    }

    private let folder: URL

    /// The content security policy of the pages: no script runs but their own, and nothing is
    /// loaded.
    public static var policy: String { HTMLPage.policy }

    /// - Parameter folder: The folder of a run, or one that has such folders.
    /// - Throws: `BenchmarkError` if it is no folder.
    public init(folder: String) throws {
        self.folder = URL(fileURLWithPath: folder).resolvingSymlinksInPath()
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder),
            isFolder.boolValue
        else { throw BenchmarkError(.usage, "'\(folder)' is no folder.") }
    }

    /// The paths of the folders of runs in a folder, or its own. With `includingRowsOnly` also of
    /// those that have rows and no `run.json`.
    static func paths(in folder: String, includingRowsOnly: Bool = false) -> [String] {
        func isRun(_ path: String) -> Bool {
            RunFolder.exists(path) || includingRowsOnly && RunFolder.hasRowsOnly(path)
        }
        if isRun(folder) { return [folder] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().map { "\(folder)/\($0)" }.filter(isRun)
    }

    /// The runs, the newest first.
    public func list() -> [Run] {
        Self.paths(in: folder.path).map { path in
            var run = Run(name: (path as NSString).lastPathComponent)
            do {
                let read = try Self.run(at: path)
                run.startedAt = read.header.startedAt
                run.commit = read.header.gitRevision.map(CommitLog.short)
                run.suite = read.header.suite
                run.processor = read.header.machine.processor
                run.rows = read.rows.count
            } catch {
                run.problem = (error as? BenchmarkError)?.message ?? "\(error)"
            }
            return run
        }
        .sorted { ($0.startedAt ?? "", $0.name) > ($1.startedAt ?? "", $1.name) }
    }

    /// The page of a run.
    ///
    /// - Throws: `BenchmarkError` if there is none of this name, or its files cannot be read.
    public func report(of name: String) throws -> String {
        let paths = Self.paths(in: folder.path)
        guard let path = paths.first(where: { ($0 as NSString).lastPathComponent == name }) else {
            throw BenchmarkError(.usage, "There is no run '\(name)'.")
        }
        return try HTMLReport.text(of: Self.run(at: path), indirect: .load())
    }

    /// The page of how metrics went from run to run. Runs that cannot be read are left out.
    ///
    /// - Throws: `BenchmarkError` if no run is left.
    public func history() throws -> String {
        let runs = Self.paths(in: folder.path).compactMap { path -> RunFolder? in
            guard let run = try? Self.run(at: path), (try? run.metricRows()) != nil else {
                return nil
            }
            return run
        }
        guard !runs.isEmpty else {
            throw BenchmarkError(.usage, "The folder has no run whose metrics can be compared.")
        }
        let log = CommitLog()
        let history = try RunHistory(of: runs, metrics: RunHistory.metrics, log: log) { _ in true }
        return HistoryText(history: history, log: log).page(all: true)
    }

    /// Reads a run, unless it would lead out of its folder.
    private static func run(at path: String) throws -> RunFolder {
        let files = FileManager.default.enumerator(
            at: URL(fileURLWithPath: path), includingPropertiesForKeys: [.isSymbolicLinkKey])
        let entries = [URL(fileURLWithPath: path)] + (files?.compactMap { $0 as? URL } ?? [])
        for entry in entries {
            let values = try entry.resourceValues(forKeys: [.isSymbolicLinkKey])
            guard values.isSymbolicLink != true else {
                throw BenchmarkError(
                    .usage, "'\(entry.path)' is a symbolic link, which may lead anywhere.")
            }
        }
        return try RunFolder(path: path)
    }
}
