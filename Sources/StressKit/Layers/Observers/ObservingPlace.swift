import CoreFoundation
import Foundation
import StorageEngine
import StressModel
import ToolSupport

/// Where a Realm is observed.
final class ObservingPlace: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        /// A serial queue.
        case queue
        /// A thread that runs its run loop.
        case runLoop = "run-loop"
        /// A serial queue, for observers that are registered on another thread.
        case passed
        /// The main queue, of a process whose main thread runs its run loop.
        case main
    }

    let kind: Kind
    /// The queue; nil for a run loop.
    let queue: DispatchQueue?
    private let loop: LoopThread?

    init(_ kind: Kind) {
        self.kind = kind
        queue =
            switch kind {
            case .queue, .passed: DispatchQueue(label: "observing")
            case .main: .main
            case .runLoop: nil
            }
        loop = kind == .runLoop ? LoopThread() : nil
    }

    deinit { loop?.end() }

    /// Ends the thread, and waits for that. Nothing may be run here afterwards.
    func end() { loop?.endAndWait() }

    /// Has a function run here soon.
    func start(_ body: @escaping @Sendable () -> Void) {
        queue?.async(execute: body)
        loop?.perform(body)
    }

    /// Seconds to wait for what takes milliseconds.
    private static let patienceSeconds: UInt64 = 30

    /// Runs a function here, and waits for it.
    ///
    /// - Throws: what the function throws; a ``Finding`` if it is not run in time.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        let result = Locked<Result<Value, any Error>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        start {
            let value = Result { try body() }
            result.withLock { $0 = value }
            isDone.signal()
        }
        // Other threads may wake up again and again meanwhile, so a worker that hangs here would
        // not look like it.
        if isDone.wait(timeout: .now() + .milliseconds(10)) == .timedOut {
            try Patience.wait(
                seconds: Self.patienceSeconds,
                orFind: "a place (\(kind.rawValue)) does not get to what it is asked"
            ) { isDone.wait(timeout: .now()) == .success }
        }
        return try result.withLock { try $0!.get() }
    }

    /// Runs the run loop of this place for a moment, from a handler.
    func turn() { loop?.turn() }
}

/// A thread that runs its run loop.
// Unchecked because `loop` is set before the initializer returns, and the other variables are used
// on the thread only.
private final class LoopThread: @unchecked Sendable {
    private var loop: CFRunLoop!
    private var hasEnded = false
    private let isOver = DispatchSemaphore(value: 0)
    /// How many handlers are running the loop.
    private var depth = 0

    private static let stackSize = 8 << 20
    private static let turnSeconds = 0.002

    init() {
        let hasBegun = DispatchSemaphore(value: 0)
        let thread = Thread { [self] in
            loop = CFRunLoopGetCurrent()
            // A run loop without a timer or source returns at once.
            let idle = Timer(timeInterval: 3_600, repeats: true) { _ in }
            RunLoop.current.add(idle, forMode: .default)
            hasBegun.signal()
            while !hasEnded { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
            idle.invalidate()
            isOver.signal()
        }
        thread.stackSize = Self.stackSize
        thread.start()
        hasBegun.wait()
    }

    /// Has the loop call a function soon, but not while a handler runs the loop.
    func perform(_ body: @escaping @Sendable () -> Void) {
        // `RunLoop.perform` does not wake the loop on Linux. What a loop has not called when its
        // thread ends must not keep it: it has three file descriptors.
        CFRunLoopPerformBlock(loop, kCFRunLoopDefaultMode) { [weak self] in
            guard let self else { return }
            if depth == 0 { body() } else { perform(body) }
        }
        CFRunLoopWakeUp(loop)
    }

    func turn() {
        depth += 1
        defer { depth -= 1 }
        let end = Date(timeIntervalSinceNow: Self.turnSeconds)
        _ = RunLoop.current.run(mode: .default, before: end)
    }

    func end() {
        perform { [weak self] in
            self?.hasEnded = true
            // Otherwise the loop would go on waiting: no source has been handled.
            CFRunLoopStop(CFRunLoopGetCurrent())
        }
    }

    func endAndWait() {
        end()
        isOver.wait()
        isOver.signal()
    }
}
