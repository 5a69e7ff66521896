/// A chart of horizontal bars from zero, each with its value and, if known, its interval.
struct BarChart {
    struct Bar {
        var label: String
        var value: Double
        var interval: (low: Double, high: Double)?
        /// Whether the bar is a control, which is drawn differently.
        var isControl = false
        /// The index of the colour in the palette.
        var color = 0
    }

    var title: String
    var axisTitle: String
    var unit = ChartAxis.Unit.plain
    var bars: [Bar]

    private static let rowHeight = 26.0

    func svg() -> SVG {
        let width = 640.0
        let left = min(300, max(80, bars.map { SVG.width(of: $0.label) }.max() ?? 0) + 16)
        let right = 74.0
        let top = 34.0
        let bottom = top + Double(bars.count) * Self.rowHeight
        var svg = SVG(width: width, height: bottom + 46, title: title)
        let axis = ChartAxis(
            title: axisTitle, kind: .linear, unit: unit,
            covering: bars.map { max($0.value, $0.interval?.high ?? 0) })
        func x(_ value: Double) -> Double { left + axis.position(value) * (width - left - right) }
        svg.text(4, 18, title, "title")
        for tick in axis.ticks {
            svg.line(x(tick.value), top, x(tick.value), bottom, "grid")
            svg.text(x(tick.value), bottom + 16, tick.label, "tick", anchor: .middle)
        }
        svg.text((left + width - right) / 2, bottom + 36, axisTitle, "axis", anchor: .middle)
        for (position, bar) in bars.enumerated() {
            let y = top + Double(position) * Self.rowHeight
            let middle = y + Self.rowHeight / 2
            svg.text(left - 8, middle + 4, bar.label, "label", anchor: .end)
            svg.rectangle(
                left, y + 5, x(bar.value) - left, Self.rowHeight - 10,
                bar.isControl ? "control" : "fill c\(bar.color % 8)")
            var end = x(bar.value)
            if let interval = bar.interval {
                svg.line(x(interval.low), middle, x(interval.high), middle, "whisker")
                for edge in [interval.low, interval.high] {
                    svg.line(x(edge), middle - 4, x(edge), middle + 4, "whisker")
                }
                end = max(end, x(interval.high))
            }
            svg.text(end + 6, middle + 4, unit.text(bar.value), "value")
        }
        svg.line(left, top, left, bottom, "frame")
        return svg
    }
}
