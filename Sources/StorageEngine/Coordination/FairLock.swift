/// A lock that no thread owns: one thread may lock and another unlock, and the first may have ended
/// in between.
///
/// A thread that finds the lock free takes it. One that does not tries again for some microseconds,
/// giving up the processor in between: who holds the lock may be waiting for that processor, and to
/// sleep and be woken takes longer than many a transaction. Only where other work wants the
/// processors would giving them up cost more than sleeping does. That shows by how long one is
/// without it, and then nobody tries for a time.
///
/// After that waiters stand in line in the order in which they asked. Whoever unlocks wakes the first
/// in line, which may find that a running thread was faster. But not for long: once the first in line has waited for
/// ``patience``, whoever unlocks hands the lock to it and to nobody else. So a waiter is overtaken
/// for that time at most, counted from when it got in line; from then on it waits only for those who
/// stood there before it. There is no way to leave the line.
package final class FairLock: @unchecked Sendable {
    // Safe to share: all state is in words that are accessed atomically only.

    /// How long a waiter may be overtaken, in nanoseconds. More than 64 small transactions take, one
    /// after the other, on a busy machine: were it less, many writers would do nothing but hand over.
    static let patience: UInt64 = 10_000_000

    /// How often a thread gives up the processor before it gets in line.
    private static let attemptCount = 16
    /// Some 0.5 us, a part of a small transaction.
    private static let spinCount = 30
    /// So many threads at once look at the lock without giving up the processor. More would be in the
    /// way of the one that unlocks it.
    private static let maximumSpinnerCount: UInt32 = 4
    /// Other work runs where a thread was without the processor for so long, in nanoseconds. Dozens of
    /// threads with a small transaction each take a part of that, one after the other; the system
    /// gives a thread that computes some milliseconds.
    private static let longAbsence: UInt64 = 2_000_000
    /// For so long nobody tries then, in nanoseconds.
    private static let crowdedTime: UInt64 = 50_000_000
    /// Some 2 us: the first in line tries for longer, as it has been woken for it.
    private static let firstSpinCount = 100

    private enum State {
        static let free: UInt32 = 0
        static let held: UInt32 = 1
        /// Given to the first in line, which may not know it yet.
        static let handedOver: UInt32 = 2
    }

    /// Divides 2^32, so that tickets may wrap around.
    private static let wordCount: UInt32 = 64

    private let state: UnsafeMutablePointer<UInt32>
    /// Threads outside the line that look at the lock.
    private let spinnerCount: UnsafeMutablePointer<UInt32>
    /// The ticket that the next one to get in line draws.
    private let nextTicket: UnsafeMutablePointer<UInt32>
    /// The ticket of the first in line, if it has been drawn. Written by the holder.
    private let firstTicket: UnsafeMutablePointer<UInt32>
    /// What those in line sleep on. `words[t % wordCount] == t` while the holder of ticket `t` has
    /// been called to try, and after it got the lock; before that, and while it sleeps again, it is
    /// ``uncalled(_:)``, or the number of an earlier ticket.
    private let words: UnsafeMutablePointer<UInt32>
    /// `times[t % wordCount]`: when the holder of ticket `t` asked. With more waiters than words it
    /// may be a later one's time, until ticket `t` is called.
    private let times: UnsafeMutablePointer<UInt64>
    /// Until when nobody gives up the processor.
    private let crowdedUntil: UnsafeMutablePointer<UInt64>

    package init() {
        state = .allocate(capacity: Int(Self.wordCount) + 4)
        spinnerCount = state + 1
        nextTicket = state + 2
        firstTicket = state + 3
        words = state + 4
        state.initialize(repeating: 0, count: 4)
        for ticket in 0..<Self.wordCount {
            (words + Int(ticket)).initialize(to: Self.uncalled(ticket))
        }
        times = .allocate(capacity: Int(Self.wordCount) + 1)
        crowdedUntil = times + Int(Self.wordCount)
        times.initialize(repeating: 0, count: Int(Self.wordCount) + 1)
    }

    deinit {
        state.deallocate()
        times.deallocate()
    }

    // MARK: Locking

    package func lock() {
        if !takeIfFree(), !takeSoon() { waitInLine() }
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

    /// Tries for some microseconds of processor time.
    private func takeSoon() -> Bool {
        for _ in 0..<Self.attemptCount {
            if spin() { return true }
            guard giveUpProcessor() else { return false }
        }
        return spin()
    }

    private func spin() -> Bool {
        defer { _ = spinnerCount.fetchAdd(UInt32.max) }
        guard spinnerCount.fetchAdd(1) < Self.maximumSpinnerCount else { return false }
        for _ in 0..<Self.spinCount {
            if takeIfFree() { return true }
            System.relaxProcessor()
        }
        return false
    }

    /// Lets others run, unless other work wants the processors: then it returns false.
    private func giveUpProcessor() -> Bool {
        let start = System.monotonicNanoseconds
        guard start >= crowdedUntil.loadRelaxed() else { return false }
        System.giveUpProcessor()
        let end = System.monotonicNanoseconds
        if end - start > Self.longAbsence {
            crowdedUntil.storeRelaxed(end + Self.crowdedTime)
        }
        return true
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

    /// What the word of a ticket is while its holder is to sleep.
    private static func uncalled(_ ticket: UInt32) -> UInt32 { ticket &- wordCount }

    private func waitInLine() {
        let asked = System.monotonicNanoseconds
        let ticket = nextTicket.fetchAdd(1)
        time(of: ticket).storeRelaxed(asked)
        let word = word(of: ticket)
        repeat {
            waitUntilFirst(ticket, word)
            time(of: ticket).storeRelaxed(asked)
        } while !takeAsFirst(ticket, word)
        // The next one is called when the lock is given up: now it would find it held, and take the
        // processor from whoever holds it to do so.
        firstTicket.storeSequential(ticket &+ 1)
        word.storeSequential(ticket)
    }

    /// With more waiters than words some share one: they look and go back to sleep.
    private func waitUntilFirst(_ ticket: UInt32, _ word: UnsafeMutablePointer<UInt32>) {
        // Who draws a ticket looks who is first afterwards; who unlocks has said who is first, and
        // looks for drawn tickets afterwards. So one of the two sees the other.
        while firstTicket.loadSequential() != ticket {
            let passed = word.loadSequential()
            if passed != ticket { System.wait(on: word, while: passed) }
        }
    }

    /// Tries, and sleeps until it is called again if the lock is held. Returns whether it took it.
    private func takeAsFirst(
        _ ticket: UInt32, _ word: UnsafeMutablePointer<UInt32>
    ) -> Bool {
        for _ in 0..<Self.firstSpinCount {
            if takeIfFree() { return true }
            if state.loadAcquire() == State.handedOver {
                state.storeRelaxed(State.held)
                return true
            }
            System.relaxProcessor()
        }
        word.storeSequential(Self.uncalled(ticket))
        // Whoever unlocks changes the state and looks at the word afterwards.
        if state.loadSequential() == State.held {
            System.wait(on: word, while: Self.uncalled(ticket))
        }
        return false
    }

    // MARK: Unlocking

    /// Lets the next one have the lock. Only while it is held, by whichever thread.
    package func unlock() {
        // While it is held: afterwards another one may be the first.
        let first = firstTicket.loadRelaxed()
        _ = state.exchange(isImpatient(first) ? State.handedOver : State.free)
        if nextTicket.loadSequential() != first { call(first) }
    }

    /// Wakes whoever has the ticket, unless it is awake. It may have taken the lock by now.
    private func call(_ ticket: UInt32) {
        let word = word(of: ticket)
        if word.compareExchange(expected: Self.uncalled(ticket), desired: ticket) {
            System.wake(word)
        }
    }

    private func isImpatient(_ first: UInt32) -> Bool {
        guard nextTicket.loadAcquire() != first else { return false }
        let asked = time(of: first).loadRelaxed()
        let now = System.monotonicNanoseconds
        return now > asked && now - asked >= Self.patience
    }
}
