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

    private static let rowHeight = 22.0
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
        let width = 640.0
        let left = min(330, max(80, points.map { SVG.width(of: $0.label) }.max() ?? 0) + 16)
        let right = 60.0
        let top = 34.0
        let bottom = top + Double(points.count) * Self.rowHeight
        var svg = SVG(width: width, height: bottom + 46, title: title)
        let span = span
        func x(_ ratio: Double) -> Double {
            let place = Foundation.log(max(ratio, 1 / span)) / Foundation.log(span)
            return left + (min(place, 1) + 1) / 2 * (width - left - right)
        }
        svg.text(4, 18, title, "title")
        for ratio in [1 / span, 1 / span.squareRoot(), 1, span.squareRoot(), span] {
            svg.line(x(ratio), top, x(ratio), bottom, ratio == 1 ? "even" : "grid")
            svg.text(
                x(ratio), bottom + 16, String(format: span < 1.1 ? "%.3f" : "%.2f", ratio), "tick",
                anchor: .middle)
        }
        svg.text((left + width - right) / 2, bottom + 36, axisTitle, "axis", anchor: .middle)
        for (position, point) in points.enumerated() {
            let middle = top + (Double(position) + 0.5) * Self.rowHeight
            svg.text(left - 8, middle + 4, point.label, "label", anchor: .end)
            if let interval = point.interval {
                svg.line(x(interval.low), middle, x(interval.high), middle, "whisker")
            }
            svg.rectangle(x(point.ratio) - 4, middle - 4, 8, 8, "fill c\(point.color % 8)")
            svg.text(
                width - right + 12, middle + 4, String(format: "%.2f", point.ratio), "value")
        }
        return svg
    }
}
