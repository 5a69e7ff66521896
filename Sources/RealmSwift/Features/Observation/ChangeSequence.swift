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
/// iterator is released, for example because the loop is left, and when nothing more can be told:
/// after the deletion of an observed object, or of the owner of a list, set, map or linking
/// objects, and after `invalidate()`. The sequence ends then. Each iterator observes for itself.
///
/// Several tasks may wait for the next element of one iterator, or of its copies, which share what
/// they observe. Each element goes to one of them. When one of the tasks is cancelled, the sequence
/// ends for all of them.
///
/// A change is computed for the version that the Realm shows when the loop takes it, and leads
/// there from the version of the element before. So a loop that takes long gets several
/// transactions as one change; meanwhile it keeps the version that it knows, and no other. If
/// nothing has changed since then, the loop waits. It waits, too, while the Realm is in a write
/// transaction.
public struct ChangeSequence<Element>: AsyncSequence {
    public typealias Failure = Never

    /// Returns nil if there is nothing to observe any more.
    typealias Beginning = (ChangeSignal) -> ChangeSource<Element>?

    private let begin: Beginning

    init(_ begin: @escaping Beginning) { self.begin = begin }

    /// Returns an iterator, which observes from its first step on.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(begin) }

    /// An iterator over changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let consumer: Consumer

        fileprivate init(_ begin: @escaping Beginning) {
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
        private let begin: Beginning
        private let signal = ChangeSignal()
        private var source: ChangeSource<Element>?

        init(_ begin: @escaping Beginning) { self.begin = begin }

        func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while !Task.isCancelled, !signal.hasEnded {
                guard let source = source ?? begin(signal) else { break }
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

/// Tells tasks that there may be changes.
final class ChangeSignal: Sendable {
    private typealias Continuation = CheckedContinuation<Void, Never>

    private enum State {
        case low
        case raised
        /// Usually by one task.
        case awaited(Continuation, others: [Continuation])
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
        let waiting = state.withLock { state -> (first: Continuation, others: [Continuation])? in
            switch state {
            case .ended: return nil
            case .low, .raised:
                state = new
                return nil
            case .awaited(let first, let others):
                state = if case .ended = new { .ended } else { .low }
                return (first, others)
            }
        }
        guard let waiting else { return }
        waiting.first.resume()
        for continuation in waiting.others { continuation.resume() }
    }

    /// Waits until the signal is raised, and lowers it. If several tasks wait, all of them look for
    /// what there is.
    func wait(isolation actor: isolated (any Actor)?) async {
        await withCheckedContinuation(isolation: actor) { continuation in
            let isOver = state.withLock { state in
                switch state {
                case .ended: return true
                case .raised:
                    state = .low
                    return true
                case .low:
                    state = .awaited(continuation, others: [])
                    return false
                case .awaited(let first, let others):
                    state = .awaited(first, others: others + [continuation])
                    return false
                }
            }
            if isOver { continuation.resume() }
        }
    }
}
