import Foundation

/// The file written by `--export-json`.
enum RunExport {
    /// Returns a JSON array with one object for each row and one member for each column of
    /// `summary.csv`. Values that were not measured are null.
    static func json(of results: [CaseResult], context: RunContext) throws -> String {
        let rows = results.map { result in
            Dictionary(
                uniqueKeysWithValues: zip(
                    ColumnCatalogue.header,
                    ColumnCatalogue.fields(of: result, context: context)
                ).map { ($0, JSONField(column: $0, text: $1)) })
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(rows), as: UTF8.self) + "\n"
    }
}

/// A field of `summary.csv`, encoded with the type of its column.
private struct JSONField: Encodable {
    var column: String
    var text: String

    /// The columns whose fields are text even if they look like a number.
    private static let texts: Set<String> = [
        "run_id", "case_id", "workload", "strategy", "engine", "layer", "durability", "status",
        "digest", "sweep",
    ]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if text.isEmpty {
            try container.encodeNil()
        } else if Self.texts.contains(column) {
            try container.encode(text)
        } else if let truth = Bool(text) {
            try container.encode(truth)
        } else if let whole = UInt64(text) {
            try container.encode(whole)
        } else if let number = Double(text) {
            try container.encode(number)
        } else {
            try container.encode(text)
        }
    }
}
