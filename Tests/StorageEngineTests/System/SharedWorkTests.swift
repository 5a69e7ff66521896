import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Work in parts that a second thread takes part in.
@Suite struct SharedWorkTests {
    /// How often each part was done. Unchecked because each part counts in a place of its own.
    private final class Counts: @unchecked Sendable {
        private let start: UnsafeMutablePointer<Int>
        let count: Int

        init(_ count: Int) {
            self.count = count
            start = .allocate(capacity: count)
            start.initialize(repeating: 0, count: count)
        }

        deinit { start.deallocate() }

        func add(_ part: Int) { start[part] += 1 }

        var areAllOne: Bool { (0..<count).allSatisfy { start[$0] == 1 } }
    }

    @Test(arguments: [0, 1, 2, 3, 100])
    func everyPartIsDoneOnceBeforeTheWorkEnds(partCount: Int) throws {
        // Several threads have work at the same time.
        let threads = (0..<3).map { _ in
            BackgroundThread { _ in
                for _ in 0..<200 {
                    let counts = Counts(partCount)
                    SharedWork.perform(partCount) { counts.add($0) }
                    if !counts.areAllOne { return false }
                }
                return true
            }
        }
        for thread in threads { #expect(try thread.wait()) }
    }

    /// Neither part ends before the other one has begun.
    @Test(.enabled(if: System.processorCount > 1), .timeLimit(.minutes(5)))
    func twoThreadsDoPartsAtTheSameTime() {
        let begun = Locked(0)
        SharedWork.perform(2, with: Self.ownSecondThread()) { _ in
            begun.withLock { $0 += 1 }
            while begun.withLock({ $0 }) < 2 { System.giveUpProcessor() }
        }
        #expect(begun.withLock { $0 } == 2)
    }

    @Test(.enabled(if: System.processorCount > 1), .timeLimit(.minutes(5)))
    func workIsDoneWhileTheSecondThreadHelpsElsewhere() throws {
        let second = Self.ownSecondThread()
        let (begun, gate) = (Locked(0), CallGate())
        let other = BackgroundThread { _ in
            SharedWork.perform(2, with: second) { _ in
                begun.withLock { $0 += 1 }
                gate.hold()
            }
        }
        while begun.withLock({ $0 }) < 2 { System.giveUpProcessor() }
        for _ in 0..<3 {
            let counts = Counts(50)
            SharedWork.perform(counts.count, with: second) { counts.add($0) }
            #expect(counts.areAllOne)
        }
        gate.release()
        try other.wait()
    }

    /// Parts are added one by one while others are being done.
    @Test(arguments: [0, 1, 2, 100])
    func everyAddedPartIsDoneOnce(partCount: Int) throws {
        let threads = (0..<3).map { _ in
            BackgroundThread { _ in
                for round in 0..<200 {
                    let counts = Counts(partCount)
                    let workers = SharedWork.Worker.allCases.map { _ in Locked(()) }
                    let overlaps = Locked(0)
                    let work = SharedWork.begin { part, worker in
                        // Nobody else has the worker meanwhile.
                        let isDone: Void? = workers[worker.rawValue].tryWithLock { _ in
                            counts.add(part)
                        }
                        if isDone == nil { overlaps.withLock { $0 += 1 } }
                    }
                    for part in 0..<partCount {
                        work.add(upTo: part + 1)
                        if round % 50 == part { System.giveUpProcessor() }
                    }
                    work.finish()
                    if !counts.areAllOne || overlaps.withLock({ $0 }) > 0 { return false }
                }
                return true
            }
        }
        for thread in threads { #expect(try thread.wait()) }
    }

    /// The second thread does parts while the first one has not added all.
    @Test(.enabled(if: System.processorCount > 1), .timeLimit(.minutes(5)))
    func theSecondThreadBeginsBeforeAllPartsAreThere() {
        let second = Self.ownSecondThread()
        var isHelped = false
        while !isHelped {
            let begun = Locked(false)
            let work = SharedWork.begin(with: second) { _, worker in
                if worker == .second { begun.withLock { $0 = true } }
            }
            for part in 0..<1_000 where !isHelped {
                work.add(upTo: part + 1)
                for _ in 0..<100 { System.relaxProcessor() }
                isHelped = begun.withLock { $0 }
            }
            work.finish()
        }
        #expect(isHelped)
    }

    /// A second thread that only one test uses. It lives as long as the process.
    private static func ownSecondThread() -> SecondThread {
        let second = Unmanaged.passRetained(SecondThread())
        return second.takeUnretainedValue()
    }

    @Test(.notUnderThreadSanitizer)
    func aForkedChildHasASecondThreadOfItsOwn() throws {
        let directory = try CrashDirectory()
        let child = try CoordinationTestProcess("fork-and-sort", directory.file("a"), "6")
        #expect(child.nextLine() == "all children sorted")
    }
}
