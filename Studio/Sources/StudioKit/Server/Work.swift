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
    /// What runs and has a name, by which a page stops it.
    private let tasks = Mutex<[String: StopRequest]>([:])

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
        _ request: Request, _ answer: (RequestBody, StopRequest) async throws -> Response
    ) async throws -> Response {
        let stop = StopRequest()
        let name = request.parameter("task")
        if let name { tasks.withLock { $0[name] = stop } }
        defer { if let name { tasks.withLock { _ = $0.removeValue(forKey: name) } } }
        var response = try await request.body.consumeWithCancellationOnInboundClose { body in
            try await withTaskCancellationHandler {
                try await answer(body, stop)
            } onCancel: {
                stop.make()
            }
        }
        response.headers[.connection] = "close"
        return response
    }

    func stop(_ name: String) { tasks.withLock { $0[name] }?.make() }
}
