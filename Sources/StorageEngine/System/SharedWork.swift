import CRealmSystem

/// Work that consists of parts, which two threads take from it until there are none: the thread
/// whose work it is, and the ``SecondThread`` of the process.
///
/// The first one needs nobody: it takes parts from the beginning, and waits only for a part that
/// the second one has begun. So a part should take less than a tenth of a millisecond.
///
/// All parts are there from the beginning (``perform(_:with:_:)``), or the first thread adds them
/// while the second one does those that are there (``begin(with:_:)``).
///
/// A part reads and writes memory that the first thread keeps valid until the work has ended, and
/// nothing that another part writes. It reads no page that the first thread has not read, uses no
/// object of a connection, and cannot fail.
// Unchecked because of the pointers, which are only accessed atomically, and of the second thread,
// which only the first one asks for.
final class SharedWork: @unchecked Sendable {
    /// Who does a part. What is kept for a worker, one thread at a time uses.
    enum Worker: Int, CaseIterable { case first, second }

    private let part: @Sendable (Int, Worker) -> Void
    /// The thread to which the work was offered; nil if it was not.
    private var second: SecondThread?
    /// The first part that nobody has taken.
    private let next: UnsafeMutablePointer<UInt32>
    /// The number of parts that may be taken.
    private let available: UnsafeMutablePointer<UInt32>
    /// Not zero once no part will be added.
    private let isComplete: UnsafeMutablePointer<UInt32>
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
    /// How long the second thread waits for another part before it leaves the rest to the first.
    private static let patienceForParts: UInt64 = 50_000

    private init(_ part: @escaping @Sendable (Int, Worker) -> Void) {
        self.part = part
        next = .allocate(capacity: 4)
        next.initialize(repeating: 0, count: 4)
        available = next + 1
        isComplete = next + 2
        help = next + 3
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
        let work = SharedWork { number, _ in part(number) }
        work.add(upTo: partCount)
        work.isComplete.storeRelease(1)
        work.offer(to: second())
        work.finish()
    }

    /// Begins work whose parts are added by ``add(upTo:)``, and done when ``finish()`` returns.
    /// `part` is called once with each number. Two calls at the same time have different workers.
    static func begin(
        with second: @autoclosure () -> SecondThread = SecondThread.ofProcess.value,
        _ part: @escaping @Sendable (Int, Worker) -> Void
    ) -> SharedWork {
        let work = SharedWork(part)
        if System.processorCount > 1 { work.offer(to: second()) }
        return work
    }

    /// Lets the second thread take all parts below `partCount`.
    func add(upTo partCount: Int) { available.storeRelease(UInt32(partCount)) }

    /// Takes parts until there are none, and returns when all are done. Called once.
    func finish() {
        isComplete.storeRelease(1)
        while let number = takePart() { part(number, .first) }
        guard let second else { return }
        second.withdraw(self)
        second.note(wasLate: !waitForHelp())
    }

    private func offer(to thread: SecondThread) {
        if thread.offer(self) { second = thread }
    }

    private func takePart() -> Int? {
        while true {
            let number = next.loadRelaxed()
            if number >= available.loadAcquire() { return nil }
            if next.compareExchange(expected: number, desired: number + 1) { return Int(number) }
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
        repeat {
            while let number = takePart() { part(number, .second) }
        } while waitForPart()
        help.storeSequential(Help.ended)
        System.wake(help)
    }

    /// Returns false if there will be no part that nobody has taken, or none soon.
    private func waitForPart() -> Bool {
        var end: UInt64 = 0
        while true {
            // In this order, because the last part is added before.
            let isLast = isComplete.loadAcquire() != 0
            if next.loadRelaxed() < available.loadAcquire() { return true }
            if isLast { return false }
            for _ in 0..<16 { System.relaxProcessor() }
            let now = System.monotonicNanoseconds
            if end == 0 { end = now + Self.patienceForParts }
            if now > end { return false }
        }
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
