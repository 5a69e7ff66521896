/// A row of a file of results.
struct StressRow {
    let run: String
    let revision: String
    let layer: String
    let scenario: String
    let skipped: String
    let firstFailure: String
    private(set) var total = StressSummary.Total()

    private static let columns = Dictionary(
        uniqueKeysWithValues: StressTable.header.enumerated().map { ($1, $0) })

    /// Parses a row. Nil for fields that do not have the form that
    /// ``StressTable/fields(of:run:revision:)`` gives them.
    init?(_ fields: [String]) {
        guard fields.count == StressTable.header.count else { return nil }
        func text(_ name: String) -> String { fields[Self.columns[name]!] }
        func sum(_ names: String...) -> Int? {
            let numbers = names.map { Int(text($0)) }
            return numbers.contains(nil) ? nil : numbers.compactMap { $0 }.reduce(0, +)
        }
        guard let rounds = sum("rounds"), let points = sum("points"), let states = sum("states"),
            let commits = sum("commits"), let lost = sum("lost_commits"),
            let reopenFailures = sum("reopen_failures"),
            let others = sum(
                "wrong_states", "wrong_errors", "anomalies", "over_limits", "crashes"),
            let peak = sum("peak_resident_bytes"), let seconds = Double(text("seconds")),
            let handOvers = HandOverHistogram(text("hand_over_histogram_us")),
            let coverage = CoverageText.coverage(of: text("coverage"))
        else { return nil }
        run = text("run_id")
        revision = text("git_revision")
        layer = text("layer")
        scenario = text("scenario")
        skipped = text("skipped")
        firstFailure = text("first_failure")
        total.rounds = rounds
        total.points = points
        total.states = states
        total.commits = commits
        total.lostCommits = lost
        total.reopenFailures = reopenFailures
        total.others = others
        total.seconds = seconds
        total.peakResidentBytes = peak
        total.handOvers = handOvers
        total.coverage = coverage
    }
}
