import Foundation
import ToolSupport

/// A document with marked places that a tool fills in, so that no figure is typed by hand. The
/// marks are `<!-- stress:layers -->` and `<!-- /stress:layers -->`, each on a line of its own.
package enum MarkedDocument {
    /// Returns the text with each marked place filled anew.
    ///
    /// - Throws: `usage` for an unknown mark, a mark without an end, or a text without marks.
    package static func filled(
        _ text: String, _ contents: (SummaryTables.Section) -> String
    ) throws -> String {
        var lines: [Substring] = []
        var rest = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        var marks = 0
        while let line = rest.popFirst() {
            lines.append(line)
            guard line.hasPrefix("<!-- stress:"), line.hasSuffix(" -->") else { continue }
            let name = String(line.dropFirst(12).dropLast(4))
            guard let section = SummaryTables.Section(rawValue: name) else {
                throw BenchmarkError(.usage, "The mark '\(line)' means nothing.")
            }
            guard let end = rest.firstIndex(of: "<!-- /stress:\(name) -->") else {
                throw BenchmarkError(.usage, "The mark '\(line)' has no end.")
            }
            lines.append(Substring(contents(section)))
            rest = rest[end...]
            marks += 1
        }
        guard marks > 0 else {
            throw BenchmarkError(.usage, "There is no mark such as '<!-- stress:layers -->'.")
        }
        return lines.joined(separator: "\n")
    }
}
