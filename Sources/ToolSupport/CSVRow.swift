import Foundation

/// One record of a file of comma-separated values, by column.
package struct CSVRow: Equatable, Sendable {
    private var fields: [String: String]

    package init(_ fields: [String: String]) { self.fields = fields }

    package init(header: [String], fields: [String]) {
        self.fields = Dictionary(zip(header, fields), uniquingKeysWith: { first, _ in first })
    }

    /// The field of a column; empty if there is no such column, as in older files.
    package subscript(_ column: String) -> String { fields[column] ?? "" }

    /// Returns a number; nil if the field is empty or no number.
    package func number(_ column: String) -> Double? { Double(self[column]) }

    package func integer(_ column: String) -> Int? { Int(self[column]) }

    package func hasColumn(_ column: String) -> Bool { fields[column] != nil }

    /// Parses a text whose first record names the columns. The last record of a file whose writer
    /// was interrupted may be truncated, and is then left out; `path` is for messages.
    ///
    /// - Parameter isWhole: Whether a truncated last record is an error as well. A record that ends
    ///   without a line break may have lost digits of its last number.
    /// - Throws: `usage` if the text is malformed or has no header.
    package static func rows(
        in text: String, path: String, isWhole: Bool = false
    ) throws -> [CSVRow] {
        if isWhole, text.last?.isNewline != true {
            throw BenchmarkError(.usage, "'\(path)' is cut: its last line has no end.")
        }
        let records: [CSV.Record]
        do { records = try CSV.parse(text) } catch {
            throw BenchmarkError(.usage, "'\(path)', line \(error.line): \(error.message).")
        }
        guard let header = records.first?.fields else {
            throw BenchmarkError(.usage, "'\(path)' is empty; it should begin with a header.")
        }
        return try records.indices.dropFirst().compactMap { index in
            let record = records[index]
            if record.fields.count == header.count {
                return CSVRow(header: header, fields: record.fields)
            }
            let isLast = index == records.count - 1
            if isLast, !isWhole, record.fields.count < header.count { return nil }
            throw BenchmarkError(
                .usage,
                "'\(path)', line \(record.line): \(record.fields.count) fields under "
                    + "\(header.count) columns.")
        }
    }

    /// Reads a file; nil if there is none.
    package static func rows(ofFile path: String, isWhole: Bool = false) throws -> [CSVRow]? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let text: String
        do { text = try String(contentsOfFile: path, encoding: .utf8) } catch {
            throw BenchmarkError(
                .usage, "'\(path)' cannot be read: \(error.fileProblem)")
        }
        return try rows(in: text, path: path, isWhole: isWhole)
    }
}
