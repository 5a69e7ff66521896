/// Histogram of the time it took to hand over the write lock. Buckets are powers of two of
/// microseconds, so that the histograms of many rows can be added up.
package struct HandOverHistogram: Equatable, Sendable {
    /// Count of each bucket, by the exponent of the power of two that is its exclusive upper bound.
    private(set) var counts: [Int: Int] = [:]

    package init(nanoseconds: [UInt64]) {
        for time in nanoseconds {
            let microseconds = time / 1000
            counts[UInt64.bitWidth - microseconds.leadingZeroBitCount, default: 0] += 1
        }
    }

    package var total: Int { counts.values.reduce(0, +) }

    package mutating func add(_ other: HandOverHistogram) {
        counts.merge(other.counts, uniquingKeysWith: +)
    }

    /// Exclusive upper bounds in microseconds, ascending, with the number of times below each bound
    /// and not below the one before.
    package var bars: [(below: Int, count: Int)] {
        counts.sorted { $0.key < $1.key }.map { (1 << $0.key, $0.value) }
    }
}

extension HandOverHistogram: LosslessStringConvertible {
    /// Text such as `256:40 512:3`.
    package var description: String {
        bars.map { "\($0.below):\($0.count)" }.joined(separator: " ")
    }

    package init?(_ text: String) {
        self.init(nanoseconds: [])
        for word in text.split(separator: " ") {
            let numbers = word.split(separator: ":").map { Int($0) }
            guard numbers.count == 2, let bound = numbers[0], let count = numbers[1],
                bound > 0, bound.nonzeroBitCount == 1, count > 0
            else { return nil }
            counts[bound.trailingZeroBitCount, default: 0] += count
        }
    }
}
