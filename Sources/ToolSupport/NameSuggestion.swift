/// Suggestions for mistyped names on the command line.
package enum NameSuggestion {
    /// Returns the candidates closest to `name`: those that contain it, else up to three by edit
    /// distance.
    package static func closest(to name: String, among candidates: [String]) -> [String] {
        let containing = candidates.filter { !name.isEmpty && $0.contains(name) }
        if !containing.isEmpty { return Array(containing.prefix(5)) }
        let limit = max(2, name.count / 3)
        return
            candidates
            .map { (candidate: $0, distance: editDistance(name, $0)) }
            .filter { $0.distance <= limit }
            .sorted { ($0.distance, $0.candidate) < ($1.distance, $1.candidate) }
            .prefix(3)
            .map(\.candidate)
    }

    /// Returns a sentence that names the mistake, and the closest names or, without any, all names.
    package static func message(kind: String, name: String, among candidates: [String]) -> String {
        "There is no \(kind) named '\(name)'. \(hint(for: name, among: candidates))"
    }

    /// Returns a sentence with the closest names or, without any, all names.
    package static func hint(for name: String, among candidates: [String]) -> String {
        let suggestions = closest(to: name, among: candidates)
        return suggestions.isEmpty
            ? "Known: \(candidates.joined(separator: ", "))."
            : "Did you mean \(suggestions.joined(separator: ", "))?"
    }

    /// Returns the edit distance (Levenshtein, 1966): insertions, deletions and replacements.
    package static func editDistance(_ first: String, _ second: String) -> Int {
        let left = Array(first)
        let right = Array(second)
        var previous = Array(0...right.count)
        for (row, character) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                let replaced = previous[column] + (character == other ? 0 : 1)
                current.append(min(replaced, previous[column + 1] + 1, current[column] + 1))
            }
            previous = current
        }
        return previous[right.count]
    }
}
