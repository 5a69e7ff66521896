import Foundation

/// Threads that are started together, and whether all of them have ended.
package final class ThreadGroup: @unchecked Sendable {
    // Safe because `running` is only accessed with `lock` held.
    private let lock = NSLock()
    private var running = 0

    package init() {}

    package func start(name: String, _ body: @escaping @Sendable () -> Void) {
        lock.lock()
        running += 1
        lock.unlock()
        let thread = Thread { [self] in
            body()
            lock.lock()
            running -= 1
            lock.unlock()
        }
        thread.name = name
        thread.start()
    }

    package var isFinished: Bool {
        lock.lock()
        defer { lock.unlock() }
        return running == 0
    }
}
