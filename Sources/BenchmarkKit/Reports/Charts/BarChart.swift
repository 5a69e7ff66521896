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

    private static let thickness = 16.0

    func svg() -> SVG {
        var frame = RowFrame(title: title, axisTitle: axisTitle, rows: bars.map(\.label))
        let axis = ChartAxis(
            title: axisTitle, kind: .linear, unit: unit,
            covering: bars.map { max($0.value, $0.interval?.high ?? 0) })
        for tick in axis.ticks { frame.line(at: axis.position(tick.value), tick.label) }
        for (row, bar) in bars.enumerated() {
            let y = frame.middle(of: row)
            func x(_ value: Double) -> Double { frame.x(axis.position(value)) }
            frame.svg.rectangle(
                x(0), y - Self.thickness / 2, x(bar.value) - x(0), Self.thickness,
                bar.isControl ? "control" : "fill c\(bar.color % 8)")
            var end = x(bar.value)
            if let interval = bar.interval {
                frame.svg.line(x(interval.low), y, x(interval.high), y, "whisker")
                for edge in [interval.low, interval.high] {
                    frame.svg.line(x(edge), y - 4, x(edge), y + 4, "whisker")
                }
                end = max(end, x(interval.high))
            }
            frame.svg.text(end + 6, y + 4, unit.text(bar.value), "value")
        }
        frame.line(at: 0, style: "frame")
        return frame.svg
    }
}
