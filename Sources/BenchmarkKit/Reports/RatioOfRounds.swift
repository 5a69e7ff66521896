/// The comparison of two rows of one run.
enum RatioOfRounds {
    /// Returns the rate of `row` divided by that of `base`; nil if one of them has none.
    ///
    /// Runs of the same round are close in time and saw the same state of the machine. The result
    /// is therefore the median of the ratios by round, not the ratio of the medians over rounds.
    /// `samples` are those of the whole run, by the name of their row.
    static func ratio(
        of row: RunRow, to base: RunRow, _ samples: [String: [RunSample]]
    ) -> Double? {
        guard let rate = row.throughput, let baseRate = base.throughput, baseRate > 0 else {
            return nil
        }
        let own = samples[row.name] ?? []
        let ratios = (samples[base.name] ?? []).compactMap { other -> Double? in
            guard other.throughput > 0, let same = own.first(where: { $0.run == other.run }) else {
                return nil
            }
            return same.throughput / other.throughput
        }
        return ratios.count >= 2 ? median(ratios) : rate / baseRate
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1
            ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
