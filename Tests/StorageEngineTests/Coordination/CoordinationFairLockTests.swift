import Foundation
import Testing
import ToolSupport

@testable import StorageEngine

/// A value that a lock under test guards.
private final class Guarded<Value>: @unchecked Sendable {
    // Safe to share if the lock under test works. The thread sanitizer checks it.
    var value: Value
    init(_ value: Value) { self.value = value }
}

@Suite struct CoordinationFairLockTests {
    private func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) throws {
        let threads = (0..<count).map { index in BackgroundThread { _ in body(index) } }
        for thread in threads { try thread.wait() }
    }

    @Test func eightThreadsExcludeEachOther() throws {
        let lock = FairLock()
        let counter = Guarded(0)
        try inThreads(8) { _ in
            for _ in 0..<2000 {
                lock.lock()
                counter.value += 1
                lock.unlock()
            }
        }
        #expect(counter.value == 16000)
        #expect(lock.tryLock())
    }

    /// Some threads wait for the end of a short hold. The others queue, and there are more of them
    /// than futex words.
    @Test func twoHundredThreadsAllGetTheirTurns() throws {
        let lock = FairLock()
        let counter = Guarded(0)
        try inThreads(200) { index in
            for round in 0..<20 {
                lock.withLock {
                    counter.value += 1
                    if (index + round) % 64 == 0 { usleep(1000) }
                }
                if (index + round) % 5 == 0 { usleep(100) }
            }
        }
        #expect(counter.value == 4000)
        #expect(lock.drawnTickets > 0)
        #expect(!lock.hasWaiters)
    }

    @Test func waitersAreServedInTheOrderInWhichTheyAsked() throws {
        let lock = FairLock()
        let order = Guarded<[Int]>([])
        lock.lock()
        let threads = (0..<100).map { index in
            let tickets = lock.drawnTickets
            let thread = BackgroundThread { _ in lock.withLock { order.value.append(index) } }
            while lock.drawnTickets == tickets { usleep(50) }
            return thread
        }
        #expect(lock.hasWaiters)
        lock.unlock()
        for thread in threads { try thread.wait() }
        #expect(order.value == Array(0..<100))
    }

    /// Locks and unlocks `rounds` times while a thread queues, holding the lock for `hold`
    /// microseconds each time and locking again at once. Returns how often it got the lock before
    /// the waiter.
    private func overtakings(rounds: Int, hold: UInt32) throws -> Int {
        let lock = FairLock()
        let isServed = Guarded(false)
        var overtakings = 0
        for _ in 0..<rounds {
            isServed.value = false
            lock.lock()
            let tickets = lock.drawnTickets
            let waiter = BackgroundThread { _ in lock.withLock { isServed.value = true } }
            while lock.drawnTickets == tickets { usleep(50) }
            usleep(hold)
            lock.unlock()
            lock.lock()
            if !isServed.value { overtakings += 1 }
            lock.unlock()
            try waiter.wait()
        }
        return overtakings
    }

    @Test func nobodyOvertakesWhoHasWaitedForLong() throws {
        #expect(try overtakings(rounds: 20, hold: UInt32(FairLock.patience / 1000) + 100) == 0)
    }

    @Test func aThreadThatRunsOvertakesWhoSleeps() throws {
        #expect(try overtakings(rounds: 50, hold: 200) > 0)
    }

    @Test func lockPassesBetweenThreads() throws {
        let lock = FairLock()
        try inThreads(1) { _ in lock.lock() }
        #expect(!lock.tryLock())
        try inThreads(1) { _ in lock.unlock() }
        #expect(lock.tryLock())
        #expect(!lock.hasWaiters)
        lock.unlock()
    }

    @Test func tryLockNeverSucceedsBesideAHolder() throws {
        let lock = FairLock()
        let counter = Guarded(0)
        let successes = Guarded([Int](repeating: 0, count: 4))
        let results = FairLock()
        try inThreads(4) { index in
            var mine = 0
            for round in 0..<2000 {
                if round % 2 == 0 {
                    guard lock.tryLock() else { continue }
                } else {
                    lock.lock()
                }
                counter.value += 1
                mine += 1
                lock.unlock()
            }
            results.withLock { successes.value[index] = mine }
        }
        #expect(counter.value == successes.value.reduce(0, +))
    }
}
