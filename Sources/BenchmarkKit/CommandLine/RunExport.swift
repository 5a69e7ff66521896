import Foundation
import Glibc

/// The files written by `--export-markdown` and `--export-json`.
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

    /// Throws if a file cannot be written, before anything is measured.
    static func checkWritable(_ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure(path) }
        close(descriptor)
    }

    static func write(_ text: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw failure(path) }
            bytes = bytes.dropFirst(written)
        }
    }

    private static func failure(_ path: String) -> BenchmarkError {
        BenchmarkError(
            .internalError, "'\(path)' cannot be written: \(String(cString: strerror(errno))).")
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
