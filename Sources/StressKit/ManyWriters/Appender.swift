import BenchmarkKit
import StorageEngine
import StressModel

/// One thread that reads lists and appends to them, and tells what it saw.
struct Appender {
    private typealias Transaction = ListHistory.Transaction

    let connection: Connection
    /// For people.
    let name: String
    /// Numbers of no other appender.
    let number: Int
    let lists: Int
    let transactions: Int
    let durability: CommitDurability
    let seed: UInt64

    /// `tell` gets each transaction twice: before it is committed, as unknown, and when it has
    /// ended.
    func run(_ tell: (ListHistory.Transaction) -> Void) throws {
        var random = RepeatableRandom(seed: seed, part: UInt64(number) + 1)
        for round in 0..<transactions {
            try run(round, &random, tell)
        }
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

/// A process of appenders.
enum AppenderProcess {
    static let open = "open"

    /// Waits for a line on standard input between opening and beginning, so that all begin
    /// together.
    static func run(_ point: StressPoint, path: String, process: Int) throws {
        ParentDeath.follow()
        let database = try Database.open(path: path, options: point.options())
        WorkerChannel.say(open)
        guard readLine() != nil else { return }
        try runThreads(point, database, process: process) {
            WorkerChannel.say(WorkerChannel.encode($0))
        }
    }

    /// Runs the threads of one process to their end.
    static func runThreads(
        _ point: StressPoint, _ database: Database, process: Int,
        _ tell: @escaping @Sendable (ListHistory.Transaction) -> Void
    ) throws {
        let threads = try point.number("threads", in: 1...256, default: 2)
        let lists = try point.number("lists", in: 1...1000, default: 3)
        let transactions = try point.number("transactions", in: 1...100_000, default: 60)
        let durability = try point.durability()
        let seed = try point.value("seed", default: UInt64(0))
        let works = (0..<threads).map { thread in
            BackgroundThread { _ in
                let appender = Appender(
                    connection: try Connection(database), name: "\(process).\(thread)",
                    number: process * 256 + thread, lists: lists, transactions: transactions,
                    durability: durability, seed: seed)
                try appender.run(tell)
            }
        }
        for work in works { try work.wait() }
    }
}
