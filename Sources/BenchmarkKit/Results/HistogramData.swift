/// A distribution of durations, compact enough to be passed from a case's process to the reports
/// and merged over runs.
public struct HistogramData: Codable, Equatable, Sendable {
    /// The distinct durations of one operation in nanoseconds, ascending. They are fractional where
    /// batches were timed and divided.
    public private(set) var nanoseconds: [Double]
    /// The number of occurrences of each duration.
    public private(set) var counts: [UInt64]

    public var totalCount: UInt64 { counts.reduce(0, +) }
    public var isEmpty: Bool { counts.isEmpty }

    /// Creates a distribution from values in any order, each with its number of occurrences. Equal
    /// values are added up.
    public init(_ values: [(nanoseconds: Double, count: UInt64)] = []) {
        nanoseconds = []
        counts = []
        for (value, count) in values.sorted(by: { $0.nanoseconds < $1.nanoseconds })
        where count > 0 {
            if nanoseconds.last == value {
                counts[counts.count - 1] += count
            } else {
                nanoseconds.append(value)
                counts.append(count)
            }
        }
    }

    var pairs: some Sequence<(nanoseconds: Double, count: UInt64)> {
        zip(nanoseconds, counts).lazy.map { (nanoseconds: $0, count: $1) }
    }

    /// Merges another distribution into this one.
    public mutating func add(_ other: HistogramData) {
        self = HistogramData(Array(pairs) + Array(other.pairs))
    }

    /// Returns the distribution of one operation from that of batches of `operations` operations.
    public func divided(by operations: Double) -> HistogramData {
        HistogramData(pairs.map { (nanoseconds: $0.nanoseconds / operations, count: $0.count) })
    }
}

/// The distributions that a case may report; `histograms/` has a file for each.
public enum HistogramKind: String, CaseIterable, Codable, Sendable {
    /// The time in the latency columns of `summary.csv`.
    case latency
    /// The time from the submission of a reading to its removal from the queue.
    case queueWait = "queue_wait"
    /// The time to begin a transaction.
    case lockWait = "lock_wait"
    /// The time inside a transaction, before its commit.
    case work
    /// The time of a commit, including syncs.
    case commit
    /// The time of `fdatasync` alone.
    case sync
    /// The time from the submission until the reading is durable; for operations with planned
    /// times, from the planned time.
    case total
}
