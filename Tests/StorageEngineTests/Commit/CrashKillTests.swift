import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Kills a writing process before and after each of its system calls that change files.
///
/// The child acknowledges each commit on a pipe. When the file is opened afterwards, it must hold
/// the last acknowledged commit or the one that was in progress.
@Suite struct CrashKillTests {
    private let directory: CrashDirectory

    init() throws { directory = try CrashDirectory() }

    /// What the child reported before it ended.
    private struct Outcome {
        var acknowledged: Int
        var wasKilled = false
        var calls = 0
    }

    private func runChild(
        _ states: CrashStates, _ path: String, _ steps: ClosedRange<Int>, faults: String
    ) throws -> Outcome {
        let child = try CoordinationTestProcess(
            "crash-workload", path, "\(steps.lowerBound)", "\(steps.upperBound)", faults,
            states.kind.rawValue)
        var outcome = Outcome(acknowledged: steps.lowerBound - 1)
        while let line = child.nextLine() {
            let words = line.split(separator: " ")
            if words[0] == "open" { continue }
            if words[0] == "calls" {
                outcome.calls = Int(words[1])!
            } else if let step = Int(words[0]) {
                #expect(UInt64(words[1]) == states.digests[step], "\(faults): step \(step)")
                outcome.acknowledged = step
            } else {
                Issue.record("\(faults): \(line)")
            }
        }
        outcome.wasKilled = child.waitForSignal() == SIGKILL
        return outcome
    }

    private func prepare(_ name: String, from image: [UInt8]) throws -> String {
        let path = directory.file(name)
        unlink(path)
        unlink(path + ".lock")
        if !image.isEmpty { try Data(image).write(to: URL(fileURLWithPath: path)) }
        return path
    }

    /// Kills the child before and after each call.
    private func killEverywhere(
        _ states: CrashStates, _ steps: ClosedRange<Int>, from image: [UInt8]
    ) throws {
        let whole = try runChild(states, prepare("whole", from: image), steps, faults: "")
        try #require(whole.acknowledged == steps.upperBound)
        // Each commit writes pages and a record, and syncs.
        try #require(whole.calls >= steps.count * 3)
        for call in 1...whole.calls {
            for verb in ["kill-before", "kill-after"] {
                let fault = "\(verb):\(call)"
                let path = try prepare("killed", from: image)
                let outcome = try runChild(states, path, steps, faults: fault)
                // The workload is deterministic, so every run makes the same number of calls.
                #expect(outcome.wasKilled, "\(fault)")
                let next = min(outcome.acknowledged + 1, steps.upperBound)
                try states.check(path, allowed: outcome.acknowledged...next, fault)
            }
        }
    }

    @Test(arguments: FileKind.inCrashes)
    func aKillWhileTheFileIsCreatedLosesNoAcknowledgedCommit(kind: FileKind) throws {
        try killEverywhere(
            CrashStates.of(kind), 1...LongTests.choose(30, otherwise: 2), from: [])
    }

    @Test(arguments: FileKind.inCrashes)
    func aKillAtAnyCallOfACommitLosesNoAcknowledgedCommit(kind: FileKind) throws {
        let states = try CrashStates.of(kind)
        let first = CrashStates.preparedStep + 1
        try killEverywhere(states, first...(first + 9), from: states.image)
    }

    /// Kills during the first commit since the file was opened, and during the second one.
    @Test(arguments: FileKind.allCases, [0, 1])
    func aKillWhileTheFileGetsItsSlotsLosesNoAcknowledgedCommit(
        kind: FileKind, index: Int
    ) throws {
        let states = try CrashStates.of(kind)
        let first = states.beforeExtension.firstSteps[index]
        let image = states.beforeExtension.images[index]
        try killEverywhere(states, first...(first + 3 - index), from: image)
        try directory.withImage(image) { path in
            let connection = try states.open(path)
            let before = try connection.database.records.record(
                of: connection.database.newestVersion)
            for step in first...(first + 1) { try CrashWorkload.run(step, on: connection) }
            let after = try connection.database.records.record(of: connection.version)
            #expect(before?.ring.isExtended == false && after?.ring.isExtended == true)
        }
    }

    /// The process of the test keeps the file open, so there is no recovery. The survivor continues
    /// from the published version, over what the dead process left behind.
    @Test(arguments: FileKind.inCrashes)
    func aSurvivorGoesOnFromTheLastPublishedVersion(kind: FileKind) throws {
        let states = try CrashStates.of(kind)
        let first = CrashStates.preparedStep + 1
        try surviveEverywhere(states, first...(first + 5), from: states.image)
    }

    @Test(arguments: FileKind.allCases)
    func aSurvivorFindsTheSlotsThatTheOtherProcessMade(kind: FileKind) throws {
        let states = try CrashStates.of(kind)
        let first = states.beforeExtension.firstSteps[0]
        try surviveEverywhere(
            states, first...(first + 3), from: states.beforeExtension.images[0])
    }

    private func surviveEverywhere(
        _ states: CrashStates, _ steps: ClosedRange<Int>, from image: [UInt8]
    ) throws {
        let whole = try runChild(states, prepare("whole", from: image), steps, faults: "")
        for call in 1...whole.calls {
            for verb in ["kill-before", "kill-after"] {
                let fault = "\(verb):\(call)"
                let path = try prepare("survivor", from: image)
                let survivor = try states.open(path)
                let outcome = try runChild(states, path, steps, faults: fault)
                _ = try survivor.refresh()
                let found = try CrashWorkload.step(of: survivor)
                #expect(
                    (outcome.acknowledged...outcome.acknowledged + 1).contains(found), "\(fault)")
                #expect(
                    try CrashWorkload.digest(of: survivor) == states.digests[found], "\(fault)")
                try CrashWorkload.run(found + 1, on: survivor)
                #expect(
                    try CrashWorkload.digest(of: survivor) == states.digests[found + 1],
                    "\(fault)")
                #expect(try survivor.verify() == [], "\(fault)")
            }
        }
    }

    /// A thread of this process writes all the time, beside the child that is killed.
    @Test(arguments: FileKind.inCrashes)
    func anotherProcessKeepsWritingWhileWritersAreKilled(kind: FileKind) throws {
        let states = try CrashStates.of(kind)
        let first = CrashStates.preparedStep + 1
        let steps = first...(first + 8)
        let path = try prepare("concurrent", from: states.image)
        let database = try Database.open(path: path, options: kind.options)
        let writer = BackgroundThread { isStopped in
            let connection = try Connection(database)
            var last: Int64 = 0
            while !isStopped() {
                let count = try CrashWorkload.countBystander(connection)
                guard count == last + 1 else { throw TestFailure("lost update at \(count)") }
                last = count
            }
            return last
        }
        let reader = try Connection(database)
        var done = CrashStates.preparedStep
        var random = SeededGenerator(seed: 11)
        for _ in 0..<LongTests.choose(200, otherwise: 24) where done < steps.upperBound {
            let fault =
                "kill-\(Bool.random(using: &random) ? "before" : "after"):"
                + "\(1 + random.next(below: 12))"
            let outcome = try runChild(
                states, path, (done + 1)...steps.upperBound, faults: fault)
            _ = try reader.refresh()
            let found = try CrashWorkload.step(of: reader)
            #expect(
                (outcome.acknowledged...outcome.acknowledged + 1).contains(found), "\(fault)")
            #expect(try CrashWorkload.digest(of: reader) == states.digests[found], "\(fault)")
            done = found
        }
        let written = try writer.finish()
        #expect(written > 0)
        _ = try reader.refresh()
        #expect(try reader.verify() == [])
    }
}
