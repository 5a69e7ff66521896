/// Tables for people: aligned columns, `leftColumns` to the left, the others to the right.
struct TextTable {
    var leftColumns: Set<Int> = [0]
    var header: [String]
    var rows: [[String]] = []

    func lines() -> [String] {
        let all = [header] + rows
        let widths = header.indices.map { column in
            all.map { $0[column].count }.max() ?? 0
        }
        func line(_ fields: [String]) -> String {
            fields.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - fields[column].count)
                return leftColumns.contains(column)
                    ? fields[column] + padding : padding + fields[column]
            }.joined(separator: "  ").trimmingTrailingSpaces()
        }
        let rule = widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
        return [line(header), rule] + rows.map(line)
    }
}

extension String {
    fileprivate func trimmingTrailingSpaces() -> String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

/// The result table of a run.
enum ResultTable {
    static func lines(for results: [CaseResult]) -> [String] { table(for: results).lines() }

    static func table(for results: [CaseResult]) -> TextTable {
        var table = TextTable(header: [
            "case", "ops/s", "p50 us", "p99 us", "max us", "syncs", "bytes/commit", "file",
            "allocs/op", "peak RSS",
        ])
        table.rows = results.map(row)
        return table
    }

    private static func row(_ result: CaseResult) -> [String] {
        let identifier = result.identifier
        var name = "\(identifier.workload)/\(identifier.strategy) (\(identifier.size))"
        if identifier.durability != .full { name += " \(identifier.durability)" }
        if identifier.engine != "realm" { name += " \(identifier.engine)" }
        if !result.sweep.isEmpty { name += " \(result.sweep)" }
        guard result.status == .ok else {
            return [name, result.status.rawValue] + Array(repeating: "", count: 8)
        }
        return [
            name, Display.number(result.throughput), Display.number(result.latency?.p50),
            Display.number(result.latency?.p99), Display.number(result.latency?.max),
            Display.number(result.syncsPerCommit), Display.number(result.bytesWrittenPerCommit),
            Display.bytes(result.fileBytes), Display.number(result.allocationsPerOperation),
            Display.bytes(result.peakResidentBytes),
        ]
    }

    static func lines(for outcomes: [SpeedCheck.Outcome]) -> [String] {
        var table = TextTable(header: ["check", "target", "measured", "result", "control"])
        table.leftColumns = [0, 3, 4]
        table.rows = outcomes.map { outcome in
            let unit = outcome.unit.isEmpty ? "" : " " + outcome.unit
            let bound = outcome.bound == .atLeast ? ">=" : "<="
            let controls = outcome.controls.map { "\($0.name) \(Display.number($0.measured))" }
            return [
                outcome.title, "\(bound) \(Display.number(outcome.target))\(unit)",
                Display.number(outcome.measured), outcome.passed ? "pass" : "miss",
                controls.joined(separator: "; "),
            ]
        }
        return table.lines()
    }
}
