import Foundation
import Synchronization

/// What a process tells of the one case that it timed.
struct TimedReport: Codable, Equatable, Sendable {
    var caseId: String
    var status: CaseResult.Status
    var failure: String?
    var operations: Int
    var elapsedSeconds: Double
    /// Microseconds of one operation that the quickest tenth of the batches stayed below.
    var latencyP10: Double?
    var latencyP50: Double?
    /// Of the whole case, its preparation included: how much of its time it computed.
    var processorSeconds: Double
    var wallSeconds: Double
    var digest: String?
}

/// A process's report, and how fast the processor was meanwhile.
struct TimedRun: Equatable, Sendable {
    var report: TimedReport
    /// Just before and just after the process, measured by the one that started it: two builds
    /// are measured with the same code.
    var calibrationBefore: Calibration
    var calibrationAfter: Calibration
}

/// How fast a processor runs at this moment, and how crowded it is.
///
/// Two fixed pieces of computing are timed. In the first every step waits for the one before: its
/// time follows the clock speed alone. The second has eight independent chains of the same steps,
/// which fill the processor's execution units: its time also grows when another thread runs on the
/// same physical core, in this machine or in another one that shares the hardware.
struct Calibration: Equatable, Sendable {
    private static let steps = 10_000
    private static let repetitions = 31
    /// Where results go, so that the compiler has to compute them.
    private static let sink = Atomic<UInt64>(1)

    /// The median of the repetitions of each.
    var chainNanoseconds: Double
    var wideNanoseconds: Double

    /// What is not explained by the clock; only its relation to other moments means something.
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

    /// A rotation and a sum: one unit each, and nothing that SIMD has an instruction for.
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

/// The one number by which a process's run is judged.
enum TimedStatistic {
    /// The time of one operation that the quickest tenth of the batches stays below, in units of
    /// the calibration's time: interruptions only ever add time, and a processor that slows down
    /// slows both.
    static func value(of run: TimedRun) -> Double {
        let report = run.report
        let time =
            report.latencyP10 ?? report.elapsedSeconds / Double(max(1, report.operations)) * 1e6
        return time
            / min(run.calibrationBefore.chainNanoseconds, run.calibrationAfter.chainNanoseconds)
    }
}
