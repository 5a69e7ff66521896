import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct RunComparisonTests {
    private let key = TimedKey(
        counted: CountedKey(
            architecture: "x86_64", pageSizeBytes: 4096, swift: "6.3.1", configuration: "release"),
        processor: "A Processor", cores: 2, fileSystem: "ext4")

    /// Returns a side with a case whose runs had these rates.
    private func side(
        _ name: String, _ rates: [Double], id: String = "a/b", load: Double = 0,
        isComplete: Bool = true
    ) throws -> ComparedSide {
        let fields = [
            "case_id": id, "engine": "realm", "status": "ok", "seed": "1", "operations": "10",
            "digest": "d", "deterministic": "true", "file_bytes": "4096",
            "throughput_ops_per_s": "\(rates[rates.count / 2])", "latency_p50_us": "2",
        ]
        var row = try MetricRow(
            RunRow(CSVRow(fields)), measures: ["other_load_cores": load])
        if rates.count > 1 { row.throughputSamples = rates }
        return ComparedSide(name: name, key: key, rows: [row], isComplete: isComplete)
    }

    private func times(_ before: [Double], _ after: [Double]) throws -> RunComparison.Times {
        let comparison = RunComparison(
            reference: try side("A", before), sides: [try side("B", after)])
        return try #require(comparison.pairs[0].times.first)
    }

    @Test func differencesNeedEnoughRunsAndAnInterval() throws {
        let base = (0..<6).map { 1000 + Double($0) }
        let fast = try times(base, base.map { $0 * 1.8 })
        #expect(fast.verdict == .faster)
        #expect(fast.words == "1.80 times as fast")
        #expect(try #require(fast.correctedP) < 0.01)
        let slow = try times(base, base.map { $0 / 2 })
        #expect(slow.verdict == .slower)
        #expect(slow.words == "2.00 times as slow")
        let same = try times(base, base.map { $0 + 0.5 })
        #expect(same.verdict == .unclear)
        #expect(same.words == "as fast")
        let few = try times(Array(base.prefix(4)), base.map { $0 * 1.8 })
        #expect(few.verdict == .tooFewRuns && few.correctedP == nil && few.interval != nil)
        let single = try times([1000], [1800])
        #expect(single.verdict == .tooFewRuns && single.interval == nil)
    }

    @Test func rowsOfOneSideAndLoadsAreTold() throws {
        let comparison = RunComparison(
            reference: try side("A", [1000], load: 0.7),
            sides: [
                try side("B", [1000]),
                try side("C", [1000], id: "c/d", load: 1.2, isComplete: false),
            ])
        #expect(comparison.pairs.map(\.onlyInSide) == [[], ["c/d"]])
        #expect(comparison.pairs.map(\.onlyInReference) == [[], ["a/b"]])
        #expect(
            comparison.notes == [
                "While 'A' was measured, others kept up to 0.7000 cores busy, in 1 of 1 rows.",
                "The run 'C' did not end by itself; rows may be missing.",
                "While 'C' was measured, others kept up to 1.20 cores busy, in 1 of 1 rows.",
                "Only in 'A': a/b.", "Only in 'C': c/d.",
            ])
        let text = try ComparisonText(comparison: comparison).text(.text)
        for note in comparison.notes { #expect(text.contains(note)) }
        let markdown = try ComparisonText(comparison: comparison).text(.markdown)
        #expect(markdown.contains("| a/b | as fast | too few runs | 1,000 | 1,000 |"))
    }

    @Test func aPageHasAllSidesBesideEachOther() throws {
        let base = (0..<6).map { 1000 + Double($0) }
        let comparison = RunComparison(
            reference: try side("results/A", base),
            sides: [
                try side("results/B", base.map { $0 * 1.8 }, load: 0.7),
                try side("other/B", base.map { $0 / 2 }, id: "a/b"),
                try side("<b>", base, id: "c/d"),
            ])
        let text = HTMLComparison(comparison: comparison).page.text
        // The last part of a path, unless two sides share it.
        #expect(text.contains("Compared with A<"))
        #expect(text.contains(">results/B</th>") && text.contains(">other/B</th>"))
        #expect(text.contains("class=\"good\" data-note=\"1.80 times as fast: faster\n95 %"))
        #expect(text.contains("class=\"bad\" data-note=\"2.00 times as slow: slower\n95 %"))
        #expect(text.contains("<li>Only in 'results/A': a/b.</li>"))
        #expect(!text.contains("<b>"))
        let counted = HTMLComparison(comparison: comparison, showsTimes: false).page.text
        #expect(!counted.contains("<h2>Throughput</h2>") && !counted.contains("<h2>Times</h2>"))
    }
}
