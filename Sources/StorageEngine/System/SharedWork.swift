import CRealmSystem

/// Work that consists of parts, which two threads take from it until there are none: the thread
/// whose work it is, and the ``SecondThread`` of the process.
///
/// The first one needs nobody: it takes parts from the beginning, and waits only for a part that
/// the second one has begun. So a part should take less than a tenth of a millisecond.
///
/// A part reads and writes memory that the first thread keeps valid until ``perform(_:with:_:)``
/// returns, and nothing that another part writes. It reads no page that the first thread has not
/// read, uses no object of a connection, and cannot fail.
// Unchecked because of the pointers, which are only accessed atomically.
final class SharedWork: @unchecked Sendable {
    private let partCount: UInt32
    private let part: @Sendable (Int) -> Void
    /// The first part that nobody has taken.
    private let next: UnsafeMutablePointer<UInt32>
    /// Whether the second thread takes parts. The first thread sleeps on this word.
    private let help: UnsafeMutablePointer<UInt32>

    private enum Help {
        static let none: UInt32 = 0
        static let begun: UInt32 = 1
        static let ended: UInt32 = 2
    }

    /// How long the first thread spins for the last part of the second one before it sleeps, in
    /// nanoseconds: as long as the longest part should take.
    private static let patience: UInt64 = 100_000

    private init(_ partCount: Int, _ part: @escaping @Sendable (Int) -> Void) {
        self.partCount = UInt32(partCount)
        self.part = part
        next = .allocate(capacity: 2)
        next.initialize(repeating: 0, count: 2)
        help = next + 1
    }

    deinit { next.deallocate() }

    /// Calls `part` once with each number below `partCount`, and returns when all calls have
    /// returned. A thread that may use one processor only does all of it by itself.
    static func perform(
        _ partCount: Int,
        with second: @autoclosure () -> SecondThread = SecondThread.ofProcess.value,
        _ part: @escaping @Sendable (Int) -> Void
    ) {
        guard partCount > 1, System.processorCount > 1 else {
            for number in 0..<partCount { part(number) }
            return
        }
        let work = SharedWork(partCount, part)
        let second = second()
        let isOffered = second.offer(work)
        work.takeParts()
        if isOffered {
            second.withdraw(work)
            second.note(wasLate: !work.waitForHelp())
        }
    }

    private func takeParts() {
        while true {
            let number = next.fetchAdd(1)
            if number >= partCount { return }
            part(Int(number))
        }
    }

    /// Returns when the second thread has left, which has taken its last part or none. Returns
    /// false if it did not do so in time, because it has no processor.
    private func waitForHelp() -> Bool {
        if !isHelped { return true }
        let end = System.monotonicNanoseconds + Self.patience
        while isHelped {
            for _ in 0..<64 { System.relaxProcessor() }
            if System.monotonicNanoseconds > end { break }
        }
        let isInTime = !isHelped
        while isHelped { System.wait(on: help, while: Help.begun) }
        return isInTime
    }

    private var isHelped: Bool { help.loadSequential() == Help.begun }

    // MARK: The second thread

    /// From now on the first thread waits for the second one. Called before it can withdraw the
    /// work.
    fileprivate func beginHelp() { help.storeSequential(Help.begun) }

    fileprivate func giveHelp() {
        takeParts()
        help.storeSequential(Help.ended)
        System.wake(help)
    }
}

/// The thread that helps with the work of other threads: one for the process, whatever its number
/// of processors, threads and databases. It is started for the first work, and sleeps without any.
///
/// It helps with one work at a time, and one more may wait for it. Who comes then does his work
/// alone, and so does everybody for a while after the thread was late: on a busy machine waiting
/// for it takes longer than its help saves.
// Unchecked because of the pointer, which is only accessed atomically.
final class SecondThread: @unchecked Sendable {
    private struct State {
        var offered: SharedWork?
        var isRunning = false
        var backoff = Backoff()
    }

    private let state = Locked(State())
    /// Changes with each offer. The thread sleeps on it.
    private let offers: UnsafeMutablePointer<UInt32>
    private static let stackSize = 1 << 20

    /// The thread of this process. A forked child gets a new one, because the thread stays with the
    /// parent.
    static let ofProcess = ProcessLocal { SecondThread() }

    init() {
        offers = .allocate(capacity: 1)
        offers.initialize(to: 0)
    }

    deinit { offers.deallocate() }

    /// Lets the thread take the work. Returns false if it has another offer, is to be left alone
    /// for now, or cannot be started.
    fileprivate func offer(_ work: SharedWork) -> Bool {
        let isOffered = state.withLock { state in
            guard state.backoff.isDue else {
                state.backoff.pass()
                return false
            }
            if state.offered != nil { return false }
            if !state.isRunning {
                // Safe because no second thread is ever released.
                state.isRunning = System.startThread(
                    named: "realm.second", stackSize: Self.stackSize
                ) { [unowned self] in run() }
                if !state.isRunning { return false }
            }
            state.offered = work
            return true
        }
        if isOffered {
            _ = offers.fetchAdd(1)
            System.wake(offers)
        }
        return isOffered
    }

    /// After this the thread does not begin to help with the work.
    fileprivate func withdraw(_ work: SharedWork) {
        state.withLock { if $0.offered === work { $0.offered = nil } }
    }

    fileprivate func note(wasLate: Bool) {
        state.withLock { $0.backoff.didTry(inVain: wasLate) }
    }

    private func run() {
        while true {
            let seen = offers.loadSequential()
            let work = state.withLock { state in
                let work = state.offered
                state.offered = nil
                work?.beginHelp()
                return work
            }
            if let work { work.giveHelp() } else { System.wait(on: offers, while: seen) }
        }
    }
}
