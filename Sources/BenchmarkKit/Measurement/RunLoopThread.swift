import CoreFoundation
import Foundation
import StorageEngine

/// Work in the run loop of the caller's thread, as the main thread of an application does it.
enum CallerRunLoop {
    /// Calls `body` from the running run loop of the caller's thread.
    static func run<Value>(_ body: () throws -> Value) throws -> Value {
        let result = RunLoopResult<Value>()
        withoutActuallyEscaping(body) { body in
            // Unsafe for the compiler only: the run loop calls it on this thread, below.
            nonisolated(unsafe) let body = body
            RunLoop.current.perform {
                result.value = Result { try body() }
                CFRunLoopStop(CFRunLoopGetCurrent())
            }
            while result.value == nil { CFRunLoopRun() }
        }
        guard let value = result.value else { preconditionFailure("The run loop has not run.") }
        return try value.get()
    }

    /// Runs the run loop until it has done something, or until the time has passed.
    static func turn(seconds: Double) {
        CFRunLoopRunInMode(kCFRunLoopDefaultMode, seconds, true)
    }
}

// Sendable because only the thread of the run loop uses it.
private final class RunLoopResult<Value>: @unchecked Sendable {
    var value: Result<Value, any Error>?
}

/// A thread that runs its run loop and does what it is given there.
final class RunLoopThread: @unchecked Sendable {
    // Safe because `loop` and `source` are set before `init` returns and never change afterwards.
    private let work = Locked<[@Sendable () -> Void]>([])
    private let hasEnded = DispatchSemaphore(value: 0)
    private var loop: CFRunLoop?
    private var source: CFRunLoopSource?

    init(name: String) {
        let isReady = DispatchSemaphore(value: 0)
        let thread = Thread { [self] in
            addSource()
            isReady.signal()
            CFRunLoopRun()
            hasEnded.signal()
        }
        thread.name = name
        thread.start()
        isReady.wait()
    }

    private func addSource() {
        var context = CFRunLoopSourceContext()
        // Unretained is safe because `stop` waits for the thread, so the object outlives its run
        // loop.
        context.info = Unmanaged.passUnretained(self).toOpaque()
        context.perform = { information in
            Unmanaged<RunLoopThread>.fromOpaque(information!).takeUnretainedValue().doWork()
        }
        source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
        loop = CFRunLoopGetCurrent()
        CFRunLoopAddSource(loop, source, kCFRunLoopDefaultMode)
    }

    private func doWork() {
        let taken = work.withLock { work in
            defer { work = [] }
            return work
        }
        for body in taken { body() }
    }

    /// Calls `body` from the thread's run loop and waits until it returns.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        let result = Locked<Result<Value, any Error>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        work.withLock { work in
            work.append {
                let value = Result { try body() }
                result.withLock { $0 = value }
                isDone.signal()
            }
        }
        CFRunLoopSourceSignal(source)
        CFRunLoopWakeUp(loop)
        isDone.wait()
        guard let value = result.withLock({ $0 }) else {
            preconditionFailure("The run loop has not run.")
        }
        return try value.get()
    }

    /// Ends the thread after the work that it was given, and waits for its end. Called once; a
    /// thread that is not stopped lives as long as the process.
    func stop() {
        try? run { CFRunLoopStop(CFRunLoopGetCurrent()) }
        hasEnded.wait()
    }
}
