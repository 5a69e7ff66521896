import Foundation
import Glibc
import ToolSupport

/// The writer of the folder `results/<run>/`, which ``RunFolder`` reads.
final class RunFolderWriter {
    let path: String
    let context: RunContext
    let summary: CSVFile
    private let timeline: CSVFile
    private let samples: CSVFile
    private let measures: CSVFile
    private let growth: CSVFile

    /// Creates the folder, and `parent` if it is missing. The run's name is its start in UTC and
    /// the process identifier. `suffix` is appended to distinguish several runs of one process, and
    /// a number where they start within a second.
    init(parent: String, suffix: String = "") throws {
        let first = "\(Self.timestamp())-\(getpid())\(suffix)"
        let folder = URL(fileURLWithPath: parent)
        var (name, number) = (first, 1)
        while FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path) {
            number += 1
            name = "\(first)-\(number)"
        }
        let directory = folder.appendingPathComponent(name).path
        try FolderFiles.make(directory)
        path = directory
        context = RunContext(runIdentifier: name)
        summary = try CSVFile(
            path: directory + "/" + RunFolder.summaryName, header: ColumnCatalogue.header)
        measures = try CSVFile(
            path: directory + "/" + RunFolder.measuresName, header: MeasureCatalogue.header)
        samples = try CSVFile(
            path: directory + "/" + RunSample.fileName, header: RunSample.header)
        timeline = try CSVFile(
            path: directory + "/" + TimelinePoint.fileName, header: TimelinePoint.header)
        growth = try CSVFile(
            path: directory + "/" + GrowthPoint.fileName, header: GrowthPoint.header)
    }

    func append(_ result: CaseResult) throws {
        try summary.append(ColumnCatalogue.fields(of: result, context: context))
        for measure in result.measures {
            try append(
                [measure.name, ColumnCatalogue.decimal(measure.value)], to: measures,
                result.identifier, result.sweep)
        }
    }

    func append(sample result: CaseResult, run: Int) throws {
        try append(
            RunSample.fields(of: result, run: run), to: samples, result.identifier, result.sweep)
    }

    /// Writes the course of a case.
    func append(
        _ points: [TimelinePoint], of identifier: CaseIdentifier, sweep: String = ""
    ) throws {
        for point in points { try append(point.fields, to: timeline, identifier, sweep) }
    }

    func append(
        _ points: [GrowthPoint], of identifier: CaseIdentifier, sweep: String = ""
    ) throws {
        for point in points { try append(point.fields, to: growth, identifier, sweep) }
    }

    /// Writes a record of a file whose first columns name run and case, and the last the sweep.
    private func append(
        _ fields: [String], to file: CSVFile, _ identifier: CaseIdentifier, _ sweep: String
    ) throws {
        try file.append(
            [context.runIdentifier, identifier.description] + fields + [sweep])
    }

    /// Writes histograms into `histograms/`. The file of the latency has the case's name with `-`
    /// for `/` and spaces; other distributions append their own name after a dot.
    func write(_ histograms: [HistogramKind: HistogramData], of name: String) throws {
        guard histograms.contains(where: { !$0.value.isEmpty }) else { return }
        try FolderFiles.make(path + "/histograms")
        for (kind, data) in histograms where !data.isEmpty {
            let file = path + "/" + RunFolder.histogramFile(of: name, kind)
            try TextFile.write(HistogramText.text(of: data), replacing: file)
        }
    }

    func write(_ report: RunReport) throws {
        try JSONFile.write(report, to: path + "/" + RunFolder.reportName)
    }

    /// Returns the time in UTC, as in `20260131T235959Z`.
    private static func timestamp() -> String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        var buffer = [CChar](repeating: 0, count: 32)
        let length = strftime(&buffer, buffer.count, "%Y%m%dT%H%M%SZ", &parts)
        return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
