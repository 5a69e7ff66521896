import CCrypto
import Foundation

/// A page in one self-contained file: it loads nothing, and no text in it can run. Without its
/// script it shows the same, but neither sorts nor searches.
struct HTMLPage {
    /// A part of a section.
    enum Part {
        case text(String)
        case table(HTMLTable)
        case charts([SVG])
        /// Pictures that take the whole width.
        case pictures([SVG])
    }

    struct Section {
        var title: String
        var parts: [Part]
        /// Whether it is closed until it is asked for, or a search finds something in it.
        var isFolded = false

        fileprivate var identifier: String {
            title.lowercased().map { $0.isLetter || $0.isNumber ? String($0) : "-" }.joined()
        }
    }

    var title: String
    var facts: [(name: String, value: String)] = []
    var warnings: [String] = []
    var sections: [Section]

    /// What a page may do: style itself, and run its script. The hash lets no other one run, should
    /// a text ever get past the escaping.
    static let policy =
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
        + "script-src 'sha256-\(digest(of: HTMLScript.text))'"

    var text: String {
        let all = sections + [glossary].compactMap(\.self)
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(SVG.escaped(title))</title>
            <style>
            \(HTMLStyle.sheet)</style></head><body>
            <header><h1>\(SVG.escaped(title))</h1>\(factList)\(warningList)</header>
            \(Self.contents(all))\(tools)
            \(all.map(Self.html).joined())<script>\(HTMLScript.text)</script>
            </body></html>

            """
    }

    private static func digest(of text: String) -> String {
        var bytes = [UInt8](repeating: 0, count: 32)
        let data = Array(text.utf8)
        EVP_Digest(data, data.count, &bytes, nil, EVP_sha256(), nil)
        return Data(bytes).base64EncodedString()
    }

    // MARK: The head of the page

    private var factList: String {
        let facts = facts.map {
            "<div><dt>\(SVG.escaped($0.name))</dt><dd>\(SVG.escaped($0.value))</dd></div>"
        }
        return facts.isEmpty ? "" : "<dl>\(facts.joined())</dl>"
    }

    private var warningList: String {
        guard !warnings.isEmpty else { return "" }
        let count = warnings.count == 1 ? "1 warning" : "\(warnings.count) warnings"
        let items = warnings.map { "<li>\(SVG.escaped($0))</li>" }
        return "<details class=\"warnings\"><summary>\(count)</summary>"
            + "<ul>\(items.joined())</ul></details>"
    }

    private static func contents(_ sections: [Section]) -> String {
        let links = sections.map {
            "<a href=\"#\($0.identifier)\">\(SVG.escaped($0.title))</a>"
        }
        return "<nav aria-label=\"Contents\">\(links.joined())</nav>\n"
    }

    /// What the script shows: the search, and a switch for the wide columns.
    private var tools: String {
        let hasWide = tables.contains { $0.columns.contains(where: \.isWide) }
        let all =
            hasWide
            ? "<label><input type=\"checkbox\" id=\"all\"/> all columns</label>" : ""
        return "<div class=\"tools\" hidden=\"\"><input type=\"search\" id=\"search\" "
            + "placeholder=\"Search rows and charts\" aria-label=\"Search rows and charts\"/>"
            + "\(all)<output id=\"found\"></output></div>"
    }

    // MARK: Sections

    private var tables: [HTMLTable] {
        sections.flatMap(\.parts).compactMap { part in
            guard case .table(let table) = part else { return nil }
            return table
        }
    }

    /// The meanings of all columns, for paper and for screens without a pointer.
    private var glossary: Section? {
        var rows: [HTMLTable.Row] = []
        var known: Set<String> = []
        for column in tables.flatMap(\.columns) where !column.meaning.isEmpty {
            guard known.insert(column.title + "\n" + column.meaning).inserted else { continue }
            rows.append(.init(cells: [.init(column.title), .init(column.meaning)]))
        }
        guard !rows.isEmpty else { return nil }
        let table = HTMLTable(
            columns: [.init(title: "column", isLeft: true), .init(title: "meaning", isLeft: true)],
            rows: rows, style: "prose")
        return Section(title: "Columns", parts: [.table(table)], isFolded: true)
    }

    private static func figures(_ graphics: [SVG], _ style: String) -> String {
        "<div class=\"\(style)\">"
            + graphics.map { "<figure>\($0.text)</figure>" }.joined() + "</div>"
    }

    private static func html(_ section: Section) -> String {
        let body = section.parts.map { part in
            switch part {
            case .text(let text): "<p>\(SVG.escaped(text))</p>\n"
            case .table(let table): table.html
            case .charts(let charts): figures(charts, "charts")
            case .pictures(let pictures): figures(pictures, "charts wide")
            }
        }.joined()
        let title = "<h2>\(SVG.escaped(section.title))</h2>"
        return "<section id=\"\(section.identifier)\">"
            + (section.isFolded
                ? "<details><summary>\(title)</summary>\(body)</details>" : title + body)
            + "</section>\n"
    }
}
