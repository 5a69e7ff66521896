import CoreFoundation
import Dispatch
import Foundation
import StorageEngine

/// Runs functions where a Realm is confined.
enum Scheduler {
    case queue(DispatchQueue)
    case runLoop(RunLoopWork)
    case actor(ActorMark)

    /// Has a function run soon. Any thread may call it. The function is dropped if the run loop's
    /// thread ends, or if the actor is gone. On an actor, functions may run in another order.
    func schedule(_ body: @escaping @Sendable () -> Void) {
        switch self {
        case .queue(let queue): queue.async(execute: body)
        case .runLoop(let work): work.add(body)
        case .actor(let mark):
            guard let actor = mark.actor else { return }
            Task.detached { await actor.run(body) }
        }
    }

    /// Drops what waits for a run loop. Its thread may have ended, so that nothing would release
    /// it. Any thread may call this.
    func end() {
        if case .runLoop(let work) = self { work.end() }
    }
}

/// Functions that the run loop of a thread calls, in order.
///
/// A source of the run loop, because `RunLoop.perform` does not wake a loop that sleeps.
final class RunLoopWork: Sendable {
    private let source: RunLoopSource

    /// Creates the work of the calling thread's run loop.
    init() { source = RunLoopSource() }

    deinit { source.end() }

    /// Drops what has not run, and what is added from now on.
    func end() { source.end() }

    func add(_ body: @escaping @Sendable () -> Void) { source.add(body) }

    /// Ends all work of the calling thread, which is ending, so that its run loop goes with it.
    static func threadDidEnd() { RunLoopSource.threadDidEnd() }
}

/// The source, and what the run loop refers to.
///
/// It is invalidated on the thread of its loop only. Elsewhere, the loop might be about to call it.
// Unchecked because of the loop and the source, of which only thread-safe functions are called, and
// which are set once.
private final class RunLoopSource: @unchecked Sendable {
    private struct State {
        var pending: [@Sendable () -> Void] = []
        var hasEnded = false
    }

    private typealias Sources = [ObjectIdentifier: RunLoopSource]

    /// The sources that are not invalidated, by the identities of their threads.
    private static let ofThreads = Locked<[UInt: Sources]>(heldByForks: [:])

    private let state = Locked(State())
    private let thread = currentThread()
    private let loop: CFRunLoop = CFRunLoopGetCurrent()
    private var source: CFRunLoopSource?

    init() {
        var context = CFRunLoopSourceContext()
        context.info = Unmanaged.passUnretained(self).toOpaque()
        // The source keeps this object until it is invalidated.
        context.retain = { info in
            _ = Unmanaged<RunLoopSource>.fromOpaque(info!).retain()
            return info
        }
        context.release = { info in Unmanaged<RunLoopSource>.fromOpaque(info!).release() }
        context.perform = { info in
            // A retained reference, because the function may invalidate the source.
            Unmanaged<RunLoopSource>.fromOpaque(info!).retain().takeRetainedValue().run()
        }
        source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
        CFRunLoopAddSource(loop, source, kCFRunLoopCommonModes)
        Self.ofThreads.withLock { $0[thread, default: [:]][ObjectIdentifier(self)] = self }
    }

    /// Ends the sources of the calling thread. Its run loop has been taken apart already, and must
    /// not be asked for: that would make another one.
    static func threadDidEnd() {
        let sources = ofThreads.withLock { $0.removeValue(forKey: currentThread()) }
        for source in (sources ?? [:]).values { source.end() }
    }

    /// Drops `body` if the source has ended.
    func add(_ body: @escaping @Sendable () -> Void) {
        let isPending = state.withLock { state in
            if !state.hasEnded { state.pending.append(body) }
            return !state.hasEnded
        }
        if isPending { signal() }
    }

    /// Drops what is pending and removes the source.
    func end() {
        state.withLock { $0 = State(hasEnded: true) }
        if thread == currentThread() { invalidate() } else { signal() }
    }

    private func signal() {
        CFRunLoopSourceSignal(source)
        CFRunLoopWakeUp(loop)
    }

    private func invalidate() {
        Self.ofThreads.withLock { threads in
            threads[thread]?[ObjectIdentifier(self)] = nil
            if threads[thread]?.isEmpty == true { threads[thread] = nil }
        }
        CFRunLoopSourceInvalidate(source)
    }

    private func run() {
        let (bodies, hasEnded) = state.withLock { state in
            defer { state.pending = [] }
            return (state.pending, state.hasEnded)
        }
        if hasEnded { return invalidate() }
        for body in bodies { body() }
    }
}
