import Dispatch
import StorageEngine

extension RealmCollection {
    /// Calls a function when the collection changes.
    ///
    /// The first call, with ``RealmCollectionChange/initial(_:)``, comes soon after this method has
    /// returned. Each further call tells what has changed since the call before. Calls are made
    /// where the Realm is confined, when its run loop or queue gets to it, and by
    /// ``Realm/refresh()`` and ``Realm/beginWrite()``. When the function is called, the Realm shows
    /// the version that it is told of, whichever thread or process committed it. Several
    /// transactions may be told with one call.
    ///
    /// ```swift
    /// let token = dogs.observe { change in
    ///     switch change {
    ///     case .initial(let dogs): view.show(dogs)
    ///     case .update(_, let deletions, let insertions, let modifications):
    ///         view.delete(deletions)
    ///         view.insert(insertions)
    ///         view.reload(modifications)
    ///     case .error(let error): fatalError("\(error)")
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPaths: The properties of the elements whose changes count as modifications, also
    ///     through links: `["name", "owner.name"]`. A path that ends with a link counts only when
    ///     the link changes. If it is nil or empty, all properties count, also those of objects
    ///     that are up to four links away.
    ///   - queue: The serial queue on which to call the function, with the collection as a Realm
    ///     confined to that queue sees it; nil for where this Realm is confined.
    ///   - block: The function.
    /// - Returns: A token. The function is called as long as the token exists.
    /// - Precondition: The collection is managed. Its Realm is confined to the main thread, a queue
    ///   or a thread with a running run loop, is not read-only, and is not in a write transaction
    ///   that has changed something.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        let observable = observable(keyPaths)
        guard let queue else { return observable.observe(block) }
        observable.realm.requireObservable()
        return QueuedToken(on: queue, observable.realm) { realm in
            self._counterpart(in: Realm(instance: realm))?.observe(keyPaths: keyPaths, block)
        }
    }

    /// The changes of the collection as a sequence, first its initial contents. See
    /// ``ChangeSequence``.
    public var changes: ChangeSequence<RealmCollectionChange<Self>> { changes(keyPaths: []) }

    /// The changes of the collection as a sequence, first its initial contents.
    ///
    /// - Parameter keyPaths: The properties of the elements whose changes count as modifications,
    ///   as for `observe`.
    /// - Precondition: As for `observe`.
    public func changes(
        keyPaths: [String]
    ) -> ChangeSequence<RealmCollectionChange<Self>> { observable(keyPaths).changes }

    private func observable(
        _ keyPaths: [String]?
    ) -> ObservableThing<RealmCollectionChange<Self>> {
        _backing.observable(self, keyPaths)
    }
}

extension _CollectionBacking {
    /// The elements, to be observed.
    ///
    /// - Parameter collection: What the handler gets.
    func observable<Collection>(
        _ collection: Collection, _ keyPaths: [String]?
    ) -> ObservableThing<RealmCollectionChange<Collection>> {
        guard let realm else {
            stop("Change notifications are only supported on managed collections.")
        }
        requireAlive()
        return ObservableThing(
            realm: realm, identity: identity(keyPaths), isInitial: true,
            isOver: { isOver },
            make: { observed(in: $0, keyPaths) },
            makeTranslation: {
                { report in
                    // Nothing can be read that a handler could be told of.
                    if isStale { return nil }
                    switch report {
                    case .initial(let objects):
                        adopt(objects)
                        return .initial(collection)
                    case .deletion: return nil
                    case .collection(let change, let objects):
                        adopt(objects)
                        return .update(
                            collection, deletions: change.deletions,
                            insertions: change.insertions, modifications: change.modifications)
                    case .elements, .map, .object:
                        stop("A collection reports the changes of a collection.")
                    }
                }
            })
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Calls a function when the collection changes, as the method with names does.
    ///
    /// - Parameters:
    ///   - keyPaths: The properties of the elements whose changes count as modifications:
    ///     `[\.name, \.owner?.name]`.
    ///   - queue: The serial queue on which to call the function; nil for where the Realm is
    ///     confined.
    ///   - block: The function.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
    }

    /// The changes of the collection as a sequence, as the method with names.
    ///
    /// - Parameter keyPaths: The properties of the elements whose changes count as modifications:
    ///   `[\.name, \.owner?.name]`.
    public func changes(
        keyPaths: [PartialKeyPath<Element>]
    ) -> ChangeSequence<RealmCollectionChange<Self>> {
        changes(keyPaths: keyPaths.map { _name(for: $0) })
    }
}

// MARK: On an actor

extension RealmCollection {
    /// Calls a function on an actor when the collection changes, as the method with a queue does on
    /// a queue.
    ///
    /// The method returns when the function is registered; its calls come after that. A task that
    /// is cancelled does not register, and its token is not valid. If the actor is not the one of
    /// this Realm, the function gets the collection of a Realm that is confined to the actor.
    ///
    /// ```swift
    /// let token = await dogs.observe(on: screen) { screen, change in screen.show(change) }
    /// ```
    /// - Parameters:
    ///   - keyPaths: The properties of the elements whose changes count as modifications.
    ///   - actor: The actor on which the function is called, which the registration keeps alive.
    ///   - block: The function.
    /// - Returns: A token. The function is called as long as the token exists.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await observable(keyPaths).realm.observe(on: actor, _isolation: _isolation) {
            self._counterpart(in: Realm(instance: $0))?.observe(
                keyPaths: keyPaths, calls(block, on: $1))
        }
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Calls a function on an actor when the collection changes, as the method with names does.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Element>], on actor: A,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(
            keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
    }
}
