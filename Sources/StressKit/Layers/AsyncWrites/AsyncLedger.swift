import RealmSwift
import StorageEngine
import StressModel

/// What becomes of a request, as a line between processes.
enum AsyncEvent: Equatable, Sendable {
    /// The commit was acknowledged: it is the transaction with the number `order`.
    case done(AsyncTicket, order: Int)
    case failed(AsyncTicket, Failure)
    /// Nothing was to be committed.
    case cancelled(AsyncTicket)
    /// Another Realm than the writer's shows so many transactions.
    case seen(Int)

    enum Failure: String, Sendable {
        case full, other
        /// The commit may have been made or not.
        case unknown

        init(_ error: any Error) {
            switch (error as? Realm.Error)?.code {
            case .outOfDiskSpace: self = .full
            case .fail: self = .unknown
            default: self = .other
            }
        }
    }
}

extension AsyncEvent: LosslessStringConvertible {
    var description: String {
        switch self {
        case .done(let ticket, let order): "done \(ticket.writer) \(ticket.number) \(order)"
        case .failed(let ticket, let failure):
            "failed \(ticket.writer) \(ticket.number) \(failure.rawValue)"
        case .cancelled(let ticket): "cancelled \(ticket.writer) \(ticket.number)"
        case .seen(let count): "seen \(count)"
        }
    }

    init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        let numbers = words.dropFirst().prefix(2).compactMap { Int($0) }
        let ticket =
            numbers.count == 2 ? AsyncTicket(writer: numbers[0], number: numbers[1]) : nil
        switch (words.first, words.count, ticket) {
        case ("seen", 2, nil):
            guard let count = Int(words[1]) else { return nil }
            self = .seen(count)
        case ("cancelled", 3, let ticket?): self = .cancelled(ticket)
        case ("done", 4, let ticket?):
            guard let order = Int(words[3]) else { return nil }
            self = .done(ticket, order: order)
        case ("failed", 4, let ticket?):
            guard let failure = Failure(rawValue: words[3]) else { return nil }
            self = .failed(ticket, failure)
        default: return nil
        }
    }
}

/// What is known of the requests of all writers of a file.
struct AsyncLedger {
    /// The acknowledged commits, by their place among all transactions.
    private(set) var done: [Int: AsyncTicket] = [:]
    private(set) var failures: [AsyncTicket: AsyncEvent.Failure] = [:]
    private var cancelled: Set<AsyncTicket> = []
    private var seen = 0

    init(_ events: [AsyncEvent] = []) throws(Finding) {
        for event in events { try note(event) }
    }

    /// How many transactions must be there.
    var least: Int { max(seen, done.keys.max() ?? 0) }

    mutating func note(_ event: AsyncEvent) throws(Finding) {
        switch event {
        case .done(let ticket, let order):
            if let other = done[order] {
                throw Finding(
                    .wrongState,
                    "\(ticket) and \(other) were both acknowledged as transaction \(order).")
            }
            done[order] = ticket
        case .failed(let ticket, let failure): failures[ticket] = failure
        case .cancelled(let ticket): cancelled.insert(ticket)
        case .seen(let count): seen = max(seen, count)
        }
    }

    /// Judges the transactions that a file holds.
    ///
    /// - Parameter isWhole: whether every commit was acknowledged.
    func judge(_ found: [AsyncTicket], isWhole: Bool = false) throws(Finding) {
        if found.count < least {
            throw Finding(
                .lostCommit,
                "\(found.count) transactions are there; \(done.keys.max() ?? 0) were acknowledged, "
                    + "and \(seen) seen elsewhere.")
        }
        for (order, ticket) in done where found[order - 1] != ticket {
            throw Finding(
                .lostCommit,
                "transaction \(order) is \(found[order - 1]), and \(ticket) was acknowledged.")
        }
        var present: Set<AsyncTicket> = []
        for (index, ticket) in found.enumerated() {
            if !present.insert(ticket).inserted {
                throw Finding(.wrongState, "\(ticket) is there twice.")
            }
            if cancelled.contains(ticket) {
                throw Finding(.wrongState, "\(ticket) was cancelled, and is there.")
            }
            if let failure = failures[ticket], failure != .unknown {
                throw Finding(
                    .wrongState, "\(ticket) has failed (\(failure.rawValue)), and is there.")
            }
            if isWhole, done[index + 1] == nil {
                throw Finding(.wrongState, "\(ticket) is there, and was not acknowledged.")
            }
        }
    }
}

/// What the writers of a process do, and what they find wrong. Any thread may use it.
final class AsyncRecord: Sendable {
    private struct State {
        var problem: String?
        var failures = 0
    }

    private let state = Locked(State())
    private let tell: @Sendable (AsyncEvent) -> Void

    /// - Parameter tell: is called with each event, on any thread.
    init(_ tell: @escaping @Sendable (AsyncEvent) -> Void) { self.tell = tell }

    /// How many requests have failed.
    var failures: Int { state.withLock { $0.failures } }

    func note(_ event: AsyncEvent) {
        if case .failed = event { state.withLock { $0.failures += 1 } }
        tell(event)
    }

    /// Notes a broken promise, of which the first is told.
    func fail(_ text: String) { state.withLock { $0.problem = $0.problem ?? text } }

    func throwProblem() throws(Finding) {
        if let problem = state.withLock({ $0.problem }) { throw Finding(.wrongState, problem) }
    }
}

/// Collects the events of writers. Any thread may use it.
final class AsyncEvents: Sendable {
    private let events = Locked<[AsyncEvent]>([])

    func append(_ event: AsyncEvent) { events.withLock { $0.append(event) } }

    var all: [AsyncEvent] { events.withLock { $0 } }

    /// Notes what a process says.
    func hear(_ line: String) {
        if let event = AsyncEvent(line) { append(event) }
    }
}
