import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct RunLoopThreadTests {
    private struct Failure: Error {}

    @Test func workRunsInTheRunLoopOfTheCaller() throws {
        let thread = Thread.current
        let (isSame, mode) = try CallerRunLoop.run {
            (Thread.current == thread, RunLoop.current.currentMode)
        }
        #expect(isSame)
        #expect(mode == .default)
        #expect(throws: Failure.self) { try CallerRunLoop.run { throw Failure() } }
    }

    @Test func workRunsInTheRunLoopOfAThread() throws {
        let thread = RunLoopThread(name: "receiver")
        var threads = [ObjectIdentifier(Thread.current)]
        for number in 0..<3 {
            let (own, mode, found) = try thread.run {
                (ObjectIdentifier(Thread.current), RunLoop.current.currentMode, number)
            }
            threads.append(own)
            #expect(mode == .default)
            #expect(found == number)
        }
        #expect(Set(threads).count == 2)
        #expect(Set(threads.dropFirst()).count == 1)
        #expect(throws: Failure.self) { try thread.run { throw Failure() } }
        thread.stop()
    }

    @Test func aThreadIsBusyFromWakingUpUntilItSleeps() throws {
        let times = try CallerRunLoop.run {
            let busy = BusyTimes()
            let timer = Timer(timeInterval: 0.001, repeats: false) { _ in
                let start = monotonicNanoseconds()
                while monotonicNanoseconds() - start < 20_000_000 {}
            }
            RunLoop.current.add(timer, forMode: .default)
            while timer.isValid { CallerRunLoop.turn(seconds: 0.01) }
            return busy.stop()
        }
        #expect(times.count > 0)
        #expect(try #require(times.summary()).max >= 20_000)
    }

    @Test func bytesThroughAPipeAreTimed() throws {
        let latency = try BarePipe.throughThreads()
        #expect(latency.count == UInt64(BarePipe.count))
    }

    @Test func whatArrivesBeforeItsStartTookNoTime() {
        #expect(difference(5, 3) == 2)
        #expect(difference(3, 5) == 0)
    }
}
