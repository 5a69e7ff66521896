import ToolSupport

extension PeersTable {
    /// Returns the table for the terminal; nil means any width.
    func textLines(within width: Int?) -> [String] {
        var table = TextTable(header: rateHeader)
        table.leftColumns = [0, 1]
        table.rows = lines.map { rateFields($0, emphasis: { $0 }) }
        func wrapped(_ text: String) -> [String] { PageWidth.lines(of: text, within: width) }
        var text = table.lines(within: width) + wrapped(legend)
        if hasIndirect { text += wrapped(Self.indirectLegend) }
        if let fileSizes {
            text += [""] + fileSizes.lines(within: width) + wrapped(fileLegend)
        }
        return text
    }

    /// The table of rates, for Markdown.
    var rates: TextTable {
        TextTable(
            leftColumns: [0, 1], header: rateHeader,
            rows: lines.map { rateFields($0, emphasis: { "**\($0)**" }) })
    }

    /// The table of file sizes; nil if there are none to compare.
    var fileSizes: TextTable? {
        hasFileSizes ? TextTable(header: fileHeader, rows: fileLines.map(fileFields)) : nil
    }

    func markdown() -> String {
        var text = rates.markdownText + "\n" + legend.replacing("*:", with: "Bold:")
        if hasIndirect { text += " " + Self.indirectLegend }
        if let fileSizes {
            text += "\n\n" + fileSizes.markdownText + "\n" + fileLegend
        }
        return text + "\n"
    }

    // MARK: Fields of all formats

    var rateHeader: [String] {
        ["workload", "durability"] + columns.map(\.title)
            + (hasIndirect ? ["realm-core (indirect)"] : []) + ["syncs/commit"]
    }

    func rateFields(_ line: Line, emphasis: (String) -> String) -> [String] {
        [line.title, line.durability]
            + columns.map { text(of: line, $0, emphasis) }
            + (hasIndirect ? [line.indirect.map { Self.text(ratio: $0.speed) } ?? ""] : [])
            + [line.syncs(columns)]
    }

    private func text(of line: Line, _ column: Column, _ emphasis: (String) -> String) -> String {
        guard let cell = line.cells[column] else { return "" }
        guard cell.rate != nil else { return cell.status }
        var text = Self.text(rate: cell.rate)
        if column.engine != base, cell.ratio != nil { text += " " + Self.text(ratio: cell.ratio) }
        if column.isOwn, cell.isBehind { text += " ▼" }
        guard line.fastest == column else { return text }
        let marked = emphasis(text)
        return marked == text ? text + " *" : marked
    }

    var fileLines: [Line] { lines.filter { line in line.cells.contains { $1.fileRatio != nil } } }

    var fileHeader: [String] {
        ["file size"] + columns.map(\.title) + (hasIndirect ? ["realm-core (indirect)"] : [])
    }

    func fileFields(_ line: Line) -> [String] {
        let cells = columns.map { column -> String in
            guard let cell = line.cells[column], let bytes = cell.fileBytes else { return "" }
            let text = Display.bytes(Int(bytes))
            if column.engine == base { return text }
            return cell.fileRatio.map { "\(text) \(Self.text(ratio: $0))" } ?? text
        }
        let own = line.indirect.flatMap(\.file).map { Self.text(ratio: $0) } ?? ""
        return [line.title] + cells + (hasIndirect ? [own] : [])
    }
}
