/// A reason why a history has no serial order.
package struct HistoryAnomaly: Equatable, Sendable, CustomStringConvertible {
    package enum Kind: String, Sendable, CaseIterable {
        /// A committed append is missing.
        case lostUpdate = "lost update"
        /// A value occurs twice.
        case repeatedUpdate = "repeated update"
        /// A value was read that no transaction wrote, or only one that was rolled back.
        case dirtyRead = "dirty read"
        /// Only part of a transaction's appends was read.
        case partialRead = "partial read"
        /// A list was read that is not a prefix of the final list.
        case strangeRead = "strange read"
        /// Transactions of which each must precede the next, and the last must precede the first.
        case cycle
    }

    package var kind: Kind
    package var message: String

    package var description: String { "\(kind.rawValue): \(message)" }
}
