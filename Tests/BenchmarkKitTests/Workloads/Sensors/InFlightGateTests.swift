import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct InFlightGateTests {
    @Test func theGateBoundsWhatIsInFlight() {
        let gate = InFlightGate(capacity: 4)
        for _ in 0..<4 { gate.enter() }
        #expect(!gate.isEmpty)
        let passed = ThreadGroup()
        passed.start(name: "waits") { gate.enter() }
        #expect(!passed.isFinished)
        gate.leave(4)
        while !passed.isFinished { Thread.sleep(forTimeInterval: 0.001) }
        gate.leave(1)
        #expect(gate.isEmpty)
        gate.waitUntilEmpty()
    }
}
