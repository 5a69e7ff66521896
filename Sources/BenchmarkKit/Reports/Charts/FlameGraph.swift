import Foundation
import ToolSupport

/// A flame graph: the width of a function is its share of the cost, and the functions that it calls
/// lie above it. What a function is called with is in its title, which is shown on hover.
struct FlameGraph {
    var title: String
    var profile: CaseProfile

    private static let width = 1200.0
    private static let rowHeight = 17.0
    private static let margin = 10.0
    /// The head of the picture: title, note and legend.
    private static let top = 76.0
    /// The narrowest function that is drawn.
    private static let narrowest = 0.4

    /// Where a function belongs, which its colour tells.
    private enum Origin: Int, CaseIterable {
        case engine = 0
        case objects = 1
        case runner = 2
        case swift = 3
        case kernel = 6
        case other = 4

        var name: String {
            switch self {
            case .engine: "storage engine"
            case .objects: "objects"
            case .runner: "benchmark"
            case .swift: "Swift and Foundation"
            case .kernel: "kernel"
            case .other: "others"
            }
        }

        init(_ name: String) {
            func mentions(_ module: String) -> Bool { name.contains(module + ".") }
            if name.hasPrefix("[kernel]") {
                self = .kernel
            } else if mentions("StorageEngine") {
                self = .engine
            } else if mentions("RealmSwift") {
                self = .objects
            } else if mentions("BenchmarkKit") {
                self = .runner
            } else if name.hasPrefix("swift_") || mentions("Swift") || mentions("Foundation")
                || mentions("FoundationEssentials") || mentions("Dispatch")
            {
                self = .swift
            } else {
                self = .other
            }
        }
    }

    /// The picture as a file of its own.
    func file() -> String { svg().file(style: HTMLStyle.sheet + Self.style) }

    private static let style = """
        svg { max-width: none; font-size: 11px; }
        rect.fill { fill-opacity: .42; stroke: var(--ground); stroke-width: .6; }
        g:hover > rect.fill { fill-opacity: .8; }

        """

    private static var usable: Double { width - 2 * margin }

    /// The part of the profile that is wide enough to be drawn.
    var drawn: CaseProfile {
        var drawn = profile
        drawn.root = profile.root.pruned(
            below: profile.root.cost * Self.narrowest / Self.usable)
        return drawn
    }

    func svg() -> SVG {
        let root = drawn.root
        let rows = Double(root.depth + 1)
        var svg = SVG(
            width: Self.width, height: Self.top + rows * Self.rowHeight + Self.margin,
            title: title)
        svg.text(Self.margin, 20, title, "title")
        svg.text(Self.margin, 40, profile.note, "axis")
        var x = Self.margin
        for origin in Origin.allCases {
            svg.rectangle(x, 51, 12, 12, "fill c\(origin.rawValue)")
            svg.text(x + 17, 61, origin.name)
            x += SVG.width(of: origin.name) + 40
        }
        if root.cost > 0 {
            draw(root, x: Self.margin, scale: Self.usable / root.cost, row: 0, &svg)
        }
        return svg
    }

    private func draw(
        _ node: ProfileNode, x: Double, scale: Double, row: Double, _ svg: inout SVG
    ) {
        let width = node.cost * scale
        let y = svg.height - Self.margin - (row + 1) * Self.rowHeight
        let share = node.cost / profile.root.cost * 100
        let cost = Display.grouped(Int(node.cost.rounded()))
        let origin = row == 0 ? Origin.runner : Origin(node.name)
        svg.group(
            title: "\(node.name)\n\(String(format: "%.2f", share)) %, \(cost) "
                + profile.unit.rawValue
        ) { svg in
            svg.rectangle(x, y, width, Self.rowHeight, "fill c\(origin.rawValue)")
            let letters = Int((width - 6) / 6.4)
            if letters > 2 {
                let name = SymbolName.short(node.name)
                svg.text(
                    x + 3, y + 12,
                    name.count <= letters ? name : String(name.prefix(letters - 1)) + "…")
            }
        }
        var left = x
        for callee in node.callees.sorted(by: { $0.name < $1.name }) {
            draw(callee, x: left, scale: scale, row: row + 1, &svg)
            left += callee.cost * scale
        }
    }
}
