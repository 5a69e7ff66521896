/// Order statistics. All of them require at least one finite value.
enum Quantiles {
    static func median(_ values: [Double]) -> Double { quantile(0.5, of: values) }

    /// Returns a quantile with linear interpolation between neighbours (definition 7 of Hyndman and
    /// Fan, 1996; the default of NumPy).
    static func quantile(_ fraction: Double, of values: [Double]) -> Double {
        quantile(fraction, ofSorted: values.sorted())
    }

    static func quantile(_ fraction: Double, ofSorted sorted: [Double]) -> Double {
        precondition(!sorted.isEmpty, "A quantile needs a value.")
        let position = fraction * Double(sorted.count - 1)
        let lower = Int(position)
        let upper = min(lower + 1, sorted.count - 1)
        return sorted[lower] + (sorted[upper] - sorted[lower]) * (position - Double(lower))
    }

    /// Returns the median absolute deviation from the median (Hampel, 1974), not scaled to a
    /// standard deviation.
    static func medianAbsoluteDeviation(_ values: [Double]) -> Double {
        let center = median(values)
        return median(values.map { abs($0 - center) })
    }
}

/// Tukey's fences (Tukey, 1977), with the classes of outliers that Criterion uses.
struct TukeyFences: Equatable {
    enum Outlier: String, Codable {
        case lowSevere, lowMild, none, highMild, highSevere
    }

    /// The fences: 1.5 interquartile ranges beyond the quartiles for mild outliers, 3 for severe
    /// ones.
    let lowMild, lowSevere, highMild, highSevere: Double

    init(_ values: [Double]) {
        let sorted = values.sorted()
        let first = Quantiles.quantile(0.25, ofSorted: sorted)
        let third = Quantiles.quantile(0.75, ofSorted: sorted)
        let range = third - first
        lowMild = first - 1.5 * range
        lowSevere = first - 3 * range
        highMild = third + 1.5 * range
        highSevere = third + 3 * range
    }

    func classify(_ value: Double) -> Outlier {
        if value < lowSevere { return .lowSevere }
        if value < lowMild { return .lowMild }
        if value > highSevere { return .highSevere }
        if value > highMild { return .highMild }
        return .none
    }
}
