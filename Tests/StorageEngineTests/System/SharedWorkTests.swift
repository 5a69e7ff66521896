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
