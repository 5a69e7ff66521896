import Foundation

/// What one process measured of one case, for decisions about time.
struct TimedRun: Codable, Equatable, Sendable {
    var caseId: String
    var status: CaseResult.Status
    var failure: String?
    var operations: Int
    var elapsedSeconds: Double
    /// Microseconds of one operation that the quickest tenth of the batches stayed below.
    var latencyP10: Double?
    var latencyP50: Double?
    /// Nanoseconds of a fixed piece of computing just before and just after the case.
    var calibrationBefore: Double
    var calibrationAfter: Double
    /// Of the whole case, its preparation included: how much of its time it computed.
    var processorSeconds: Double
    var wallSeconds: Double
    var digest: String?
}

/// A fixed piece of computing: how fast the processor runs at this moment.
enum Calibration {
    /// Dependent steps of one measurement, a quarter of a millisecond on a current processor.
    private static let steps = 50_000
    private static let repetitions = 21

    /// Nanoseconds of the quickest repetition.
    static func nanoseconds() -> Double {
        var best = UInt64.max
        var state: UInt64 = 1
        for _ in 0..<repetitions {
            let start = monotonicNanoseconds()
            for _ in 0..<steps { state = mix64(state) &+ 1 }
            best = min(best, monotonicNanoseconds() - start)
        }
        // Keeps the loop from being removed; no state of a bijection's orbit means anything.
        if state == 0 { best += 1 }
        return Double(best)
    }
}

/// The one number by which a process's run is judged.
enum TimedStatistic {
    /// The time of one operation that the quickest tenth of the batches stays below, in units of
    /// the calibration's time: interruptions only ever add time, and a processor that slows down
    /// slows both.
    static func value(of run: TimedRun) -> Double {
        let time = run.latencyP10 ?? run.elapsedSeconds / Double(max(1, run.operations)) * 1e6
        return time / min(run.calibrationBefore, run.calibrationAfter)
    }
}
