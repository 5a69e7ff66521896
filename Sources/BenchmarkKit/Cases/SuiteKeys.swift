import Foundation
import ToolSupport

/// The keys that the JSON file of a suite may have. The decoder ignores any other, so that a
/// misspelt one would have no effect.
enum SuiteKeys {
    static let ofSuite = ["name", "description", "cases"]
    static let ofCase =
        ["workload", "strategies", "engines", "durabilities", "encrypted"]
        + CaseOption.allCases.filter { $0 != .seed }.map(\.suiteKey)

    /// Throws a usage error that names the first unknown key. What is no suite otherwise is left to
    /// the decoder.
    static func check(_ data: Data) throws {
        guard let suite = try JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            return
        }
        try check(suite, among: ofSuite, kind: "key of a suite")
        guard let cases = suite["cases"] as? [Any] else { return }
        if cases.isEmpty { throw BenchmarkError(.usage, "it has no cases.") }
        for (index, entry) in cases.enumerated() {
            guard let entry = entry as? [String: Any] else { continue }
            try check(entry, among: ofCase, kind: "key of case \(index + 1)")
        }
    }

    private static func check(
        _ object: [String: Any], among known: [String], kind: String
    ) throws {
        guard let unknown = object.keys.sorted().first(where: { !known.contains($0) }) else {
            return
        }
        throw BenchmarkError(
            .usage,
            "'\(unknown)' is no \(kind). \(NameSuggestion.hint(for: unknown, among: known))")
    }
}
