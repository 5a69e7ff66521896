import Foundation
import StressModel
import Testing

@testable import StorageEngine
@testable import StressKit

/// A layer whose points are only listed. The test's closure stands in for the worker that tries
/// them.
private struct ScriptedLayer: StressLayer {
    let name: String
    let summary = ""
    let proves = ""
    let settings = ["round", "seed"]
    let scenarios = [StressScenario("first", ""), StressScenario("second", "")]

    func points(round: Int, seed: UInt64) -> [StressPoint] {
        scenarios.map {
            StressPoint(name, $0.name).with("round", round).with("seed", seed)
        }
    }

    func run(_ point: StressPoint, in trial: Trial) throws {}
    func smaller(than point: StressPoint) throws -> [StressPoint] { [] }
}

@Suite struct BugHuntTests {
    private let layers: [any StressLayer] = [ScriptedLayer(name: "a"), ScriptedLayer(name: "b")]

    private func report(
        failing point: StressPoint? = nil, skipped: String? = nil
    ) -> TrialReport {
        var report = TrialReport()
        report.points = 3
        report.skipped = skipped
        report.failures =
            point.map {
                [.init(point: $0.description, kind: .lostCommit, message: "gone")]
            } ?? []
        return report
    }

    /// Runs a hunt whose worker finds something where `finds` says so. Returns the outcome and the
    /// points that were tried.
    private func hunt(
        expecting expected: [String], seconds: Double = 0.3,
        finding finds: @escaping (StressPoint) -> Bool
    ) throws -> (BugHunt.Outcome, tried: [String]) {
        var tried: [String] = []
        let hunt = BugHunt(layers, seed: 7, seconds: seconds) { point, secondsLeft in
            #expect(secondsLeft > 0 && secondsLeft <= seconds)
            #expect(point["seed"] == "7")
            tried.append("\(point.layer)/\(point.scenario) \(point["round"]!)")
            System.sleep(nanoseconds: 5_000_000)
            return report(failing: finds(point) ? point : nil)
        }
        return (try hunt.run(expected: expected), tried)
    }

    // MARK: Catalogue

    @Test func everyBugHasANameAClauseAndAScenario() throws {
        let all = PlantedBugCatalogue.all
        #expect(all.count >= 20)
        #expect(Set(all.map(\.name)).count == all.count)
        let scenarios = Set(
            LayerCatalogue.all.flatMap { layer in
                layer.scenarios.map { "\(layer.name)/\($0.name)" }
            })
        for bug in all {
            #expect(bug.clause.wholeMatch(of: /E[0-9]+: .+/) != nil, "\(bug.name)")
            #expect(!bug.mistake.isEmpty && !bug.expected.isEmpty, "\(bug.name)")
            #expect(scenarios.isSuperset(of: bug.expected), "\(bug.name)")
        }
    }

    @Test func theEngineHasTheBugsOfTheCatalogue() {
        #expect(
            Set(PlantedBugCatalogue.all.map(\.name)) == Set(PlantedBug.allCases.map(\.rawValue)))
    }

    @Test func everyBugIsInTheDocument() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(
            contentsOf: root.appendingPathComponent("docs/planted-bugs.md"), encoding: .utf8)
        for bug in PlantedBugCatalogue.all { #expect(text.contains("| `\(bug.name)` |")) }
    }

    // MARK: The hunt

    @Test func expectedScenariosComeFirstAndAFindingEndsTheHunt() throws {
        let (outcome, tried) = try hunt(expecting: ["b/second", "a/first"], seconds: 60) {
            $0.layer == "a" && $0["round"] == "1"
        }
        #expect(tried == ["b/second 0", "a/first 0", "b/second 1", "a/first 1"])
        #expect(outcome.finder == "a/first")
        #expect(outcome.failure?.kind == .lostCommit)
        #expect(outcome.points == 12)
    }

    @Test func theOthersAreTriedWhenTheExpectedOnesFindNothing() throws {
        let (outcome, tried) = try hunt(expecting: ["a/first"]) { $0.layer == "b" }
        #expect(outcome.finder == "b/first")
        #expect(tried.first == "a/first 0")
        #expect(outcome.seconds >= 0.2)
    }

    /// A scenario that uses up its share of the time does not keep the other from a second round.
    @Test func aLongScenarioLeavesTimeForAnotherRoundOfAShortOne() throws {
        let hunt = BugHunt(layers, seed: 1, seconds: 0.5) { point, secondsLeft in
            if point.scenario == "second" { System.sleep(nanoseconds: UInt64(secondsLeft * 1e9)) }
            return report(failing: point.scenario == "first" && point["round"] == "1" ? point : nil)
        }
        let outcome = try hunt.run(expected: ["a/first", "a/second"])
        #expect(outcome.finder == "a/first")
        #expect(outcome.points == 9)
    }

    @Test func whatNobodyFindsIsNotFoundWhenTheTimeIsOver() throws {
        let (outcome, tried) = try hunt(expecting: [], seconds: 1) { _ in false }
        #expect(outcome.failure == nil && outcome.finder == nil)
        #expect(Set(tried.map { $0.prefix(while: { $0 != " " }) }).count == 4)
        #expect(outcome.seconds >= 1)
    }

    @Test func whatCannotRunHereIsAskedOnce() throws {
        var tried = 0
        let hunt = BugHunt(layers, seed: 1, seconds: 5) { _, _ in
            tried += 1
            return report(skipped: "no root")
        }
        #expect(try hunt.run(expected: []).failure == nil)
        #expect(tried == 4)
    }

    // MARK: The run

    /// Runs a self-test whose workers find the first bug only. `control` says whether the worker
    /// without a bug finds something.
    private func rows(control: Bool) throws -> [SelftestRow] {
        let bugs = Array(PlantedBugCatalogue.all.prefix(2))
        let plan = SelftestRun.Plan(bugs: bugs, layers: layers, seconds: 0.05, seed: 1)
        var open = 0
        let run = SelftestRun(plan) { bug in
            open += 1
            let finds = bug.map { $0 == bugs[0] } ?? control
            return ({ point, _ in report(failing: finds ? point : nil) }, { open -= 1 })
        }
        var told: [SelftestRow] = []
        let rows = try run.run { told.append($0) }
        #expect(told == rows)
        #expect(open == 0)
        return rows
    }

    @Test func theControlComesFirstAndEachRowIsJudged() throws {
        let rows = try rows(control: false)
        #expect(rows.map(\.isAsItShouldBe) == [true, true, false])
        #expect(rows[0].name == SelftestRow.controlName)
        #expect(rows[1].replay.contains("realm-bench stress replay 'a/first round=0 seed=1'"))
        #expect(rows[2].replay.isEmpty)
        let lines = SelftestTable.lines(for: rows)
        #expect(lines.contains { $0.contains(rows[2].name) && $0.contains("NOT CAUGHT") })
        for row in rows {
            let fields = SelftestTable.fields(of: row, seed: 1, run: "r", revision: "abc")
            #expect(fields.count == SelftestTable.header.count)
        }
    }

    @Test func aFindingWithoutABugIsNotAsItShouldBe() throws {
        #expect(try rows(control: true).map(\.isAsItShouldBe) == [false, true, false])
    }

    // MARK: The command

    @Test(.enabled(if: !PlantedBugCatalogue.isCompiledIn))
    func withoutTheTraitThereIsNothingToTry() throws {
        let (text, exitCode) = try runRunner("stress", "selftest", "--for", "1s")
        #expect(exitCode == 64)
        #expect(text.contains("scripts/stress selftest"))
    }

    @Test func theListNamesEveryBug() throws {
        let (text, exitCode) = try runRunner("stress", "selftest", "--list")
        #expect(exitCode == 0)
        for bug in PlantedBugCatalogue.all {
            #expect(text.contains("\(bug.name): \(bug.mistake)"))
        }
        #expect(try runRunner("stress", "selftest", "--bug", "no-bug").exitCode == 64)
    }
}
