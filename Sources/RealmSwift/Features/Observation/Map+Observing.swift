import Dispatch
import StorageEngine

extension Map {
    /// Calls a function when the map changes. The changes are told as keys, in ascending order;
    /// everything else is as for the collections of a Realm.
    ///
    /// - Parameters:
    ///   - keyPaths: For objects as values, the properties whose changes count as modifications,
    ///     relative to the objects.
    ///   - queue: The serial queue on which to call the function; nil for where the Realm is
    ///     confined.
    ///   - block: The function.
    /// - Returns: A token. The function is called as long as the token exists.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> NotificationToken {
        let observable = observable(keyPaths)
        guard let queue else { return observable.observe(block) }
        observable.realm.requireObservable()
        return QueuedToken(on: queue, observable.realm) { realm in
            self._counterpart(in: Realm(instance: realm))?.observe(keyPaths: keyPaths, block)
        }
    }

    /// The changes of the map as a sequence, first its initial contents. See ``ChangeSequence``.
    public var changes: ChangeSequence<RealmMapChange<Map>> { changes(keyPaths: []) }

    /// The changes of the map as a sequence, first its initial contents.
    ///
    /// - Parameter keyPaths: For objects as values, the properties whose changes count as
    ///   modifications, as for `observe`.
    /// - Precondition: As for `observe`.
    public func changes(keyPaths: [String]) -> ChangeSequence<RealmMapChange<Map>> {
        observable(keyPaths).changes
    }

    private func observable(_ keyPaths: [String]?) -> ObservableThing<RealmMapChange<Map>> {
        let backing = _backing
        guard let realm = backing.realm else {
            stop("Change notifications are only supported on managed collections.")
        }
        backing.requireAlive()
        return ObservableThing(
            realm: realm, identity: backing.identity(keyPaths), isInitial: true,
            isOver: { backing.isOver },
            make: { backing.observed(in: $0, keyPaths) },
            makeTranslation: {
                { report in
                    if backing.isStale { return nil }
                    switch report {
                    case .initial: return .initial(self)
                    case .deletion: return nil
                    case .map(let change):
                        return .update(
                            self, deletions: change.deletions.map { Key(_storedKey: $0) },
                            insertions: change.insertions.map { Key(_storedKey: $0) },
                            modifications: change.modifications.map { Key(_storedKey: $0) })
                    case .collection, .elements, .object:
                        stop("A map reports the changes of a map.")
                    }
                }
            })
    }
}

extension Map where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    /// Calls a function when the map changes, as the method with names does.
    ///
    /// - Parameters:
    ///   - keyPaths: The properties of the objects whose changes count as modifications:
    ///     `[\.name, \.owner?.name]`.
    ///   - queue: The serial queue on which to call the function; nil for where the Realm is
    ///     confined.
    ///   - block: The function.
    public func observe(
        keyPaths: [PartialKeyPath<Value.Wrapped>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
    }

    /// The changes of the map as a sequence, as the method with names.
    public func changes(
        keyPaths: [PartialKeyPath<Value.Wrapped>]
    ) -> ChangeSequence<RealmMapChange<Map>> {
        changes(keyPaths: keyPaths.map { _name(for: $0) })
    }
}

// MARK: On an actor

extension Map {
    /// Calls a function on an actor when the map changes, as the method with a queue does on a
    /// queue.
    ///
    /// The method returns when the function is registered; its calls come after that. A task that
    /// is cancelled does not register, and its token is not valid. If the actor is not the one of
    /// this Realm, the function gets the map of a Realm that is confined to the actor.
    ///
    /// ```swift
    /// let token = await map.observe(on: screen) { screen, change in screen.show(change) }
    /// ```
    /// - Parameters:
    ///   - keyPaths: For objects as values, the properties whose changes count as modifications.
    ///   - actor: The actor on which the function is called, which the registration keeps alive.
    ///   - block: The function.
    /// - Returns: A token. The function is called as long as the token exists.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmMapChange<Map>) -> Void
    ) async -> NotificationToken {
        await observable(keyPaths).realm.observe(on: actor, _isolation: _isolation) {
            self._counterpart(in: Realm(instance: $0))?.observe(
                keyPaths: keyPaths, calls(block, on: $1))
        }
    }
}

extension Map where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    /// Calls a function on an actor when the map changes, as the method with names does.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Value.Wrapped>], on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmMapChange<Map>) -> Void
    ) async -> NotificationToken {
        await observe(
            keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
    }
}
