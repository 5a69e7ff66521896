import Foundation

/// Threads that start their work together, and the output of each.
///
/// A worker prepares and then waits at the start for all others. It works only if no worker has
/// failed.
package final class WorkerThreads<Output: Sendable>: @unchecked Sendable {
    // Safe because the mutable state is only accessed with `condition` locked.
    private let condition = NSCondition()
    private let count: Int
    private var arrived = 0
    private var mayStart = false
    private var outputs: [Output?]
    private var ended = 0
    private var failure: (any Error)?

    /// The start line that a prepared worker waits at. `wait` returns once all may begin; it
    /// returns false if another worker failed, and the caller then has nothing to do.
    package struct Start {
        fileprivate let arrive: () -> Bool

        package func wait() -> Bool { arrive() }
    }

    /// Starts `count` threads that run `body` with their number and the common start line.
    package init(
        count: Int, name: String,
        _ body: @escaping @Sendable (_ number: Int, _ start: Start) throws -> Output?
    ) {
        self.count = count
        outputs = Array(repeating: nil, count: count)
        for number in 0..<count {
            let thread = Thread { [self] in
                let result = Result { try body(number, Start { self.arrive() }) }
                end(number, result)
            }
            thread.name = "\(name) \(number)"
            thread.start()
        }
    }

    private func arrive() -> Bool {
        condition.lock()
        defer { condition.unlock() }
        arrived += 1
        condition.broadcast()
        while !mayStart && failure == nil { condition.wait() }
        return failure == nil
    }

    private func end(_ number: Int, _ result: Result<Output?, any Error>) {
        condition.lock()
        defer { condition.unlock() }
        switch result {
        case .success(let output): outputs[number] = output
        case .failure(let error): if failure == nil { failure = error }
        }
        ended += 1
        condition.broadcast()
    }

    /// Whether a worker has failed, so that the others need not continue.
    package var hasFailed: Bool {
        condition.lock()
        defer { condition.unlock() }
        return failure != nil
    }

    /// Waits until every worker is ready, or until one has failed.
    package func waitUntilReady() {
        condition.lock()
        defer { condition.unlock() }
        while arrived < count && failure == nil { condition.wait() }
    }

    /// Starts the workers and waits for all of them. Returns their outputs in the order of their
    /// numbers. Calls `tick` every `tickSeconds` meanwhile.
    ///
    /// - Throws: the first error of a worker.
    package func run(tickSeconds: Double = 0.1, _ tick: () -> Void = {}) throws -> [Output] {
        condition.lock()
        mayStart = true
        condition.broadcast()
        var next = Date(timeIntervalSinceNow: tickSeconds)
        while ended < count {
            if !condition.wait(until: next) {
                condition.unlock()
                tick()
                condition.lock()
                next = Date(timeIntervalSinceNow: tickSeconds)
            }
        }
        defer { condition.unlock() }
        if let failure { throw failure }
        return outputs.compactMap { $0 }
    }
}
