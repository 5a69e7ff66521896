import Dispatch
import StorageEngine

extension RealmInstance {
    /// Stops the program if nothing of this Realm can be observed now.
    func requireObservable() {
        checkThread()
        if isFrozen {
            stop("Frozen Realms do not change and do not have change notifications.")
        }
        if configuration.readOnly {
            stop("Read-only Realms do not change and do not have change notifications.")
        }
        if hasChanged {
            stop("Cannot register notification blocks from within write transactions.")
        }
        resumeReading()
    }

    /// Returns the notifier of this Realm. Stops the program if nothing can be observed here.
    func observableNotifier() -> RealmNotifier {
        requireObservable()
        if let notifier { return notifier }
        guard let scheduler = confinement.makeScheduler() else {
            stop("Can only add notification blocks from within runloops.")
        }
        let notifier = RealmNotifier(self, scheduler)
        self.notifier = notifier
        return notifier
    }
}

extension RealmInstance {
    /// Returns a connection that pins the version which this Realm shows, for a handler that is
    /// registered elsewhere; nil in a write transaction.
    func pinnedForObserving() -> Connection? {
        requireObservable()
        if isWriting { return nil }
        return attempt { try Connection(readingLike: connection) }
    }
}

/// The token of a handler that is registered on another queue.
// Sendable because `state` is a lock; unchecked because its superclass says so.
final class QueuedToken: NotificationToken, @unchecked Sendable {
    private struct State {
        var isInvalidated = false
        /// The registration, once it is made.
        var registered: NotificationToken?
    }

    private let state = Locked(State())

    /// Registers on a queue with a Realm that is confined to it.
    ///
    /// - Parameters:
    ///   - source: The Realm of what is to be observed. That of the queue shows its version, or a
    ///     newer one, when `register` is called.
    ///   - register: Called on the queue; nil if what was to be observed is gone.
    convenience init(
        on queue: DispatchQueue, _ source: RealmInstance,
        _ register: @escaping (RealmInstance) -> NotificationToken?
    ) {
        self.init(on: queue, source, since: nil) { realm, _ in register(realm) }
    }

    /// The same for a handler without an initial call, which is told what has changed since
    /// `older`; see ``RealmInstance/pinnedForObserving()``.
    init(
        on queue: DispatchQueue, _ source: RealmInstance, since older: Connection?,
        _ register: @escaping (RealmInstance, Connection?) -> NotificationToken?
    ) {
        let (configuration, database) = (source.configuration, source.connection.database)
        source.settle()
        let version = source.connection.version
        super.init()
        // Unsafe for the compiler only: the function is called once, on the queue, and the
        // connection is used there only.
        nonisolated(unsafe) let register = { register($0, older) }
        queue.async { [weak self] in
            // Without a token, nothing is opened, for the file may have been deleted.
            guard let self, !isInvalidated else { return }
            let realm = attempt {
                try RealmCache.instance(
                    of: database, for: configuration, confinedTo: .of(queue), showing: version)
            }
            if let realm { self.register(in: realm, register) }
        }
    }

    /// Registers on the queue, when no write transaction is open there that has changed something.
    private func register(
        in realm: RealmInstance, _ register: @escaping (RealmInstance) -> NotificationToken?
    ) {
        if isInvalidated { return }
        if realm.hasChanged {
            return realm.afterTransaction { [weak self] in self?.register(in: realm, register) }
        }
        let token = register(realm)
        let isLate = state.withLock { state in
            if !state.isInvalidated { state.registered = token }
            return state.isInvalidated
        }
        if isLate { token?.invalidate() }
    }

    deinit { invalidate() }

    private var isInvalidated: Bool { state.withLock { $0.isInvalidated } }

    override var observedInstance: RealmInstance? {
        state.withLock { $0.registered }?.observedInstance
    }

    override var handlers: [ObservingHandler] {
        state.withLock { $0.registered }?.handlers ?? []
    }

    @discardableResult
    override func invalidate() -> Bool {
        let (wasInvalidated, registered) = state.withLock { state in
            defer { state = State(isInvalidated: true) }
            return (state.isInvalidated, state.registered)
        }
        registered?.invalidate()
        return !wasInvalidated
    }
}

extension RealmCache {
    /// Returns the Realm of the caller's place, moved to the newest version if what it shows is
    /// older than `version` and it is not in a write transaction; nil if the path of the database
    /// leads to it no more.
    static func instance(
        of database: Database, for configuration: Realm.Configuration,
        confinedTo confinement: Confinement, showing version: UInt64
    ) throws -> RealmInstance? {
        guard
            let realm = try instance(of: database, for: configuration, confinedTo: confinement)
        else { return nil }
        realm.resumeReading()
        try realm.catchUp(with: version)
        return realm
    }
}
