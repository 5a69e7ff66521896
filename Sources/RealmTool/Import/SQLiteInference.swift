import StorageEngine
import ToolSupport

/// A class for rows of SQLite: the types of its properties, as all rows show them.
///
/// SQLite stores any value in any column, whatever type that was declared with, so the values
/// decide. What was declared tells bools from integers, and dates from numbers.
struct SQLiteInference {
    private static let rowsBetweenChecks = 1024

    private struct Column {
        let name: String
        let declared: String
        var hasNulls = false
        var hasIntegers = false
        var hasReals = false
        var hasTexts = false
        var hasBlobs = false
        var isBits = true
        var areDates = true
        var areUUIDs = true
        var areLongUUIDs = true

        mutating func see(_ rows: SQLiteRows, _ column: Int) {
            switch rows.kind(column) {
            case .null: hasNulls = true
            case .integer:
                hasIntegers = true
                if isBits { isBits = (0...1).contains(rows.integer(column)) }
            case .real: hasReals = true
            case .text:
                hasTexts = true
                guard areDates || areUUIDs else { return }
                let text = rows.text(column)
                if areDates {
                    areDates = text.first != UInt8(ascii: "@") && DateText.parse(text) != nil
                }
                if areUUIDs { areUUIDs = HexText.uuid(text) != nil }
            case .blob:
                hasBlobs = true
                if areLongUUIDs { areLongUUIDs = rows.blob(column).count == 16 }
            }
        }

        private func isDeclared(_ parts: String...) -> Bool {
            parts.contains { declared.contains($0) }
        }

        /// - Parameter knowsDates: whether numbers can be dates.
        func type(knowsDates: Bool) -> ValueType {
            let isDate = knowsDates && isDeclared("DATE", "TIME")
            switch (hasIntegers, hasReals, hasTexts, hasBlobs) {
            case (false, false, false, false): return typeOfNothing(isDate: isDate)
            case (true, false, false, false):
                if isDate { return .date }
                return isDeclared("BOOL") && isBits ? .bool : .int
            case (_, true, false, false): return isDate ? .date : .double
            case (false, false, true, false):
                return areDates ? .date : areUUIDs ? .uuid : .string
            case (false, false, false, true):
                return isDeclared("UUID", "GUID") && areLongUUIDs ? .uuid : .data
            case (_, _, true, false) where isDate && areDates: return .date
            default: return .mixed
            }
        }

        /// The type of a column of which all values are null, by the rules of SQLite.
        private func typeOfNothing(isDate: Bool) -> ValueType {
            if isDate { return .date }
            if isDeclared("BOOL") { return .bool }
            if isDeclared("INT") { return .int }
            if isDeclared("CHAR", "CLOB", "TEXT") { return .string }
            if isDeclared("BLOB") { return .data }
            return isDeclared("REAL", "FLOA", "DOUB", "NUM", "DEC") ? .double : .string
        }
    }

    /// Returns the class of rows, which are read to the end and then from the beginning again.
    ///
    /// - Parameters:
    ///   - primaryKey: the column that is the primary key.
    ///   - isRequired: whether it is a mistake if that cannot be a primary key.
    static func definition(
        of rows: SQLiteRows, named className: String, columns names: [String]?,
        primaryKey: String?, isRequired: Bool, dates: NumberedDates?, progress: ProgressLine
    ) throws -> TableDefinition {
        defer { progress.clear() }
        let names = names ?? rows.columnNames
        var columns = zip(names, rows.columnNames.indices).map {
            Column(name: $0, declared: rows.declaredType($1))
        }
        while try rows.next() {
            for index in columns.indices { columns[index].see(rows, index) }
            guard rows.number % rowsBetweenChecks == 0 else { continue }
            try Interrupted.check()
            progress.update(UInt64(rows.number), of: rows.count.map { UInt64($0) }) {
                ProgressLine.rows(rows.number, $0)
            }
        }
        rows.rewind()
        if let primaryKey, isRequired {
            try ClassInference.require(primaryKey, among: columns.map(\.name))
        }
        return TableDefinition(
            name: className,
            columns: try columns.map { column in
                let type = column.type(knowsDates: dates != nil)
                var isKey = column.name == primaryKey
                if isKey, !type.traits.mayBePrimaryKey || column.hasNulls {
                    guard !isRequired else {
                        throw ToolError(
                            .badData,
                            "The column '\(column.name)' cannot be the primary key: "
                                + (column.hasNulls
                                    ? "it has nulls." : "it is \(ScalarReader.noun(type))."))
                    }
                    isKey = false
                }
                return ColumnDefinition(
                    name: column.name, type: type,
                    isOptional: !isKey && column.hasNulls && type != .mixed, isPrimaryKey: isKey,
                    isIndexed: isKey)
            })
    }
}
