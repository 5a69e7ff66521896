import Foundation
import ToolSupport

/// The comparison of all engines of one run, with a line for each workload at one size and
/// durability.
struct PeersTable: Sendable {
    struct Column: Hashable, Sendable {
        var engine: String
        var layer: String

        var title: String { engine == "realm" ? "realm \(layer)" : engine }
        var isOwn: Bool { engine == "realm" }

        fileprivate static let order =
            [Column(engine: "realm", layer: "api"), Column(engine: "realm", layer: "engine")]
            + PeerDescription.all.map { Column(engine: $0.name, layer: $0.layer.rawValue) }
    }

    struct Cell: Equatable, Sendable {
        /// The operations a second; nil if the case failed or is unsupported.
        var rate: Double?
        var status: String
        /// The rate relative to that of the base, which is SQLite unless another one is named, and
        /// this engine in a user's package; the median over rounds if there are several.
        var ratio: Double?
        var syncsPerCommit: Double?
        var fileBytes: Double?
        /// The file bytes relative to those of the base.
        var fileRatio: Double?

        /// Whether the engine is slower than the base.
        var isBehind: Bool { (ratio ?? 1) < 1 }
    }

    struct Line: Sendable {
        /// The title, as in `insert 1,000,000`, with the strategy if there are several.
        var title: String
        var workload: String
        var durability: String
        var cells: [Column: Cell]
        /// The ratios of realm-core, measured elsewhere.
        var indirect: IndirectRatios.Ratio?

        var fastest: Column? {
            cells.compactMap { column, cell in cell.rate.map { (column, $0) } }
                .max { $0.1 < $1.1 }?.0
        }

        /// Returns the syncs a commit of each engine, without which rates cannot be compared.
        func syncs(_ columns: [Column]) -> String {
            let counted = columns.compactMap { column in
                cells[column]?.syncsPerCommit.map { (column.title, Display.number($0)) }
            }
            guard let first = counted.first?.1 else { return "" }
            if counted.allSatisfy({ $0.1 == first }) { return first }
            return counted.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        }
    }

    /// The engine whose rates and sizes are 1.
    let base: String
    var columns: [Column]
    var lines: [Line]
    var hasIndirect: Bool { lines.contains { $0.indirect != nil } }
    var hasFileSizes: Bool {
        lines.contains { line in line.cells.contains { $1.fileRatio != nil } }
    }

    /// The engine with which others are compared. A user's package has its own databases only.
    private static var usualBase: String { OwnWorkloads.all == nil ? "sqlite" : "realm" }

    /// Creates the table; nil unless several databases did the same work.
    init?(
        _ rows: [RunRow], samples: [RunSample], indirect: IndirectRatios?, base: String? = nil
    ) {
        let base = base ?? Self.usualBase
        self.base = base
        let measured = rows.filter { !$0.isControl && $0.layer != "none" }
        var order: [Key] = []
        var groups: [Key: [RunRow]] = [:]
        for row in measured {
            let key = Key(row)
            if groups[key] == nil { order.append(key) }
            groups[key, default: []].append(row)
        }
        let rounds = Dictionary(grouping: samples, by: \.name)
        lines = order.compactMap { key in
            guard let rows = groups[key], Set(rows.map(\.engine)).count > 1 else { return nil }
            return Self.line(key, rows, rounds, indirect, base)
        }
        guard !lines.isEmpty else { return nil }
        let found = Set(lines.flatMap { $0.cells.keys })
        let known = Column.order.filter(found.contains)
        columns = known + found.subtracting(known).sorted { $0.title < $1.title }
    }

    /// The values that the rows of one line share.
    private struct Key: Hashable {
        var workload, strategy, durability, encrypted, threads, batch, sweep: String
        var size: Int

        init(_ row: RunRow) {
            workload = row.workload
            strategy = row.ownStrategy
            durability = row.durability
            encrypted = row.isEncrypted ? "encrypted" : ""
            threads = row["threads"]
            // Engines may batch the same work differently, so the batch size is compared only
            // within a strategy.
            batch = row.ownStrategy.isEmpty ? "" : row["batch_size"]
            sweep = row["sweep"]
            size = row.size
        }

        var title: String {
            var parts = [strategy.isEmpty ? workload : "\(workload)/\(strategy)"]
            if size > 1 { parts.append(Display.grouped(size)) }
            if threads != "1" { parts.append("\(threads) threads") }
            if !sweep.isEmpty { parts.append(sweep) }
            if !encrypted.isEmpty { parts.append(encrypted) }
            return parts.joined(separator: " ")
        }
    }

    private static func line(
        _ key: Key, _ rows: [RunRow], _ rounds: [String: [RunSample]],
        _ indirect: IndirectRatios?, _ baseEngine: String
    ) -> Line {
        let base = rows.first { $0.engine == baseEngine }
        var cells: [Column: Cell] = [:]
        for row in rows {
            let fileBytes = row.hasRun ? row.number("file_bytes") : nil
            var cell = Cell(
                rate: row.throughput, status: row.status,
                syncsPerCommit: row.hasRun ? row.number("syncs_per_commit") : nil,
                fileBytes: fileBytes)
            if let base, base.hasRun {
                cell.ratio = RatioOfRounds.ratio(of: row, to: base, rounds)
                if let fileBytes, let bytes = base.number("file_bytes"), bytes > 0 {
                    cell.fileRatio = fileBytes / bytes
                }
            }
            cells[Column(engine: row.engine, layer: row.layer)] = cell
        }
        let isPlain = key.durability == Durability.full.rawValue && key.encrypted.isEmpty
        return Line(
            title: key.title, workload: key.workload, durability: key.durability, cells: cells,
            indirect: isPlain
                ? indirect?.ratio(workload: key.workload, strategy: key.strategy, size: key.size)
                : nil)
    }
}

extension PeersTable {
    /// Formats a rate as operations a second with three digits, or as the time of one operation if
    /// the rate is low.
    static func text(rate: Double?) -> String {
        guard let rate, rate > 0 else { return "" }
        if rate >= 100 { return ChartAxis.short(rate) + "/s" }
        return rate >= 1
            ? Display.number(1000 / rate) + " ms" : Display.number(1 / rate) + " s"
    }

    static func text(ratio: Double?) -> String {
        guard let ratio else { return "" }
        let digits = ratio >= 100 ? 0 : ratio >= 10 ? 1 : ratio >= 0.1 ? 2 : 3
        return String(format: "%.\(digits)fx", ratio)
    }

    /// The name of the base in a sentence.
    var baseTitle: String { base == "sqlite" ? "SQLite" : base }

    var legend: String {
        "Ratios are to \(baseTitle) of the same run (medians over rounds); above 1x is faster. "
            + (base == "realm" ? "" : "▼: ours is slower than \(baseTitle). ")
            + "*: the fastest of the line."
    }
    static let indirectLegend =
        "realm-core is indirect: its ratio to SQLite was measured elsewhere, on the same workload."
    var fileLegend: String {
        "File sizes: all files of the database, logs included; below 1x is smaller than "
            + "\(baseTitle)'s."
    }
}
