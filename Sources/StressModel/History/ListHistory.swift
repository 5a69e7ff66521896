/// The reads and appends of transactions on a few lists, as recorded by their authors.
package struct ListHistory: Codable, Equatable, Sendable {
    /// One transaction. It read before its own appends.
    package struct Transaction: Codable, Equatable, Sendable {
        package enum Outcome: String, Codable, Sendable {
            case committed
            case rolledBack
            /// The process ended before it was told the outcome.
            case unknown
        }

        package struct Read: Codable, Equatable, Sendable {
            package var list: Int
            /// The whole list.
            package var values: [Int64]

            package init(list: Int, values: [Int64]) {
                self.list = list
                self.values = values
            }
        }

        package struct Append: Codable, Equatable, Sendable {
            package var list: Int
            /// Unique among all appends.
            package var value: Int64

            package init(list: Int, value: Int64) {
                self.list = list
                self.value = value
            }
        }

        /// Name in messages to people: the author of the transaction and its number.
        package var name: String
        /// Nanoseconds of a clock shared by all processes, taken before the first call (`began`)
        /// and after the last (`ended`).
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
    /// The lists after the end of all transactions, by number.
    package var final: [[Int64]]

    package init(transactions: [Transaction] = [], final: [[Int64]]) {
        self.transactions = transactions
        self.final = final
    }
}
