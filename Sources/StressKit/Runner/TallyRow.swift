/// A scenario in a run: what came of it, and what of that is not in the file of results yet.
struct TallyRow {
    private var written: LayerTally
    var unwritten: LayerTally

    /// Rounds are written once they have taken so long together: who kills a run loses no more.
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

    /// All rounds.
    var whole: LayerTally { written.followed(by: unwritten) }

    /// What is to be written now; nil if there is nothing.
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
