import Foundation

/// A document with marked places that a tool fills in, so that no figure is typed by hand. The
/// marks of the tool `bench` are `<!-- bench:peers RUN -->` and `<!-- /bench:peers -->`, each on a
/// line of its own. Words after the name say what the place shows.
package struct MarkedDocument: Sendable {
    package struct Mark {
        package var name: String
        package var arguments: [String]
        /// The line, for messages.
        package var line: String
    }

    private let tool: String

    package init(tool: String) { self.tool = tool }

    /// Returns the text with each marked place filled anew.
    ///
    /// - Throws: `usage` for a mark without a name or an end, or a text without marks; and what
    ///   `contents` throws, for example about an unknown mark.
    package func filled(
        _ text: String, _ contents: (Mark) throws -> String
    ) throws -> String {
        var lines: [Substring] = []
        var rest = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        var marks = 0
        while let line = rest.popFirst() {
            lines.append(line)
            guard let mark = try mark(String(line)) else { continue }
            guard let end = rest.firstIndex(of: "<!-- /\(tool):\(mark.name) -->") else {
                throw BenchmarkError(.usage, "The mark '\(line)' has no end.")
            }
            lines.append(Substring(try contents(mark)))
            rest = rest[end...]
            marks += 1
        }
        guard marks > 0 else {
            throw BenchmarkError(.usage, "There is no mark such as '<!-- \(tool):NAME -->'.")
        }
        return lines.joined(separator: "\n")
    }

    private func mark(_ line: String) throws -> Mark? {
        let (start, end) = ("<!-- \(tool):", " -->")
        guard line.hasPrefix(start), line.hasSuffix(end) else { return nil }
        let words = line.dropFirst(start.count).dropLast(end.count).split(separator: " ")
        guard let name = words.first else {
            throw BenchmarkError(.usage, "The mark '\(line)' has no name.")
        }
        return Mark(
            name: String(name), arguments: words.dropFirst().map(String.init), line: line)
    }

    /// Reads a document, fills it anew and, unless `isReadOnly`, writes it. Returns whether it
    /// already had what the marked places should have.
    @discardableResult
    package func fill(
        file: String, isReadOnly: Bool = false, _ contents: (Mark) throws -> String
    ) throws -> Bool {
        let text: String
        do { text = try String(contentsOfFile: file, encoding: .utf8) } catch {
            throw BenchmarkError(
                .usage, "'\(file)' cannot be read: \(error.fileProblem)")
        }
        let new: String
        do { new = try filled(text, contents) } catch let error as BenchmarkError {
            throw BenchmarkError(error.code, "'\(file)': \(error.message)")
        }
        if new != text, !isReadOnly { try TextFile.write(new, replacing: file) }
        return new == text
    }
}
