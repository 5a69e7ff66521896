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
        if Task.isCancelled { return NotificationToken() }
        requireObservable()
        if confinement.key == Confinement.of(actor).key {
            return register(self, actor) ?? NotificationToken()
        }
        return await ActorRegistration(configuration, connection.version, register).make(on: actor)
    }
}

/// What is taken to an actor to register there.
// Unchecked because the function is called once, on the actor, and only there.
private final class ActorRegistration<A: Actor>: @unchecked Sendable {
    private let configuration: Realm.Configuration
    private let version: UInt64
    private let register: (RealmInstance, A) -> NotificationToken?

    init(
        _ configuration: Realm.Configuration, _ version: UInt64,
        _ register: @escaping (RealmInstance, A) -> NotificationToken?
    ) {
        self.configuration = configuration
        self.version = version
        self.register = register
    }

    func make(on actor: isolated A) async -> NotificationToken {
        let realm = attempt {
            try RealmCache.instance(
                for: configuration, confinedTo: .of(actor), showing: version)
        }
        while realm.hasChanged {
            await withCheckedContinuation(isolation: actor) { continuation in
                realm.afterTransaction { continuation.resume() }
            }
        }
        if Task.isCancelled { return NotificationToken() }
        return register(realm, actor) ?? NotificationToken()
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
