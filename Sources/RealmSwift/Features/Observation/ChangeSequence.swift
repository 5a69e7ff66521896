import StorageEngine

/// The changes of a collection, an object or a Realm, one after another.
///
/// ```swift
/// for await change in dogs.changes {
///     switch change {
///     case .initial(let dogs): view.show(dogs)
///     case .update(_, let deletions, let insertions, let modifications):
///         view.delete(deletions)
///         view.insert(insertions)
///         view.reload(modifications)
///     case .error(let error): fatalError("\(error)")
///     }
/// }
/// ```
/// The elements are those that `observe` passes to its function. The sequence must be iterated
/// where the Realm is confined: on the main actor for a Realm of the main thread, and on its actor
/// for another one. Elsewhere the program stops, as for every use of a Realm. It is not `Sendable`.
///
/// Observing begins with the first call of `next()`. It ends when the task is cancelled, when the
/// iterator is released, for example because the loop is left, and after the deletion of an
/// observed object; the sequence ends then. Each iterator observes for itself.
///
/// A change is computed for the version that the Realm shows when the loop takes it, and leads
/// there from the version of the element before. So a loop that takes long gets several
/// transactions as one change; meanwhile it keeps the version that it knows, and no other. If
/// nothing has changed since then, the loop waits. It waits, too, while the Realm is in a write
/// transaction.
public struct ChangeSequence<Element>: AsyncSequence {
    public typealias Failure = Never

    private let begin: (ChangeSignal) -> ChangeSource<Element>

    init(_ begin: @escaping (ChangeSignal) -> ChangeSource<Element>) { self.begin = begin }

    /// Returns an iterator, which observes from its first step on.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(begin) }

    /// An iterator over changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let consumer: Consumer

        fileprivate init(_ begin: @escaping (ChangeSignal) -> ChangeSource<Element>) {
            consumer = Consumer(begin)
        }

        /// Waits for the next change. Returns nil at the end.
        nonisolated(nonsending) public mutating func next() async -> Element? {
            await consumer.next(isolation: #isolation)
        }

        /// Waits for the next change, on an actor. Returns nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> Element? {
            await consumer.next(isolation: actor)
        }
    }

    /// What the copies of an iterator share.
    private final class Consumer {
        private let begin: (ChangeSignal) -> ChangeSource<Element>
        private let signal = ChangeSignal()
        private var source: ChangeSource<Element>?

        init(_ begin: @escaping (ChangeSignal) -> ChangeSource<Element>) { self.begin = begin }

        func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while !Task.isCancelled, !signal.hasEnded {
                let source = source ?? begin(signal)
                self.source = source
                if let (change, isLast) = source.take() {
                    if isLast { end() }
                    if let change { return change }
                } else {
                    await wait(isolation: actor, source.token)
                }
            }
            end()
            return nil
        }

        /// Waits until there may be a change, or the task is cancelled, which ends the observation
        /// at once.
        private func wait(
            isolation actor: isolated (any Actor)?, _ token: NotificationToken
        ) async {
            await withTaskCancellationHandler {
                await signal.wait(isolation: actor)
            } onCancel: { [signal] in
                token.invalidate()
                signal.end()
            }
        }

        private func end() {
            signal.end()
            source?.token.invalidate()
            source = nil
        }
    }
}

/// Where the changes of a sequence come from.
struct ChangeSource<Change> {
    let token: NotificationToken
    /// Returns what has changed since the last call; nil if nothing has. In that case, the signal
    /// is raised when something has. A change that is nil is not told.
    let take: () -> (change: Change?, isLast: Bool)?
}

/// Tells a task that there may be changes.
final class ChangeSignal: Sendable {
    private enum State {
        case low
        case raised
        case awaited(CheckedContinuation<Void, Never>)
        case ended
    }

    private let state = Locked(State.low)

    var hasEnded: Bool {
        state.withLock { if case .ended = $0 { true } else { false } }
    }

    func raise() { change(to: .raised) }

    /// Ends all waiting, also in future.
    func end() { change(to: .ended) }

    private func change(to new: State) {
        let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
            switch state {
            case .ended: return nil
            case .low, .raised:
                state = new
                return nil
            case .awaited(let continuation):
                state = if case .ended = new { .ended } else { .low }
                return continuation
            }
        }
        continuation?.resume()
    }

    /// Waits until the signal is raised, and lowers it.
    func wait(isolation actor: isolated (any Actor)?) async {
        await withCheckedContinuation(isolation: actor) { continuation in
            let isOver = state.withLock { state in
                switch state {
                case .ended: return true
                case .raised:
                    state = .low
                    return true
                case .low, .awaited:
                    state = .awaited(continuation)
                    return false
                }
            }
            if isOver { continuation.resume() }
        }
    }
}
