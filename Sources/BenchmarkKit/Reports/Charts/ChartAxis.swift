import Foundation
import ToolSupport

/// One axis of a chart: the position of values and the labelled ticks.
struct ChartAxis {
    enum Kind {
        case linear
        case logarithmic
        /// The scale of 1 / (1 - percentile), on which every further nine has the same length.
        case percentile
    }

    enum Unit {
        case plain, bytes, microseconds, seconds

        func text(_ value: Double) -> String {
            switch self {
            case .plain: ChartAxis.short(value)
            case .bytes:
                Display.bytes(Int(value)).replacing(".0 ", with: " ")
                    .replacing(".00 ", with: " ")
            case .seconds: ChartAxis.short(value) + " s"
            case .microseconds:
                if value >= 1_000_000 {
                    ChartAxis.short(value / 1_000_000) + " s"
                } else if value >= 1000 {
                    ChartAxis.short(value / 1000) + " ms"
                } else if value >= 1 {
                    ChartAxis.short(value) + " µs"
                } else {
                    ChartAxis.short(value * 1000) + " ns"
                }
            }
        }
    }

    var title: String
    var kind: Kind
    var unit: Unit
    private(set) var low: Double
    private(set) var high: Double

    /// Creates an axis that covers `values`, and zero if it is linear.
    init(title: String, kind: Kind, unit: Unit, covering values: [Double]) {
        self.title = title
        self.kind = kind
        self.unit = unit
        switch kind {
        case .linear:
            low = 0
            let most = max(values.max() ?? 1, 1e-9)
            let step = Self.step(most)
            high = (most / step).rounded(.up) * step
        case .logarithmic:
            let positive = values.filter { $0 > 0 }
            low = Foundation.pow(10, Foundation.log10(positive.min() ?? 1).rounded(.down))
            high = Foundation.pow(10, Foundation.log10(positive.max() ?? 10).rounded(.up))
            if high <= low { high = low * 10 }
        case .percentile:
            low = 1
            high = max(100, values.max() ?? 100)
        }
    }

    /// Returns the position of a value: 0 at the low end, 1 at the high end.
    func position(_ value: Double) -> Double {
        switch kind {
        case .linear: (value - low) / (high - low)
        case .logarithmic, .percentile:
            Foundation.log(max(value, low) / low) / Foundation.log(high / low)
        }
    }

    var ticks: [(value: Double, label: String)] {
        switch kind {
        case .linear:
            let step = Self.step(high)
            return (0...Int((high / step).rounded())).map {
                (Double($0) * step, unit.text(Double($0) * step))
            }
        case .logarithmic:
            let decades = Int(Foundation.log10(high / low).rounded())
            return (0...max(1, decades)).map {
                let value = low * Foundation.pow(10, Double($0))
                return (value, unit.text(value))
            }
        case .percentile:
            let levels = [
                (1.0, "0"), (2, "50"), (10, "90"), (100, "99"), (1000, "99.9"), (1e4, "99.99"),
                (1e5, "99.999"), (1e6, "99.9999"),
            ]
            return levels.filter { $0.0 <= high }.map { (value: $0.0, label: $0.1 + " %") }
        }
    }

    /// Returns the distance of ticks: 1, 2 or 5 times a power of ten, which gives about five ticks.
    private static func step(_ most: Double) -> Double {
        let rough = most / 5
        let power = Foundation.pow(10, Foundation.log10(rough).rounded(.down))
        return ([1, 2, 5, 10].first { $0 * power >= rough * 0.999 } ?? 10) * power
    }

    /// Formats a number briefly, as in `1.5 M`, `20 k` or `0.25`.
    static func short(_ value: Double) -> String {
        for (factor, suffix) in [(1e9, " G"), (1e6, " M"), (1e3, " k")] where abs(value) >= factor {
            return trimmed(value / factor) + suffix
        }
        return trimmed(value)
    }

    private static func trimmed(_ value: Double) -> String {
        let size = abs(value)
        let digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3
        var text = String(format: "%.\(digits)f", value)
        guard text.contains(".") else { return text }
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }
}
