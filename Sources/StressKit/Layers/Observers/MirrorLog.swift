import StorageEngine
import StressModel

/// What the mirrors of a Realm have done and found. Any thread may use it.
final class MirrorLog: Sendable {
    /// Sums for the report.
    struct Counts: Sendable, Equatable {
        /// Calls of handlers.
        var deliveries = 0
        /// Comparisons of a mirror with the contents.
        var comparisons = 0

        mutating func add(_ other: Counts) {
            deliveries += other.deliveries
            comparisons += other.comparisons
        }
    }

    private struct State {
        var counts = Counts()
        var failure: String?
        /// How many transactions the observer of the count was told of.
        var known = 0
    }

    private let state = Locked(State())
    private let onKnown: (@Sendable (Int) -> Void)?

    /// - Parameter onKnown: is called with each number of transactions that is told.
    init(onKnown: (@Sendable (Int) -> Void)? = nil) { self.onKnown = onKnown }

    var counts: Counts { state.withLock { $0.counts } }
    /// The first failure.
    var failure: String? { state.withLock { $0.failure } }
    var known: Int { state.withLock { $0.known } }

    func countDelivery() { state.withLock { $0.counts.deliveries += 1 } }

    func fail(_ text: String) { state.withLock { $0.failure = $0.failure ?? text } }

    /// Counts a comparison, and notes if it has failed.
    func compare(_ isEqual: Bool, _ text: () -> String) {
        let failure = isEqual ? nil : text()
        state.withLock { state in
            state.counts.comparisons += 1
            state.failure = state.failure ?? failure
        }
    }

    func know(_ count: Int) {
        let isNew = state.withLock { state in
            defer { state.known = max(state.known, count) }
            return count > state.known
        }
        if isNew { onKnown?(count) }
    }

    func throwFailure() throws(Finding) {
        if let failure { throw Finding(.wrongState, failure) }
    }
}
