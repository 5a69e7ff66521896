import Foundation
import StressModel
import Testing

@testable import StressKit

/// Runs of each layer with a tiny budget, in worker processes as in a real run.
@Suite(.serialized) struct LayerTests {
    static let scenarios = LayerCatalogue.all.flatMap { $0.points(round: 0, seed: 3) }
        .map(\.description)

    @Test(arguments: scenarios)
    func aTinyBudgetFindsNothing(text: String) throws {
        var point = try #require(StressPoint(text))
        if point.layer == "pinned-readers" { point = point.with("transactions", 100) }
        if point.layer == "long-runs" { point = point.with("transactions", 150) }
        if point.layer == "many-writers" { point = point.with("transactions", 25) }
        if point.layer == "observers" { point = point.with("transactions", 3) }
        if point.layer == "async-writes" { point = point.with("transactions", 3) }
        let report = try report(on: point, seconds: 1)
        #expect(report.failures == [])
        guard report.skipped == nil else { return }
        #expect(report.points > 0)
        #expect(report.states > 0)
        if point.layer == "process-death", point.scenario == "beside" {
            #expect(!report.handOverNanoseconds.isEmpty)
        }
    }

    @Test func aPointOfPowerLossIsReplayedExactly() throws {
        let point = StressPoint("power-loss", "full").with("scale", "small").with("prepared", 4)
            .with("transactions", 7).with("seed", 5)
        let tried = try pointsTried(for: point, seconds: 2)
        // The first point tried is the workload, the others are its images.
        #expect(tried.first == point.description)
        let last = try #require(tried.last)
        #expect(tried.count > 5)
        let exact = try #require(StressPoint(last))
        #expect(exact["moment"] != nil && exact["image"] != nil)
        #expect(try pointsTried(for: exact, seconds: 2) == [last, last])
    }

    /// In a file that lacks commit slots a writer waits for its own sync, which must not be held.
    @Test(arguments: ["prepared=0 transactions=12", "prepared=200 transactions=201"])
    func aLongSyncIsHeldOnlyWhereTheWriterGoesOn(workload: String) throws {
        let point = try #require(
            StressPoint("power-loss/relaxed-slots scale=small seed=1 \(workload)"))
        let report = try report(on: point, seconds: 3)
        #expect(report.failures == [])
        #expect(report.points > 0)
    }

    @Test func aPointOfAFailingCallIsReplayedExactly() throws {
        let point = StressPoint("failing-calls", "once").with("scale", "small")
            .with("transactions", 7).with("seed", 5)
        let tried = try pointsTried(for: point, seconds: 3)
        let chosen = try #require(tried.first { $0.contains("pwritev") })
        #expect(chosen.hasSuffix("fault=fail:pwritev:1:EIO"))
        #expect(try pointsTried(for: StressPoint(chosen)!, seconds: 2) == [chosen])
    }

    @Test func aPointOfAKillIsReplayedExactly() throws {
        let point = StressPoint("process-death", "alone").with("transactions", 9)
            .with("kill", "before:5")
        let report = try report(on: point, seconds: 20)
        #expect(report.points == 1)
        #expect(report.states == 2)
        #expect(report.failures == [])
    }

    /// A run of the long layer ends: reopening is not an endless loop.
    @Test func aLongRunEnds() throws {
        let point = StressPoint("long-runs", "mixed").with("scale", "shrinking")
            .with("transactions", 260).with("compacts", true).with("seed", 2)
        let report = try report(on: point, seconds: 500)
        #expect(report.failures == [])
        #expect(try #require(report.coverage["reopenings"]) > 1)
        #expect(report.coverage["compactions"] == report.coverage["reopenings"])
    }

    /// Either file is possible until the rename is durable, and only the packed one from then on.
    @Test func aLossOfPowerDuringACompactionLeavesEitherFile() throws {
        let point = StressPoint("power-loss", "compacting").with("scale", "shrinking")
            .with("prepared", 8).with("transactions", 10).with("samples", 2).with("seed", 5)
        let folder = try ScratchFolder()
        let trial = Trial(directory: folder.path, secondsLeft: 60)
        let moments = try PowerLossTrace(point, trial).moments()
        #expect(moments.count > 4)
        #expect(moments[1].durable.count * 2 < moments[0].durable.count)
        #expect(moments[1].acknowledged == 8 && moments.last?.acknowledged == 10)
        #expect(moments.dropFirst().allSatisfy { $0.durable.count < moments[0].durable.count })
    }

    @Test func aVictimThatDiesOfSomethingElseIsAFinding() throws {
        var limits = StressLimits()
        limits.fileBytes = 1 << 20
        let point = StressPoint("process-death", "create").with("scale", "large")
            .with("transactions", 200).with("seed", 1)
        let report = try report(on: point, seconds: 20, limits: limits)
        #expect(report.failures.map(\.kind) == [.crash])
    }

    @Test func theInnermostCallsOfACrashAreTold() {
        let lines = """
            *** Program crashed: Bad pointer dereference at 0x00007f91326a4028 ***
            Platform: x86_64 Linux
            Thread 0:
              0      0x00007f9131a92301 sigsuspend + 65 in libc
            Thread 1 "queue" crashed:
              0              0x00005606abaf70ac load + 12 in program
               65|     return *word;
              1 [ra]         0x00005606abaf7449 sync() + 24 in program
            Registers:
            rax 0x00007f91326a4028  1
            Backtrace took 1.73s
            """.split(separator: "\n").map(String.init)
        #expect(
            ChildProcess.essence(of: lines) == """
                *** Program crashed: Bad pointer dereference at 0x00007f91326a4028 ***
                    0              0x00005606abaf70ac load + 12 in program
                    1 [ra]         0x00005606abaf7449 sync() + 24 in program
                """)
        #expect(ChildProcess.essence(of: ["one", "two"]) == "two")
        #expect(ChildProcess.essence(of: []) == "")
    }

    @Test func aFileThatGetsTooLargeIsAFinding() throws {
        var limits = StressLimits()
        limits.fileBytes = 1 << 20
        let point = StressPoint("power-loss", "growing").with("scale", "large")
            .with("transactions", 30).with("seed", 1)
        let report = try report(on: point, seconds: 20, limits: limits)
        // A crash by the signal, or an error of the engine if the call fails without one.
        #expect(report.failures.count == 1)
        #expect([.crash, .wrongError].contains(report.failures.first?.kind))
        #expect(report.failures.first?.point == point.description)
    }

    @Test func aWorkerThatSaysNothingIsEndedAndNamesItsPoint() throws {
        var limits = StressLimits()
        limits.silenceSeconds = 1
        // The model alone takes longer than that.
        let point = StressPoint("power-loss", "full").with("transactions", 100_000)
        let report = try report(on: point, seconds: 20, limits: limits)
        #expect(report.failures.map(\.kind) == [.overLimit])
        #expect(report.failures.first?.point == point.description)
    }

    @Test func tooMuchMemoryIsAFinding() throws {
        var limits = StressLimits()
        limits.memoryBytes = 1 << 20
        let point = StressPoint("many-writers", "threads").with("transactions", 5)
        let report = try report(on: point, seconds: 2, limits: limits)
        #expect(report.failures.map(\.kind) == [.overLimit])
    }
}
