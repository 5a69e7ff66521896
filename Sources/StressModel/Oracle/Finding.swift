/// Something that must not be: what a layer of the stress harness found.
package struct Finding: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Kind: String, Codable, CaseIterable, Sendable {
        /// A commit that had returned is not there.
        case lostCommit = "lost-commit"
        /// A file does not open, or is not sound once it is open.
        case reopenFailure = "reopen-failure"
        /// What is there is not what any prefix of the commits left.
        case wrongState = "wrong-state"
        /// An error that should not be, or one that should be and is not.
        case wrongError = "wrong-error"
        /// Histories of transactions that no order of them explains.
        case anomaly
        /// More space, memory or time than was promised.
        case overLimit = "over-limit"
        /// The process ended by a signal that nobody had sent.
        case crash
    }

    package var kind: Kind
    /// A sentence.
    package var message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    package var description: String { "\(kind.rawValue): \(message)" }
}
