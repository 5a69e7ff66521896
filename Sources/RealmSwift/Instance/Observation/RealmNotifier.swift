import CRealmSystem
import Foundation
import StorageEngine

/// Tells the observers of a Realm what changes; see docs/changes.md.
///
/// What changed is found in a background Realm with a connection of its own, by the watch thread of
/// the engine or where the Realm is confined, whichever comes first. The Realm then moves to the
/// version that was looked at, and the handlers are called where it is confined.
///
/// The lock is held while changes are looked for, never while a handler runs. Ending a handler does
/// not wait for it.
final class RealmNotifier: Sendable {
    /// For how long a result that the Realm does not take keeps its version, if there is a newer
    /// one.
    private static let patience: UInt64 = 100_000_000
    /// For how long a write transaction waits for the version that it begins on to be durable.
    private static let longestWait = Duration.seconds(10)

    private let database: Database
    private let scheduler: Scheduler
    private let confinement: Confinement
    private let state: Locked<ObservationState>
    /// The handlers that have ended and are still in the state.
    private let ended = Locked<[ObservingHandler]>([])
    private let forkGeneration = realm_fork_generation()

    init(_ realm: RealmInstance, _ scheduler: Scheduler) {
        self.scheduler = scheduler
        confinement = realm.confinement
        database = realm.connection.database
        state = Locked(ObservationState())
        state.withLock { state in
            state.realm = .passUnretained(realm)
            state.isWriting = realm.isWriting
            state.movesByItself = realm.autorefresh
        }
    }

    /// Whether this is a forked child of the process that observes. The threads and locks belong to
    /// the parent.
    private var isForked: Bool { realm_fork_generation() != forkGeneration }

    // MARK: Registering

    /// Adds a handler of something that `make` makes of the background Realm, unless something
    /// equal to it is observed already.
    ///
    /// - Parameters:
    ///   - isInitial: Whether the handler is called with the first version that it is told of.
    ///     Otherwise it is told what changes after the version that the Realm shows now.
    ///   - older: Reads an older version after which changes are told instead; nil for none.
    func register(
        _ identity: ObservedIdentity, in realm: RealmInstance, isInitial: Bool,
        since older: Connection? = nil, making make: (RealmInstance) -> Observed,
        delivery: Registration.Delivery
    ) throws -> Registration {
        // In a write transaction, the Realm shows the newest version, which may not be visible yet.
        // It is waited for here, before others are kept from the state.
        if realm.isWriting { realm.settle() }
        let registration = try withState { state in
            try subscribe(&state, after: realm.connection.version)
            let current = realm.isWriting ? try realm.settledConnection() : realm.connection
            let background = try state.background ?? realm.reader(of: current)
            state.background = background
            if state.prepared == nil {
                try background.connection.read(like: current)
                background.didMove()
            }
            let base = older.flatMap { $0.version < current.version ? $0 : nil } ?? current
            let version = base.version
            if !isInitial { try state.observe(since: base) }
            let observed = state.observed[identity] ?? make(background)
            state.observed[identity] = observed
            observed.users += 1
            let registration = Registration(
                observed, identity, isInitial: isInitial, version: isInitial ? nil : version,
                delivery: delivery)
            state.registrations.append(registration)
            if state.prepared == nil { background.connection.endRead() }
            return registration
        }
        lookAgain(realm)
        return registration
    }

    /// Adds a handler of the Realm as a whole.
    func register(
        _ handler: RealmHandler, in realm: RealmInstance
    ) throws -> NotificationToken {
        try withState { state in
            try subscribe(&state, after: realm.connection.version)
            state.realmHandlers.append(handler)
        }
        return HandlerToken(handler, self, of: realm)
    }

    /// Has the watch thread call ``versionsAppeared()`` from now on.
    private func subscribe(_ state: inout ObservationState, after version: UInt64) throws {
        if state.subscription != nil { return }
        let coming = ComingVersions(
            prepare: { [weak self] in self?.versionIsComing($0) },
            published: { [weak self] in self?.versionWasPublished($0) })
        state.subscription = try database.subscribe(after: version, preparing: coming) {
            [weak self] _ in self?.versionsAppeared()
        }
    }

    /// Ends a handler. Any thread may call it.
    func end(_ handler: ObservingHandler) {
        handler.deactivate()
        if isForked { return }
        ended.withLock { $0.append(handler) }
        removeEnded()
    }

    /// Removes the handlers that have ended. If changes are being looked for, that is left to the
    /// one who does.
    private func removeEnded() {
        while ended.withLock({ !$0.isEmpty }) {
            let removed = state.tryWithLock { state in
                let handlers = ended.withLock { ended in
                    defer { ended = [] }
                    return ended
                }
                return state.remove(handlers)
            }
            guard let removed else { return }
            removed.subscription?.cancel()
            release(removed.handlers)
        }
    }

    /// Releases what the application's functions have captured where they were called, and not
    /// while the lock is held. If nothing runs there any more, it goes with the last reference.
    private func release(_ handlers: [ObservingHandler]) {
        if confinement.isCurrent {
            for handler in handlers { handler.letGo() }
        } else if !handlers.isEmpty {
            scheduler.schedule { for handler in handlers { handler.letGo() } }
        }
    }

    /// Accesses the state, then removes the handlers that ended meanwhile.
    private func withState<Result>(
        _ body: (inout ObservationState) throws -> Result
    ) rethrows -> Result {
        defer { removeEnded() }
        return try state.withLock(body)
    }

    /// The number of things that are observed, of which equal ones count once, for tests.
    var observedCount: Int { withState { $0.observed.count } }

    /// Whether the scheduler was asked to move the Realm and has not yet done so, for tests.
    var isAsked: Bool { withState { $0.isAsked } }

    // MARK: Moving without observers

    /// Has the Realm move to newer versions by itself, also if nothing is observed.
    func start(_ realm: RealmInstance) throws {
        try withState { state in
            state.isFollowing = true
            try subscribe(&state, after: realm.connection.version)
        }
    }

    /// The Realm is about to commit. If nothing is observed, the watch thread need not know: the
    /// Realm shows its own transactions anyway.
    func realmWillCommit() {
        let unused = withState { state in
            state.isCommitting = true
            return state.isObserving ? nil : state.subscription
        }
        unused?.pause()
    }

    /// The commit has succeeded or failed.
    func realmHasCommitted(_ realm: RealmInstance) {
        let subscription = withState { state in
            state.isCommitting = false
            return state.subscription
        }
        subscription?.resume(after: realm.connection.version)
    }

    // MARK: In the background

    /// Called on the watch thread.
    private func versionsAppeared() {
        let isAsking = withState { state in
            // The Realm looks again when it is at leisure.
            if state.isWriting || state.deliveries > 0 { return false }
            if state.isAsked {
                // Until the Realm turns, at most one result is kept, and not for long.
                if let prepared = state.prepared, prepared.age > Self.patience {
                    state.forgetPrepared()
                    state.wasDropped = true
                }
                return false
            }
            // An error comes again where the Realm is confined.
            if state.movesByItself, !state.isPrepared(for: database.newestVersion) {
                try? state.prepare()
            }
            state.isAsked = true
            return true
        }
        if isAsking { askToMove() }
    }

    private func askToMove() { scheduler.schedule { [weak self] in self?.realmMayMove() } }

    /// Called on the watch thread while a transaction of this process is being written, so that
    /// what it changes is found meanwhile.
    private func versionIsComing(_ coming: UnpublishedVersion) {
        withState { state in
            if state.hasPreparedFailure { state.forgetPrepared() }
            let isBusy = state.isWriting && !state.isCommitting || state.deliveries > 0
            if isBusy || state.isAsked || !state.movesByItself || state.prepared != nil { return }
            // An error comes again where the Realm is confined.
            try? state.prepare(coming)
        }
    }

    /// Called by a thread that has published a version: the Realm is asked to take what is
    /// prepared. Otherwise the watch thread does so later.
    private func versionWasPublished(_ version: UInt64) {
        let isAsking = state.tryWithLock { !$0.isWriting && $0.ask(toTake: version) }
        removeEnded()
        if isAsking == true { askToMove() }
    }

    // MARK: Where the Realm is confined

    /// Called by the scheduler.
    private func realmMayMove() {
        let realm: RealmInstance? = withState { state in
            if isStale(&state) {
                state.isAsked = false
                return nil
            }
            guard let realm = state.realm, ReferenceCounts.retainUnlessDeallocating(realm) else {
                return nil
            }
            return realm.takeRetainedValue()
        }
        guard let realm else { return }
        // An invalidated Realm pins nothing until it is used again, unless it is observed and
        // moves.
        if realm.isWriting || realm.hasEnded
            || !realm.isReading && (!realm.autorefresh || withState { !$0.isObserving })
        {
            return withState { $0.isAsked = false }
        }
        attempt {
            do {
                try moveAsAsked(realm)
            } catch let error as StorageError where error.code == .schemaChanged {
                withState { $0.isAsked = false }
                realm.stayBehind(error)
            }
        }
    }

    private func moveAsAsked(_ realm: RealmInstance) throws {
        if realm.autorefresh {
            let isLeftHere = withState { $0.hasFailed || $0.wasDropped }
            _ = try move(realm, isLeftHere ? .here : .prepared, isAsked: true)
        } else {
            if database.newestVersion > realm.connection.version { requireRefresh(realm) }
            _ = try move(realm, .present, isAsked: true)
        }
    }

    /// Whether transactions were committed after the one that was prepared. They are told with it,
    /// so it is prepared again, once. While others write all the time, that is not tried, because
    /// something would be missing again.
    private func isStale(_ state: inout ObservationState) -> Bool {
        // One that is still being written is not taken yet.
        guard let prepared = state.prepared, prepared.version < database.newestVersion else {
            (state.isRetrying, state.wasStale) = (false, false)
            return false
        }
        if state.isRetrying || state.wasStale {
            (state.isRetrying, state.wasStale) = (false, true)
            return false
        }
        state.isRetrying = true
        state.forgetPrepared()
        state.subscription?.request()
        return true
    }

    /// Where the changes come from when a Realm moves.
    private enum Source {
        /// Only what the watch thread has prepared.
        case prepared
        /// The changes up to the newest version are computed here, unless they are prepared.
        case here
        /// The Realm does not move. Handlers are told of the version that it shows.
        case present
    }

    func refresh(_ realm: RealmInstance) throws -> Bool { try move(realm, .here) }

    /// Moves the Realm and calls the handlers. Returns whether it moved.
    ///
    /// The lock is taken once before the handlers are called, and once after: in between nothing is
    /// prepared, so that their thread does not wait for that.
    ///
    /// - Parameter isAsked: Whether this is the call for which the scheduler was asked.
    private func move(
        _ realm: RealmInstance, _ source: Source, isAsked: Bool = false
    ) throws -> Bool {
        realm.leaveUnwrittenVersion()
        let before = realm.connection.version
        let delivery = try withState { state in
            if isAsked { state.isAsked = false }
            // The Realm shows a version of its own that is not published yet.
            if database.newestVersion < before { return nil as Delivery? }
            let due = try takeDue(realm, source, in: &state)
            let hasMoved = realm.connection.version != before
            var delivery = Delivery(due: due, hasMoved: hasMoved)
            if hasMoved { delivery.realmHandlers = state.realmHandlers }
            if due.isEmpty, delivery.realmHandlers.isEmpty {
                state.dropUnusedObservations()
                delivery.request = requestToLookAgain(realm, state)
            } else {
                state.deliveries += 1
            }
            return delivery
        }
        guard let delivery else { return false }
        realm.didMove()
        if delivery.isEmpty {
            delivery.request?.request()
        } else {
            for handler in delivery.realmHandlers { handler.call(.didChange, realm) }
            tell(delivery.due, realm)
        }
        return delivery.hasMoved
    }

    /// What is to be done once the Realm has moved.
    private struct Delivery {
        let due: [Registration]
        let hasMoved: Bool
        var realmHandlers: [RealmHandler] = []
        /// The subscription to be asked to look again, if nobody is called.
        var request: VersionSubscription?

        var isEmpty: Bool { due.isEmpty && realmHandlers.isEmpty }
    }

    /// Moves the Realm. Returns the handlers to call.
    private func takeDue(
        _ realm: RealmInstance, _ source: Source, in state: inout ObservationState
    ) throws -> [Registration] {
        if state.registrations.isEmpty {
            if source != .present { _ = try realm.connection.refresh() }
            return []
        }
        switch source {
        case .present: try state.prepare(realm.connection)
        case .here:
            if !state.isPrepared(for: database.newestVersion) { try state.prepare() }
        case .prepared: break
        }
        if state.hasPreparedFailure { state.forgetPrepared() }
        guard let version = state.prepared?.version, let background = state.background,
            // Otherwise it is still being written, and the Realm is asked again.
            version <= database.newestVersion
        else { return [] }
        let before = realm.connection.version
        if version < before {
            // It was prepared before a transaction of the Realm.
            state.forgetPrepared()
            return []
        }
        if version != before || realm.connection.isUnpublished {
            // The newest version is read in the file, although it was prepared in memory.
            let isInFile = background.connection.isUnpublished && version == database.newestVersion
            if isInFile { try realm.connection.refresh() }
            if realm.connection.version != version || realm.connection.isUnpublished {
                try realm.connection.read(like: background.connection)
            }
        }
        return try state.take(for: realm.connection)
    }

    private func beginDelivery(
        _ realm: RealmInstance, _ state: inout ObservationState
    ) throws -> [Registration] {
        let due = try state.take(for: realm.connection)
        if !due.isEmpty { state.deliveries += 1 }
        return due
    }

    /// Calls handlers that something is prepared for.
    private func tell(_ due: [Registration], _ realm: RealmInstance) {
        let wasWriting = realm.isWriting
        for (index, registration) in due.enumerated() {
            let rest = due[index...]
            // Nil if it was told meanwhile, because a handler before it has moved the Realm.
            let report = attempt {
                try withState { state in
                    try adapt(rest, to: realm, wasWriting: wasWriting, in: &state)
                    let known = registration.version
                    defer {
                        // A handler may take long, and is not to keep the version before meanwhile.
                        if !rest.dropFirst().contains(where: { $0.version == known }),
                            !planted("delivered-version-stays")
                        {
                            state.dropUnusedObservations()
                        }
                    }
                    return registration.deliver()
                }
            }
            if let report { registration.call(report) }
        }
        let subscription = withState { state in
            state.deliveries -= 1
            state.dropUnusedObservations()
            return requestToLookAgain(realm, state)
        }
        if !planted("version-in-delivery-missed") { subscription?.request() }
    }

    /// Has what is prepared for the handlers that were not called yet lead to what the Realm shows,
    /// if a handler before them has written. They are not called in a transaction that it has not
    /// ended, nor while the Realm that it has invalidated shows nothing.
    private func adapt(
        _ rest: ArraySlice<Registration>, to realm: RealmInstance, wasWriting: Bool,
        in state: inout ObservationState
    ) throws {
        if !realm.isReading || (realm.isWriting && !wasWriting) {
            for registration in rest { registration.pending = nil }
        } else if let pending = rest.first?.pending, pending.version != realm.connection.version {
            try state.prepare(rest.filter(\.isActive), for: realm.connection)
        }
    }

    /// Has the watch thread look for what is still to be told.
    private func lookAgain(_ realm: RealmInstance) {
        if isForked { return }
        withState { requestToLookAgain(realm, $0) }?.request()
    }

    /// Returns the subscription to be asked, outside of the lock, to look for what is still to be
    /// told; nil if there is nothing.
    private func requestToLookAgain(
        _ realm: RealmInstance, _ state: ObservationState
    ) -> VersionSubscription? {
        if isForked || (!realm.isReading && !realm.autorefresh) { return nil }
        let isBehind = state.isBehind(
            database.newestVersion, realmShows: realm.connection.version)
        return isBehind ? state.subscription : nil
    }

    // MARK: Handlers that take their reports

    /// Returns what a handler is to be told about the version that the Realm shows now. If that is
    /// nothing, the handler is woken when there is something.
    ///
    /// A handler that does not ask keeps the version that it knows, and several transactions become
    /// one report.
    func takeReport(
        _ registration: Registration, in realm: RealmInstance
    ) throws -> Registration.Report? {
        let report = try withState { state in
            if realm.isWriting {
                registration.isWaiting = true
                return nil as Registration.Report?
            }
            defer { state.dropUnusedObservations() }
            return try state.pull(registration, at: realm.connection)
        }
        lookAgain(realm)
        return report
    }

    // MARK: Write transactions

    /// `mayWait`: whether to wait for a version that is just being made durable.
    func realm(
        _ realm: RealmInstance, didBeginWriteAt before: UInt64, mayWait: Bool
    ) throws {
        let version = realm.connection.version
        let isBehind = withState { state in
            state.isWriting = true
            state.versionOfWrite = version
            // Handlers are not called in a transaction that another one has begun.
            if state.deliveries > 0 { return false }
            let isBehind = state.registrations.contains { $0.isBehind(version) }
            if !isBehind { state.forgetPrepared() }
            return isBehind
        }
        var due: [Registration] = []
        if isBehind,
            mayWait ? waitUntilVisible(version) : database.newestVersion >= version
        {
            due = try withState { state in
                if !state.isPrepared(for: version) { try state.prepare() }
                return try beginDelivery(realm, &state)
            }
        }
        if version != before { tellRealmHandlers(realm, .didChange, except: []) }
        if !due.isEmpty { tell(due, realm) }
    }

    /// Waits until a version is visible that a thread of this process is just making durable.
    /// Returns false if that fails or takes very long. The handlers are then told later.
    private func waitUntilVisible(_ version: UInt64) -> Bool {
        if database.newestVersion >= version { return true }
        return database.waitForVersion(newerThan: version - 1, timeout: Self.longestWait) >= version
    }

    /// The Realm shows the version that it has committed, and with tokens exactly that version,
    /// also if others have committed since, unless the transaction was very large.
    ///
    /// - Parameter hasChanged: Whether the transaction has become a version.
    func realm(
        _ realm: RealmInstance, didCommitWithoutNotifying tokens: [NotificationToken],
        hasChanged: Bool
    ) {
        let skipping = tokens.flatMap(\.handlers)
        let skipped = withState { state -> [(Registration, Registration.Report)]? in
            state.isWriting = false
            if !hasChanged { return nil }
            for registration in state.registrations { registration.includesOwn = true }
            // What others have done is not skipped.
            if realm.connection.version != realm.lastCommit?.version { return nil }
            // If that fails, the handlers are told of the transaction, or the error comes again.
            // One that does not know the version before is told of this transaction with the
            // others.
            let base = state.versionOfWrite
            return try? state.skip(
                skipping.compactMap { $0 as? Registration }.filter { !$0.isBehind(base) },
                to: realm.connection)
        }
        for (registration, report) in skipped ?? [] { registration.skip(report) }
        tellRealmHandlers(realm, .didChange, except: tokens)
        // What was prepared while the transaction was written is taken without the watch thread.
        if withState({ $0.ask(toTake: realm.connection.version) }) {
            askToMove()
        } else {
            lookAgain(realm)
        }
    }

    func realmDidCancelWrite(_ realm: RealmInstance) {
        withState { $0.isWriting = false }
        lookAgain(realm)
    }

    /// The Realm shows the version on which its cancelled transaction began, or a newer one: if
    /// that was still being made durable, others may have committed on it.
    func realmMayHaveMoved(_ realm: RealmInstance) {
        let before = withState { $0.versionOfWrite }
        if realm.isReading, realm.connection.version != before {
            tellRealmHandlers(realm, .didChange, except: [])
        }
    }

    // MARK: Handlers of the Realm

    private func tellRealmHandlers(
        _ realm: RealmInstance, _ notification: Realm.Notification,
        except tokens: [NotificationToken]
    ) {
        let skipped = tokens.flatMap(\.handlers)
        let handlers = withState { $0.realmHandlers }
        for handler in handlers where !skipped.contains(where: { $0 === handler }) {
            handler.call(notification, realm)
        }
    }

    /// Tells the handlers of a Realm that does not move by itself that there is a newer version.
    private func requireRefresh(_ realm: RealmInstance) {
        let newest = database.newestVersion
        let isNew = withState { state in
            defer { state.versionRequired = newest }
            return state.versionRequired != newest
        }
        if isNew { tellRealmHandlers(realm, .refreshRequired, except: []) }
    }

    func setMovesByItself(_ movesByItself: Bool, _ realm: RealmInstance) {
        withState { $0.movesByItself = movesByItself }
        lookAgain(realm)
    }

    // MARK: The end

    /// Has the handlers that take their reports look whether they can still be told anything,
    /// because objects or collections have become invalid.
    func objectsBecameInvalid() {
        if isForked { return }
        let pulling = withState { $0.registrations.filter(\.isPulling) }
        for registration in pulling where registration.isActive { registration.wake() }
    }

    /// Nothing is told any more. Where the Realm was confined, or with its last reference.
    func shutDown() {
        if isForked { return }
        let old = withState { state in
            for handler in state.handlers { handler.deactivate() }
            defer { state = ObservationState() }
            return state
        }
        old.subscription?.cancel()
        scheduler.end()
        for handler in old.handlers {
            handler.threadDidEnd()
            handler.letGo()
        }
    }
}
