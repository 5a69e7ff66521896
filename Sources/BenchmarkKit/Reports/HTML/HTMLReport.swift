import Foundation
import ToolSupport

/// The report `report.html`: a run on one self-contained page without scripts.
enum HTMLReport {
    static let fileName = "report.html"

    /// Reads the files of a run and writes its page into the same folder. Returns the page's path.
    @discardableResult
    static func write(run path: String) throws -> String {
        let page = try text(of: RunFolder(path: path), indirect: .load())
        let file = path + "/" + fileName
        try TextFile.write(page, replacing: file)
        return file
    }

    static func text(of run: RunFolder, indirect: IndirectRatios) throws -> String {
        let header = run.header
        var body = "<header><h1>Benchmark run \(SVG.escaped(header.runId))</h1>"
        body += facts(header) + "</header>\n"
        for warning in header.warnings {
            body += "<p class=\"warning\">Warning: \(SVG.escaped(warning))</p>\n"
        }
        body += section("Results", results(run.rows))
        if !header.checks.isEmpty { body += section("Checks", checks(header.checks)) }
        let peers = PeersTable(run.rows, samples: run.samples, indirect: indirect)
        if let peers { body += section("Engines side by side", table(of: peers)) }
        if let encryption = EncryptionTable(run.rows, samples: run.samples) {
            body += section("What encryption costs", table(of: encryption))
        }
        for (title, note, charts) in HTMLCharts.all(of: run) where !charts.isEmpty {
            let drawn = charts.map { "<figure>\($0.text)</figure>" }.joined()
            body += section(
                title, "<p>\(SVG.escaped(note))</p><div class=\"charts\">\(drawn)</div>")
        }
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Benchmark run \(SVG.escaped(header.runId))</title>
            <style>
            \(HTMLStyle.sheet)</style></head><body>
            \(body)</body></html>

            """
    }

    private static func section(_ title: String, _ content: String) -> String {
        "<section><h2>\(SVG.escaped(title))</h2>\(content)</section>\n"
    }

    private static func facts(_ report: RunReport) -> String {
        let facts = RunFacts.all(of: report).map {
            "<div><dt>\(SVG.escaped($0.name))</dt><dd>\(SVG.escaped($0.value))</dd></div>"
        }
        return "<dl>\(facts.joined())</dl>"
    }

    // MARK: Tables

    private static func results(_ rows: [RunRow]) -> String {
        let header = ResultTable.header
        let named = rows.byWorkload.map { workload, group in
            (
                workload, group,
                zip(group, ResultTable.names(of: group)).map {
                    ResultTable.fields(of: $0, name: $1)
                }
            )
        }
        let used = header.indices.filter { column in
            column < 4 || named.contains { $0.2.contains { !$0[column].isEmpty } }
        }
        var text = "<table>" + head(used.map { header[$0] }, leftColumns: 2) + "<tbody>"
        for (workload, group, fields) in named {
            text += "<tr class=\"group\"><th colspan=\"\(used.count)\">"
            text += "\(SVG.escaped(workload))</th></tr>"
            for (row, fields) in zip(group, fields) {
                let style = row.isControl ? "control" : row.status == "failed" ? "failed" : ""
                text += line(used.map { fields[$0] }, leftColumns: 2, style: style)
            }
        }
        return text + "</tbody></table><p>Control rows, in grey, do the same without a database. "
            + "\(ToolProgram.current.name) explain COLUMN tells what a column of summary.csv means."
            + "</p>"
    }

    private static func checks(_ outcomes: [SpeedCheck.Outcome]) -> String {
        let rows = outcomes.map {
            line(
                ResultTable.fields(of: $0), leftColumns: 1, style: $0.verdict.rawValue)
        }
        return "<table class=\"checks\">" + head(ResultTable.checkHeader, leftColumns: 1)
            + "<tbody>\(rows.joined())</tbody></table><p>What the design promises, beside what the "
            + "machine does without the database. A miss does not change the exit code.</p>"
    }

    private static func table(of peers: PeersTable) -> String {
        let rates = peers.lines.map { line in
            let isBehind = line.cells.contains { $0.isOwn && $1.isBehind }
            return Self.line(
                peers.rateFields(line, emphasis: { "\u{2}\($0)\u{3}" }), leftColumns: 2,
                style: isBehind ? "behind" : "")
        }
        let bold = rates.joined().replacing("\u{2}", with: "<b>").replacing("\u{3}", with: "</b>")
        var text = "<table>" + head(peers.rateHeader, leftColumns: 2)
        text += "<tbody>\(bold)</tbody></table><p>"
        text += SVG.escaped(PeersTable.legend.replacing("*:", with: "Bold:"))
        if peers.hasIndirect { text += " " + SVG.escaped(PeersTable.indirectLegend) }
        text += "</p>"
        guard peers.hasFileSizes else { return text }
        let files = peers.fileLines.map { line(peers.fileFields($0), leftColumns: 1, style: "") }
        text += "<table>" + head(peers.fileHeader, leftColumns: 1)
        text += "<tbody>\(files.joined())</tbody></table>"
        return text + "<p>\(SVG.escaped(PeersTable.fileLegend))</p>"
    }

    private static func table(of encryption: EncryptionTable) -> String {
        let rows = encryption.lines.map {
            line(EncryptionTable.fields($0), leftColumns: 1, style: $0.isOver ? "behind" : "")
        }
        return "<table>" + head(EncryptionTable.header, leftColumns: 1)
            + "<tbody>\(rows.joined())</tbody></table><p>\(SVG.escaped(EncryptionTable.legend))</p>"
    }

    private static func head(_ names: [String], leftColumns: Int) -> String {
        let cells = names.enumerated().map { column, name in
            "<th scope=\"col\"\(column < leftColumns ? " class=\"left\"" : "")>"
                + "\(SVG.escaped(name))</th>"
        }
        return "<thead><tr>\(cells.joined())</tr></thead>"
    }

    private static func line(_ fields: [String], leftColumns: Int, style: String) -> String {
        let cells = fields.enumerated().map { column, field in
            "<td\(column < leftColumns ? " class=\"left\"" : "")>\(SVG.escaped(field))</td>"
        }
        return "<tr\(style.isEmpty ? "" : " class=\"\(style)\"")>\(cells.joined())</tr>\n"
    }
}
