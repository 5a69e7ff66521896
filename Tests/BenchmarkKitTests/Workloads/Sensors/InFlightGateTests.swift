import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct InFlightGateTests {
    @Test func theGateBoundsWhatIsInFlight() throws {
        let gate = InFlightGate(capacity: 4)
        for _ in 0..<4 { gate.enter() }
        #expect(!gate.isEmpty)
        let entering = BackgroundThread { _ in gate.enter() }
        #expect(!entering.isDone)
        gate.leave(4)
        try entering.wait()
        gate.leave(1)
        #expect(gate.isEmpty)
        gate.waitUntilEmpty()
    }
}
