/// A broken promise of the database, found by a layer of the stress harness.
package struct Finding: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Kind: String, Codable, CaseIterable, Sendable {
        /// A commit that had returned is missing.
        case lostCommit = "lost-commit"
        /// A file does not open, or fails verification.
        case reopenFailure = "reopen-failure"
        /// The contents are not those of any prefix of the commits.
        case wrongState = "wrong-state"
        /// An unexpected error, or a missing one.
        case wrongError = "wrong-error"
        /// A history of transactions without a serial order.
        case anomaly
        /// More space, memory or time was used than is allowed.
        case overLimit = "over-limit"
        /// The process ended by a signal that the harness had not sent.
        case crash
    }

    package var kind: Kind
    /// A full sentence.
    package var message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    package var description: String { "\(kind.rawValue): \(message)" }
}
