/// Decides which work is worth a second thread; see ``SharedWork``.
///
/// Waking that thread takes some 20 microseconds, what it reads comes from the other processor's
/// cache, and it is the same thread for the whole process. So what one thread does in a few times
/// as long, it does alone.
struct WorthSharing {
    enum Task {
        /// An order by a number.
        case sort
        /// Groups of objects by a number, with aggregates.
        case groups
        /// Tests of strings or data, and others with them.
        case textTests
        /// Tests and sums of floating point and dates, most of which take four bytes a row.
        case wideNumbers
        /// Tests and sums of integers only.
        case integers

        /// The least number of rows for which a second thread saves time, by measurement.
        fileprivate var leastRows: Int {
            switch self {
            case .sort, .groups: 1 << 17
            case .textTests: 1 << 18
            case .wideNumbers: 1 << 22
            case .integers: 1 << 23
            }
        }

        /// Whether a row takes a nanosecond or more.
        var isSlow: Bool {
            switch self {
            case .sort, .groups, .textTests: true
            case .wideNumbers, .integers: false
            }
        }
    }

    /// Whether all work is shared that can be. For tests. In a byte, because every connection has
    /// one.
    var sharesAll = false

    /// The least number of rows for which ``isWorth(_:rows:)`` may be true.
    @inline(__always)
    var fewestRows: Int { sharesAll ? 0 : 1 << 17 }

    @inline(__always)
    func isWorth(_ task: Task, rows: Int) -> Bool { sharesAll || rows >= task.leastRows }
}
