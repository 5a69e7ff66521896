import Foundation

/// A thread that runs until its body ends. The body is asked to stop by ``finish()``, or when this
/// object is released.
package final class BackgroundThread<Output: Sendable>: Sendable {
    // Unchecked because every access is under the lock.
    private final class State: @unchecked Sendable {
        private let lock = NSLock()
        private var isStopped = false
        private var result: Result<Output, Error>?
        let done = DispatchSemaphore(value: 0)

        var mustStop: Bool { lock.withLock { isStopped } }
        func stop() { lock.withLock { isStopped = true } }
        func end(_ outcome: Result<Output, Error>) {
            lock.withLock { result = outcome }
            done.signal()
        }
        var isDone: Bool { lock.withLock { result != nil } }
        func output() throws -> Output { try lock.withLock { try result!.get() } }
    }

    private let state = State()

    package init(
        name: String? = nil,
        _ body: @escaping @Sendable (_ isStopped: () -> Bool) throws -> Output
    ) {
        let state = state
        let hasBegun = DispatchSemaphore(value: 0)
        let thread = Thread {
            hasBegun.signal()
            state.end(Result { try body { state.mustStop } })
        }
        if let name { thread.name = name }
        thread.stackSize = 8 << 20
        thread.start()
        // Foundation initializes itself at the start of the first thread. Two threads, or a fork,
        // that meet there can wait for each other without end.
        hasBegun.wait()
    }

    package var isDone: Bool { state.isDone }

    /// Waits for the thread to end by itself.
    package func wait() throws -> Output {
        state.done.wait()
        return try state.output()
    }

    /// Tells the thread to stop, and waits for its end.
    package func finish() throws -> Output {
        state.stop()
        return try wait()
    }

    deinit { state.stop() }
}
