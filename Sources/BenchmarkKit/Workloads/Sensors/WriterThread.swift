import CoreFoundation
import Foundation

/// The handler of the readings of a writer thread. Created on the thread and used only there.
protocol ReadingHandler: AnyObject {
    func handle(_ readings: [ProducedReading])
    /// Writes the buffered readings.
    func flush()
    /// Ends the handler after the last reading.
    func finish()
}

/// A thread with its own run loop and a mailbox. The mailbox is a run-loop source: posting to an
/// empty mailbox signals the source and wakes the loop. A loop that is awake takes all messages.
final class WriterThread: @unchecked Sendable {
    // Safe because `mailbox`, `spare`, `phase` and `failure` are only accessed with `condition`
    // locked. `runLoop` and `source` are set before `start` returns and never change afterwards.
    // `handler` is only used on the thread.
    private struct Mailbox {
        var readings: [ProducedReading] = []
        var wantsFlush = false
        var wantsStop = false

        var isEmpty: Bool { readings.isEmpty && !wantsFlush && !wantsStop }
    }

    private enum Phase { case starting, running, finished }

    private let condition = NSCondition()
    private var mailbox = Mailbox()
    private var spare: [ProducedReading] = []
    private var phase = Phase.starting
    private var failure: (any Error)?
    private var runLoop: CFRunLoop?
    private var source: CFRunLoopSource?
    private var handler: (any ReadingHandler)?
    private let makeHandler: @Sendable () throws -> any ReadingHandler

    init(makeHandler: @escaping @Sendable () throws -> any ReadingHandler) {
        self.makeHandler = makeHandler
    }

    /// Starts the thread and returns once its handler exists. Throws the error of creating it.
    func start() throws {
        let thread = Thread { [self] in runThread() }
        thread.name = "writer"
        thread.start()
        condition.lock()
        defer { condition.unlock() }
        while phase == .starting { condition.wait() }
        if let failure { throw failure }
    }

    func post(_ reading: ProducedReading) { post { $0.readings.append(reading) } }
    func requestFlush() { post { $0.wantsFlush = true } }

    /// Returns once everything posted has been handled and the thread has released its handler.
    func stop() {
        post { $0.wantsStop = true }
        condition.lock()
        while phase != .finished { condition.wait() }
        condition.unlock()
    }

    private func post(_ change: (inout Mailbox) -> Void) {
        condition.lock()
        let wasEmpty = mailbox.isEmpty
        change(&mailbox)
        condition.unlock()
        guard wasEmpty, let source, let runLoop else { return }
        CFRunLoopSourceSignal(source)
        CFRunLoopWakeUp(runLoop)
    }

    private func runThread() {
        do {
            handler = try makeHandler()
            addSource()
            advance(to: .running)
            CFRunLoopRun()
            handler?.finish()
        } catch {
            condition.lock()
            failure = error
            condition.unlock()
        }
        handler = nil
        advance(to: .finished)
    }

    private func advance(to next: Phase) {
        condition.lock()
        phase = next
        condition.broadcast()
        condition.unlock()
    }

    private func addSource() {
        var context = CFRunLoopSourceContext()
        // Unretained is safe because `stop` waits for the thread, so the object outlives its run
        // loop.
        context.info = Unmanaged.passUnretained(self).toOpaque()
        context.perform = { information in
            Unmanaged<WriterThread>.fromOpaque(information!).takeUnretainedValue().drain()
        }
        source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
        runLoop = CFRunLoopGetCurrent()
        CFRunLoopAddSource(runLoop, source, kCFRunLoopDefaultMode)
    }

    /// Handles the whole mailbox, on the thread. It is swapped out first, so that posting continues
    /// meanwhile.
    private func drain() {
        condition.lock()
        var taken = mailbox
        mailbox = Mailbox(readings: spare)
        condition.unlock()
        handler?.handle(taken.readings)
        if taken.wantsFlush || taken.wantsStop { handler?.flush() }
        if taken.wantsStop { CFRunLoopStop(CFRunLoopGetCurrent()) }
        taken.readings.removeAll(keepingCapacity: true)
        condition.lock()
        spare = taken.readings
        condition.unlock()
    }
}

/// A sink that posts a producer's readings to the mailbox of a writer thread.
final class MailboxSink: ReadingSink {
    private let environment: WriterEnvironment
    private let thread: WriterThread

    init(_ environment: WriterEnvironment, _ thread: WriterThread) {
        self.environment = environment
        self.thread = thread
    }

    func submit(_ reading: ProducedReading) { thread.post(environment.admit(reading)) }
}

/// A strategy whose readings all go to one thread.
protocol WriterThreadStrategy: WriterStrategy {
    var environment: WriterEnvironment { get }
    var thread: WriterThread { get }
}

extension WriterThreadStrategy {
    func start() throws { try thread.start() }
    func makeSink() throws -> any ReadingSink { MailboxSink(environment, thread) }

    func drain() {
        thread.requestFlush()
        environment.gate.waitUntilEmpty()
    }

    func stop() { thread.stop() }
}
