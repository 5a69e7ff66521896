import ToolSupport

/// The choice of cases by a regular expression that matches a part of their ids, as they are
/// printed.
enum CaseFilter {
    static func chosen(of suite: String, filter: String?) throws -> [BenchmarkCase] {
        let cases = try Suite.load(suite).expanded(overriding: OptionOverrides())
        guard let filter else { return cases }
        return try chosen(from: cases, of: suite, filter: filter)
    }

    /// Returns the cases whose ``BenchmarkCase/name`` matches.
    ///
    /// - Throws: a usage error if none does.
    static func chosen(
        from cases: [BenchmarkCase], of suite: String, filter: String
    ) throws -> [BenchmarkCase] {
        let expression: Regex<AnyRegexOutput>
        do { expression = try Regex(filter) } catch {
            throw BenchmarkError(.usage, "'\(filter)' is not a regular expression: \(error)")
        }
        let chosen = cases.filter { $0.name.contains(expression) }
        guard chosen.isEmpty else { return chosen }
        let ids = cases.prefix(3).map(\.name) + (cases.count > 3 ? ["..."] : [])
        throw BenchmarkError(
            .usage,
            "No case of the suite '\(suite)' matches '\(filter)'. Ids are "
                + "workload/strategy/durability/plain or encrypted/size/engine: "
                + ids.joined(separator: ", "))
    }
}
