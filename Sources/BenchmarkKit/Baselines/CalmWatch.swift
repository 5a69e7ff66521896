import Foundation

/// Keeps timed runs to moments in which nobody else uses their processor core.
///
/// A core that two threads share, in this machine or in another one on the same hardware, slows
/// programs down by as much as half, for seconds at a time. That is seen in how crowded the core
/// is, whatever its clock does. A run that began or ended crowded is thrown away and repeated.
/// Both sides of a comparison are treated alike, so this favours neither.
final class CalmWatch {
    /// How often a run is repeated before the last one counts as it is.
    private static let attempts = 6
    private static let longestWaitSeconds = 2.0
    /// Waiting and repeating may take as long as the runs that count and this: on a machine that is
    /// never calm the time is bounded, and rows are noisy.
    private static let allowanceSeconds = 5.0

    private var keptSeconds = 0.0
    private var lostSeconds = 0.0
    private var crowding = CrowdingScale()
    private(set) var kept = 0
    private(set) var discarded = 0
    /// Runs that counted although they were crowded.
    private(set) var crowded = 0

    private func isCalm(_ calibration: Calibration) -> Bool {
        crowding.add(calibration)
        return crowding.isCalm(calibration)
    }

    /// The first calm run of `body`, else its last one.
    func run(_ body: () throws -> TimedRun) throws -> TimedRun {
        for attempt in 1...Self.attempts {
            waitUntilCalm()
            let start = monotonicNanoseconds()
            let run = try body()
            let duration = seconds(from: start, to: monotonicNanoseconds())
            let isCalm = isCalm(run.calibrationBefore) && isCalm(run.calibrationAfter)
            if isCalm || attempt == Self.attempts || isAllowanceSpent {
                kept += 1
                keptSeconds += duration
                if !isCalm { crowded += 1 }
                return run
            }
            discarded += 1
            lostSeconds += duration
        }
        preconditionFailure("The last attempt returns.")
    }

    private var isAllowanceSpent: Bool { lostSeconds > keptSeconds + Self.allowanceSeconds }

    private func waitUntilCalm() {
        let start = monotonicNanoseconds()
        var waited = 0.0
        while !isAllowanceSpent, waited < Self.longestWaitSeconds, !isCalm(Calibration.now()) {
            Thread.sleep(forTimeInterval: 0.02)
            waited = seconds(from: start, to: monotonicNanoseconds())
        }
        lostSeconds += waited
    }

    var summary: String {
        "\(kept) runs; \(discarded) more were repeated because the processor core was shared, "
            + "and \(crowded) counted in spite of it."
    }
}

/// Tells calm moments from crowded ones, by all that were seen.
struct CrowdingScale {
    /// How much more crowded than a calm moment is still calm.
    private static let tolerance = 1.06
    /// The calmest of so many moments is not believed: an interruption in the first of the two pieces
    /// of computing makes a moment look calmer than any is, and all others crowded.
    private static let momentsForOneMistake = 50

    /// Ascending.
    private var seen: [Double] = []

    mutating func add(_ calibration: Calibration) {
        let place = seen.firstIndex { $0 >= calibration.crowding } ?? seen.count
        seen.insert(calibration.crowding, at: place)
    }

    func isCalm(_ calibration: Calibration) -> Bool {
        guard !seen.isEmpty else { return true }
        let calm = seen[seen.count / Self.momentsForOneMistake]
        return calibration.crowding <= calm * Self.tolerance
    }
}
