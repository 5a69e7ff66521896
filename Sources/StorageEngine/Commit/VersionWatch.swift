import CRealmSystem

/// A thread that learns of new versions, whichever process commits them, and calls those who want
/// to know. One thread for all databases of a process.
///
/// It sleeps in one system call, without a time limit, on the wake-up word of each database that
/// has a subscription; see ``FutexSet``. Without subscriptions, commits do not wake it.
final class VersionWatch: Sendable {
    /// The subscriptions to one database.
    private struct Entry {
        let coordinator: Coordinator
        var subscriptions: [ObjectIdentifier: VersionSubscription] = [:]
        /// Whether commits do not wake the thread for now.
        var isPaused = false
        /// A transaction of this process that is being written, until the thread has looked at it.
        var coming: UnpublishedVersion?
        var pauses = PublicationPauses()
    }

    private struct State {
        /// By the identity of the coordinator.
        var entries: [ObjectIdentifier: Entry] = [:]
        var isRunning = false
    }

    private let state = Locked(State())
    private let futexes = FutexSet()
    private static let stackSize = 1 << 20
    /// How many subscribers a committing thread tells itself.
    private static let mostToldAtOnce = 4
    static let threadName = "realm.watch"

    /// The watch of this process. A forked child gets a new one, because the thread stays with the
    /// parent.
    static let ofProcess = ProcessLocal { VersionWatch() }

    /// Adds a subscription. Returns false if the thread cannot be started.
    fileprivate func add(_ subscription: VersionSubscription, _ coordinator: Coordinator) -> Bool {
        state.withLock { state in
            if !state.isRunning {
                // Safe because no watch is ever released.
                state.isRunning = System.startThread(
                    named: Self.threadName, stackSize: Self.stackSize
                ) {
                    [unowned self] in run()
                }
                if !state.isRunning { return false }
            }
            let identity = ObjectIdentifier(coordinator)
            if state.entries[identity] == nil {
                coordinator.beginSleeping()
                state.entries[identity] = Entry(coordinator: coordinator)
            }
            state.entries[identity]!.subscriptions[ObjectIdentifier(subscription)] = subscription
            if state.entries[identity]!.isPaused {
                coordinator.beginSleeping()
                state.entries[identity]!.isPaused = false
            }
            return true
        }
    }

    /// Removes a subscription. Its handler may be running, and is not called again.
    fileprivate func remove(_ subscription: VersionSubscription, _ coordinator: Coordinator) {
        let identity = ObjectIdentifier(coordinator)
        state.withLock { state in
            state.entries[identity]?.subscriptions[ObjectIdentifier(subscription)] = nil
            // The thread may sleep on the word that goes. It is woken by other words.
            if let entry = state.entries[identity], entry.subscriptions.isEmpty {
                if !entry.isPaused { coordinator.endSleeping() }
                state.entries[identity] = nil
            }
        }
    }

    /// Has commits not wake the thread, if no other subscription needs it.
    fileprivate func pause(_ coordinator: Coordinator) {
        state.withLock { state in
            let identity = ObjectIdentifier(coordinator)
            guard let entry = state.entries[identity], entry.subscriptions.count == 1,
                !entry.isPaused
            else { return }
            coordinator.endSleeping()
            state.entries[identity]!.isPaused = true
        }
    }

    fileprivate func resume(_ coordinator: Coordinator) {
        state.withLock { state in
            let identity = ObjectIdentifier(coordinator)
            guard state.entries[identity]?.isPaused == true else { return }
            coordinator.beginSleeping()
            state.entries[identity]!.isPaused = false
        }
    }

    fileprivate func wakeUp() { futexes.wakeUp() }

    // MARK: Transactions of this process

    /// Has subscribers prepare for a version while it is being written.
    func announce(_ coming: UnpublishedVersion, of coordinator: Coordinator) {
        let isAwaited = state.withLock { state in
            let identity = ObjectIdentifier(coordinator)
            guard let entry = state.entries[identity], !entry.isPaused else { return false }
            state.entries[identity]!.coming = coming
            return true
        }
        if isAwaited { futexes.wakeUp() }
    }

    /// Tells the subscribers that a version is published. Called by the thread that has done so.
    func tellPublished(_ version: UInt64, of coordinator: Coordinator) {
        let subscriptions = state.withLock { state in
            state.entries[ObjectIdentifier(coordinator)].map { Array($0.subscriptions.values) }
        }
        // The thread tells them as well, so those that are left out only hear of it later.
        for subscription in (subscriptions ?? []).prefix(Self.mostToldAtOnce) {
            subscription.tellPublished(version)
        }
    }

    // MARK: The thread

    private func run() {
        while true {
            futexes.begin()
            var nextLook = UInt64.max
            let now = System.monotonicNanoseconds
            let due = state.withLock { state in
                state.entries.values.indices.flatMap { index in
                    look(at: &state.entries.values[index], now, next: &nextLook)
                }
            }
            for call in due { call() }
            if due.isEmpty { futexes.sleep(until: nextLook) }
        }
    }

    /// Returns the handlers to call. If there is none, lets the thread sleep on the database's
    /// word.
    private func look(
        at entry: inout Entry, _ now: UInt64, next nextLook: inout UInt64
    ) -> [() -> Void] {
        if let coming = entry.coming.take() {
            let calls = entry.subscriptions.values.compactMap { $0.call(for: coming) }
            if !calls.isEmpty { return calls }
        }
        let word = entry.coordinator.publicationWord
        let newest = entry.coordinator.visibleVersion
        // In a pause the thread may have been woken by another database.
        let due = entry.subscriptions.values.compactMap {
            $0.call(for: newest, onlyIfRequested: entry.isPaused)
        }
        if !due.isEmpty || word & 1 == 0 { entry.pauses = PublicationPauses() }
        if !due.isEmpty { return due }
        if word & 1 == 0 {
            if !futexes.add(entry.coordinator.sleepingUntilPublication(word)) {
                nextLook = min(nextLook, now + FutexSet.pollInterval)
            }
        } else {
            nextLook = min(nextLook, now + UInt64(entry.pauses.next(entry.coordinator, word)))
        }
        return []
    }
}

/// What a subscriber does about transactions of its own process, before it is called for their
/// versions.
package struct ComingVersions: Sendable {
    /// Called like the handler, while a transaction is being written; not for all of them.
    let prepare: @Sendable (UnpublishedVersion) -> Void
    /// Called by the thread that has published a version, and not to keep it; not for all versions.
    let published: @Sendable (_ version: UInt64) -> Void

    package init(
        prepare: @escaping @Sendable (UnpublishedVersion) -> Void,
        published: @escaping @Sendable (_ version: UInt64) -> Void
    ) {
        self.prepare = prepare
        self.published = published
    }
}

/// Calls a handler when there is a newer version of a database, until it is cancelled.
///
/// The handler is called on a thread of the engine, never by two threads at once. It should return
/// soon, because the handlers of all subscriptions of the process share that thread. Several
/// versions may be reported with one call. Any thread may use a subscription.
package final class VersionSubscription: Sendable {
    private struct State {
        var known: UInt64
        var isRequested = false
        /// Kept open until the subscription is cancelled, because the watch thread reads its
        /// memory.
        var database: Database?
        var isCancelled: Bool { database == nil }
    }

    private let coordinator: Coordinator
    private let coming: ComingVersions?
    private let handler: @Sendable (_ newest: UInt64) -> Void
    private let state: Locked<State>

    fileprivate init(
        to database: Database, after version: UInt64,
        preparing coming: ComingVersions?,
        _ handler: @escaping @Sendable (_ newest: UInt64) -> Void
    ) {
        coordinator = database.coordinator
        self.coming = coming
        self.handler = handler
        state = Locked(State(known: version, database: database))
    }

    /// Returns a call of the handler if it is to be called.
    fileprivate func call(for newest: UInt64, onlyIfRequested: Bool) -> (() -> Void)? {
        let isDue = state.withLock { state in
            if newest <= state.known || onlyIfRequested, !state.isRequested { return false }
            state.known = max(state.known, newest)
            state.isRequested = false
            return true
        }
        guard isDue else { return nil }
        return { [self] in
            if !state.withLock({ $0.isCancelled }) { handler(newest) }
        }
    }

    /// Returns a call for a version that is being written.
    fileprivate func call(for version: UnpublishedVersion) -> (() -> Void)? {
        guard let coming else { return nil }
        return { [self] in
            if !state.withLock({ $0.isCancelled }) { coming.prepare(version) }
        }
    }

    fileprivate func tellPublished(_ version: UInt64) {
        if let coming, !state.withLock({ $0.isCancelled }) { coming.published(version) }
    }

    /// Has the handler called soon, even if there is no newer version.
    package func request() {
        state.withLock { $0.isRequested = true }
        VersionWatch.ofProcess.value.wakeUp()
    }

    /// Has commits neither wake the thread nor call the handler until ``resume(after:)``, unless
    /// another subscription to the database needs that. Requests are answered. For the time of the
    /// subscriber's own commit.
    package func pause() {
        if !coordinator.isForked { VersionWatch.ofProcess.value.pause(coordinator) }
    }

    /// Ends a pause. The handler is not called for versions up to `version`.
    package func resume(after version: UInt64) {
        if coordinator.isForked { return }
        state.withLock { $0.known = max($0.known, version) }
        VersionWatch.ofProcess.value.resume(coordinator)
        // Versions that came during the pause have not woken the thread, nor has one that is just
        // being published and was announced in the pause.
        if coordinator.visibleVersion > version || coordinator.publicationWord & 1 == 1 {
            VersionWatch.ofProcess.value.wakeUp()
        }
    }

    /// Ends the subscription. A call of the handler that has begun may still be running.
    package func cancel() {
        if state.withLock({ $0.isCancelled }) { return }
        // In a forked child, the watch and the counts belong to the parent.
        if !coordinator.isForked { VersionWatch.ofProcess.value.remove(self, coordinator) }
        // Released outside of the lock, and after the thread has stopped looking at it.
        let database = state.withLock { state in
            defer { state.database = nil }
            return state.database
        }
        withExtendedLifetime(database) {}
    }
}

extension Database {
    /// Calls `handler` whenever there is a version newer than `version`, and than the one it was
    /// last called for. The subscription lasts until it is cancelled, and keeps the database open.
    ///
    /// - Parameter coming: What to do before that about transactions of this process.
    /// - Throws: `.fileAccess` if no thread can be started, `.usedAfterFork`.
    package func subscribe(
        after version: UInt64, preparing coming: ComingVersions? = nil,
        _ handler: @escaping @Sendable (_ newest: UInt64) -> Void
    ) throws(StorageError) -> VersionSubscription {
        try checkNotForked()
        let subscription = VersionSubscription(
            to: self, after: version, preparing: coming, handler)
        if !VersionWatch.ofProcess.value.add(subscription, coordinator) {
            throw StorageError(
                .fileAccess, path: path,
                message: "The database at path '\(path)' cannot be observed, because no thread "
                    + "could be started")
        }
        VersionWatch.ofProcess.value.wakeUp()
        return subscription
    }
}
