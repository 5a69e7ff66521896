import ToolSupport

/// The cost of encryption: the cases that a run measured with plain and with encrypted files.
struct EncryptionTable: Sendable {
    struct Line: Sendable {
        var title: String
        /// The operations a second with a plain file.
        var plain: Double
        var encrypted: Double
        /// The time with an encrypted file divided by the time with a plain one; the median over
        /// rounds if there are several.
        var timeRatio: Double
        /// The largest ratio that contract E16 allows; nil if it sets no bound.
        var bound: Double?

        var isOver: Bool { bound.map { timeRatio > $0 } ?? false }
    }

    var lines: [Line]

    /// Creates the table; nil unless a case was measured both ways.
    init?(_ rows: [RunRow], samples: [RunSample]) {
        let rounds = Dictionary(grouping: samples, by: \.name)
        let measured = rows.filter { !$0.isControl && $0.throughput != nil }
        let encrypted = Dictionary(
            measured.filter(\.isEncrypted).map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        let cipher = CipherTimes(measured)
        lines = measured.compactMap { plain in
            guard !plain.isEncrypted,
                let other = encrypted[plain.name.replacing("/plain/", with: "/encrypted/")],
                let ratio = RatioOfRounds.ratio(of: plain, to: other, rounds)
            else { return nil }
            return Line(
                title: Self.title(of: plain), plain: plain.throughput!,
                encrypted: other.throughput!, timeRatio: ratio,
                bound: Self.bound(plain, other, cipher))
        }
        if lines.isEmpty { return nil }
    }

    private static func title(of row: RunRow) -> String {
        var parts = ["\(row.workload)/\(row.strategy)"]
        if row.size > 1 { parts.append(Display.grouped(row.size)) }
        if row.durability != Durability.full.rawValue { parts.append(row.durability) }
        if !row["sweep"].isEmpty { parts.append(row["sweep"]) }
        return parts.joined(separator: " ")
    }

    // MARK: Bounds

    /// The bounds: cached reads and durable commits may take one tenth longer. Work that passes all
    /// its bytes through the cipher may take longer by 1.2 times the time of the cipher alone.
    private static let mostOfCachedReadsAndCommits = 1.1
    private static let mostOfCipherTime = 1.2

    /// The workloads that write each object, 1,000 in a commit.
    private static let loads: Set = [
        "insert", "insert-int-key", "insert-string-key", "insert-indexed", "insert-text",
        "links-build",
    ]
    /// The workloads that read everything for the first time and write it again, in one commit or,
    /// if more operations than objects are counted, in several.
    private static let rewrites: Set = ["update-all", "set-values", "delete-half", "compact"]
    /// The workloads that read everything for the first time.
    private static let coldScans: Set = ["count-cold"]
    /// The workloads without a bound: they derive keys, or read random pages for the first time,
    /// whose number is not counted.
    private static let unbounded: Set = ["open", "lookup-cold", "growth"]

    private static func bound(
        _ plain: RunRow, _ encrypted: RunRow, _ cipher: CipherTimes?
    ) -> Double? {
        if unbounded.contains(plain.workload) { return nil }
        let isLoad = loads.contains(plain.workload)
        let isRewrite = rewrites.contains(plain.workload)
        let isColdScan = coldScans.contains(plain.workload)
        guard isLoad || isRewrite || isColdScan else { return mostOfCachedReadsAndCommits }
        guard let cipher, let operations = plain.number("operations") else { return nil }
        var seconds = 0.0
        if isLoad || isRewrite {
            guard let bytes = encrypted.number("bytes_written_per_commit") else { return nil }
            let operationsInCommit = encrypted.number("batch_size") ?? Double(plain.size)
            let commits = (operations / operationsInCommit).rounded(.up)
            seconds += bytes * commits * cipher.sealing
        }
        if isRewrite || isColdScan {
            guard let bytes = encrypted.number("live_bytes") else { return nil }
            seconds += bytes * cipher.opening
        }
        return 1 + mostOfCipherTime * seconds / (operations / plain.throughput!)
    }

    /// The cipher's seconds a byte, as ``CipherWorkload`` measured them in the same run.
    private struct CipherTimes {
        var sealing: Double
        var opening: Double

        init?(_ rows: [RunRow]) {
            func seconds(_ strategy: String) -> Double? {
                rows.first { $0.workload == CipherWorkload.name && $0.strategy == strategy }
                    .map { 1 / ($0.throughput! * Double(CipherWorkload.pageSize)) }
            }
            guard let sealing = seconds("seal"), let opening = seconds("open") else { return nil }
            (self.sealing, self.opening) = (sealing, opening)
        }
    }
}

// MARK: Text

extension EncryptionTable {
    static let header = ["encryption", "plain", "encrypted", "time", "at most", ""]
    static let legend =
        "Time: with an encrypted file / with a plain one, of the same run (medians over rounds). "
        + "At most: 1.1 for cached reads and durable commits; bulk loads, copies, rewrites and "
        + "cold scans may take 1.2 times as long as the cipher alone for their bytes, on top (rows "
        + "cipher/seal and cipher/open of the same run)."

    static func fields(_ line: Line) -> [String] {
        [
            line.title, PeersTable.text(rate: line.plain), PeersTable.text(rate: line.encrypted),
            PeersTable.text(ratio: line.timeRatio), PeersTable.text(ratio: line.bound),
            line.isOver ? "over" : "",
        ]
    }

    var table: TextTable {
        TextTable(header: Self.header, rows: lines.map(Self.fields))
    }

    /// Returns the table for the terminal; nil means any width.
    func textLines(within width: Int?) -> [String] {
        table.lines(within: width) + PageWidth.lines(of: Self.legend, within: width)
    }

    func markdown() -> String { table.markdownText + "\n" + Self.legend + "\n" }
}
