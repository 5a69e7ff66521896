import Hummingbird
import NIOPosix
import StorageEngine
import Synchronization

/// Threads for what reads files, so that the threads of connections never wait for a disk.
///
/// Rows whose place is known have threads of their own, and never wait behind a search. Of
/// searches, those of a client that has gone are not begun.
final class Work: Sendable {
    private let quick = NIOThreadPool(numberOfThreads: 2)
    private let slow = NIOThreadPool(numberOfThreads: 3)
    private let changes = NIOThreadPool(numberOfThreads: 2)
    /// What runs and has a name, by which a page asks how far it is, and stops it.
    private let tasks = Mutex<[String: LongTask]>([:])

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

    func slowly<Answer: Sendable>(
        _ body: @escaping @Sendable () throws -> Answer
    ) async throws -> Answer {
        try await slow.runIfActive(body)
    }

    // MARK: Stopping

    /// Answers a request whose work ends when its client goes away, or when the page asks for that
    /// by the name that the request has (`task`).
    ///
    /// Whether the client is still there is seen by reading on, so the connection ends with the
    /// answer.
    func stoppable(
        _ request: Request, _ answer: (RequestBody, LongTask) async throws -> Response
    ) async throws -> Response {
        let task = LongTask()
        let name = request.parameter("task")
        if let name { tasks.withLock { $0[name] = task } }
        defer { if let name { tasks.withLock { _ = $0.removeValue(forKey: name) } } }
        var response = try await request.body.consumeWithCancellationOnInboundClose { body in
            try await withTaskCancellationHandler {
                try await answer(body, task)
            } onCancel: {
                task.stop.make()
            }
        }
        response.headers[.connection] = "close"
        return response
    }

    func stop(_ name: String) { tasks.withLock { $0[name] }?.stop.make() }

    /// Returns how far a task is; nil if there is none of the name.
    func progress(of name: String) -> LongTask.Progress? {
        tasks.withLock { $0[name] }?.progress
    }
}

/// Work that takes long: how far it is, and whether it is to stop.
final class LongTask: Sendable {
    struct Progress: Encodable {
        var done: UInt64 = 0
        /// About how much there is to do; 0 until that is known.
        var all: UInt64 = 0
    }

    let stop = StopRequest()
    private let state = Mutex(Progress())

    var progress: Progress { state.withLock { $0 } }

    func tell(done: UInt64, of all: UInt64) {
        state.withLock { $0 = Progress(done: done, all: all) }
    }
}
