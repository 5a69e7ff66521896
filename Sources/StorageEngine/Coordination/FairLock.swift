/// A lock that no thread owns: one thread may lock and another unlock, and the first may have ended
/// in between.
///
/// Waiters stand in line in the order in which they asked. A thread that finds the lock free takes
/// it even if there is a line: it is running, and whoever is in line has to be woken, which takes
/// longer than many a transaction. But not for long: once the first in line has waited for
/// ``patience``, whoever unlocks hands the lock to it and to nobody else. So a waiter is overtaken
/// for that time at most, counted from when it asked; from then on it waits only for those who asked
/// before it. There is no way to leave the line.
package final class FairLock: @unchecked Sendable {
    // Safe to share: all state is in words that are accessed atomically only.

    /// How long a waiter may be overtaken, in nanoseconds. More than 64 small transactions take, one
    /// after the other, on a busy machine: were it less, many writers would do nothing but hand over.
    static let patience: UInt64 = 10_000_000

    /// Some 2 us, less than a small transaction takes: one that is about to end is waited for, and
    /// the processor is not kept for long from whoever could use it.
    private static let spinCount = 100

    private enum State {
        static let free: UInt32 = 0
        static let held: UInt32 = 1
        /// Held, and the first in line sleeps, or is about to.
        static let awaited: UInt32 = 2
        /// Given to the first in line, which may not know it yet.
        static let handedOver: UInt32 = 3
    }

    /// Divides 2^32, so that tickets may wrap around.
    private static let wordCount: UInt32 = 64

    /// The first in line sleeps on it.
    private let state: UnsafeMutablePointer<UInt32>
    /// Threads outside the line that look at the lock without going to sleep.
    private let spinnerCount: UnsafeMutablePointer<UInt32>
    /// The ticket that the next one to get in line draws.
    private let nextTicket: UnsafeMutablePointer<UInt32>
    /// The ticket of the first in line, if it has been drawn. Written by the holder.
    private let firstTicket: UnsafeMutablePointer<UInt32>
    /// `words[t % wordCount] == t` once ticket `t` is the first. The others in line sleep on these.
    private let words: UnsafeMutablePointer<UInt32>
    /// `times[t % wordCount]`: when the holder of ticket `t` asked. With more waiters than words it
    /// may be a later one's time, until ticket `t` is the first.
    private let times: UnsafeMutablePointer<UInt64>

    package init() {
        state = .allocate(capacity: Int(Self.wordCount) + 4)
        spinnerCount = state + 1
        nextTicket = state + 2
        firstTicket = state + 3
        words = state + 4
        state.initialize(repeating: 0, count: 4)
        for index in 0..<Self.wordCount {
            // As if the round before the first had passed: no ticket of the first round but
            // ticket 0 finds its number.
            (words + Int(index)).initialize(to: index == 0 ? 0 : index &- Self.wordCount)
        }
        times = .allocate(capacity: Int(Self.wordCount))
        times.initialize(repeating: 0, count: Int(Self.wordCount))
    }

    deinit {
        state.deallocate()
        times.deallocate()
    }

    // MARK: Locking

    package func lock() {
        if takeIfFree() || spin() { return }
        let now = System.monotonicNanoseconds
        let ticket = nextTicket.fetchAdd(1)
        time(of: ticket).storeRelaxed(now)
        waitUntilFirst(ticket)
        time(of: ticket).storeRelaxed(now)
        takeAsFirst()
        callNext(after: ticket)
    }

    /// Takes the lock if nobody holds it and nobody waits; returns whether it did.
    package func tryLock() -> Bool { !hasWaiters && takeIfFree() }

    package func withLock<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }

    @inline(__always)
    private func takeIfFree() -> Bool {
        state.loadRelaxed() == State.free
            && state.compareExchange(expected: State.free, desired: State.held)
    }

    /// Looks at the lock for a moment without going to sleep: one thread outside of the line at a
    /// time, so that few processors are kept from other work.
    private func spin() -> Bool {
        defer { _ = spinnerCount.fetchAdd(UInt32.max) }
        guard spinnerCount.fetchAdd(1) == 0 else { return false }
        for _ in 0..<Self.spinCount {
            if takeIfFree() { return true }
            System.relaxProcessor()
        }
        return false
    }

    // MARK: In line

    /// Whether somebody is in line.
    package var hasWaiters: Bool { nextTicket.loadAcquire() != firstTicket.loadAcquire() }

    /// How often somebody got in line; wraps around. Lets tests see that a thread waits.
    var drawnTickets: UInt32 { nextTicket.loadAcquire() }

    private func word(of ticket: UInt32) -> UnsafeMutablePointer<UInt32> {
        words + Int(ticket % Self.wordCount)
    }

    private func time(of ticket: UInt32) -> UnsafeMutablePointer<UInt64> {
        times + Int(ticket % Self.wordCount)
    }

    /// With more waiters than words some share one: they look and go back to sleep.
    private func waitUntilFirst(_ ticket: UInt32) {
        let word = word(of: ticket)
        while true {
            let passed = word.loadSequential()
            if passed == ticket { return }
            System.wait(on: word, while: passed)
        }
    }

    private func takeAsFirst() {
        while true {
            for _ in 0..<Self.spinCount {
                if takeIfFree() { return }
                if state.loadAcquire() == State.handedOver {
                    state.storeRelaxed(State.held)
                    return
                }
                System.relaxProcessor()
            }
            _ = state.compareExchange(expected: State.held, desired: State.awaited)
            System.wait(on: state, while: State.awaited)
        }
    }

    /// Makes the next ticket the first one, so that its thread is awake when the lock is given up.
    private func callNext(after ticket: UInt32) {
        let next = ticket &+ 1
        firstTicket.storeRelease(next)
        let word = word(of: next)
        // Sequentially consistent, as are drawing a ticket and the loads: the store must not be
        // seen after the load below, or a waiter in between would sleep for ever.
        word.storeSequential(next)
        // Whoever draws `next` after this load finds its number in the word. Whoever drew it
        // before is counted in `nextTicket`; it may not sleep yet, which the kernel notices by
        // comparing the word.
        if nextTicket.loadSequential() != next { System.wake(word) }
    }

    // MARK: Unlocking

    /// Lets the next one have the lock. Only while it is held, by whichever thread.
    package func unlock() {
        let next = isFirstImpatient ? State.handedOver : State.free
        if state.exchange(next) == State.awaited { System.wake(state, count: 1) }
    }

    private var isFirstImpatient: Bool {
        let first = firstTicket.loadRelaxed()
        guard nextTicket.loadAcquire() != first else { return false }
        let asked = time(of: first).loadRelaxed()
        let now = System.monotonicNanoseconds
        return now > asked && now - asked >= Self.patience
    }
}
