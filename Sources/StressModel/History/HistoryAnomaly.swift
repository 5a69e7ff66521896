/// Why a history cannot have happened one transaction after the other.
package struct HistoryAnomaly: Equatable, Sendable, CustomStringConvertible {
    package enum Kind: String, Sendable, CaseIterable {
        /// An append that was committed is not there.
        case lostUpdate = "lost update"
        /// A value is there twice.
        case repeatedUpdate = "repeated update"
        /// A value of a transaction that was rolled back was seen, or nobody's.
        case dirtyRead = "dirty read"
        /// A part of a transaction's appends was seen.
        case partialRead = "partial read"
        /// A list was seen that it never was on the way to what it is.
        case strangeRead = "strange read"
        /// Transactions of which each must have come before the next, and the last before the
        /// first.
        case cycle
    }

    package var kind: Kind
    package var message: String

    package var description: String { "\(kind.rawValue): \(message)" }
}
