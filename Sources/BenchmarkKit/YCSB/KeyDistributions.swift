import Foundation

/// Ranks of which the first are asked for most: rank `r` with a probability proportional to
/// `1 / (r + 1)^theta`. The generator of Gray et al., "Quickly generating billion-record synthetic
/// databases", as YCSB has it.
struct ZipfianGenerator: Sendable {
    static let usualTheta = 0.99

    let theta: Double
    private(set) var itemCount: Int
    /// The sum of `1 / i^theta` for `i` from 1 to `itemCount`.
    private(set) var zeta: Double
    private var eta: Double

    /// Adds up as many terms as there are items.
    init(itemCount: Int, theta: Double = usualTheta) {
        self.init(
            itemCount: itemCount, zeta: Self.sum(1...max(1, itemCount), theta), theta: theta)
    }

    /// For a number of items whose sum is known.
    init(itemCount: Int, zeta: Double, theta: Double = usualTheta) {
        precondition(itemCount > 0 && theta > 0 && theta < 1, "no such distribution")
        self.itemCount = itemCount
        self.theta = theta
        self.zeta = zeta
        eta = Self.eta(itemCount, zeta, theta)
    }

    /// More items; adds up the new terms only.
    mutating func grow(to count: Int) {
        guard count > itemCount else { return }
        zeta += Self.sum(itemCount + 1...count, theta)
        itemCount = count
        eta = Self.eta(count, zeta, theta)
    }

    /// A rank in `0..<itemCount`.
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
        // With up to two items every rank is decided before eta is used.
        guard count > 2 else { return 0 }
        return (1 - pow(2 / Double(count), 1 - theta)) / (1 - sum(1...2, theta) / zeta)
    }
}

/// Zipfian ranks spread over all items, so that those asked for most do not lie together.
struct ScrambledZipfianGenerator: Sendable {
    /// Ranks come from ten thousand million items whatever the number of items is, so that the
    /// same ones stay popular when it grows.
    private static let rankCount = 10_000_000_000
    /// The sum for that many items with the usual theta, as YCSB has it.
    private static let zetaOfRanks = 26.46902820178302

    private let ranks = ZipfianGenerator(itemCount: rankCount, zeta: zetaOfRanks)
    let itemCount: Int

    init(itemCount: Int) {
        precondition(itemCount > 0, "no such distribution")
        self.itemCount = itemCount
    }

    /// An item in `0..<itemCount`.
    func next(using generator: inout SeededGenerator) -> Int {
        Int(YCSBRecord.hash(ranks.next(using: &generator)) % UInt64(itemCount))
    }
}

/// Which records are asked for.
enum KeyDistribution: String, CaseIterable, Sendable {
    /// Some far more than others, spread over all records.
    case zipfian
    /// The newest most.
    case latest
    /// All alike.
    case uniform
}

/// Chooses numbers of records that exist.
struct KeyChooser: Sendable {
    private let distribution: KeyDistribution
    private let scrambled: ScrambledZipfianGenerator
    private var recency: ZipfianGenerator

    /// `expectedInserts`: how many records the run may add to those that were loaded.
    init(_ distribution: KeyDistribution, records: Int, expectedInserts: Int = 0) {
        self.distribution = distribution
        scrambled = ScrambledZipfianGenerator(itemCount: records + expectedInserts)
        recency = ZipfianGenerator(itemCount: distribution == .latest ? records : 1)
    }

    /// A record in `0..<count`. The count never falls from call to call.
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
