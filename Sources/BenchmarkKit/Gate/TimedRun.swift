import Foundation
import Synchronization
import ToolSupport

/// The report of a process on the one case that it timed.
struct TimedReport: Codable, Equatable, Sendable {
    var caseId: String
    var status: CaseResult.Status
    var failure: String?
    var operations: Int
    var elapsedSeconds: Double
    /// The 10th percentile of the time of one operation over the batches, in microseconds.
    var latencyP10: Double?
    var latencyP50: Double?
    /// The share of the batches that took more than twice their median; nil if there are too few,
    /// or in a report of an older build.
    var slowShare: Double?
    /// The median time of a commit's wait for the disk as a share of the median interval; nil if
    /// the case does not time that, or in a report of an older build.
    var syncShare: Double?
    /// The processor seconds of the whole case on all threads, its preparation included; with the
    /// elapsed time and ``syncShare`` they tell whether the case is processor-bound.
    var processorSeconds: Double
    var wallSeconds: Double
    var digest: String?
}

/// A process's report and the calibrations of the processor around it.
struct TimedRun: Equatable, Sendable {
    var report: TimedReport
    /// The calibrations just before and just after the process. The parent measures them, so that
    /// the same code calibrates for both builds.
    var calibrationBefore: Calibration
    var calibrationAfter: Calibration
}

/// The clock speed of the processor at one moment, and how crowded its core is.
///
/// Two fixed loops are timed. In the first, every step depends on the one before, so its time
/// follows the clock speed alone. The second runs eight independent chains of the same steps, which
/// fill the execution units. Its time also grows when another thread runs on the same physical
/// core, in this virtual machine or in another one on the same host.
struct Calibration: Equatable, Sendable {
    private static let steps = 10_000
    private static let repetitions = 31
    /// The destination of the results, which keeps the compiler from removing the loops.
    private static let sink = Atomic<UInt64>(1)

    /// The median of the repetitions of each loop.
    var chainNanoseconds: Double
    var wideNanoseconds: Double

    /// The slowdown that the clock speed does not explain. Only comparisons with other moments are
    /// meaningful.
    var crowding: Double { wideNanoseconds / chainNanoseconds }

    /// Measures for about half a millisecond.
    static func now() -> Calibration {
        var chain: [Double] = []
        var wide: [Double] = []
        var state = sink.load(ordering: .relaxed)
        for _ in 0..<repetitions {
            let start = monotonicNanoseconds()
            state = chained(state)
            let middle = monotonicNanoseconds()
            state ^= parallel(state)
            chain.append(Double(middle - start))
            wide.append(Double(monotonicNanoseconds() - middle))
        }
        sink.store(state, ordering: .relaxed)
        return Calibration(
            chainNanoseconds: Quantiles.median(chain), wideNanoseconds: Quantiles.median(wide))
    }

    /// Does a rotation and an addition: one execution unit each, and no SIMD instruction for the
    /// whole.
    @inline(__always)
    private static func step(_ word: UInt64) -> UInt64 {
        (word &<< 7 | word &>> 57) &+ 0x9E37_79B9_7F4A_7C15
    }

    @inline(never)
    private static func chained(_ seed: UInt64) -> UInt64 {
        var word = seed
        for _ in 0..<steps { word = step(word) }
        return word
    }

    @inline(never)
    private static func parallel(_ seed: UInt64) -> UInt64 {
        var a = seed
        var b = seed &+ 1
        var c = seed &+ 2
        var d = seed &+ 3
        var e = seed &+ 4
        var f = seed &+ 5
        var g = seed &+ 6
        var h = seed &+ 7
        for _ in 0..<steps {
            a = step(a)
            b = step(b)
            c = step(c)
            d = step(d)
            e = step(e)
            f = step(f)
            g = step(g)
            h = step(h)
        }
        return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h
    }
}

/// The statistic by which a process's run is judged.
enum TimedStatistic {
    /// Returns the 10th percentile of the time of one operation, divided by the time of the
    /// calibration's first loop. The low percentile is robust because interruptions only add time;
    /// the division cancels changes of the clock speed.
    static func value(of run: TimedRun) -> Double {
        let report = run.report
        let time =
            report.latencyP10 ?? report.elapsedSeconds / Double(max(1, report.operations)) * 1e6
        return time
            / min(run.calibrationBefore.chainNanoseconds, run.calibrationAfter.chainNanoseconds)
    }
}
