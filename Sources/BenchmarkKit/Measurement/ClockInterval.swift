import ToolSupport

/// The time between two readings of the monotonic clock, which all threads and processes share.
struct ClockInterval: Codable, Equatable, Sendable {
    var start: UInt64
    var end: UInt64

    var seconds: Double { ToolSupport.seconds(from: start, to: end) }

    /// Returns the interval from the first start to the last end, in which all the work of several
    /// threads was done; nil without intervals.
    ///
    /// A rate of several threads is their operations divided by this time. The longest interval of
    /// one thread is less where threads took turns on a processor.
    static func covering(_ intervals: some Sequence<ClockInterval>) -> ClockInterval? {
        intervals.reduce(nil) { covered, interval in
            guard let covered else { return interval }
            return ClockInterval(
                start: min(covered.start, interval.start), end: max(covered.end, interval.end))
        }
    }
}
