/// Coverage counts as the text of a results column: `commit (fallocate) 4; copy (pwritev) 2`.
enum CoverageText {
    static func text(of coverage: [String: Int]) -> String {
        coverage.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            .joined(separator: "; ")
    }

    /// Returns the counts, or nil for a text in another form.
    static func coverage(of text: String) -> [String: Int]? {
        var coverage: [String: Int] = [:]
        for part in text.split(separator: ";") {
            let words = part.split(separator: " ")
            guard words.count > 1, let count = Int(words[words.count - 1]) else { return nil }
            coverage[words.dropLast().joined(separator: " "), default: 0] += count
        }
        return coverage
    }
}
