/// The tally of a scenario in a run, in two parts: what is in the file of results and what is not
/// yet.
struct TallyRow {
    private var written: LayerTally
    var unwritten: LayerTally

    /// Seconds of rounds after which they are written. A run that is killed loses no more than
    /// that.
    private static let longestUnwrittenSeconds = 20.0

    init(_ tally: LayerTally) {
        written = tally
        unwritten = tally
    }

    var mayGoOn: Bool {
        unwritten.report.failures.isEmpty && written.report.failures.isEmpty
            && unwritten.report.skipped == nil && written.report.skipped == nil
    }

    var isDue: Bool { unwritten.seconds >= Self.longestUnwrittenSeconds || !mayGoOn }

    /// Tally of all rounds.
    var whole: LayerTally { written.followed(by: unwritten) }

    /// Returns the rounds to be written now, or nil if there are none, and counts them as written.
    mutating func takeUnwritten() -> LayerTally? {
        guard unwritten.rounds > 0 else { return nil }
        defer {
            written = whole
            unwritten = LayerTally(
                layer: unwritten.layer, scenario: unwritten.scenario, seed: unwritten.seed,
                firstRound: unwritten.firstRound + unwritten.rounds)
        }
        return unwritten
    }
}
