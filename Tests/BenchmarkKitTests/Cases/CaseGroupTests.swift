import Testing

@testable import BenchmarkKit

@Suite struct CaseGroupTests {
    private func benchmarkCase(
        _ workload: String, _ strategy: String, engine: String = "realm", size: Int = 1,
        threads: Int = 1
    ) -> BenchmarkCase {
        var options = CaseOptions()
        options.threads = threads
        return BenchmarkCase(
            identifier: CaseIdentifier(
                workload: workload, strategy: strategy, size: size, engine: engine),
            layer: "api", options: options)
    }

    @Test func strategiesAndEnginesOfAWorkloadAreOneGroup() {
        let groups = CaseGroup.groups(of: [
            benchmarkCase("insert", "api"), benchmarkCase("lookup", "api"),
            benchmarkCase("insert", "engine"), benchmarkCase("insert", "api", engine: "sqlite"),
            benchmarkCase("insert", "api", size: 2), benchmarkCase("insert", "api", threads: 2),
        ])
        #expect(groups.map(\.cases.count) == [3, 1, 1, 1])
        #expect(groups[0].cases.map(\.identifier.engine) == ["realm", "realm", "sqlite"])
    }

    @Test func onlyWhereNoEnginesAreComparedAControlTakesTurns() {
        let groups = CaseGroup.groups(of: [
            benchmarkCase("insert", "api"), benchmarkCase("insert", "engine"),
            benchmarkCase("commit", "engine"), benchmarkCase("commit", "engine", engine: "sqlite"),
        ])
        let controls = groups.map { $0.cases.map(\.options.hasControl) }
        #expect(controls == [[true, true], [false, false]])
    }

    @Test func everySecondRoundIsReversed() {
        let group = CaseGroup(cases: ["a", "b", "c"].map { benchmarkCase("insert", $0) })
        #expect((0..<3).map { group.order(ofRound: $0) } == [[0, 1, 2], [2, 1, 0], [0, 1, 2]])
    }
}
