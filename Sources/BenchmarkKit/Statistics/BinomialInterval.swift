import Glibc

/// The exact 95 % interval of a proportion (Clopper and Pearson, 1934).
struct BinomialInterval: Codable, Equatable, Sendable {
    var low: Double
    var high: Double

    /// Computes the interval for `hits` of `trials`; requires at least one trial.
    init(hits: Int, trials: Int, confidence: Double = 0.95) {
        precondition(trials > 0 && (0...trials).contains(hits), "Hits must be among the trials.")
        let tail = (1 - confidence) / 2
        let successes = Double(hits)
        let failures = Double(trials - hits)
        low = hits == 0 ? 0 : BetaDistribution.quantile(tail, successes, failures + 1)
        high = hits == trials ? 1 : BetaDistribution.quantile(1 - tail, successes + 1, failures)
    }
}

/// The beta distribution with the parameters `a` and `b`.
enum BetaDistribution {
    /// Returns the cumulative probability: the regularised incomplete beta function.
    static func cumulative(_ x: Double, _ a: Double, _ b: Double) -> Double {
        guard x > 0 else { return 0 }
        guard x < 1 else { return 1 }
        let logFactor =
            lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)
        // The continued fraction converges quickly on one side of the mean only.
        if x < (a + 1) / (a + b + 2) {
            return exp(logFactor) * continuedFraction(x, a, b) / a
        }
        return 1 - exp(logFactor) * continuedFraction(1 - x, b, a) / b
    }

    /// Returns the `x` at which `cumulative` reaches `probability`, by bisection down to adjacent
    /// floating-point values.
    static func quantile(_ probability: Double, _ a: Double, _ b: Double) -> Double {
        var low = 0.0
        var high = 1.0
        while true {
            let middle = (low + high) / 2
            if middle <= low || middle >= high { return middle }
            if cumulative(middle, a, b) < probability { low = middle } else { high = middle }
        }
    }

    /// Evaluates the continued fraction of the incomplete beta function (modified Lentz algorithm;
    /// Lentz, 1976; Thompson and Barnett, 1986).
    private static func continuedFraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
        let tiny = 1e-300
        func apart(_ value: Double) -> Double { abs(value) < tiny ? tiny : value }
        var c = 1.0
        var d = 1 / apart(1 - (a + b) * x / (a + 1))
        var result = d
        for step in 1...10_000 {
            let m = Double(step)
            let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
            d = 1 / apart(1 + even * d)
            c = apart(1 + even / c)
            result *= d * c
            let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
            d = 1 / apart(1 + odd * d)
            c = apart(1 + odd / c)
            let change = d * c
            result *= change
            if abs(change - 1) < 1e-15 { break }
        }
        return result
    }
}
