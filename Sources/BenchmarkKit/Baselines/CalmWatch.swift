import Foundation

/// Keeps timed runs to moments in which nobody else uses their processor core.
///
/// A core that two threads share, in this machine or in another one on the same hardware, slows
/// programs down by as much as half, for seconds at a time. That is seen in how crowded the core
/// is, whatever its clock does. A run that began or ended crowded is thrown away and repeated.
/// Both sides of a comparison are treated alike, so this favours neither.
final class CalmWatch {
    /// How much more crowded than the calmest moment so far is still calm.
    private static let tolerance = 1.06
    /// How often a run is repeated before the last one counts as it is.
    private static let attempts = 6
    private static let longestWaitSeconds = 2.0

    private var calmest = Double.infinity
    private(set) var kept = 0
    private(set) var discarded = 0
    /// Runs that counted although they were crowded.
    private(set) var crowded = 0

    private func isCalm(_ calibration: Calibration) -> Bool {
        calmest = min(calmest, calibration.crowding)
        return calibration.crowding <= calmest * Self.tolerance
    }

    /// The first calm run of `body`, else its last one.
    func run(_ body: () throws -> TimedRun) throws -> TimedRun {
        for attempt in 1...Self.attempts {
            waitUntilCalm()
            let run = try body()
            let isCalm = isCalm(run.calibrationBefore) && isCalm(run.calibrationAfter)
            if isCalm || attempt == Self.attempts {
                kept += 1
                if !isCalm { crowded += 1 }
                return run
            }
            discarded += 1
        }
        preconditionFailure("The last attempt returns.")
    }

    private func waitUntilCalm() {
        let start = monotonicNanoseconds()
        while !isCalm(Calibration.now()) {
            if seconds(from: start, to: monotonicNanoseconds()) > Self.longestWaitSeconds { return }
            Thread.sleep(forTimeInterval: 0.02)
        }
    }

    var summary: String {
        "\(kept) runs; \(discarded) more were repeated because the processor core was shared, "
            + "and \(crowded) counted in spite of it."
    }
}
