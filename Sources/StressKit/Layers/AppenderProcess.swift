import Glibc
import StorageEngine
import StressModel
import ToolSupport

/// A process with several appenders, each on a thread of its own.
struct AppenderProcess: Sendable {
    /// Messages beside the transactions, a line each.
    enum Message {
        static let open = "open"
        /// Sent before a file is compacted.
        static let compacting = "compacting"
    }

    let process: Int
    private let options: Database.Options
    private let threads: Int
    private let lists: Int
    private let transactions: Int
    private let durability: CommitDurability
    private let seed: UInt64

    private static let transactionsOfLaunch = 3
    private static let longestPauseMicroseconds = 2000

    init(_ point: StressPoint, process: Int) throws {
        self.process = process
        options = try point.options()
        threads = try point.number("threads", in: 1...256, default: 2)
        lists = try point.number("lists", in: 1...1000, default: 3)
        transactions = try point.number("transactions", in: 1...100_000, default: 60)
        durability = try point.durability()
        seed = try point.value("seed", default: 0)
    }

    /// Runs the process, and reports transactions on standard output. It waits for a line on
    /// standard input before it begins, so that all processes begin together.
    static func run(_ point: StressPoint, path: String, process: Int) throws {
        ParentDeath.follow()
        let appenders = try AppenderProcess(point, process: process)
        let isLaunching = point.scenario == "launches"
        let database = isLaunching ? nil : try Database.open(path: path, options: point.options())
        WorkerChannel.say(Message.open)
        guard readLine() != nil else { return }
        let tell = { @Sendable (transaction: ListHistory.Transaction) in
            WorkerChannel.say(WorkerChannel.encode(transaction))
        }
        if let database { return try appenders.run(database, tell) }
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: path + ".management"), faults: appenders.launchFaults())
        interceptor.install()
        try appenders.launch(path, tell)
    }

    /// Runs all threads to their end, on one database.
    func run(
        _ database: Database, _ tell: @escaping @Sendable (ListHistory.Transaction) -> Void
    ) throws {
        try onThreads { thread in
            try appender(thread, 0..<transactions, on: database).run(tell)
        }
    }

    private func onThreads(_ body: @escaping @Sendable (_ thread: Int) throws -> Void) throws {
        let works = (0..<threads).map { thread in BackgroundThread { _ in try body(thread) } }
        for work in works { try work.wait() }
    }

    private func appender(
        _ thread: Int, _ rounds: Range<Int>, on database: Database
    ) throws -> Appender {
        Appender(
            connection: try Connection(database), name: "\(process).\(thread)",
            number: process * 256 + thread, lists: lists, rounds: rounds, durability: durability,
            seed: seed)
    }

    // MARK: Launches

    /// Has each thread open the file anew for every few transactions, and ask for a compaction each
    /// time. The file is compacted if no other process has it open.
    private func launch(
        _ path: String, _ tell: @escaping @Sendable (ListHistory.Transaction) -> Void
    ) throws {
        try onThreads { thread in
            var random = RepeatableRandom(
                seed: seed, part: UInt64(process * 256 + thread) + 11 << 32)
            for first in stride(from: 0, to: transactions, by: Self.transactionsOfLaunch) {
                let rounds = first..<min(first + Self.transactionsOfLaunch, transactions)
                let database = try Database.open(path: path, options: options) { _, _ in
                    WorkerChannel.say(Message.compacting)
                    return true
                }
                try appender(thread, rounds, on: database).run(tell)
                let pause = random.below(Self.longestPauseMicroseconds)
                System.sleep(nanoseconds: UInt64(pause) * 1000)
            }
        }
    }

    /// Returns the faults for the compactions of this process. The first process has none.
    private func launchFaults() -> [SystemCallFault] {
        var random = RepeatableRandom(seed: seed, part: UInt64(process) + 12 << 32)
        let faults: [SystemCallFault?] = [
            nil, .init(.failForever(errno: EACCES), call: .mkdir, ordinal: 1),
            .init(.failForever(errno: ENOSPC), call: .fallocate, ordinal: 1),
            .init(.failForever(errno: ENOSPC), call: .pwritev, ordinal: 1),
            .init(.failForever(errno: EACCES), call: .rename, ordinal: 1),
            .init(.killBefore, call: .rename, ordinal: 1 + random.below(4)),
            .init(.killAfter, call: .rename, ordinal: 1 + random.below(4)),
        ]
        let drawn = faults[random.below(faults.count)]
        return process == 0 ? [] : [drawn].compactMap { $0 }
    }
}
