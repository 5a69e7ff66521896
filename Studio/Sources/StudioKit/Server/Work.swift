import NIOPosix
import Synchronization

/// Threads for what reads files, so that the threads of connections never wait for a disk.
///
/// Rows whose place is known have threads of their own, and never wait behind a search. A search
/// cannot be stopped, but those that are out of date when their turn comes are not begun.
final class Work: Sendable {
    /// A search is out of date.
    struct Superseded: Error {}

    /// Which search of which table of which page this is.
    struct Turn: Sendable {
        var page: String
        var number: Int
    }

    private let quick = NIOThreadPool(numberOfThreads: 2)
    private let slow = NIOThreadPool(numberOfThreads: 3)
    private let changes = NIOThreadPool(numberOfThreads: 2)
    /// The number of the last search that each page asked for.
    private let last = Mutex<[String: Int]>([:])
    private static let mostPages = 1024

    init() {
        quick.start()
        slow.start()
        changes.start()
    }

    func quickly<Answer: Sendable>(
        _ body: @escaping @Sendable () throws -> Answer
    ) async throws -> Answer {
        try await quick.runIfActive(body)
    }

    /// For what waits until others have written.
    func changing<Answer: Sendable>(
        _ body: @escaping @Sendable () throws -> Answer
    ) async throws -> Answer {
        try await changes.runIfActive(body)
    }

    /// - Parameter turn: nil for work that nothing makes out of date.
    func slowly<Answer: Sendable>(
        _ turn: Turn?, _ body: @escaping @Sendable () throws -> Answer
    ) async throws -> Answer {
        if let turn { note(turn) }
        return try await slow.runIfActive { [self] in
            guard isLast(turn) else { throw Superseded() }
            return try body()
        }
    }

    private func note(_ turn: Turn) {
        last.withLock { last in
            // Pages that have gone need no entry. Those that have not make theirs again.
            if last.count >= Self.mostPages { last.removeAll() }
            last[turn.page] = max(last[turn.page] ?? 0, turn.number)
        }
    }

    private func isLast(_ turn: Turn?) -> Bool {
        guard let turn else { return true }
        return last.withLock { ($0[turn.page] ?? 0) <= turn.number }
    }
}
