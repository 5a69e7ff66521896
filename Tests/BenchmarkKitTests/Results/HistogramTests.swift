import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct HistogramTests {
    @Test func equalDurationsAreAddedUp() {
        let data = HistogramData([(30, 1), (10, 2), (30, 4), (20, 0)])
        #expect(data.nanoseconds == [10, 30])
        #expect(data.counts == [2, 5])
    }

    @Test func histogramsOfRunsAreMerged() {
        var data = HistogramData([(10, 1), (20, 1)])
        data.add(HistogramData([(20, 2), (5, 3)]))
        #expect(data == HistogramData([(5, 3), (10, 1), (20, 3)]))
    }

    @Test func batchesAreDivided() {
        #expect(HistogramData([(1000, 3)]).divided(by: 400) == HistogramData([(2.5, 3)]))
    }

    @Test func aRecorderHandsOverWhatItRecorded() {
        var recorder = LatencyRecorder()
        for value in 1...1000 { recorder.record(UInt64(value)) }
        recorder.record(123_456_789, count: 2)
        let data = recorder.distribution
        #expect(data.totalCount == 1002)
        #expect(data.nanoseconds.first == 1)
        #expect(abs((data.nanoseconds.last ?? 0) / 123_456_789 - 1) < 0.001)
    }

    @Test func theTextIsThatOfHdrHistogram() {
        let text = HistogramText.text(of: HistogramData([(1000, 50), (2000, 49), (9000, 1)]))
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0] == "       Value     Percentile TotalCount 1/(1-Percentile)")
        #expect(lines[1] == "")
        #expect(lines[2] == "    1.000000 0.000000000000         50           1.00")
        #expect(text.contains("    9.000000 1.000000000000        100\n"))
        #expect(text.contains("Total count    =          100]"))
        #expect(text.contains("#[Mean    =     1.570000,"))
    }

    @Test func percentilesAreReadBack() {
        let data = HistogramData((1...10_000).map { (Double($0) * 1000, 1) })
        let read = HistogramText.percentiles(in: HistogramText.text(of: data))
        #expect(read.first == .init(microseconds: 1, level: 0))
        #expect(read.last == .init(microseconds: 10_000, level: 1))
        for step in read { #expect(abs(step.microseconds / 10_000 - step.level) < 0.0002) }
    }

    @Test func thePointsOfASweepHaveFilesOfTheirOwn() throws {
        let identifier = CaseIdentifier(workload: "commit", strategy: "api", size: 1)
        var benchmarkCase = BenchmarkCase(
            identifier: identifier, layer: "api", options: CaseOptions())
        let files = ["", "threads=1", "threads=2"].map { sweep in
            benchmarkCase.sweep = sweep
            return RunFolder.histogramFile(of: benchmarkCase.name, .latency)
        }
        #expect(files[2] == "histograms/commit-api-full-plain-1-realm-threads=2.hgrm")
        #expect(Set(files).count == 3)
    }

    @Test func aRunKeepsHistogramsAndGrowth() throws {
        let folder = try TemporaryFolder()
        let directory = try RunFolderWriter(parent: folder.path)
        let identifier = CaseIdentifier(workload: "growth", strategy: "steady", size: 10)
        try directory.write(
            [.latency: HistogramData([(5, 1)]), .sync: HistogramData([(7, 2)]), .work: .init()],
            of: identifier.description)
        var point = GrowthPoint(elapsed: 1.5, commits: 3, fileBytes: 4096)
        point.oldestPinOwner = "17 reader, slow"
        try directory.append([point], of: identifier)

        let names = try FileManager.default.contentsOfDirectory(
            atPath: directory.path + "/histograms")
        #expect(
            names.sorted() == [
                "growth-steady-full-plain-10-realm.hgrm",
                "growth-steady-full-plain-10-realm.sync.hgrm",
            ])
        let text = try String(contentsOfFile: directory.path + "/growth.csv", encoding: .utf8)
        let records = try CSV.parse(text)
        #expect(records.map(\.fields.count) == [14, 14])
        #expect(records[1].fields[11] == "17 reader, slow")
        #expect(records[1].fields[2...5] == ["1.500", "3", "4096", ""])
    }
}
