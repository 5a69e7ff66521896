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
            self._moved(to: Realm(instance: realm)).observe(keyPaths: keyPaths, block)
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
        return ObservableThing(
            realm: realm, identity: backing.identity(keyPaths), isInitial: true,
            make: { backing.observed(in: $0, keyPaths) },
            makeTranslation: {
                { report in
                    switch report {
                    case .initial: .initial(self)
                    case .map(let change):
                        .update(
                            self, deletions: change.deletions.map { Key(_storedKey: $0) },
                            insertions: change.insertions.map { Key(_storedKey: $0) },
                            modifications: change.modifications.map { Key(_storedKey: $0) })
                    case .collection, .elements, .object, .deletion:
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
