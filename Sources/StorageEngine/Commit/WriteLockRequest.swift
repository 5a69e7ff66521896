import Dispatch

/// The write lock, which a thread that may wait obtains for one that does not.
///
/// The lock is *offered* once the other thread has it. Whoever asked *takes* it, and from then on
/// holds it as if it had waited itself: no thread owns the lock (`FairLock`), and it excludes
/// other processes by an open file description. An offer that is not taken in `patience` is
/// withdrawn, so that a thread which is busy, or has ended, does not lock all writers out.
public final class WriteLockRequest: Sendable {
    private enum State {
        case waiting, offered, taken, ended
        /// The lock cannot be had.
        case failed(StorageError)
    }

    /// How long an offer stands: longer than a thread that shows something is usually busy, and
    /// short for other writers.
    static let patience = DispatchTimeInterval.milliseconds(50)

    private let writer: Writer
    private let state = Locked(State.waiting)
    private let answer = DispatchSemaphore(value: 0)

    init(_ writer: Writer) { self.writer = writer }

    /// Whether the lock was offered, the offer withdrawn, or it cannot be had.
    public var isAnswered: Bool {
        state.withLock { state in
            if case .waiting = state { false } else { true }
        }
    }

    /// Offers the lock, which the caller holds. Returns false if nobody wants it any more.
    func offer() -> Bool {
        state.withLock { state in
            guard case .waiting = state else { return false }
            state = .offered
            return true
        }
    }

    func fail(_ error: StorageError) {
        state.withLock { state in
            if case .waiting = state { state = .failed(error) }
        }
    }

    /// Withdraws the offer if it is not taken in time.
    func waitUntilTaken() {
        if answer.wait(timeout: .now() + Self.patience) == .timedOut { withdraw() }
    }

    private func withdraw() {
        let wasOffered = state.withLock { state in
            switch state {
            case .waiting, .offered: break
            case .taken, .ended, .failed: return false
            }
            defer { state = .ended }
            if case .offered = state { return true }
            return false
        }
        if wasOffered { writer.unlock() }
    }

    /// Takes the lock if it is offered.
    ///
    /// - Throws: the reason why it cannot be had.
    func take() throws(StorageError) -> Bool {
        try state.withLock { state throws(StorageError) in
            switch state {
            case .offered: state = .taken
            case .failed(let error): throw error
            case .waiting, .taken, .ended: return false
            }
            answer.signal()
            return true
        }
    }

    /// Ends the request, if the lock was not taken. A lock that is offered is released.
    public func cancel() {
        withdraw()
        answer.signal()
    }
}
