import Glibc
import Synchronization

/// The orderly end of a run after a signal. The handler kills the process of the current case,
/// which lets the main thread continue. The main thread then finds the request, removes the
/// database files and exits.
package enum Interruption {
    /// The signals of Control-C, a request to terminate, a closed terminal, and a pipe without
    /// reader.
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGPIPE]
    /// The first signal received; 0 before.
    private static let received = Atomic<Int32>(0)
    /// The process identifier of the current case; 0 if there is none.
    private static let child = Atomic<Int32>(0)

    /// Catches the signals from now on, even if the parent process had blocked them. Unlike an
    /// ignored signal, a handler is not inherited by the processes of cases. Call it on the main
    /// thread before other threads start, since these inherit the mask of blocked signals.
    package static func watch() {
        // Static atomics are initialised on first use, which must not happen in a signal handler.
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
        // The signal may have arrived between the start of the process and the store above.
        if received.load(ordering: .sequentiallyConsistent) != 0 { kill(process, SIGKILL) }
    }

    package static func caseEnded() { child.store(0, ordering: .sequentiallyConsistent) }

    package static func throwIfRequested() throws {
        let number = received.load(ordering: .sequentiallyConsistent)
        if number != 0 { throw BenchmarkError(.interrupted(number), "Interrupted.") }
    }
}
