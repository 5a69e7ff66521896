import Foundation
import ToolSupport

/// The tables of docs/results.md, written from the runs that are stored in `results/reference`.
///
/// A mark names what it shows, the runs, and settings: `<!-- bench:cases RUN workload=commit -->`.
struct ResultsDocument {
    /// What a mark can show. Raw values are the names in marks.
    enum Table: String, CaseIterable {
        /// The targets of the design, each beside its control.
        case checks
        /// The rows; `workload` chooses some, as in `workload=insert,count`.
        case cases
        /// The engines side by side, with ratios to SQLite, or to the engine that `base` names.
        case peers
        /// The file sizes of the engines.
        case fileSizes = "file-sizes"
        /// The cost of encryption.
        case encryption
        /// The analysis of the pool of a self-test.
        case selftest

        var settings: Set<String> {
            switch self {
            case .cases: ["workload"]
            case .peers: ["base"]
            default: []
            }
        }
    }

    /// The folder of the stored runs.
    let reference: String

    private static let document = MarkedDocument(tool: "bench")

    init(reference: String? = nil) throws {
        self.reference =
            try reference
            ?? ResourceLocator.packageDirectory().appendingPathComponent("results/reference").path
    }

    /// Fills the marked places of a document. Returns whether they already had their contents.
    @discardableResult
    func fill(file: String, isReadOnly: Bool = false) throws -> Bool {
        try Self.document.fill(file: file, isReadOnly: isReadOnly, contents)
    }

    /// Returns the text with its marked places filled, except those of the tables `left`, which
    /// stay as they are.
    func filled(_ text: String, leaving left: Set<Table> = []) throws -> String {
        try Self.document.filled(text) { mark in
            guard let table = Table(rawValue: mark.name), left.contains(table) else {
                return try contents(of: mark)
            }
            let rest = text.components(separatedBy: mark.line + "\n").last ?? ""
            return rest.components(separatedBy: "\n<!-- /bench:\(mark.name) -->")[0]
        }
    }

    private func contents(of mark: MarkedDocument.Mark) throws -> String {
        guard let table = Table(rawValue: mark.name) else {
            throw BenchmarkError(
                .usage,
                "The mark '\(mark.line)' means nothing. "
                    + NameSuggestion.message(
                        kind: "table", name: mark.name, among: Table.allCases.map(\.rawValue)))
        }
        let settings = try settings(of: mark, table)
        let names = mark.arguments.filter { !$0.contains("=") }
        guard !names.isEmpty else {
            throw BenchmarkError(.usage, "The mark '\(mark.line)' names no run.")
        }
        guard let text = try text(table, names, settings) else {
            throw BenchmarkError(.usage, "The runs of '\(mark.line)' have nothing for that table.")
        }
        return text.joined(separator: "\n")
    }

    private func settings(
        of mark: MarkedDocument.Mark, _ table: Table
    ) throws -> [String: String] {
        var settings: [String: String] = [:]
        for word in mark.arguments where word.contains("=") {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, table.settings.contains(parts[0]) else {
                throw BenchmarkError(.usage, "'\(word)' in '\(mark.line)' means nothing.")
            }
            settings[parts[0]] = parts[1]
        }
        return settings
    }

    /// Returns the lines of a table; nil if the runs have nothing for it.
    private func text(
        _ table: Table, _ names: [String], _ settings: [String: String]
    ) throws -> [String]? {
        switch table {
        case .checks:
            let outcomes = SpeedCheck.outcomes(for: try runs(names).results)
            return outcomes.isEmpty ? nil : ResultTable.table(of: outcomes).markdown()
        case .cases:
            let workloads = settings["workload"].map { $0.split(separator: ",").map(String.init) }
            return cases(
                try runs(names).rows.filter { workloads?.contains($0.workload) ?? true })
        case .peers: return try peers(names, base: settings["base"] ?? "sqlite")?.rates.markdown()
        case .fileSizes: return try peers(names, base: "sqlite")?.fileSizes?.markdown()
        case .encryption:
            let runs = try runs(names)
            return EncryptionTable(runs.rows, samples: runs.samples)?.table.markdown()
        case .selftest: return try names.count == 1 ? selftest(names[0]) : nil
        }
    }

    private func runs(_ names: [String]) throws -> RunRows {
        RunRows(try names.map { try RunRows(path: "\(reference)/\($0)") })
    }

    private func cases(_ rows: [RunRow]) -> [String]? {
        let names = rows.map {
            $0.workload + "/"
                + $0.label(showsEngine: false, showsSize: false, showsDurability: true)
        }
        return rows.isEmpty ? nil : ResultTable.table(of: rows, names).markdown()
    }

    private func peers(_ names: [String], base: String) throws -> PeersTable? {
        let runs = try runs(names)
        return try PeersTable(runs.rows, samples: runs.samples, indirect: .load(), base: base)
    }

    private func selftest(_ name: String) throws -> [String] {
        let pool = try SelftestPool.load("\(reference)/\(name)")
        let analysis = try SelftestAnalysis(
            pool, policy: TimedPolicy().fitting(rounds: pool.rounds),
            trials: SelftestCommand.usualTrials, seed: SelftestCommand.usualSeed)
        return SelftestReport(analysis).table().markdown()
    }
}
