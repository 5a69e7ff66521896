import Dispatch
import Foundation

/// The clients of a run. A single one works on the calling thread, several on threads of their own.
enum YCSBClients {
    case inline(YCSBClient)
    case threads([YCSBClientThread])

    /// Creates the clients; `make` runs on the thread that the client will belong to.
    init(count: Int, _ make: @escaping @Sendable (_ index: Int) throws -> YCSBClient) throws {
        if count == 1 {
            self = .inline(try make(0))
            return
        }
        let threads = (0..<count).map { index in YCSBClientThread(index) { try make(index) } }
        self = .threads(threads)
        do {
            for thread in threads { try thread.finishCall() }
        } catch {
            stop()
            throw error
        }
    }

    /// Runs a part of every client, all at the same time.
    func run(_ part: @escaping @Sendable (_ index: Int) -> YCSBSlice) throws -> [YCSBSliceOutcome] {
        switch self {
        case .inline(let client): return [try client.run(part(0))]
        case .threads(let threads):
            let box = OutcomeBox<YCSBSliceOutcome>(count: threads.count)
            for (index, thread) in threads.enumerated() {
                thread.startCall { client in box.set(index, try client.run(part(index))) }
            }
            try finish(threads)
            return box.outcomes()
        }
    }

    /// Reads a value of every client while none is running.
    func collect<Value: Sendable>(_ read: @escaping @Sendable (YCSBClient) -> Value) throws
        -> [Value]
    {
        switch self {
        case .inline(let client): return [read(client)]
        case .threads(let threads):
            let box = OutcomeBox<Value>(count: threads.count)
            for (index, thread) in threads.enumerated() {
                thread.startCall { client in box.set(index, read(client)) }
            }
            try finish(threads)
            return box.outcomes()
        }
    }

    /// Waits for all threads, then throws the first error.
    private func finish(_ threads: [YCSBClientThread]) throws {
        var failure: (any Error)?
        for thread in threads {
            do { try thread.finishCall() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Ends the threads, which closes their stores.
    func stop() {
        if case .threads(let threads) = self { threads.forEach { $0.stop() } }
    }
}

/// The results of several threads, one value each.
private final class OutcomeBox<Value: Sendable>: @unchecked Sendable {
    // Safe because `values` is only accessed with `lock` held.
    private let lock = NSLock()
    private var values: [Value?]

    init(count: Int) { values = Array(repeating: nil, count: count) }

    func set(_ index: Int, _ value: Value) {
        lock.lock()
        values[index] = value
        lock.unlock()
    }

    func outcomes() -> [Value] {
        lock.lock()
        defer { lock.unlock() }
        return values.compactMap { $0 }
    }
}

/// A client with a thread of its own, which runs one call after another.
final class YCSBClientThread: @unchecked Sendable {
    // Safe because `call` and `failure` are handed between two threads by the semaphores; each is
    // accessed by one side only while the other side waits.
    private let begun = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let stopped = DispatchSemaphore(value: 0)
    private var call: ((YCSBClient) throws -> Void)?
    private var failure: (any Error)?

    /// Starts the thread, which first creates its client. That is a call for which `finishCall`
    /// waits.
    init(_ index: Int, _ make: @escaping @Sendable () throws -> YCSBClient) {
        let thread = Thread { [self] in
            runCalls(make)
            stopped.signal()
        }
        thread.name = "client-\(index)"
        thread.start()
    }

    private func runCalls(_ make: () throws -> YCSBClient) {
        let client: YCSBClient?
        do {
            client = try make()
        } catch {
            client = nil
            failure = error
        }
        ended.signal()
        while true {
            begun.wait()
            guard let call else { return }
            do { if let client { try call(client) } } catch { failure = error }
            self.call = nil
            ended.signal()
        }
    }

    func startCall(_ body: @escaping @Sendable (YCSBClient) throws -> Void) {
        call = body
        begun.signal()
    }

    /// Waits for the end of the call and throws its error.
    func finishCall() throws {
        ended.wait()
        defer { failure = nil }
        if let failure { throw failure }
    }

    /// Ends the thread and returns once the client is released. Requires that no call is running.
    func stop() {
        call = nil
        begun.signal()
        stopped.wait()
    }
}
