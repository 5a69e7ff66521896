/// A table as text: the columns `leftColumns` are aligned to the left, the others to the right.
package struct TextTable {
    package var leftColumns: Set<Int> = [0]
    package var header: [String]
    package var rows: [[String]] = []

    package init(leftColumns: Set<Int> = [0], header: [String], rows: [[String]] = []) {
        self.leftColumns = leftColumns
        self.header = header
        self.rows = rows
    }

    /// The width of the widest field of each column, on a terminal.
    package var columnWidths: [Int] {
        let all = [header] + rows
        return header.indices.map { column in
            all.map { TerminalWidth.columns(of: $0[column]) }.max() ?? 0
        }
    }

    package func lines() -> [String] {
        let widths = columnWidths
        func line(_ fields: [String]) -> String {
            fields.indices.map { column in
                TerminalWidth.filled(
                    fields[column], to: widths[column], isLeft: leftColumns.contains(column))
            }.joined(separator: "  ").trimmingTrailingSpaces()
        }
        let rule = widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
        return [line(header), rule] + rows.map(line)
    }
}

extension TextTable {
    /// Returns the table in GitHub's Markdown.
    package func markdown() -> [String] {
        func line(_ fields: [String]) -> String {
            "| " + fields.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
        }
        let rule = header.indices.map { leftColumns.contains($0) ? "---" : "---:" }
        return [line(header), line(rule)] + rows.map(line)
    }

    package var markdownText: String { markdown().joined(separator: "\n") + "\n" }
}

extension String {
    fileprivate func trimmingTrailingSpaces() -> String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
