import Foundation
import ToolSupport

/// The outcome of a gate or a comparison, case by case, for other programs.
struct GateReport: Codable, Equatable {
    /// What the outcome of a case means to a build: a failure is the case's own, an error means
    /// that nothing could be said.
    enum Status: String, Codable { case passed, failed, error, skipped }

    struct Entry: Codable, Equatable {
        var caseId: String
        var status: Status
        /// Why, as sentences; empty for a case that passed.
        var reasons: [String] = []
    }

    /// A figure whose course a program can follow.
    struct Figure: Codable, Equatable {
        var name: String
        var unit: String
        var value: Double
    }

    /// What was compared, such as `gate counted`.
    var title: String
    var entries: [Entry]
    /// Lines about all of them.
    var summary: [String]
    var figures: [Figure] = []

    func count(_ status: Status) -> Int { entries.count { $0.status == status } }
}

// MARK: Forms

extension GateReport {
    /// For a comment of a pull request: what is not right first, everything else in one line.
    var markdown: String {
        var table = TextTable(leftColumns: [0, 1, 2], header: ["case", "outcome", "why"])
        table.rows = entries.filter { $0.status == .failed || $0.status == .error }.map {
            [$0.caseId, $0.status.rawValue, $0.reasons.joined(separator: " ")]
        }
        let counts = [Status.passed, .failed, .error, .skipped].map {
            "\(count($0)) \($0.rawValue)"
        }
        var lines = ["## \(title)", "", counts.joined(separator: ", "), ""]
        if !table.rows.isEmpty { lines += table.markdown() + [""] }
        return (lines + summary.map { "- \($0)" }).joined(separator: "\n") + "\n"
    }

    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
        }
    }

    /// The XML of JUnit's Ant task, which services for continuous integration read.
    var junit: String {
        var lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<testsuites>",
            "  <testsuite name=\"\(SVG.escaped(title))\" tests=\"\(entries.count)\" "
                + "failures=\"\(count(.failed))\" errors=\"\(count(.error))\" "
                + "skipped=\"\(count(.skipped))\">",
        ]
        for entry in entries {
            let workload = entry.caseId.prefix { $0 != "/" }
            let start =
                "    <testcase classname=\"\(SVG.escaped(String(workload)))\" "
                + "name=\"\(SVG.escaped(entry.caseId))\""
            let text = SVG.escaped(entry.reasons.joined(separator: " "))
            switch entry.status {
            case .passed: lines.append(start + "/>")
            case .failed: lines.append("\(start)><failure message=\"\(text)\"/></testcase>")
            case .error: lines.append("\(start)><error message=\"\(text)\"/></testcase>")
            case .skipped: lines.append("\(start)><skipped message=\"\(text)\"/></testcase>")
            }
        }
        return (lines + ["  </testsuite>", "</testsuites>"]).joined(separator: "\n") + "\n"
    }

    /// The JSON that `benchmark-action/github-action-benchmark` reads as `customSmallerIsBetter`
    /// or, for rates, as `customBiggerIsBetter`.
    var benchmarkAction: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(figures), as: UTF8.self) + "\n"
        }
    }
}
