import Testing
import ToolSupport

@Suite struct BackgroundThreadTests {
    private struct Failure: Error {}

    @Test func whatTheBodyReturnsOrThrowsIsTheOutcome() throws {
        let thread = BackgroundThread { _ in 5 }
        #expect(try thread.wait() == 5)
        #expect(thread.isDone)
        #expect(throws: Failure.self) { try BackgroundThread { _ in throw Failure() }.wait() }
    }

    @Test func aThreadRunsUntilItIsToldToStop() throws {
        let thread = BackgroundThread { isStopped in
            while !isStopped() {}
            return true
        }
        #expect(!thread.isDone)
        #expect(try thread.finish())
    }
}
