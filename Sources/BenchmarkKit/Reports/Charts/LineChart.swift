/// A chart of lines over a common axis, with a legend above them.
struct LineChart {
    struct Series {
        var name: String
        var points: [(x: Double, y: Double)]
        var style: Style
        /// Whether the line holds its value until the next point.
        var isStepped = false
    }

    /// The look of a line: one of eight colours of the palette and one of four dash patterns.
    struct Style: Equatable {
        var color: Int
        var dashes = 0

        /// Returns a style for lines that only have to differ: first the colours, then dashes.
        static func distinct(_ position: Int) -> Style {
            Style(color: position % 8, dashes: position / 8)
        }

        fileprivate var classes: String {
            let dashes = dashes % 4
            return "line c\(color % 8)" + (dashes == 0 ? "" : " d\(dashes)")
        }
    }

    var title: String
    var xTitle: String
    var xKind = ChartAxis.Kind.linear
    var xUnit = ChartAxis.Unit.plain
    var yTitle: String
    var yKind = ChartAxis.Kind.linear
    var yUnit = ChartAxis.Unit.plain
    var series: [Series]
    /// Vertical lines at places of the horizontal axis, each with a label.
    var marks: [(x: Double, label: String)] = []

    private static let width = 640.0
    private static let plotHeight = 240.0
    private static let left = 76.0
    private static let right = 24.0

    func svg() -> SVG {
        let rows = legendRows()
        let top = 38.0 + Double(rows.count) * 20
        let bottom = top + Self.plotHeight
        var svg = SVG(width: Self.width, height: bottom + 50, title: title)
        svg.text(4, 18, title, "title")
        draw(rows, &svg)
        let xAxis = ChartAxis(
            title: xTitle, kind: xKind, unit: xUnit, covering: series.flatMap { $0.points.map(\.x) }
        )
        let yAxis = ChartAxis(
            title: yTitle, kind: yKind, unit: yUnit, covering: series.flatMap { $0.points.map(\.y) }
        )
        func x(_ value: Double) -> Double {
            Self.left + xAxis.position(value) * (Self.width - Self.left - Self.right)
        }
        func y(_ value: Double) -> Double { bottom - yAxis.position(value) * Self.plotHeight }
        for tick in xAxis.ticks {
            svg.line(x(tick.value), top, x(tick.value), bottom, "grid")
            svg.text(x(tick.value), bottom + 16, tick.label, "tick", anchor: .middle)
        }
        for tick in yAxis.ticks {
            svg.line(Self.left, y(tick.value), Self.width - Self.right, y(tick.value), "grid")
            svg.text(Self.left - 6, y(tick.value) + 4, tick.label, "tick", anchor: .end)
        }
        let middle = (Self.left + Self.width - Self.right) / 2
        svg.text(middle, bottom + 38, xTitle, "axis", anchor: .middle)
        svg.text(14, (top + bottom) / 2, yTitle, "axis", anchor: .middle, rotated: true)
        for line in series {
            var points: [(x: Double, y: Double)] = []
            for point in line.points {
                if line.isStepped, let last = points.last { points.append((x(point.x), last.y)) }
                points.append((x(point.x), y(point.y)))
            }
            svg.polyline(points, line.style.classes)
        }
        for mark in marks {
            svg.line(x(mark.x), top, x(mark.x), bottom, "mark")
            svg.text(x(mark.x) - 4, top + 12, mark.label, "tick", anchor: .end)
        }
        svg.line(Self.left, bottom, Self.width - Self.right, bottom, "frame")
        return svg
    }

    private func legendRows() -> [[Int]] {
        var rows: [[Int]] = [[]]
        var used = 0.0
        for position in series.indices {
            let width = SVG.width(of: series[position].name) + 44
            if used + width > Self.width - 8, !rows[rows.count - 1].isEmpty {
                rows.append([])
                used = 0
            }
            rows[rows.count - 1].append(position)
            used += width
        }
        return rows
    }

    private func draw(_ rows: [[Int]], _ svg: inout SVG) {
        for (number, row) in rows.enumerated() {
            var x = 8.0
            let y = 38 + Double(number) * 20
            for position in row {
                svg.line(x, y - 4, x + 22, y - 4, series[position].style.classes)
                svg.text(x + 28, y, series[position].name, "label")
                x += SVG.width(of: series[position].name) + 44
            }
        }
    }
}
