import StorageEngine
import ToolSupport

/// Importing rows of an SQLite database.
extension Importer {
    func importRows(_ rows: SQLiteRows) throws {
        guard let className = options.className else {
            throw ToolError(.usage, "SQLite needs the name of a class.")
        }
        let builder = try builder(className, at: nil)
        let reader = SQLiteReader(rows, memory: memory, dates: options.dates)
        /// The column that is being read.
        var present: Int?
        do {
            let columns = try columns(rows, builder)
            while try rows.next() {
                if counts.records < options.skip {
                    counts.records += 1
                    continue
                }
                builder.begin()
                for (field, column) in columns.enumerated() {
                    present = field
                    if case .property(let column) = column {
                        try reader.read(field, into: column, of: builder)
                    }
                }
                present = nil
                try store(builder, line: rows.number)
            }
        } catch let problem as DataProblem {
            throw PlacedProblem(place: place(rows, present), message: problem.message)
        } catch let error as StorageError where error.isOfRecord {
            throw PlacedProblem(place: place(rows, nil), message: error.message)
        }
    }

    /// Which property each column is for.
    private func columns(
        _ rows: SQLiteRows, _ builder: RowBuilder
    ) throws -> [CSVHeader.Column] {
        let names = options.columns ?? rows.columnNames
        guard names.count == rows.columnNames.count else {
            throw ToolError(
                .usage,
                "--columns names \(names.count) properties, and there are "
                    + "\(rows.columnNames.count) columns: "
                    + rows.columnNames.joined(separator: ", ") + ".")
        }
        return try CSVHeader(names, builder.definition, options).columns
    }

    private func place(_ rows: SQLiteRows, _ column: Int?) -> String {
        if rows.number == 0 { return rows.name }
        let place = placeOfRecord(rows.number)
        guard let column else { return place }
        return "\(place), column '\(CellText.shown(rows.columnNames[column], cut: true))'"
    }
}
