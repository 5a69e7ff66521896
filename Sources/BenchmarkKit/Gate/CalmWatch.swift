import Foundation
import ToolSupport

/// A filter that repeats timed runs which began or ended while another thread shared their
/// processor core.
///
/// Two threads on one physical core, in this virtual machine or in another one on the same host,
/// slow each other down by up to one half for seconds at a time. The clock speed does not show
/// this; `Calibration.crowding` does. A run that began or ended on a crowded core is discarded and
/// repeated. Both sides of a comparison are treated alike, so the filter favours neither.
final class CalmWatch {
    /// The number of attempts, after which the last run counts even if it was crowded.
    private static let attempts = 6
    private static let longestWaitSeconds = 2.0
    /// The time that waiting and repeating may take beyond the time of the runs that counted. The
    /// limit bounds the total time on a machine that is never calm; its rows are then noisy.
    private static let allowanceSeconds = 5.0

    private var keptSeconds = 0.0
    private var lostSeconds = 0.0
    private var crowding = CrowdingScale()
    private(set) var kept = 0
    private(set) var discarded = 0
    /// The number of crowded runs that counted because the attempts or the allowance were spent.
    private(set) var crowded = 0

    private func isCalm(_ calibration: Calibration) -> Bool {
        crowding.add(calibration)
        return crowding.isCalm(calibration)
    }

    /// Returns the first calm run of `body`, or the last run if none was calm.
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

/// A classification of calibrations as calm or crowded, relative to all calibrations seen so far.
struct CrowdingScale {
    /// The largest ratio to the crowding of a calm moment that still counts as calm.
    private static let tolerance = 1.06
    /// The number of moments of which the calmest one is ignored as an outlier. An interruption
    /// during the first loop of the calibration makes a moment look calmer than any moment is;
    /// taken as the reference it would make all others look crowded.
    private static let momentsForOneMistake = 50

    /// The crowding of every calibration seen, in ascending order.
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
