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
    /// Just before and just after the case.
    var calibrationBefore: Calibration
    var calibrationAfter: Calibration
    /// Of the whole case, its preparation included: how much of its time it computed.
    var processorSeconds: Double
    var wallSeconds: Double
    var digest: String?
}

/// How fast a processor runs at this moment, and how crowded it is.
///
/// Two fixed pieces of computing are timed. In the first every step waits for the one before: its
/// time follows the clock speed alone. The second has eight independent parts, which fill the
/// processor's execution units: its time also grows when another thread runs on the same physical
/// core, in this machine or in another one that shares the hardware.
struct Calibration: Codable, Equatable, Sendable {
    private static let steps = 10_000
    private static let repetitions = 15

    /// The quickest repetition of each.
    var chainNanoseconds: Double
    var wideNanoseconds: Double

    /// What is not explained by the clock; only its relation to other moments means something.
    var crowding: Double { wideNanoseconds / chainNanoseconds }

    /// Measures for about a millisecond.
    static func now() -> Calibration {
        var chain = UInt64.max
        var wide = UInt64.max
        var state: UInt64 = 1
        var states = SIMD8<UInt64>(1, 2, 3, 4, 5, 6, 7, 8)
        for _ in 0..<repetitions {
            let start = monotonicNanoseconds()
            for _ in 0..<steps {
                state ^= state &<< 13
                state ^= state &>> 7
                state ^= state &<< 17
            }
            let middle = monotonicNanoseconds()
            for _ in 0..<steps {
                states ^= states &<< 13
                states ^= states &>> 7
                states ^= states &<< 17
            }
            chain = min(chain, middle - start)
            wide = min(wide, monotonicNanoseconds() - middle)
        }
        // Keeps the loops from being removed; xorshift never reaches zero.
        precondition(state != 0 && states != .zero, "A generator reached zero.")
        return Calibration(chainNanoseconds: Double(chain), wideNanoseconds: Double(wide))
    }
}

/// The one number by which a process's run is judged.
enum TimedStatistic {
    /// The time of one operation that the quickest tenth of the batches stays below, in units of
    /// the calibration's time: interruptions only ever add time, and a processor that slows down
    /// slows both.
    static func value(of run: TimedRun) -> Double {
        let time = run.latencyP10 ?? run.elapsedSeconds / Double(max(1, run.operations)) * 1e6
        return time
            / min(run.calibrationBefore.chainNanoseconds, run.calibrationAfter.chainNanoseconds)
    }
}
