import Dispatch
import StorageEngine
import ToolSupport

/// A place where observers are called. All methods are called on the thread that commits.
protocol ChangeReceiver: AnyObject {
    /// Begins to call the board's observers, and waits for their first calls if there are any.
    func start() throws
    /// Waits until all observers were told of the newest commit.
    func wait() throws -> (first: UInt64, last: UInt64)
    /// Returns once the place has nothing left to do, so that the next commit finds it asleep.
    func rest() throws
    func stop() throws
    /// Returns how long bytes through a pipe took to this place; nil if nothing has to get there.
    func control() throws -> LatencyRecorder?
}

extension ChangeReceiver {
    func control() throws -> LatencyRecorder? { try BarePipe.throughThreads() }
}

/// The thread that commits, called by its run loop or by `refresh`.
final class SameThreadReceiver: ChangeReceiver {
    private let store: any PersonStore
    private let board: NoticeBoard
    /// Whether observers are called by `refresh` instead.
    private let refreshes: Bool
    private var observation: (any PersonObservation)?

    init(_ store: any PersonStore, _ board: NoticeBoard, refreshes: Bool) {
        self.store = store
        self.board = board
        self.refreshes = refreshes
    }

    func start() throws {
        board.expect(nil)
        observation = try store.observe(
            .persons, at: refreshes ? .refresh : .runLoop, board.makeObservers())
        _ = try wait()
    }

    func wait() throws -> (first: UInt64, last: UInt64) {
        try board.wait {
            // The loop returns once it has done something. One that returned after a short time
            // would begin again on a busy machine, which allocates.
            if refreshes { try store.refresh() } else { CallerRunLoop.turn(seconds: 1) }
        }
    }

    func rest() {}
    func stop() { observation = nil }

    func control() throws -> LatencyRecorder? {
        refreshes ? nil : try BarePipe.throughThreads()
    }
}

/// A serial queue.
final class QueueReceiver: ChangeReceiver {
    private let queue = DispatchQueue(label: "receiver")
    private let store: any PersonStore
    private let board: NoticeBoard
    private let matter: ObservedMatter
    private var observation: (any PersonObservation)?

    init(_ store: any PersonStore, _ board: NoticeBoard, _ matter: ObservedMatter) {
        self.store = store
        self.board = board
        self.matter = matter
    }

    func start() throws {
        board.expect(nil)
        observation = try store.observe(matter, at: .queue(queue), board.makeObservers())
        // There is no first call about commits.
        if matter == .persons { _ = try board.wait() }
        rest()
    }

    func wait() throws -> (first: UInt64, last: UInt64) { try board.wait() }
    func rest() { queue.sync {} }

    func stop() {
        observation = nil
        rest()
    }
}

/// Another thread, called by its run loop.
final class ThreadReceiver: ChangeReceiver {
    // Sendable because only the receiving thread uses it.
    private final class Held: @unchecked Sendable {
        var store: (any PersonStore)?
        var observation: (any PersonObservation)?
    }

    private let thread = RunLoopThread(name: "receiver")
    private let held = Held()
    private let open: @Sendable () throws -> any PersonStore
    private let board: NoticeBoard

    init(_ open: @escaping @Sendable () throws -> any PersonStore, _ board: NoticeBoard) {
        self.open = open
        self.board = board
    }

    func start() throws {
        board.expect(nil)
        try thread.run { [held, open, board] in
            let store = try open()
            held.store = store
            held.observation = try store.observe(.persons, at: .runLoop, board.makeObservers())
        }
        _ = try board.wait()
        try rest()
    }

    func wait() throws -> (first: UInt64, last: UInt64) { try board.wait() }
    func rest() throws { try thread.run {} }

    func stop() throws {
        try thread.run { [held] in
            held.observation = nil
            held.store = nil
        }
        thread.stop()
    }
}
