/// Compares two rows of one run.
enum RatioOfRounds {
    /// The rate of `row` divided by that of `base`; nil where one of them has none.
    ///
    /// Rounds that ran one after the other saw the same machine: the median of their ratios is
    /// taken, not the ratio of the medians of different rounds. `samples` are all of the run, by the name
    /// of their row.
    static func ratio(
        of row: RunRow, to base: RunRow, _ samples: [String: [RunFiles.RunSample]]
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
