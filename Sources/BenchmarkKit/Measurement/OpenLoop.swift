import StorageEngine
import ToolSupport

/// The schedule of operations that begin at a rate, whether or not the ones before are done.
///
/// The latency of an operation counts from when it was due. So a stall counts for all operations
/// that it delays, as it does for the users of a server; a closed loop does not begin them.
struct OpenLoop: Sendable {
    private(set) var start: UInt64
    private let nanosecondsBetween: Double

    init(rate: Double, start: UInt64 = monotonicNanoseconds()) {
        self.start = start
        nanosecondsBetween = 1e9 / rate
    }

    /// When the operation with this number, counted from 0, has to begin.
    func due(_ number: Int) -> UInt64 { start + UInt64(Double(number) * nanosecondsBetween) }

    /// Makes what is not yet done due later, by work beside the operations that took some time.
    mutating func postpone(by nanoseconds: UInt64) { start += nanoseconds }

    /// Waits until `due` by sleeping and then, for precision, by spinning. Returns the time.
    @discardableResult
    static func wait(until due: UInt64) -> UInt64 {
        var now = monotonicNanoseconds()
        let margin: UInt64 = 150_000
        if due > now + margin { System.sleep(nanoseconds: due - now - margin) }
        while now < due { now = monotonicNanoseconds() }
        return now
    }
}

extension CaseResult {
    /// Fills in the latencies from when operations were due.
    mutating func fill(intended: LatencyRecorder) {
        measure("intended_p50_us", intended.percentile(50))
        measure("intended_p99_us", intended.percentile(99))
        measure("intended_p999_us", intended.percentile(99.9))
    }
}
