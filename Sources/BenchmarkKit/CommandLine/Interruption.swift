import Glibc
import Synchronization

/// Ends a run early, in order, when a signal asks for it: the process of the current case is
/// killed, which lets the main thread go on; that finds the request, removes the database files
/// and exits.
package enum Interruption {
    /// Control-C, a polite end, a closed terminal, a pipe whose reader went away.
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGPIPE]
    /// The first signal that came; 0 before.
    private static let received = Atomic<Int32>(0)
    /// The process of the current case; 0 if there is none.
    private static let child = Atomic<Int32>(0)

    /// From now on the signals are caught, also when whoever started this process blocked them. A
    /// handler, unlike ignoring a signal, is not inherited by the processes of cases. On the main
    /// thread, before other threads are started, which block what it blocks.
    package static func watch() {
        // Atomics are made on first use, which must not be in a signal handler.
        received.store(0, ordering: .sequentiallyConsistent)
        child.store(0, ordering: .sequentiallyConsistent)
        var caught = sigset_t()
        sigemptyset(&caught)
        for number in signals {
            sigaddset(&caught, number)
            signal(number) { number in
                _ = Interruption.received.compareExchange(
                    expected: 0, desired: number, ordering: .sequentiallyConsistent)
                let process = Interruption.child.load(ordering: .sequentiallyConsistent)
                if process > 0 { kill(process, SIGKILL) }
            }
        }
        pthread_sigmask(SIG_UNBLOCK, &caught, nil)
    }

    package static func caseStarted(_ process: Int32) {
        child.store(process, ordering: .sequentiallyConsistent)
        // The signal may have come between starting the process and the line above.
        if received.load(ordering: .sequentiallyConsistent) != 0 { kill(process, SIGKILL) }
    }

    package static func caseEnded() { child.store(0, ordering: .sequentiallyConsistent) }

    package static func throwIfRequested() throws {
        let number = received.load(ordering: .sequentiallyConsistent)
        if number != 0 { throw BenchmarkError(.interrupted(number), "Interrupted.") }
    }
}
