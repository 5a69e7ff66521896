import Foundation

// Places with a scheduler, which observing needs: a thread with a running run loop, and a serial
// dispatch queue. Waiting is for a condition, with a limit after which a test fails.

/// A condition did not come to hold in time.
struct WaitingTooLong: Error {}

private let limit = Duration.seconds(600)

/// Runs `body` on a thread of its own, called from the running run loop of this thread.
func withRunLoopThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: runInLoop(body)) }
        thread.name = "observing"
        thread.start()
    }
}

/// Does the same, and blocks the caller's thread.
func runOnRunLoopThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) throws -> Value {
    try runThread { try runInLoop(body).get() }
}

/// What ran in the run loop. Unchecked because only the thread of the run loop uses it.
private final class LoopResult<Value>: @unchecked Sendable {
    var value: Result<Value, any Error>?
}

/// Runs `body` from the running run loop of this thread.
func runInLoop<Value>(
    _ body: @escaping @Sendable () throws -> Value
) -> Result<Value, any Error> {
    let result = LoopResult<Value>()
    // A run loop with no timer returns at once, and `RunLoop.perform` does not wake it on Linux.
    let idle = Timer(timeInterval: 3_600, repeats: true) { _ in }
    let start = Timer(timeInterval: 0, repeats: false) { _ in
        result.value = Result { try body() }
    }
    RunLoop.current.add(idle, forMode: .default)
    RunLoop.current.add(start, forMode: .default)
    defer { idle.invalidate() }
    while true {
        turnRunLoop()
        if let value = result.value { return value }
    }
}

/// Runs the run loop of this thread until something happens, or the time has passed.
func turnRunLoop(for seconds: Double = 0.02) {
    _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: seconds))
}

/// Runs the run loop of this thread until `condition` holds.
func pump(until condition: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + limit
    while try !condition() {
        if ContinuousClock.now > deadline { throw WaitingTooLong() }
        turnRunLoop()
    }
}

/// A serial queue on which a test observes.
struct ObservingQueue: Sendable {
    let queue = DispatchQueue(label: "observing")

    /// Runs `body` on the queue without blocking the caller's thread.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Asks on the queue until `condition` holds. Calls waiting in the queue run in between.
    func wait(until condition: @escaping @Sendable () -> Bool) async throws {
        let deadline = ContinuousClock.now + limit
        while try await !run(condition) {
            if ContinuousClock.now > deadline { throw WaitingTooLong() }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}

/// Carries a value that is used on one thread or queue at a time. Unchecked because tests wait
/// for one use before they begin the next.
final class Handed<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}

/// The entries that handlers made, on any thread. Unchecked because the lock guards them.
final class ChangeLog<Entry>: @unchecked Sendable {
    private let lock = NSLock()
    private var made: [Entry] = []

    var entries: [Entry] { lock.withLock { made } }
    var count: Int { lock.withLock { made.count } }

    func append(_ entry: Entry) { lock.withLock { made.append(entry) } }
    func removeAll() { lock.withLock { made.removeAll() } }
}
