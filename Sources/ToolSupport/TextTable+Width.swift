/// The width that output for people keeps to, unless they ask for more.
package enum PageWidth {
    package static let usual = 100

    /// Returns a text in lines of at most `width` columns; nil means one line.
    package static func lines(of text: String, within width: Int?) -> [String] {
        guard let width else { return [text] }
        var lines: [String] = []
        for word in text.split(separator: " ") {
            let extended = (lines.last ?? "") + " " + word
            if lines.isEmpty {
                lines = [String(word)]
            } else if TerminalWidth.columns(of: extended) <= width {
                lines[lines.count - 1] = extended
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}

extension TextTable {
    private static let gap = 2

    private func width(of columns: [Int]) -> Int {
        let widths = columnWidths
        return columns.reduce(0) { $0 + widths[$1] } + Self.gap * (columns.count - 1)
    }

    package func selecting(_ columns: [Int]) -> TextTable {
        TextTable(
            leftColumns: Set(columns.indices.filter { leftColumns.contains(columns[$0]) }),
            header: columns.map { header[$0] }, rows: rows.map { row in columns.map { row[$0] } })
    }

    /// Returns the table as text of at most `width` columns; nil means any width.
    ///
    /// Columns that do not fit follow in further tables. Each begins with the first `keys` columns,
    /// which tell the rows apart.
    package func lines(within width: Int?, keys: Int = 1) -> [String] {
        guard let width else { return lines() }
        var blocks = [Array(0..<keys)]
        for column in header.indices.dropFirst(keys) {
            let extended = blocks[blocks.count - 1] + [column]
            if extended.count > keys + 1, self.width(of: extended) > width {
                blocks.append(blocks[0].prefix(keys) + [column])
            } else {
                blocks[blocks.count - 1] = extended
            }
        }
        return Array(blocks.map { selecting($0).lines() }.joined(separator: [""]))
    }

    /// Returns the table with the texts of its last column shortened, so that the whole fits into
    /// `width`; nil means any width.
    package func shorteningLast(within width: Int?) -> TextTable {
        guard let width, let last = header.indices.last else { return self }
        let rest = max(1, width - self.width(of: Array(0..<last)) - Self.gap)
        var table = self
        for row in rows.indices {
            table.rows[row][last] = TerminalWidth.shortened(rows[row][last], to: rest)
        }
        return table
    }

    /// Returns the table without the columns that do not fit into `width`, and the names of those.
    ///
    /// - Parameter leastWanted: The columns that may be left out, the first one first.
    package func fitted(
        to width: Int, leavingOut leastWanted: [Int]
    ) -> (table: TextTable, leftOut: [String]) {
        var columns = Array(header.indices)
        var leftOut: [Int] = []
        for column in leastWanted where self.width(of: columns) > width {
            columns.removeAll { $0 == column }
            leftOut.append(column)
        }
        return (selecting(columns), leftOut.sorted().map { header[$0] })
    }
}
