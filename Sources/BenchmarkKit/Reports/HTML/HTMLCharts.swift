import ToolSupport

/// The charts of a run's page. A chart without data is omitted.
enum HTMLCharts {
    static func all(of run: RunFolder) -> [(title: String, note: String, charts: [SVG])] {
        let groups = run.rows.filter(\.hasRun).byWorkload
        // All charts of the page use one order of engines, so that an engine keeps its colour.
        var engines: [String] = []
        for row in run.rows where !engines.contains(row.engine) { engines.append(row.engine) }
        return [
            (
                "Throughput",
                "Operations a second, each workload on its own axis; the whisker is the 95 % "
                    + "interval. Dashed: the machine without a database.",
                groups.map { throughput($0.workload, $0.rows, engines) }
            ),
            (
                "Latency",
                "Every nine of the percentile has the same length on the horizontal axis. "
                    + legend,
                groups.compactMap { latency($0.workload, $0.rows, run, engines) }
            ),
            (
                "File size over time",
                "Size of the database file while its case ran. \(legend)",
                groups.compactMap { fileSize($0.workload, $0.rows, run, engines) }
            ),
            (
                "Growth by cause",
                "What the file is made of: live bytes belong to the newest version, waiting bytes "
                    + "to older versions that a reader has pinned, free bytes are for the next "
                    + "commits.",
                groups.flatMap { $0.rows.compactMap { growth($0, run) } }
            ),
        ]
    }

    private static let legend =
        "Where a chart has several engines, the colour is the engine's and dashes tell its cases "
        + "apart."

    /// Returns the styles of a chart's lines in the order of its rows. The lines of a single engine
    /// differ in colour; with several engines, each has its colour of the whole page.
    static func lineStyles(of rows: [RunRow], _ engines: [String]) -> [LineChart.Style] {
        guard Set(rows.map(\.engine)).count > 1 else {
            return rows.indices.map(LineChart.Style.distinct)
        }
        var used: [String: Int] = [:]
        return rows.map { row in
            defer { used[row.engine, default: 0] += 1 }
            return LineChart.Style(
                color: engines.firstIndex(of: row.engine) ?? 0, dashes: used[row.engine] ?? 0)
        }
    }

    private static func throughput(
        _ workload: String, _ rows: [RunRow], _ engines: [String]
    ) -> SVG {
        BarChart(
            title: workload, axisTitle: "operations per second",
            bars: zip(rows, rows.labels).compactMap { row, label in
                guard let rate = row.throughput else { return nil }
                var interval: (low: Double, high: Double)?
                if let low = row.number("throughput_ci_low"),
                    let high = row.number("throughput_ci_high")
                {
                    interval = (low, high)
                }
                return BarChart.Bar(
                    label: label, value: rate, interval: interval, isControl: row.isControl,
                    color: engines.firstIndex(of: row.engine) ?? 0)
            }
        ).svg()
    }

    private static func latency(
        _ workload: String, _ rows: [RunRow], _ run: RunFolder, _ engines: [String]
    ) -> SVG? {
        let drawn = zip(rows, rows.labels).compactMap { row, label in
            let percentiles = run.percentiles(of: row.name)
            return percentiles.count > 1 ? (row: row, label: label, percentiles: percentiles) : nil
        }
        guard !drawn.isEmpty else { return nil }
        let series = zip(drawn, lineStyles(of: drawn.map(\.row), engines)).map { line, style in
            LineChart.Series(
                name: line.label,
                // The maximum lies at 100 %, which is infinitely far on this scale.
                points: line.percentiles.filter { $0.level < 1 }.map {
                    (x: 1 / (1 - $0.level), y: $0.microseconds)
                }, style: style)
        }
        return LineChart(
            title: workload, xTitle: "percentile of operations", xKind: .percentile,
            yTitle: "latency", yKind: .logarithmic, yUnit: .microseconds, series: series
        ).svg()
    }

    private static func fileSize(
        _ workload: String, _ rows: [RunRow], _ run: RunFolder, _ engines: [String]
    ) -> SVG? {
        let drawn = zip(rows, rows.labels).compactMap { row, label in
            run.timeline[row.name].flatMap { points in
                points.count > 1 ? (row: row, label: label, points: points) : nil
            }
        }
        guard !drawn.isEmpty else { return nil }
        let series = zip(drawn, lineStyles(of: drawn.map(\.row), engines)).map { line, style in
            LineChart.Series(
                name: line.label,
                points: line.points.map { (x: $0.elapsed, y: Double($0.fileBytes)) },
                style: style, isStepped: true)
        }
        return LineChart(
            title: workload, xTitle: "time since the start", xUnit: .seconds, yTitle: "file size",
            yUnit: .bytes, series: series
        ).svg()
    }

    private static func growth(_ row: RunRow, _ run: RunFolder) -> SVG? {
        guard let points = run.growth[row.name], points.count > 1 else { return nil }
        let parts: [(String, (GrowthPoint) -> Int?)] = [
            ("file", { $0.fileBytes }), ("live", { $0.liveBytes }),
            ("waiting", { $0.waitingBytes }),
            ("free", { $0.freeBytes }),
        ]
        let series = parts.enumerated().compactMap { position, part -> LineChart.Series? in
            let (name, value) = part
            let values = points.compactMap { point in
                value(point).map { (x: Double(point.commits), y: Double($0)) }
            }
            guard values.count > 1 else { return nil }
            return .init(name: name, points: values, style: .distinct(position), isStepped: true)
        }
        let owners = Set(points.compactMap(\.oldestPinOwner)).sorted()
        let pinned = owners.isEmpty ? "" : ", pinned by " + owners.joined(separator: "; ")
        return LineChart(
            title: "\(row.workload)/\(row.strategy) · \(row.engine)\(pinned)", xTitle: "commits",
            yTitle: "bytes", yUnit: .bytes, series: series
        ).svg()
    }
}
