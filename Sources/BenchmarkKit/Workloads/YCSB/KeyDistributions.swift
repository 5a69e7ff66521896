import Foundation
import ToolSupport

/// A generator of ranks with a Zipf distribution: rank `r` has a probability proportional to `1 /
/// (r + 1)^theta`. The algorithm is that of Gray et al. (1994), "Quickly generating billion-record
/// synthetic databases", as used by YCSB.
struct ZipfianGenerator: Sendable {
    static let usualTheta = 0.99

    let theta: Double
    private(set) var itemCount: Int
    /// The sum of `1 / i^theta` for `i` from 1 to `itemCount`.
    private(set) var zeta: Double
    private var eta: Double

    /// Creates a generator; takes time proportional to the number of items.
    init(itemCount: Int, theta: Double = usualTheta) {
        self.init(
            itemCount: itemCount, zeta: Self.sum(1...max(1, itemCount), theta), theta: theta)
    }

    /// Creates a generator for a number of items whose sum `zeta` is known.
    init(itemCount: Int, zeta: Double, theta: Double = usualTheta) {
        precondition(itemCount > 0 && theta > 0 && theta < 1, "no such distribution")
        self.itemCount = itemCount
        self.theta = theta
        self.zeta = zeta
        eta = Self.eta(itemCount, zeta, theta)
    }

    /// Increases the number of items; adds only the new terms to the sum.
    mutating func grow(to count: Int) {
        guard count > itemCount else { return }
        zeta += Self.sum(itemCount + 1...count, theta)
        itemCount = count
        eta = Self.eta(count, zeta, theta)
    }

    /// Returns a rank in `0..<itemCount`.
    func next(using generator: inout SeededGenerator) -> Int {
        let unit = generator.nextUnit()
        let scaled = unit * zeta
        if scaled < 1 { return 0 }
        if scaled < 1 + pow(0.5, theta) { return min(1, itemCount - 1) }
        let rank = Double(itemCount) * pow(eta * unit - eta + 1, 1 / (1 - theta))
        return min(Int(rank), itemCount - 1)
    }

    private static func sum(_ range: ClosedRange<Int>, _ theta: Double) -> Double {
        range.reduce(0) { $0 + 1 / pow(Double($1), theta) }
    }

    private static func eta(_ count: Int, _ zeta: Double, _ theta: Double) -> Double {
        // With up to two items every rank is returned before eta is used.
        guard count > 2 else { return 0 }
        return (1 - pow(2 / Double(count), 1 - theta)) / (1 - sum(1...2, theta) / zeta)
    }
}

/// Zipf-distributed ranks, scattered over all items by a hash, so that popular items are not
/// adjacent.
struct ScrambledZipfianGenerator: Sendable {
    /// The number of ranks, which is 10^10 for any number of items, so that the same items stay
    /// popular when their number grows.
    private static let rankCount = 10_000_000_000
    /// The sum for that number of items with the default theta; the constant of YCSB.
    private static let zetaOfRanks = 26.46902820178302

    private let ranks = ZipfianGenerator(itemCount: rankCount, zeta: zetaOfRanks)
    let itemCount: Int

    init(itemCount: Int) {
        precondition(itemCount > 0, "no such distribution")
        self.itemCount = itemCount
    }

    /// Returns an item in `0..<itemCount`.
    func next(using generator: inout SeededGenerator) -> Int {
        Int(YCSBRecord.hash(ranks.next(using: &generator)) % UInt64(itemCount))
    }
}

/// The distribution of the records that clients access.
enum KeyDistribution: String, CaseIterable, Sendable {
    /// Few records are much more popular than others, scattered over all records.
    case zipfian
    /// The newest records are the most popular.
    case latest
    /// All records are equally popular.
    case uniform
}

/// A random choice of existing records by their numbers.
struct KeyChooser: Sendable {
    private let distribution: KeyDistribution
    private let scrambled: ScrambledZipfianGenerator
    private var recency: ZipfianGenerator

    /// Creates a chooser; `expectedInserts` is the number of records that the run may add to the
    /// loaded ones.
    init(_ distribution: KeyDistribution, records: Int, expectedInserts: Int = 0) {
        self.distribution = distribution
        scrambled = ScrambledZipfianGenerator(itemCount: records + expectedInserts)
        recency = ZipfianGenerator(itemCount: distribution == .latest ? records : 1)
    }

    /// Returns a record in `0..<count`. Requires a count that never decreases between calls.
    mutating func next(below count: Int, using generator: inout SeededGenerator) -> Int {
        switch distribution {
        case .uniform: return generator.next(below: count)
        case .latest:
            recency.grow(to: count)
            return count - 1 - recency.next(using: &generator)
        case .zipfian:
            while true {
                let item = scrambled.next(using: &generator)
                if item < count { return item }
            }
        }
    }
}
