/// The known outcomes of the commits of a sequence of transactions. They are numbered from 1 and
/// made one after the other, or in groups whose order is known.
package struct CommitLedger: Equatable, Sendable {
    package enum State: Sendable {
        case notSent
        /// Begun, with an outcome that was reported to no one.
        case unknown
        /// Returned successfully: the commit must be found from now on.
        case acknowledged
    }

    package private(set) var acknowledged: Int
    package private(set) var sent: Int

    /// Creates a ledger in which all commits up to `acknowledged` have returned. Those up to `sent`
    /// may have happened or not.
    package init(acknowledged: Int = 0, sent: Int? = nil) {
        self.acknowledged = acknowledged
        self.sent = max(acknowledged, sent ?? acknowledged)
    }

    package subscript(transaction: Int) -> State {
        transaction <= acknowledged ? .acknowledged : transaction <= sent ? .unknown : .notSent
    }

    package mutating func send(_ transaction: Int) { sent = max(sent, transaction) }

    package mutating func acknowledge(_ transaction: Int) {
        send(transaction)
        acknowledged = max(acknowledged, transaction)
    }

    /// Numbers of transactions that may be found.
    package var allowed: ClosedRange<Int> { acknowledged...sent }
}
