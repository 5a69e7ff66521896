/// What transactions did to a few lists, as those who made them saw it.
package struct ListHistory: Codable, Equatable, Sendable {
    /// One transaction. What it read, it read before its own appends.
    package struct Transaction: Codable, Equatable, Sendable {
        package enum Outcome: String, Codable, Sendable {
            case committed
            case rolledBack
            /// Its process ended before it was told.
            case unknown
        }

        package struct Read: Codable, Equatable, Sendable {
            package var list: Int
            /// All of the list.
            package var values: [Int64]

            package init(list: Int, values: [Int64]) {
                self.list = list
                self.values = values
            }
        }

        package struct Append: Codable, Equatable, Sendable {
            package var list: Int
            /// No other append has the same.
            package var value: Int64

            package init(list: Int, value: Int64) {
                self.list = list
                self.value = value
            }
        }

        /// For people: who made it, and which of theirs it is.
        package var name: String
        /// Nanoseconds of a clock that all processes share: before its first call, after its last.
        package var began: UInt64
        package var ended: UInt64
        package var outcome: Outcome
        package var reads: [Read]
        package var appends: [Append]

        package init(
            name: String, began: UInt64, ended: UInt64, outcome: Outcome, reads: [Read],
            appends: [Append]
        ) {
            self.name = name
            self.began = began
            self.ended = ended
            self.outcome = outcome
            self.reads = reads
            self.appends = appends
        }
    }

    package var transactions: [Transaction]
    /// The lists as they are when all has ended, by their numbers.
    package var final: [[Int64]]

    package init(transactions: [Transaction] = [], final: [[Int64]]) {
        self.transactions = transactions
        self.final = final
    }
}
