/// What is known of the commits of one sequence of transactions, numbered from 1, that are made one
/// after the other (or in groups, of which the order is known).
package struct CommitLedger: Equatable, Sendable {
    package enum State: Sendable {
        case notSent
        /// It was begun, and nobody was told how it ended.
        case unknown
        /// It returned: it must be found from now on.
        case acknowledged
    }

    package private(set) var acknowledged: Int
    package private(set) var sent: Int

    /// All up to `acknowledged` returned, those up to `sent` may or may not have.
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

    /// The numbers of transactions that may be found.
    package var allowed: ClosedRange<Int> { acknowledged...sent }
}
