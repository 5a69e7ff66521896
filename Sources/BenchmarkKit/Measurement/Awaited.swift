import Dispatch
import StorageEngine

/// The end of asynchronous work, for a thread that has nothing else to do.
enum Awaited {
    /// Runs `body` in a task and blocks the caller's thread until it returns.
    @discardableResult
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let result = Locked<Result<Value, any Error>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            let value: Result<Value, any Error>
            do { value = .success(try await body()) } catch { value = .failure(error) }
            result.withLock { $0 = value }
            isDone.signal()
        }
        isDone.wait()
        guard let value = result.withLock({ $0 }) else {
            preconditionFailure("The task has left no result.")
        }
        return try value.get()
    }
}
