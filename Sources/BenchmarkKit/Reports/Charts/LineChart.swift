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
    /// Vertical lines at places of the horizontal axis, each with a label above the plot.
    var marks: [(x: Double, label: String)] = []

    private static let width = 640.0
    private static let plotHeight = 240.0
    private static let left = 76.0
    private static let right = 24.0
    private static let markRowHeight = 15.0

    func svg() -> SVG {
        let xAxis = ChartAxis(
            title: xTitle, kind: xKind, unit: xUnit, covering: series.flatMap { $0.points.map(\.x) }
        )
        func x(_ value: Double) -> Double {
            Self.left + xAxis.position(value) * (Self.width - Self.left - Self.right)
        }
        let rows = legendRows()
        let names = Self.placed(marks.map { (x($0.x), $0.label) })
        let markRows = names.map { $0.row + 1 }.max() ?? 0
        let top = 38.0 + Double(rows.count) * 20 + Double(markRows) * Self.markRowHeight
        let bottom = top + Self.plotHeight
        var svg = SVG(width: Self.width, height: bottom + 50, title: title)
        svg.text(4, 18, title, "title")
        draw(rows, &svg)
        let yAxis = ChartAxis(
            title: yTitle, kind: yKind, unit: yUnit, covering: series.flatMap { $0.points.map(\.y) }
        )
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
        func height(_ name: MarkName) -> Double {
            top - 4 - Double(name.row) * Self.markRowHeight
        }
        for name in names { svg.line(name.x, height(name) - 9, name.x, bottom, "mark") }
        // After all lines: each name covers those that pass it on their way up.
        for name in names {
            svg.text(
                name.x + (name.isBehind ? 4 : -4), height(name), name.label, "tick mark-name",
                anchor: name.isBehind ? .start : .end)
        }
        svg.line(Self.left, bottom, Self.width - Self.right, bottom, "frame")
        return svg
    }

    /// The place of a mark's label.
    private struct MarkName {
        var x: Double
        var label: String
        /// Whether it begins at the line. Usually it ends there.
        var isBehind: Bool
        /// Counted from the plot upwards.
        var row: Int
    }

    /// Gives each label the lowest row in which it meets no other one.
    private static func placed(_ marks: [(x: Double, label: String)]) -> [MarkName] {
        // Digits are wider than the usual letter.
        let distance = 12.0
        /// Where the last label of each row ends.
        var ends: [Double] = []
        return marks.sorted { $0.x < $1.x }.map { x, label in
            let width = SVG.width(of: label)
            let isBehind = x - width < 0
            let start = isBehind ? x : x - width
            let row = ends.firstIndex { $0 + distance <= start } ?? ends.count
            if row == ends.count { ends.append(0) }
            ends[row] = start + width
            return MarkName(x: x, label: label, isBehind: isBehind, row: row)
        }
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
