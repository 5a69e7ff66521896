import ToolSupport

/// The places where the distribution of a series changes, by the method E-divisive with which
/// MongoDB watches its benchmarks (Daly et al., 2020). Its source: Matteson and James, "A
/// Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data", 2014.
///
/// A series is split where the energy distance of both parts is largest. The split is a change if
/// so large a distance is rare among random orders of the same values. Then both parts are
/// searched. The same seed gives the same answer.
enum ChangePoints {
    /// The fewest values on each side of a change.
    static let fewestValues = 3
    /// The largest p of a change.
    static let significance = 0.01
    static let permutations = 999

    struct Change: Equatable, Sendable {
        /// The position of the first value after the change.
        var position: Int
        var p: Double
    }

    static func changes(in values: [Double], seed: UInt64 = 1) -> [Change] {
        var generator = SeededGenerator(seed: seed)
        return changes(in: values[...], &generator).sorted { $0.position < $1.position }
    }

    private static func changes(
        in values: ArraySlice<Double>, _ generator: inout SeededGenerator
    ) -> [Change] {
        guard let best = bestSplit(of: Array(values)), best.distance > 0 else { return [] }
        var shuffled = Array(values)
        var larger = 0
        for _ in 0..<permutations {
            for index in shuffled.indices.dropFirst() {
                shuffled.swapAt(index, generator.next(below: index + 1))
            }
            if let other = bestSplit(of: shuffled), other.distance >= best.distance { larger += 1 }
        }
        let p = Double(larger + 1) / Double(permutations + 1)
        guard p <= significance else { return [] }
        let middle = values.startIndex + best.position
        return [Change(position: middle, p: p)]
            + changes(in: values[..<middle], &generator)
            + changes(in: values[middle...], &generator)
    }

    /// Returns where the energy distance of the values before and after is largest, and the
    /// distance, weighted by the sizes of both parts; nil for too few values.
    static func bestSplit(of values: [Double]) -> (position: Int, distance: Double)? {
        let count = values.count
        guard count >= 2 * fewestValues else { return nil }
        // Moving the split by one value changes the three sums by the distances to that value.
        var left = 0.0
        var right = 0.0
        var between = 0.0
        for first in values.indices {
            for second in first + 1..<count { right += abs(values[first] - values[second]) }
        }
        var best: (position: Int, distance: Double)?
        for split in 1...count - fewestValues {
            let moved = values[split - 1]
            let toLeft = values[..<(split - 1)].reduce(0) { $0 + abs($1 - moved) }
            let toRight = values[split...].reduce(0) { $0 + abs($1 - moved) }
            left += toLeft
            right -= toRight
            between += toRight - toLeft
            guard split >= fewestValues else { continue }
            let (before, after) = (Double(split), Double(count - split))
            let energy =
                2 * between / (before * after) - 2 * left / (before * (before - 1))
                - 2 * right / (after * (after - 1))
            let distance = before * after / (before + after) * energy
            if distance > best?.distance ?? -.infinity { best = (split, distance) }
        }
        return best
    }
}
