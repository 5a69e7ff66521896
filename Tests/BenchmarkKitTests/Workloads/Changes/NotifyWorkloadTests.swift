import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

/// Tests of the workload `notify`, on tiny inputs. That of another process is among the tests of
/// the whole program.
@Suite(.serialized) struct NotifyWorkloadTests {
    private static let ways = NotifyWorkload.ways.filter { $0.place != .process }

    @Test(arguments: ways.map(\.name))
    func everyCommitIsToldToEveryObserver(strategy: String) async throws {
        let folder = try TemporaryFolder()
        let outcome = try await runCaseAside(
            NotifyWorkload.workload, strategy, size: 200, in: folder
        ) {
            $0.count = 12
            // As many as the small file has persons for.
            if strategy == "queue-100000-changes" { $0.changes = 200 }
        }
        let result = outcome.results[0]
        let way = try #require(Self.ways.first { $0.name == strategy })
        #expect(result.operations == 12)
        #expect(result.measure("observers") == Double(way.observers))
        #expect(result.batchSize == min(way.changes, 200))
        #expect((result.measure("first_told_p50_us") != nil) == (way.observers > 1))
        #expect(try #require(result.syncsPerCommit) >= 1)
        #expect(result.digest != nil)
        let whole = try #require(result.measure(NotifyWorkload.told))
        #expect(try whole >= #require(result.latency).p50)
        #expect(try problems(outcome) == [])
        let controls = outcome.results.dropFirst()
        let expected = way.place == .refresh ? [] : [strategy + "-pipe"]
        #expect(controls.map(\.identifier.strategy) == expected)
        #expect(controls.allSatisfy { $0.latency != nil })
    }

    @Test func observersAndChangesCanBeChosen() throws {
        let folder = try TemporaryFolder()
        let outcome = try runCase(NotifyWorkload.workload, "queue", size: 50, in: folder) {
            $0.count = 5
            $0.changes = 7
            $0.observers = 3
        }
        #expect(outcome.results[0].batchSize == 7)
        #expect(outcome.results[0].measure("observers") == 3)
        #expect(try problems(outcome) == [])
    }

    @Test func transactionsOfOneSizeLeaveOneResult() throws {
        func row(_ strategy: String, changes: Int?) throws -> CaseResult {
            let folder = try TemporaryFolder()
            return try runCase(NotifyWorkload.workload, strategy, size: 50, in: folder) {
                $0.count = 5
                $0.changes = changes
            }.results[0]
        }
        let one = try row("queue", changes: nil)
        let several = try row("queue", changes: 20)
        #expect(one.digest != several.digest)
        let refreshed = try row("refresh", changes: 1)
        #expect(DigestCheck.disagreements(in: [one, several, refreshed]) == [])
        var other = one
        other.digest = several.digest
        #expect(DigestCheck.disagreements(in: [one, other]).count == 1)
    }

    @Test func moreChangesThanPersonsAreAMistakeOfTheUser() throws {
        let folder = try TemporaryFolder()
        #expect(throws: BenchmarkError.self) {
            try runCase(NotifyWorkload.workload, "queue-100-changes", size: 50, in: folder)
        }
    }

    @Test func linesOfTheObservingProcessAreReadAsTheyWereSaid() throws {
        let news = PersonNews(time: 1_234_567, age: 12, changes: 3)
        let line = ObservingProcess.Line.call(observer: 8, news)
        guard case .call(let observer, let read)? = ObservingProcess.Line(line.text) else {
            throw BenchmarkError(.caseFailed, "It was not read.")
        }
        #expect(observer == 8)
        #expect((read.time, read.age, read.changes) == (1_234_567, 12, 3))
        let first = ObservingProcess.Line.call(observer: 0, PersonNews(time: 5, age: nil))
        guard case .call(0, let read)? = ObservingProcess.Line(first.text) else {
            throw BenchmarkError(.caseFailed, "It was not read.")
        }
        #expect((read.age, read.changes) == (nil, nil))
        guard case .byte(7)? = ObservingProcess.Line(ObservingProcess.Line.byte(time: 7).text)
        else { throw BenchmarkError(.caseFailed, "It was not read.") }
        #expect(ObservingProcess.Line("call 1 2") == nil)
        #expect(ObservingProcess.Line("") == nil)
    }
}
