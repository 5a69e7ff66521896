import Foundation

/// A scalable vector graphic, built as text. Colours are classes of the page's style sheet, so that
/// charts follow its light and dark modes.
struct SVG {
    enum Anchor: String { case start, middle, end }

    private(set) var body = ""
    let width: Double
    let height: Double
    let title: String

    init(width: Double, height: Double, title: String) {
        self.width = width
        self.height = height
        self.title = title
    }

    var text: String {
        let size = "\(Self.number(width)) \(Self.number(height))"
        return "<svg viewBox=\"0 0 \(size)\" role=\"img\"><title>\(Self.escaped(title))</title>"
            + body + "</svg>\n"
    }

    /// The graphic as a file of its own, with the style sheet that its classes are of.
    func file(style: String) -> String {
        let size = "\(Self.number(width)) \(Self.number(height))"
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(size)\">"
            + "<title>\(Self.escaped(title))</title><style>\n\(style)svg { background: "
            + "var(--ground); font-family: system-ui, \"DejaVu Sans\", sans-serif; }\n</style>"
            + body + "</svg>\n"
    }

    mutating func line(
        _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String
    ) {
        body +=
            "<line x1=\"\(Self.number(x1))\" y1=\"\(Self.number(y1))\" "
            + "x2=\"\(Self.number(x2))\" y2=\"\(Self.number(y2))\" class=\"\(style)\"/>"
    }

    mutating func rectangle(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ style: String
    ) {
        body +=
            "<rect x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" "
            + "width=\"\(Self.number(max(0, width)))\" height=\"\(Self.number(height))\" "
            + "class=\"\(style)\"/>"
    }

    mutating func text(
        _ x: Double, _ y: Double, _ text: String, _ style: String = "", anchor: Anchor = .start,
        rotated: Bool = false
    ) {
        let turn = rotated ? " transform=\"rotate(-90 \(Self.number(x)) \(Self.number(y)))\"" : ""
        body +=
            "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" "
            + "text-anchor=\"\(anchor.rawValue)\" class=\"\(style)\"\(turn)>"
            + "\(Self.escaped(text))</text>"
    }

    /// Adds what `draw` adds as a group with a title, which is shown on hover.
    mutating func group(title: String, _ draw: (inout SVG) -> Void) {
        body += "<g><title>\(Self.escaped(title))</title>"
        draw(&self)
        body += "</g>"
    }

    mutating func polyline(_ points: [(x: Double, y: Double)], _ style: String) {
        let text = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }
        body += "<polyline points=\"\(text.joined(separator: " "))\" class=\"\(style)\"/>"
    }

    static func number(_ value: Double) -> String {
        var text = String(format: "%.1f", value)
        if text.hasSuffix(".0") { text.removeLast(2) }
        return text
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }

    /// Returns the approximate width of a text in the page's font size.
    static func width(of text: String) -> Double { Double(text.count) * 6.9 }
}
