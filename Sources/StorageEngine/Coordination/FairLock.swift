/// A lock that serves waiters strictly in the order in which they asked, and that no thread owns:
/// one thread may lock and another unlock, and the first may have ended in between.
///
/// Every waiter draws a ticket and sleeps on the word that its ticket maps to, so handing over
/// wakes the next in line only. (With more waiters than words some share one: they look and go
/// back to sleep.) There is no way to give up a drawn ticket.
package final class FairLock: @unchecked Sendable {
    // Safe to share: all state is in `words` and `nextTicket`, which are accessed atomically only.

    /// Divides 2^32, so that tickets may wrap around.
    private static let wordCount: UInt32 = 64

    /// About as long as going to sleep and being woken takes, 10 us: a small transaction is over by
    /// then.
    private static let spinCount = 400

    /// The ticket that the next one to ask draws.
    private let nextTicket: UnsafeMutablePointer<UInt32>
    /// The ticket that holds the lock, or will when it is drawn. Written by the holder.
    private let serving: UnsafeMutablePointer<UInt32>
    /// `words[t % wordCount] == t` once ticket `t` has been served.
    private let words: UnsafeMutablePointer<UInt32>

    package init() {
        nextTicket = .allocate(capacity: Int(Self.wordCount) + 2)
        serving = nextTicket + 1
        words = nextTicket + 2
        nextTicket.initialize(to: 0)
        serving.initialize(to: 0)
        for index in 0..<Self.wordCount {
            // As if the round before the first had been served: no ticket of the first round but
            // ticket 0 finds its number.
            (words + Int(index)).initialize(to: index == 0 ? 0 : index &- Self.wordCount)
        }
    }

    deinit {
        nextTicket.deallocate()
    }

    private func word(of ticket: UInt32) -> UnsafeMutablePointer<UInt32> {
        words + Int(ticket % Self.wordCount)
    }

    package func lock() {
        let ticket = nextTicket.fetchAdd(1)
        let word = word(of: ticket)
        if serving.loadRelaxed() == ticket &- 1, spin(word, until: ticket) { return }
        while true {
            let served = word.loadSequential()
            if served == ticket { return }
            System.wait(on: word, while: served)
        }
    }

    /// Looks at the word for a moment without going to sleep: for the next in line alone, so that at
    /// most one processor is kept from other work.
    private func spin(_ word: UnsafeMutablePointer<UInt32>, until ticket: UInt32) -> Bool {
        for _ in 0..<Self.spinCount {
            if word.loadAcquire() == ticket { return true }
            System.relaxProcessor()
        }
        return false
    }

    /// Takes the lock if nobody holds it and nobody waits; returns whether it did.
    package func tryLock() -> Bool {
        let ticket = nextTicket.loadAcquire()
        guard word(of: ticket).loadAcquire() == ticket else { return false }
        return nextTicket.compareExchange(expected: ticket, desired: ticket &+ 1)
    }

    /// Whether somebody waits. Only the holder may ask.
    package var hasWaiters: Bool {
        nextTicket.loadAcquire() != serving.loadRelaxed() &+ 1
    }

    /// How often the lock was asked for; wraps around. Lets tests see that a thread is in line.
    var drawnTickets: UInt32 { nextTicket.loadAcquire() }

    /// Hands the lock to the first in line. Only while it is held, by whichever thread.
    package func unlock() {
        let next = serving.loadRelaxed() &+ 1
        serving.storeRelaxed(next)
        let word = word(of: next)
        // Sequentially consistent, as are drawing a ticket and the loads: the store must not be
        // seen after the load below, or a waiter in between would sleep for ever.
        word.storeSequential(next)
        // Whoever draws `next` after this load finds its number in the word. Whoever drew it
        // before is counted in `nextTicket`; it may not sleep yet, which the kernel notices by
        // comparing the word.
        if nextTicket.loadSequential() != next { System.wake(word) }
    }

    package func withLock<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}
