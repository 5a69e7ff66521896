import ToolSupport

/// A table of a page. Its script sorts it by a click and searches it, and shows what a column
/// means.
struct HTMLTable {
    struct Column {
        var title: String
        /// What the column means; empty if the title says it.
        var meaning = ""
        var isLeft = false
        /// Whether it is shown only on request.
        var isWide = false
    }

    struct Cell {
        var text: String
        /// The number that the text stands for; nil sorts the cell by its text.
        var value: Double?
        /// What is shown on hover.
        var note = ""
        var style = ""
        var isStrong = false

        init(
            _ text: String, value: Double? = nil, note: String = "", style: String = "",
            isStrong: Bool = false
        ) {
            self.text = text
            self.value = value
            self.note = note
            self.style = style
            self.isStrong = isStrong
        }
    }

    struct Row {
        var cells: [Cell]
        var style = ""
        /// Whether the row begins a group, as long as the table is not sorted.
        var beginsGroup = false
    }

    var columns: [Column]
    var rows: [Row]
    var style = ""

    /// The table without the columns whose cells are all empty, except the first `keeping`.
    func withoutEmptyColumns(keeping: Int) -> HTMLTable {
        let used = columns.indices.filter { column in
            column < keeping || rows.contains { !$0.cells[column].text.isEmpty }
        }
        var table = self
        table.columns = used.map { columns[$0] }
        for index in rows.indices { table.rows[index].cells = used.map { rows[index].cells[$0] } }
        return table
    }

    var html: String {
        let head = columns.map { column -> String in
            "<th scope=\"col\"\(Self.attributes(classes(of: column), column.meaning))>"
                + "\(SVG.escaped(column.title))</th>"
        }
        let body = rows.map(html(of:))
        return "<div class=\"scroll\"><table\(Self.attributes(style.isEmpty ? [] : [style], ""))>"
            + "<thead><tr>\(head.joined())</tr></thead>\n<tbody>\(body.joined())</tbody>"
            + "</table></div>\n"
    }

    private func html(of row: Row) -> String {
        var cells = ""
        for (cell, column) in zip(row.cells, columns) {
            let styles = classes(of: column) + (cell.style.isEmpty ? [] : [cell.style])
            let value = cell.value.map { " data-value=\"\($0)\"" } ?? ""
            let text = SVG.escaped(cell.text)
            cells += "<td\(Self.attributes(styles, cell.note))\(value)>"
            cells += (cell.isStrong ? "<b>\(text)</b>" : text) + "</td>"
        }
        let styles = [row.style, row.beginsGroup ? "begins" : ""].filter { !$0.isEmpty }
        return "<tr\(Self.attributes(styles, ""))>\(cells)</tr>\n"
    }

    private func classes(of column: Column) -> [String] {
        (column.isLeft ? ["left"] : []) + (column.isWide ? ["wide"] : [])
    }

    private static func attributes(_ classes: [String], _ note: String) -> String {
        (classes.isEmpty ? "" : " class=\"\(classes.joined(separator: " "))\"")
            + (note.isEmpty ? "" : " data-note=\"\(SVG.escaped(note))\"")
    }
}

extension HTMLTable {
    /// A table as it is for a terminal.
    init(_ table: TextTable) {
        columns = table.header.enumerated().map { index, title in
            Column(title: title, isLeft: table.leftColumns.contains(index))
        }
        rows = table.rows.map { fields in
            Row(cells: fields.map { Cell($0, value: Double($0)) })
        }
    }
}

extension HTMLTable.Column {
    init(_ column: ResultColumn) {
        self.init(
            title: column.title, meaning: column.meaning, isLeft: column.source == "engine",
            isWide: column.isWide)
    }
}
