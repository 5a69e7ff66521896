import Foundation

/// A chart of ratios around 1, each with its interval if known. A ratio and its inverse are equally
/// far from the middle.
struct RatioChart {
    struct Point {
        var label: String
        var ratio: Double
        var interval: (low: Double, high: Double)?
        /// The index of the colour in the palette.
        var color = 0
    }

    var title: String
    var axisTitle: String
    var points: [Point]

    /// The factors to either side that a chart may cover.
    private static let spans = [1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 3, 5, 10, 30, 100, 1000]

    /// The factor to either side that covers all points and intervals.
    private var span: Double {
        let ends = points.flatMap { [$0.ratio, $0.interval?.low, $0.interval?.high] }
            .compactMap(\.self).filter { $0 > 0 && $0.isFinite }
        let most = ends.map { max($0, 1 / $0) }.max() ?? 1
        return Self.spans.first { $0 >= most } ?? most
    }

    func svg() -> SVG {
        var frame = RowFrame(title: title, axisTitle: axisTitle, rows: points.map(\.label))
        let span = span
        func position(_ ratio: Double) -> Double {
            let place = Foundation.log(max(ratio, 1 / span)) / Foundation.log(span)
            return (min(place, 1) + 1) / 2
        }
        for ratio in [1 / span, 1 / span.squareRoot(), 1, span.squareRoot(), span] {
            frame.line(
                at: position(ratio), String(format: span < 1.1 ? "%.3f" : "%.2f", ratio),
                style: ratio == 1 ? "even" : "grid")
        }
        for (row, point) in points.enumerated() {
            let y = frame.middle(of: row)
            func x(_ ratio: Double) -> Double { frame.x(position(ratio)) }
            if let interval = point.interval {
                frame.svg.line(x(interval.low), y, x(interval.high), y, "whisker")
            }
            frame.svg.rectangle(x(point.ratio) - 4, y - 4, 8, 8, "fill c\(point.color % 8)")
            frame.svg.text(frame.x(1) + 12, y + 4, String(format: "%.2f", point.ratio), "value")
        }
        return frame.svg
    }
}
