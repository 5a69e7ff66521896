import Foundation
import ToolSupport

/// The report `report.html`: a run on one self-contained page.
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
        var page = HTMLPage(
            title: "Benchmark run \(header.runId)", facts: RunFacts.all(of: header),
            warnings: header.warnings, sections: [])
        if header.finishedAt == nil {
            page.warnings.insert(
                "The run ended early: rows that were to follow are missing.", at: 0)
        }
        page.sections.append(results(run.rows))
        if !header.checks.isEmpty { page.sections.append(checks(header.checks)) }
        let peers = PeersTable(run.rows, samples: run.samples, indirect: indirect)
        if let peers { page.sections.append(section(of: peers)) }
        if let encryption = EncryptionTable(run.rows, samples: run.samples) {
            page.sections.append(section(of: encryption))
        }
        for (title, note, charts) in HTMLCharts.all(of: run) where !charts.isEmpty {
            page.sections.append(.init(title: title, parts: [.text(note), .charts(charts)]))
        }
        let graphs = try ProfileFiles.graphs(of: run)
        if !graphs.isEmpty {
            page.sections.append(
                .init(
                    title: "Flame graphs", parts: [.pictures(graphs.map { $0.svg() })],
                    isFolded: true))
        }
        if let measures = measures(of: run) { page.sections.append(measures) }
        return page.text
    }

    // MARK: Results

    private static func results(_ rows: [RunRow]) -> HTMLPage.Section {
        var table = HTMLTable(
            columns: [
                .init(
                    title: "case",
                    meaning: "workload/strategy, and what else tells rows apart. The whole case_id "
                        + "is shown on hover.", isLeft: true)
            ] + ResultColumn.all.map(HTMLTable.Column.init), rows: [])
        for (workload, group) in rows.byWorkload {
            for (index, name) in ResultTable.names(of: group).enumerated() {
                let row = group[index]
                let cells = ResultColumn.all.map { column -> HTMLTable.Cell in
                    let text = row.hasRun || column.isOfEveryRow ? column.text(row) : ""
                    return .init(text, value: text.isEmpty ? nil : column.value(of: row))
                }
                table.rows.append(
                    .init(
                        cells: [.init("\(workload)/\(name)", note: row.name)] + cells,
                        style: row.isControl ? "control" : row.status == "failed" ? "failed" : "",
                        beginsGroup: index == 0))
            }
        }
        return HTMLPage.Section(
            title: "Results",
            parts: [
                .table(table.withoutEmptyColumns(keeping: 4)),
                .text(
                    "Control rows, in grey, do the same without a database. 95 %: half of the "
                        + "interval around ops/s. A percentile is shown where at least "
                        + "\(Int(ResultColumn.samplesBeyond)) samples lie beyond it."),
            ])
    }

    private static func measures(of run: RunFolder) -> HTMLPage.Section? {
        let meanings = Dictionary(MeasureCatalogue.all.map { ($0.name, $0.meaning) }) { $1 }
        let rows = run.rows.flatMap { row in
            (run.measures[row.name] ?? [:]).sorted { $0.key < $1.key }.map { name, value in
                HTMLTable.Row(cells: [
                    .init(row.name), .init(name, note: meanings[name] ?? ""),
                    .init(ColumnCatalogue.decimal(value), value: value),
                ])
            }
        }
        guard !rows.isEmpty else { return nil }
        let table = HTMLTable(
            columns: [
                .init(title: "case", isLeft: true),
                .init(
                    title: "measure",
                    meaning: "A figure that some cases have only; its meaning is shown on hover.",
                    isLeft: true),
                .init(title: "value"),
            ], rows: rows)
        return HTMLPage.Section(title: "Measures", parts: [.table(table)], isFolded: true)
    }

    // MARK: Further tables

    private static func checks(_ outcomes: [SpeedCheck.Outcome]) -> HTMLPage.Section {
        let meanings = [
            "What the design promises.", "What is promised.", "What this run found.",
            "pass or miss; no verdict where nothing can be said, with the reason.",
            "What the machine does without the database, in the same run.",
        ]
        let columns = zip(ResultTable.checkHeader, meanings).enumerated().map { index, column in
            HTMLTable.Column(
                title: column.0, meaning: column.1, isLeft: [0, 3, 4].contains(index))
        }
        let rows = outcomes.map { outcome in
            let fields = ResultTable.fields(of: outcome)
            let style =
                switch outcome.verdict {
                case .pass: "good"
                case .miss, .implausible: "bad"
                case .none: ""
                }
            return HTMLTable.Row(cells: [
                .init(fields[0]), .init(fields[1]), .init(fields[2], value: outcome.measured),
                .init(fields[3], style: style), .init(fields[4]),
            ])
        }
        return HTMLPage.Section(
            title: "Checks",
            parts: [
                .table(.init(columns: columns, rows: rows, style: "checks")),
                .text(
                    "What the design promises, beside what the machine does without the database. "
                        + "A miss does not change the exit code."),
            ])
    }

    private static func section(of peers: PeersTable) -> HTMLPage.Section {
        let meaning = "Operations a second, and the ratio to \(peers.baseTitle)'s."
        let columns = peers.rateHeader.enumerated().map { index, title in
            HTMLTable.Column(
                title: title,
                meaning: index > 1 && index < peers.columns.count + 2 ? meaning : "",
                isLeft: index < 2)
        }
        let rows = peers.lines.map { line in
            let fields = peers.rateFields(line, emphasis: { $0 })
            let cells = fields.enumerated().map { index, field -> HTMLTable.Cell in
                let column = index - 2
                guard peers.columns.indices.contains(column) else { return .init(field) }
                return .init(
                    field.replacing(" *", with: ""),
                    value: line.cells[peers.columns[column]]?.rate,
                    isStrong: line.fastest == peers.columns[column])
            }
            let isBehind = line.cells.contains { $0.isOwn && $1.isBehind }
            return HTMLTable.Row(cells: cells, style: isBehind ? "behind" : "")
        }
        var parts: [HTMLPage.Part] = [
            .table(.init(columns: columns, rows: rows)),
            .text(
                peers.legend.replacing("*:", with: "Bold:")
                    + (peers.hasIndirect ? " " + PeersTable.indirectLegend : "")),
        ]
        if peers.hasFileSizes {
            let columns = peers.fileHeader.enumerated().map { index, title in
                HTMLTable.Column(title: title, isLeft: index == 0)
            }
            let rows = peers.fileLines.map { line in
                HTMLTable.Row(
                    cells: peers.fileFields(line).enumerated().map { index, field in
                        let column = peers.columns.indices.contains(index - 1) ? index - 1 : nil
                        return .init(
                            field,
                            value: column.flatMap { line.cells[peers.columns[$0]]?.fileBytes })
                    })
            }
            parts.append(.table(.init(columns: columns, rows: rows)))
            parts.append(.text(peers.fileLegend))
        }
        return HTMLPage.Section(title: "Engines side by side", parts: parts)
    }

    private static func section(of encryption: EncryptionTable) -> HTMLPage.Section {
        let columns = EncryptionTable.header.enumerated().map { index, title in
            HTMLTable.Column(title: title, isLeft: index == 0)
        }
        let rows = encryption.lines.map { line in
            let values = [nil, line.plain, line.encrypted, line.timeRatio, line.bound, nil]
            return HTMLTable.Row(
                cells: zip(EncryptionTable.fields(line), values).map { .init($0, value: $1) },
                style: line.isOver ? "behind" : "")
        }
        return HTMLPage.Section(
            title: "What encryption costs",
            parts: [
                .table(.init(columns: columns, rows: rows)), .text(EncryptionTable.legend),
            ])
    }
}
