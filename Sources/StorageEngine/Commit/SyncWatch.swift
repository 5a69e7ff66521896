import CRealmSystem
import Glibc

/// A thread that takes over the syncs of other processes' relaxed commits: a process that dies
/// before its sync leaves it to the other processes that have the file open. One thread for all
/// databases of a process.
///
/// It sleeps as long as no other process makes relaxed commits, on a word in the shared memory of
/// each database (`futex_waitv`, Linux 5.16). Where that call is missing, or for more databases
/// than it takes, the thread polls several times a second.
///
/// A process that ends by `exit`, or by returning from `main`, syncs what it committed before.
// Unchecked because of the pointers: `changes` is accessed atomically only, and `waiters` by the
// thread only.
final class SyncWatch: @unchecked Sendable {
    private struct Entry {
        let coordinator: Coordinator
        let sync: BackgroundSync
        var lookout = SyncLookout()

        /// Returns when to look again; nil for when there is a signal other than `signal`.
        mutating func look(at now: UInt64, signal: UInt32) -> UInt64? {
            // A version that cannot be synced has nothing to take over.
            let isHopeless = coordinator.isPoisoned || coordinator.needsRecovery
            let visible = coordinator.visibleVersion
            let verdict = lookout.look(
                at: now, signal: signal, visible: visible,
                durable: isHopeless ? visible : coordinator.durableVersion)
            if verdict.takesOver, !planted(.leavesSyncOfTheDead) { sync.takeOver() }
            return verdict.nextLook
        }
    }

    private struct State {
        /// The databases, by the identity of their `sync`.
        var entries: [ObjectIdentifier: Entry] = [:]
        var isRunning = false
        /// Whether there were too many databases to sleep on when the thread looked last.
        var isPolling = false
    }

    private let state = Locked(State())
    /// Counts changes of the entries. The thread sleeps on it too.
    private let changes: UnsafeMutablePointer<UInt32>
    private let waiters: UnsafeMutablePointer<realm_futex_waiter>
    private let forkGeneration = realm_fork_generation()

    /// The most words that the kernel takes in one call.
    private static let mostWaiters = 128
    private static let pollInterval: UInt64 = 40_000_000
    private static let stackSize = 256 << 10

    private init() {
        changes = .allocate(capacity: 1)
        changes.initialize(to: 0)
        waiters = .allocate(capacity: Self.mostWaiters)
        waiters.initialize(repeating: realm_futex_waiter(), count: Self.mostWaiters)
    }

    // MARK: The watch of this process

    /// Its address, or 0. A word instead of a lock, which another thread may hold during a fork.
    // Unsafe for the compiler only: it is accessed atomically.
    nonisolated(unsafe) private static let address: UnsafeMutablePointer<UInt64> = {
        let word = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
        word.initialize(to: 0)
        return word
    }()

    private static func known() -> SyncWatch? {
        UnsafeRawPointer(bitPattern: UInt(address.loadAcquire())).map {
            // Safe because none is ever released.
            Unmanaged<SyncWatch>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Returns the watch of this process. A forked child gets a new one, because the thread stays
    /// with the parent.
    private static func ofThisProcess() -> SyncWatch {
        while true {
            let known = known()
            if let known, known.forkGeneration == realm_fork_generation() { return known }
            let new = Unmanaged.passRetained(SyncWatch())
            let word = UInt64(UInt(bitPattern: new.toOpaque()))
            let before = known.map { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) }
            if address.compareExchange(expected: UInt64(before ?? 0), desired: word) {
                atexit { SyncWatch.syncAtExit() }
                return new.takeUnretainedValue()
            }
            new.release()
        }
    }

    /// Begins to watch a database. Pair with ``remove(_:)``.
    static func add(_ sync: BackgroundSync, _ coordinator: Coordinator) -> SyncWatch {
        let watch = ofThisProcess()
        let thread = watch.state.withLock { state in
            state.entries[ObjectIdentifier(sync)] = Entry(coordinator: coordinator, sync: sync)
            defer { state.isRunning = true }
            // A polling thread need not be woken: woken for each of thousands of databases, it
            // would look at all of them each time.
            return (isFirst: !state.isRunning, isPolling: state.isPolling)
        }
        if thread.isFirst {
            watch.start()
        } else if !thread.isPolling {
            _ = watch.changes.fetchAdd(1)
            System.wake(watch.changes)
        }
        return watch
    }

    /// Stops watching a database. Before the memory that the coordinator shares is unmapped.
    func remove(_ sync: BackgroundSync) {
        state.withLock { _ = $0.entries.removeValue(forKey: ObjectIdentifier(sync)) }
        // The thread may sleep on the word that goes; it is woken by other words or by the time.
    }

    private static func syncAtExit() {
        guard let watch = known(), watch.forkGeneration == realm_fork_generation() else { return }
        for sync in watch.state.withLock({ $0.entries.values.map(\.sync) }) { try? sync.syncNow() }
    }

    // MARK: The thread

    private func start() {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, Self.stackSize)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // Signals are for the threads of the program.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let code = pthread_create(
            &thread, &attributes,
            { watch in
                Unmanaged<SyncWatch>.fromOpaque(watch!).takeUnretainedValue().run()
            }, Unmanaged.passUnretained(self).toOpaque())
        // Without the thread this process syncs its own commits, and the next database tries again.
        if code != 0 { state.withLock { $0.isRunning = false } }
    }

    private func run() -> Never {
        while true {
            let expected = changes.loadSequential()
            let now = System.monotonicNanoseconds
            waiters[0] = realm_futex_waiter_make(changes, expected, false)
            var count = 1
            var nextLook = UInt64.max
            state.withLock { state in
                state.isPolling = false
                for index in state.entries.values.indices {
                    let coordinator = state.entries.values[index].coordinator
                    let signal = coordinator.wakeWatch()
                    if let time = state.entries.values[index].look(at: now, signal: signal) {
                        nextLook = min(nextLook, time)
                    } else if count < Self.mostWaiters {
                        waiters[count] = coordinator.sleepingWatch(signal)
                        count += 1
                    } else {
                        state.isPolling = true
                        nextLook = min(nextLook, now + Self.pollInterval)
                    }
                }
            }
            wait(count, until: nextLook, expected)
        }
    }

    private func wait(_ count: Int, until end: UInt64, _ expected: UInt32) {
        let now = System.monotonicNanoseconds
        let remaining = end == .max ? -1 : Int64(end > now ? end - now : 0)
        switch realm_futex_wait_any(waiters, UInt32(count), remaining) {
        // EFAULT: a database was closed meanwhile, and its memory is unmapped.
        case 0, EAGAIN, EINTR, ETIMEDOUT, EFAULT: return
        default:
            let most = Int64(Self.pollInterval)
            let rest = remaining < 0 ? most : min(remaining, most)
            System.wait(on: changes, while: expected, timeout: .nanoseconds(rest))
        }
    }
}
