import CRealmSystem
import Glibc

extension System {
    /// The number of processors on which the calling thread may run.
    static var processorCount: Int { Int(realm_processor_count()) }

    /// Starts a thread that belongs to the process and is never joined. It gets no signals, because
    /// those are for the threads of the program. Returns whether it was started.
    ///
    /// - Parameter name: What tools show; at most 15 bytes.
    static func startThread(
        named name: String, stackSize: Int, _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackSize)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let named: @Sendable () -> Void = {
            realm_name_thread(name)
            body()
        }
        let box = Unmanaged.passRetained(ThreadBody(named))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, &attributes,
            {
                Unmanaged<ThreadBody>.fromOpaque($0!).takeRetainedValue().body()
                return nil
            }, box.toOpaque())
        if code != 0 { box.release() }
        return code == 0
    }
}

private final class ThreadBody: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
