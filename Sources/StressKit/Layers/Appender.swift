import StorageEngine
import StressModel

/// One thread that reads lists and appends to them, and reports what it read.
struct Appender {
    private typealias Transaction = ListHistory.Transaction

    let connection: Connection
    /// Name in messages to people.
    let name: String
    /// Number that no other appender has.
    let number: Int
    let lists: Int
    /// Numbers of this appender's transactions.
    let rounds: Range<Int>
    let durability: CommitDurability
    let seed: UInt64

    /// Carries out the transactions. A transaction that commits is reported twice: before its
    /// commit with an unknown outcome, and when it has ended. All others are reported when they
    /// have ended.
    func run(_ tell: (ListHistory.Transaction) -> Void) throws {
        var random = RepeatableRandom(
            seed: seed, part: UInt64(number) + 1 + UInt64(rounds.lowerBound) << 32)
        for round in rounds { try run(round, &random, tell) }
    }

    private func run(
        _ round: Int, _ random: inout RepeatableRandom, _ tell: (ListHistory.Transaction) -> Void
    ) throws {
        let read = Set((0...random.below(2)).map { _ in random.below(lists) }).sorted()
        let appended =
            random.isOne(in: 4) ? [] : (0...random.below(2)).map { _ in random.below(lists) }
        let isRolledBack = !appended.isEmpty && random.isOne(in: 8)
        var transaction = Transaction(
            name: "\(name).\(round)", began: System.monotonicNanoseconds, ended: .max,
            outcome: .unknown, reads: [], appends: [])
        let view = AppendedLists(connection)
        if appended.isEmpty {
            _ = try connection.refresh()
        } else {
            try connection.beginWrite()
        }
        transaction.reads = try read.map { .init(list: $0, values: try view.values($0)) }
        for (index, list) in appended.enumerated() {
            let value = (Int64(number) << 40) + (Int64(round) << 8) + Int64(index)
            try view.append(value, to: list)
            transaction.appends.append(.init(list: list, value: value))
        }
        if isRolledBack {
            connection.rollback()
        } else if !appended.isEmpty {
            tell(transaction)
            try connection.commit(durability)
        }
        transaction.outcome = isRolledBack ? .rolledBack : .committed
        transaction.ended = System.monotonicNanoseconds
        tell(transaction)
    }
}
