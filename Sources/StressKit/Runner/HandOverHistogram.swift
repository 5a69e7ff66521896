/// How often handing over the write lock took how long: counts by powers of two of microseconds,
/// so that those of many rows can be added up.
package struct HandOverHistogram: Equatable, Sendable {
    /// By the exponent of the power of two that the time was below.
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

    /// Bounds in microseconds, ascending, and how many times were below each and not below the one
    /// before.
    package var bars: [(below: Int, count: Int)] {
        counts.sorted { $0.key < $1.key }.map { (1 << $0.key, $0.value) }
    }
}

extension HandOverHistogram: LosslessStringConvertible {
    /// `256:40 512:3`.
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
