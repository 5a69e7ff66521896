/// A distribution of durations, compact enough to hand from a case's process to the reports, and
/// to be merged over runs.
public struct HistogramData: Codable, Equatable, Sendable {
    /// Distinct durations of one operation in nanoseconds, ascending. Fractional where operations
    /// were timed in batches and divided.
    public private(set) var nanoseconds: [Double]
    /// How often each occurred.
    public private(set) var counts: [UInt64]

    public var totalCount: UInt64 { counts.reduce(0, +) }
    public var isEmpty: Bool { counts.isEmpty }

    /// `values` in any order, each with how often it occurred; equal ones are added up.
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

    /// Both together.
    public mutating func add(_ other: HistogramData) {
        self = HistogramData(Array(pairs) + Array(other.pairs))
    }

    /// The same for one operation of batches of `operations` that were timed as a whole.
    public func divided(by operations: Double) -> HistogramData {
        HistogramData(pairs.map { (nanoseconds: $0.nanoseconds / operations, count: $0.count) })
    }
}

/// The distributions that a case may hand over; `histograms/` has a file for each.
public enum HistogramKind: String, CaseIterable, Codable, Sendable {
    /// What the latency columns of `summary.csv` are about.
    case latency
    /// From handing over until taken up.
    case queueWait = "queue_wait"
    /// Beginning a transaction.
    case lockWait = "lock_wait"
    /// Inside a transaction, before its commit.
    case work
    /// Committing, syncs included.
    case commit
    /// `fdatasync` alone.
    case sync
    /// From handing over until durable; of operations that are sent at planned times: from then.
    case total
}
