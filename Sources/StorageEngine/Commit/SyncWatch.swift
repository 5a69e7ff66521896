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
final class SyncWatch: Sendable {
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
                durable: isHopeless ? visible : coordinator.survivingVersion)
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
    private let futexes = FutexSet()
    private let forkGeneration = realm_fork_generation()

    private static let stackSize = 256 << 10

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
            watch.futexes.wakeUp()
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
        // Safe because no watch is ever released.
        let isRunning = System.startThread(
            named: "realm.syncs", stackSize: Self.stackSize
        ) { [unowned self] in run() }
        // Without the thread this process syncs its own commits, and the next database tries again.
        if !isRunning { state.withLock { $0.isRunning = false } }
    }

    private func run() {
        while true {
            futexes.begin()
            let now = System.monotonicNanoseconds
            var nextLook = UInt64.max
            state.withLock { state in
                state.isPolling = false
                for index in state.entries.values.indices {
                    let coordinator = state.entries.values[index].coordinator
                    let signal = coordinator.wakeWatch()
                    if let time = state.entries.values[index].look(at: now, signal: signal) {
                        nextLook = min(nextLook, time)
                    } else if !futexes.add(coordinator.sleepingWatch(signal)) {
                        state.isPolling = true
                        nextLook = min(nextLook, now + FutexSet.pollInterval)
                    }
                }
            }
            futexes.sleep(until: nextLook)
        }
    }
}
