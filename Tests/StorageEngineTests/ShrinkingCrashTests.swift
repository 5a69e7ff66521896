import Foundation
import StressModel
import Testing

@testable import StorageEngine
@testable import engine_test_process

/// Losses of power, killed processes and readers in other processes around the cut of a file.
@Suite struct ShrinkingCrashTests {
    private let directory: CrashDirectory

    init() throws { directory = try CrashDirectory() }

    /// A file that was filled and mostly deleted, closed, and the digests of what follows.
    private struct Prepared {
        var image: [UInt8]
        /// By step; 0 is the deletion.
        var digests: [UInt64]
        /// A step that cut the file. How soon that is depends on how fast pages are moved.
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

    /// Opens a file and checks which step it holds; it must then take the next one.
    private func check(
        _ path: String, _ prepared: Prepared, _ kind: FileKind, allowed: ClosedRange<Int>,
        _ label: String
    ) throws {
        let connection = try Connection(Database.open(path: path, options: kind.options))
        let step = try ShrinkWorkload.step(of: connection)
        try #require(allowed.contains(step), "\(label): step \(step), expected \(allowed)")
        #expect(try DatabaseDigest.of(connection) == prepared.digests[step], "\(label)")
        #expect(try connection.verify() == [], "\(label)")
        try ShrinkWorkload.run(step + 1, on: connection)
        #expect(try DatabaseDigest.of(connection) == prepared.digests[step + 1], "\(label)")
    }

    // MARK: Power

    @Test(arguments: FileKind.allCases)
    func aLossOfPowerAroundTheCutLosesNothing(kind: FileKind) throws {
        let prepared = try Self.prepared(kind)
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path), recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        let path = try put(prepared.image, "power")
        let connection = try Connection(Database.open(path: path, options: kind.options))
        // The step before the cut, that with the cut, and the one after it.
        var history = PowerLossHistory(durable: [], pending: [], acknowledged: 0)
        var previous: [SystemTraceEvent] = []
        var durable = prepared.image
        var cut: Int?
        for step in 1...Self.lastStep {
            let before = interceptor.trace.count
            try ShrinkWorkload.run(step, on: connection)
            let events = interceptor.trace[before...].filter { $0.path == path }
            if cut == nil, events.contains(where: \.isCut) {
                cut = step
                history = PowerLossHistory(durable: durable, pending: [], acknowledged: step - 2)
                for event in previous { history.add(event) }
                history.acknowledge(step - 1)
            }
            if let cut {
                for event in events { history.add(event) }
                history.acknowledge(step)
                if step > cut { break }
            } else {
                // What a commit wrote is durable when it returns.
                for event in previous { event.apply(to: &durable) }
                previous = events
            }
        }
        try #require(cut != nil)
        var random = SeededRandom(seed: 9)
        var count = 0
        for (index, moment) in history.decisiveMoments.enumerated() {
            let choices = moment.choices(
                exhaustivePieces: 2, samples: LongTests.choose(100, otherwise: 6), &random)
            for choice in choices {
                count += 1
                try directory.withImage(moment.image(choice)) {
                    try check(
                        $0, prepared, kind, allowed: moment.acknowledged...moment.acknowledged + 1,
                        "moment \(index), pieces \(choice)")
                }
            }
        }
        #expect(count > 30)
    }

    // MARK: Kills

    /// Kills at each system call of the steps around the cut; a process that has the file open
    /// meanwhile goes on, or the next one opens it.
    @Test(arguments: FileKind.allCases, [true, false])
    func aKillAroundTheCutLosesNothing(kind: FileKind, hasSurvivor: Bool) throws {
        let prepared = try Self.prepared(kind)
        let path = try put(prepared.image, "before")
        let last = min(prepared.cuttingStep + 5, Self.lastStep - 1)
        let whole = try runChild(path, 1...last, "", kind)
        try #require(whole.acknowledged == last && whole.calls > 0)
        let spacing = max(1, whole.calls / LongTests.choose(100, otherwise: 10))
        for call in stride(from: whole.calls / 3, through: whole.calls, by: spacing) {
            for verb in ["kill-before", "kill-after"] {
                let fault = "\(verb):\(call)"
                let path = try put(prepared.image, "killed")
                let survivor =
                    hasSurvivor
                    ? try Connection(Database.open(path: path, options: kind.options)) : nil
                let outcome = try runChild(path, 1...last, fault, kind)
                _ = try survivor?.refresh()
                try check(
                    path, prepared, kind,
                    allowed: outcome.acknowledged...outcome.acknowledged + 1, fault)
                _ = try survivor?.refresh()
                if let survivor { #expect(try survivor.verify() == [], "\(fault)") }
            }
        }
    }

    private func runChild(
        _ path: String, _ steps: ClosedRange<Int>, _ faults: String, _ kind: FileKind
    ) throws -> (acknowledged: Int, calls: Int) {
        let child = try CoordinationTestProcess(
            "shrink-workload", path, "\(steps.lowerBound)", "\(steps.upperBound)", faults,
            kind.rawValue)
        var acknowledged = steps.lowerBound - 1
        while let line = child.nextLine() {
            let words = line.split(separator: " ")
            if words[0] == "calls" {
                try child.proceed()
                _ = child.waitForSignal()
                return (acknowledged, Int(words[1])!)
            }
            acknowledged = try #require(Int(words[0]), "\(faults): \(line)")
        }
        return (acknowledged, 0)
    }

    // MARK: Other processes

    /// Readers in another process keep what they read, and hold the file as long as they do.
    @Test(arguments: FileKind.allCases)
    func aReaderInAnotherProcessHoldsTheFileUntilItMovesOnOrDies(kind: FileKind) throws {
        let prepared = try Self.prepared(kind)
        let path = try put(prepared.image, "reader")
        let child = try CoordinationTestProcess("read-versions", path, kind.rawValue)
        #expect(child.nextLine() == "0 \(prepared.digests[0])")
        let connection = try Connection(Database.open(path: path, options: kind.options))
        let size = try connection.database.fileSize
        // Without the reader, the last of these would have cut the file.
        let cut = prepared.cuttingStep
        for step in 1...cut { try ShrinkWorkload.run(step, on: connection) }
        #expect(try connection.database.fileSize >= size)
        try child.proceed()
        #expect(child.nextLine() == "\(cut) \(prepared.digests[cut])")
        // It moves on now and then, and in the end knew more pages than the file has.
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
