import Glibc

/// The two-sided rank test (Mann and Whitney, 1947): whether the values of one side tend to be
/// larger than those of the other, without an assumption on their distribution.
enum MannWhitney {
    enum Method { case exact, normal }

    struct Outcome: Equatable {
        /// The number of pairs in which the first side is larger; a tie counts one half.
        var u: Double
        var p: Double
    }

    /// The largest number of values on a side for the exact test.
    static let mostExact = 50

    /// Tests the hypothesis of equal distributions. The test is exact if there are no ties and no
    /// side has more than `mostExact` values. In the far tail, where the gate decides, the normal
    /// approximation of p is too large by more than a factor of ten.
    static func test(_ first: [Double], _ second: [Double]) -> Outcome {
        let hasTies = Set(first + second).count < first.count + second.count
        let isSmall = max(first.count, second.count) <= mostExact
        return test(first, second, method: isSmall && !hasTies ? .exact : .normal)
    }

    static func test(_ first: [Double], _ second: [Double], method: Method) -> Outcome {
        let (rankSum, tieTerm) = ranks(of: first, among: first + second)
        let n1 = Double(first.count)
        let n2 = Double(second.count)
        let u = rankSum - n1 * (n1 + 1) / 2
        let larger = max(u, n1 * n2 - u)
        let p: Double
        switch method {
        case .exact:
            p = 2 * exactTail(atLeast: Int(larger), first.count, second.count)
        case .normal:
            let n = n1 + n2
            let variance = n1 * n2 / 12 * ((n + 1) - tieTerm / (n * (n - 1)))
            // With all values equal, nothing contradicts the hypothesis.
            guard variance > 0 else { return Outcome(u: u, p: 1) }
            // The 0.5 is the continuity correction, as U is discrete.
            let z = (larger - n1 * n2 / 2 - 0.5) / variance.squareRoot()
            p = erfc(z / 2.0.squareRoot())
        }
        return Outcome(u: u, p: min(1, p))
    }

    /// Returns the sum of the ranks of `part`, in which ties share their mean rank, and the sum of
    /// t³ - t over the groups of t equal values, which corrects the variance for ties.
    private static func ranks(of part: [Double], among all: [Double]) -> (Double, Double) {
        let sorted = all.sorted()
        var rankOf: [Double: Double] = [:]
        var tieTerm = 0.0
        var start = 0
        while start < sorted.count {
            var end = start + 1
            while end < sorted.count, sorted[end] == sorted[start] { end += 1 }
            // Ranks start at 1.
            rankOf[sorted[start]] = Double(start + 1 + end) / 2
            let count = Double(end - start)
            tieTerm += count * count * count - count
            start = end
        }
        return (part.reduce(0) { $0 + rankOf[$1]! }, tieTerm)
    }

    /// Returns the probability that U is at least `u` under the hypothesis, by counting
    /// arrangements with the recurrence of Mann and Whitney (1947).
    private static func exactTail(atLeast u: Int, _ n1: Int, _ n2: Int) -> Double {
        // counts[i][v] is the number of arrangements of i values of the first side with U = v among
        // the values of the second side processed so far.
        let most = n1 * n2
        var counts = [[Double]](repeating: [Double](repeating: 0, count: most + 1), count: n1 + 1)
        for i in 0...n1 { counts[i][0] = 1 }
        for j in 1...n2 {
            for i in 1...n1 {
                // The largest value belongs to the first side and exceeds all j, or it belongs to
                // the second.
                for v in stride(from: i * j, through: 0, by: -1) {
                    counts[i][v] += v >= j ? counts[i - 1][v - j] : 0
                }
            }
        }
        let total = counts[n1].reduce(0, +)
        return counts[n1][u...].reduce(0, +) / total
    }
}
