import StorageEngine

extension RealmInstance {
    /// Registers a handler on an actor, with a Realm that is confined to it, which is this one if
    /// it belongs to that actor. A task that is cancelled does not register.
    ///
    /// - Parameters:
    ///   - actor: The actor on which handlers run.
    ///   - caller: The actor to which this Realm is confined, if it is one.
    ///   - register: Called on `actor`, with a Realm that shows the version of this one or a newer
    ///     one; nil if what was to be observed is gone.
    func observe<A: Actor>(
        on actor: A, _isolation caller: isolated (any Actor)?,
        _ register: @escaping (RealmInstance, A) -> NotificationToken?
    ) async -> NotificationToken {
        requireObservable()
        return await observe(on: actor, _isolation: caller, since: nil) { realm, actor, _ in
            register(realm, actor)
        }
    }

    /// The same for a handler without an initial call, which is told what has changed since
    /// `older`; see ``pinnedForObserving()``.
    func observe<A: Actor>(
        on actor: A, _isolation caller: isolated (any Actor)?, since older: Connection?,
        _ register: @escaping (RealmInstance, A, Connection?) -> NotificationToken?
    ) async -> NotificationToken {
        if Task.isCancelled { return NotificationToken() }
        if confinement.key == Confinement.of(actor).key {
            return register(self, actor, older) ?? NotificationToken()
        }
        settle()
        return await ActorRegistration(self, since: older, register).make(on: actor)
    }
}

/// What is taken to an actor to register there.
// Unchecked because the function is called once, on the actor, and only there; the connection is
// used there only.
private final class ActorRegistration<A: Actor>: @unchecked Sendable {
    private let database: Database
    private let configuration: Realm.Configuration
    private let version: UInt64
    private let older: Connection?
    private let register: (RealmInstance, A, Connection?) -> NotificationToken?

    init(
        _ source: RealmInstance, since older: Connection?,
        _ register: @escaping (RealmInstance, A, Connection?) -> NotificationToken?
    ) {
        database = source.connection.database
        configuration = source.configuration
        version = source.connection.version
        self.older = older
        self.register = register
    }

    func make(on actor: isolated A) async -> NotificationToken {
        // Nothing is opened for a task that was cancelled on the way.
        if Task.isCancelled { return NotificationToken() }
        let found = attempt {
            try RealmCache.instance(
                of: database, for: configuration, confinedTo: .of(actor), showing: version)
        }
        guard let realm = found else { return NotificationToken() }
        while realm.hasChanged, !Task.isCancelled {
            let signal = ChangeSignal()
            realm.afterTransaction(signal.raise)
            await withTaskCancellationHandler {
                await signal.wait(isolation: actor)
            } onCancel: {
                signal.end()
            }
        }
        if Task.isCancelled { return NotificationToken() }
        return register(realm, actor, older) ?? NotificationToken()
    }
}

/// Returns a handler that calls a function isolated to an actor, for calls made there.
func calls<A: Actor, Change>(
    _ block: @escaping @Sendable (isolated A, Change) -> Void, on actor: A
) -> (Change) -> Void {
    // The handler keeps its actor no longer than the registration keeps the handler.
    { change in
        // Unsafe for the compiler only: the change does not leave the actor.
        nonisolated(unsafe) let change = change
        actor.assumeIsolated { block($0, change) }
    }
}
