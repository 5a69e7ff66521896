/// What charts with a row for each value have in common: the title, the names of the rows and the
/// axis below them. The chart draws into ``svg`` what its rows show.
struct RowFrame {
    var svg: SVG

    private let left: Double
    private let right: Double
    private let bottom: Double

    private static let top = 34.0
    private static let rowHeight = 24.0
    /// What the names of rows may take of the width.
    private static let names = 80.0...330
    /// The room for figures behind the axis.
    private static let figures = 74.0

    init(title: String, axisTitle: String, rows: [String]) {
        let width = 640.0
        let widest = rows.map { SVG.width(of: $0) }.max() ?? 0
        left = min(Self.names.upperBound, max(Self.names.lowerBound, widest) + 16)
        right = width - Self.figures
        bottom = Self.top + Double(rows.count) * Self.rowHeight
        svg = SVG(width: width, height: bottom + 46, title: title)
        svg.text(4, 18, title, "title")
        svg.text((left + right) / 2, bottom + 36, axisTitle, "axis", anchor: .middle)
        for (position, name) in rows.enumerated() {
            svg.text(left - 8, middle(of: position) + 4, name, "label", anchor: .end)
        }
    }

    /// Returns the horizontal place of a position on the axis, from 0 to 1.
    func x(_ position: Double) -> Double { left + position * (right - left) }

    /// Returns the vertical middle of a row.
    func middle(of row: Int) -> Double { Self.top + (Double(row) + 0.5) * Self.rowHeight }

    /// Draws a line over all rows, with its name on the axis if it has one.
    mutating func line(at position: Double, _ label: String = "", style: String = "grid") {
        svg.line(x(position), Self.top, x(position), bottom, style)
        if !label.isEmpty {
            svg.text(x(position), bottom + 16, label, "tick", anchor: .middle)
        }
    }
}
