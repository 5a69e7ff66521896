import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Power loss, killed processes and readers in other processes around the truncation of a file.
@Suite struct ShrinkingCrashTests {
    private let directory: CrashDirectory

    init() throws { directory = try CrashDirectory() }

    /// A closed file that was filled and mostly deleted, and the digests of the steps that follow.
    private struct Prepared {
        var image: [UInt8]
        /// The digests by step; 0 is the deletion.
        var digests: [UInt64]
        /// A step that truncated the file. Its number depends on how fast pages are moved.
        var cuttingStep: Int
    }

    private static let lastStep = 120

    private static let plain = Result { try prepare(.plain) }
    private static let encrypted = Result { try prepare(.encrypted) }

    private static func prepared(_ kind: FileKind) throws -> Prepared {
        try (kind == .plain ? plain : encrypted).get()
    }

    private static func prepare(_ kind: FileKind) throws -> Prepared {
        let directory = try CrashDirectory()
        let path = directory.file("prepared")
        do {
            let connection = try Connection(Database.open(path: path, options: kind.options))
            try ShrinkWorkload.prepare(connection, items: 900)
            try ShrinkWorkload.deleteMost(connection)
        }
        var prepared = Prepared(image: try readBytes(path), digests: [], cuttingStep: 0)
        let connection = try Connection(Database.open(path: path, options: kind.options))
        prepared.digests.append(try DatabaseDigest.of(connection))
        for step in 1...lastStep {
            let size = try connection.database.fileSize
            try ShrinkWorkload.run(step, on: connection)
            prepared.digests.append(try DatabaseDigest.of(connection))
            if prepared.cuttingStep == 0, try connection.database.fileSize < size {
                prepared.cuttingStep = step
            }
        }
        try #require(prepared.cuttingStep > TailRelease.patience)
        return prepared
    }

    private func put(_ image: [UInt8], _ name: String) throws -> String {
        let path = directory.file(name)
        unlink(path)
        unlink(path + ".lock")
        try Data(image).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Opens a file, and checks which step it holds. It must then accept the next one.
    private func check(
        _ path: String, _ prepared: Prepared, _ kind: FileKind, allowed: ClosedRange<Int>,
        _ label: String
    ) throws {
        let connection = try Connection(Database.open(path: path, options: kind.options))
        let step = try ShrinkWorkload.step(of: connection)
        try #require(allowed.contains(step), "\(label): step \(step), expected \(allowed)")
        #expect(try DatabaseDigest.of(connection) == prepared.digests[step], "\(label)")
        #expect(try connection.problems(mayLose: allowed.count - 1) == [], "\(label)")
        try ShrinkWorkload.run(step + 1, on: connection)
        #expect(try DatabaseDigest.of(connection) == prepared.digests[step + 1], "\(label)")
    }

    // MARK: Power loss

    /// Either all commits are durable when they return, or every eighth is; later ones may be lost
    /// then.
    @Test(arguments: FileKind.allCases, [1, 8])
    func aLossOfPowerAroundTheCutLosesNothing(kind: FileKind, fullEvery period: Int) throws {
        let prepared = try Self.prepared(kind)
        let events = try trace(prepared, kind, fullEvery: period)
        let cut = try #require(events.firstIndex { $0.event.isCut })
        // The range includes commits before the truncation, the one that truncated, and some
        // periods of commits after it.
        let begin = try #require(events[..<(cut - 10)].lastIndex { $0.event.change == .sync })
        var durable = prepared.image
        for (_, event) in events[...begin] { event.apply(to: &durable) }
        var step = events[begin].step - 1
        var history = PowerLossHistory(
            durable: durable, pending: [], acknowledged: step / period * period)
        for (number, event) in events[(begin + 1)...]
            .prefix(cut - begin + LongTests.choose(12, otherwise: 4) * period)
        {
            if number > step + 1 {
                step = number - 1
                history.acknowledge(step / period * period)
            }
            history.add(event)
        }
        var random = SeededGenerator(seed: 9)
        var count = 0
        for (index, moment) in history.decisiveMoments.enumerated() {
            let choices = moment.choices(
                exhaustivePieces: 2, samples: LongTests.choose(100, otherwise: 3), &random)
            let newest = moment.acknowledged + period
            for choice in choices {
                count += 1
                try directory.withImage(moment.image(choice)) {
                    try check(
                        $0, prepared, kind, allowed: moment.acknowledged...newest,
                        "moment \(index), pieces \(choice)")
                }
            }
        }
        #expect(count > 20)
    }

    /// Returns the changes of the file in all steps, each with the number of its step.
    private func trace(
        _ prepared: Prepared, _ kind: FileKind, fullEvery period: Int
    ) throws -> [(step: Int, event: SystemTraceEvent)] {
        let path = try put(prepared.image, "power")
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: path), recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        let connection = try Connection(Database.open(path: path, options: kind.options))
        var events: [(step: Int, event: SystemTraceEvent)] = []
        var seen = 0
        for step in 1..<Self.lastStep {
            try ShrinkWorkload.run(
                step, on: connection, step % period == 0 ? .full : .relaxed)
            let trace = interceptor.trace
            events += trace[seen...].filter { $0.path == path }.map { (step, $0) }
            seen = trace.count
        }
        return events
    }

    // MARK: Kills

    /// Kills at each system call of the steps around the truncation. Either a process that has the
    /// file open continues, or the next one opens it.
    @Test(arguments: FileKind.allCases, [true, false])
    func aKillAroundTheCutLosesNothing(kind: FileKind, hasSurvivor: Bool) throws {
        let prepared = try Self.prepared(kind)
        let last = prepared.cuttingStep + 1
        let calls = try runChild(put(prepared.image, "whole"), 1...last, "", kind)
        try #require(calls.count == last)
        // Only a process that has the file open can see a difference between two calls.
        let verbs =
            hasSurvivor || LongTests.isEnabled ? ["kill-before", "kill-after"] : ["kill-before"]
        for call in calls[last - 3] + 1...calls[last - 1] {
            for verb in verbs {
                let fault = "\(verb):\(call)"
                let path = try put(prepared.image, "killed")
                let survivor =
                    hasSurvivor
                    ? try Connection(Database.open(path: path, options: kind.options)) : nil
                survivor?.endRead()
                let acknowledged = try runChild(path, 1...last, fault, kind).count
                try check(
                    path, prepared, kind, allowed: acknowledged...min(acknowledged + 1, last),
                    fault)
                try survivor?.refresh()
                if let survivor { #expect(try survivor.verify() == [], "\(fault)") }
            }
        }
    }

    /// Runs steps in a process until they are done or it is dead. Returns, for each acknowledged
    /// step, the number of calls before.
    private func runChild(
        _ path: String, _ steps: ClosedRange<Int>, _ faults: String, _ kind: FileKind
    ) throws -> [Int] {
        let child = try CoordinationTestProcess(
            "shrink-workload", path, "\(steps.lowerBound)", "\(steps.upperBound)", faults,
            kind.rawValue)
        var calls: [Int] = []
        while calls.count < steps.count, let line = child.nextLine() {
            calls.append(try #require(Int(line.split(separator: " ")[1])))
        }
        child.kill()
        return calls
    }

    // MARK: Other processes

    /// Readers in another process keep their version, and prevent truncation while they do.
    @Test(arguments: FileKind.allCases)
    func aReaderInAnotherProcessHoldsTheFileUntilItMovesOnOrDies(kind: FileKind) throws {
        let prepared = try Self.prepared(kind)
        let path = try put(prepared.image, "reader")
        let child = try CoordinationTestProcess("read-versions", path, kind.rawValue)
        #expect(child.nextLine() == "0 \(prepared.digests[0])")
        let connection = try Connection(Database.open(path: path, options: kind.options))
        let size = try connection.database.fileSize
        // Without the reader, the last of these steps would have truncated the file.
        let cut = prepared.cuttingStep
        for step in 1...cut { try ShrinkWorkload.run(step, on: connection) }
        #expect(try connection.database.fileSize >= size)
        try child.proceed()
        #expect(child.nextLine() == "\(cut) \(prepared.digests[cut])")
        // The reader moves on now and then, and has finally known more pages than the file has.
        var step = cut
        while try connection.database.fileSize >= size, step + 10 < Self.lastStep {
            for _ in 0..<10 {
                step += 1
                try ShrinkWorkload.run(step, on: connection)
            }
            try child.proceed()
            #expect(child.nextLine() == "\(step) \(prepared.digests[step])")
        }
        #expect(try connection.database.fileSize < size)
        child.kill()
        #expect(try connection.verify() == [])
    }
}

extension SystemTraceEvent {
    fileprivate var isCut: Bool {
        if case .truncate = change { true } else { false }
    }
}
