import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct WorkerThreadsTests {
    private struct Failure: Error {}

    @Test func outputsComeInOrder() throws {
        let workers = WorkerThreads<Int>(count: 5, name: "test") { number, start in
            start.wait() ? number * 10 : nil
        }
        workers.waitUntilReady()
        #expect(try workers.run() == [0, 10, 20, 30, 40])
    }

    @Test func aFailureKeepsTheOthersFromBeginning() throws {
        let workers = WorkerThreads<Int>(count: 3, name: "test") { number, start in
            if number == 1 { throw Failure() }
            return start.wait() ? number : nil
        }
        workers.waitUntilReady()
        #expect(throws: Failure.self) { try workers.run() }
        #expect(workers.hasFailed)
    }
}
