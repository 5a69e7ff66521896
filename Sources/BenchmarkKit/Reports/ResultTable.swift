import ToolSupport

/// The result tables of a run for documents and pages; ``TerminalResults`` has that for a terminal.
enum ResultTable {
    static let header = [
        "case", "engine", "objects", "ops/s", "p50 us", "p99 us", "max us", "syncs",
        "bytes/commit", "file", "allocs/op", "peak RSS",
    ]

    /// Returns what the latencies of the rows do not say.
    static func remarks(on results: [CaseResult]) -> [String] {
        let closed = results.contains { row in
            row.status == .ok && row.offeredRate == nil
                && (try? WorkloadCatalogue.workload(named: row.identifier.workload))?.options
                    .contains(.rate) == true
        }
        let open = results.compactMap(openLoop)
        return
            (closed
            ? [
                "Closed loops: a stall delays a single commit. --rate N measures from when each "
                    + "was due."
            ] : [])
            + (open.isEmpty
                ? []
                : [
                    "Open loops, from when each operation was due: "
                        + open.joined(separator: "; ") + "."
                ])
    }

    /// Returns the latencies of an open loop; those of the table count from when operations began.
    private static func openLoop(_ row: CaseResult) -> String? {
        guard row.status == .ok, let offered = row.offeredRate, let rate = row.throughput,
            let median = row.measure("intended_p50_us")
        else { return nil }
        var text = "\(row.identifier) p50 \(ResultColumn.duration(median))"
        if Double(row.latency?.samples ?? 0) * 0.01 >= ResultColumn.samplesBeyond,
            let high = row.measure("intended_p99_us")
        {
            text += ", p99 \(ResultColumn.duration(high))"
        }
        if rate < 0.95 * offered {
            text +=
                " (\(Display.number(rate)) of \(Display.number(offered)) ops/s: it did not keep up)"
        }
        return text
    }

    /// Returns the strategies, with the durability if the group has several.
    static func names(of group: [RunRow]) -> [String] {
        let showsDurability = Set(group.map(\.durability)).count > 1
        return group.map {
            $0.label(showsEngine: false, showsSize: false, showsDurability: showsDurability)
        }
    }

    static func fields(of row: RunRow, name: String) -> [String] {
        let what = [name, row.engine, Display.grouped(row.size)]
        guard row.hasRun else { return what + [row.status] + Array(repeating: "", count: 8) }
        func number(_ column: String) -> String { Display.number(row.number(column)) }
        func bytes(_ column: String) -> String { Display.bytes(row.number(column).map { Int($0) }) }
        return what + [
            number("throughput_ops_per_s"), number("latency_p50_us"), number("latency_p99_us"),
            number("latency_max_us"), number("syncs_per_commit"),
            number("bytes_written_per_commit"), bytes("file_bytes"), number("allocations_per_op"),
            bytes("rss_peak_bytes"),
        ]
    }

    /// Returns a table of rows of any workloads, without the columns that are empty in all of them.
    static func table(of rows: [RunRow], _ names: [String]) -> TextTable {
        let cells = zip(rows, names).map { row, name in fields(of: row, name: name) }
        let used = header.indices.filter { column in
            column < 4 || cells.contains { !$0[column].isEmpty }
        }
        return TextTable(
            leftColumns: [0, 1], header: used.map { header[$0] },
            rows: cells.map { row in used.map { row[$0] } })
    }

    static func table(of outcomes: [SpeedCheck.Outcome]) -> TextTable {
        TextTable(leftColumns: [0, 3, 4], header: checkHeader, rows: outcomes.map(fields))
    }

    static let checkHeader = ["check", "target", "measured", "result", "control"]

    static func fields(of outcome: SpeedCheck.Outcome) -> [String] {
        let unit = outcome.unit.isEmpty ? "" : " " + outcome.unit
        let bound = outcome.bound == .atLeast ? ">=" : "<="
        let controls = outcome.controls.map { "\($0.name) \(Display.number($0.measured))" }
        return [
            outcome.title, "\(bound) \(Display.number(outcome.target))\(unit)",
            Display.number(outcome.measured),
            outcome.verdict.rawValue + (outcome.objection.map { ": \($0)" } ?? ""),
            controls.joined(separator: "; "),
        ]
    }
}
