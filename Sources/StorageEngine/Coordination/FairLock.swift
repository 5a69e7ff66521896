/// A lock that no thread owns: one thread may lock it and another unlock it, even after the first
/// one has ended.
///
/// A thread that finds the lock free takes it. Otherwise it tries again for some microseconds,
/// yielding the processor in between. The holder may be waiting for that processor, and sleeping
/// and being woken takes longer than many a transaction. Yielding is more expensive than sleeping
/// only if other work wants the processors. A long absence from the processor reveals that, and for
/// some time afterwards no thread yields before it enters the queue.
///
/// After that, waiters queue in the order in which they asked. Unlocking wakes the first waiter,
/// which may find that a running thread was faster. But once the first waiter has waited for
/// ``patience``, unlocking hands the lock over to that waiter alone. So a waiter is overtaken for
/// that time at most, counted from when it entered the queue. From then on it waits only for those
/// ahead of it. A waiter cannot leave the queue.
package final class FairLock: @unchecked Sendable {
    // Safe to share: all state is in words that are only accessed atomically.

    /// The time in nanoseconds during which a waiter may be overtaken. It is longer than 64
    /// consecutive small transactions take on a busy machine. If it were shorter, many writers
    /// would do nothing but hand over.
    static let patience: UInt64 = 10_000_000

    /// The number of times that a thread yields the processor before it enters the queue.
    private static let attemptCount = 16
    /// The number of attempts between two yields: about 0.5 us, a part of a small transaction.
    private static let spinCount = 30
    /// The number of threads that may watch the lock at once without yielding. More of them would
    /// hinder the one that unlocks it.
    private static let maximumSpinnerCount: UInt32 = 4
    /// The absence from the processor, in nanoseconds, that reveals other work. Dozens of threads
    /// with one small transaction each take only a part of it, whereas the scheduler gives a
    /// computing thread some milliseconds.
    private static let longAbsence: UInt64 = 2_000_000
    /// The time in nanoseconds after such an absence during which no thread yields.
    private static let crowdedTime: UInt64 = 50_000_000
    /// The number of attempts of the first waiter: about 2 us. It tries for longer, because it has
    /// been woken for that.
    private static let firstSpinCount = 100

    private enum State {
        static let free: UInt32 = 0
        static let held: UInt32 = 1
        /// The lock was handed over to the first waiter, which may not know it yet.
        static let handedOver: UInt32 = 2
    }

    /// The number of futex words. It divides 2^32, so that tickets may wrap around.
    private static let wordCount: UInt32 = 64

    private let state: UnsafeMutablePointer<UInt32>
    /// The number of threads outside the queue that watch the lock.
    private let spinnerCount: UnsafeMutablePointer<UInt32>
    /// The ticket for the next thread that enters the queue.
    private let nextTicket: UnsafeMutablePointer<UInt32>
    /// The ticket of the first waiter, if that ticket has been drawn. Only the holder of the lock
    /// writes it.
    private let firstTicket: UnsafeMutablePointer<UInt32>
    /// The futex words on which waiters sleep. `words[t % wordCount] == t` while the waiter with
    /// ticket `t` is called to try, and after it has acquired the lock. Before that, and while it
    /// sleeps again, the word is ``uncalled(_:)`` or the number of an earlier ticket.
    private let words: UnsafeMutablePointer<UInt32>
    /// The times at which waiters asked: `times[t % wordCount]` for ticket `t`. If there are more
    /// waiters than words, it may be the time of a later ticket until ticket `t` is called.
    private let times: UnsafeMutablePointer<UInt64>
    /// The time until which no thread yields the processor.
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

    /// Takes the lock if it is free and no thread waits. Returns whether it did.
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

    /// Tries for some microseconds of processor time. Returns whether it took the lock.
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

    /// Yields the processor. Returns false without yielding if other work wants the processors.
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

    // MARK: The queue

    /// Whether a thread is in the queue.
    package var hasWaiters: Bool { nextTicket.loadAcquire() != firstTicket.loadAcquire() }

    /// The number of times that a thread entered the queue; it wraps around. It lets tests see that
    /// a thread waits.
    var drawnTickets: UInt32 { nextTicket.loadAcquire() }

    private func word(of ticket: UInt32) -> UnsafeMutablePointer<UInt32> {
        words + Int(ticket % Self.wordCount)
    }

    private func time(of ticket: UInt32) -> UnsafeMutablePointer<UInt64> {
        times + Int(ticket % Self.wordCount)
    }

    /// Returns the value of a ticket's word that tells its waiter to sleep.
    private static func uncalled(_ ticket: UInt32) -> UInt32 { ticket &- wordCount }

    private func waitInLine() {
        let asked = System.monotonicNanoseconds
        let ticket = nextTicket.fetchAdd(1)
        time(of: ticket).storeRelaxed(asked)
        let word = word(of: ticket)
        repeat {
            waitUntilFirst(ticket, word)
            // A later ticket that shares the word may have replaced the time.
            time(of: ticket).storeRelaxed(asked)
        } while !takeAsFirst(ticket, word)
        // The next waiter is called only when the lock is released. If it were woken now, it would
        // find the lock held, and might take the processor away from its holder.
        firstTicket.storeSequential(ticket &+ 1)
        word.storeSequential(ticket)
    }

    /// Waits until `ticket` is the first one. If there are more waiters than words, some share a
    /// word; a waiter that is woken for another ticket goes back to sleep.
    private func waitUntilFirst(_ ticket: UInt32, _ word: UnsafeMutablePointer<UInt32>) {
        // A waiter draws a ticket before it reads the first ticket. A holder stores the first
        // ticket before it looks for drawn ones. So one of the two sees the other.
        while firstTicket.loadSequential() != ticket {
            let passed = word.loadSequential()
            if passed != ticket { System.wait(on: word, while: passed) }
        }
    }

    /// Tries to take the lock as the first waiter. If the lock is held, sleeps until called again.
    /// Returns whether it took the lock.
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
        // Unlocking changes the state before it looks at the word. So either this thread sees the
        // new state, or the word is changed by the call.
        if state.loadSequential() == State.held {
            System.wait(on: word, while: Self.uncalled(ticket))
        }
        return false
    }

    // MARK: Unlocking

    /// Releases the lock. It must be held, by any thread.
    package func unlock() {
        // The first ticket is read while the lock is held, because another thread may become the
        // first waiter afterwards.
        let first = firstTicket.loadRelaxed()
        _ = state.exchange(isImpatient(first) ? State.handedOver : State.free)
        if nextTicket.loadSequential() != first { call(first) }
    }

    /// Wakes the waiter with the ticket, unless it is awake. It may have taken the lock already.
    private func call(_ ticket: UInt32) {
        let word = word(of: ticket)
        if word.compareExchange(expected: Self.uncalled(ticket), desired: ticket) {
            System.wake(word)
        }
    }

    /// Whether the waiter with ticket `first` exists and has been overtaken for long enough.
    private func isImpatient(_ first: UInt32) -> Bool {
        guard nextTicket.loadAcquire() != first else { return false }
        let asked = time(of: first).loadRelaxed()
        let now = System.monotonicNanoseconds
        return now > asked && now - asked >= Self.patience
    }
}
