import Dispatch

extension ProjectedCollection {
    /// Calls a function when the collection changes: when objects come, go or move, and when the
    /// property of one changes. Everything else is as for the collections of a Realm.
    ///
    /// - Parameters:
    ///   - keyPaths: The properties of the objects whose changes count as modifications; nil or
    ///     empty for the one that the collection shows.
    ///   - queue: The serial queue on which to call the function; nil for where the Realm is
    ///     confined.
    ///   - block: The function.
    /// - Returns: A token. The function is called as long as the token exists.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<ProjectedCollection<Element>>) -> Void
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
    public var changes: ChangeSequence<RealmCollectionChange<ProjectedCollection<Element>>> {
        changes(keyPaths: [])
    }

    /// The changes of the collection as a sequence, first its initial contents.
    ///
    /// - Parameter keyPaths: The properties of the objects whose changes count as modifications, as
    ///   for `observe`.
    public func changes(
        keyPaths: [String]
    ) -> ChangeSequence<RealmCollectionChange<ProjectedCollection<Element>>> {
        observable(keyPaths).changes
    }

    private func observable(
        _ keyPaths: [String]?
    ) -> ObservableThing<RealmCollectionChange<ProjectedCollection<Element>>> {
        source.observable(keyPaths).map { $0.map { _ in self } }
    }
}

extension RealmCollection where Element: ProjectionObservable {
    /// Calls a function when the collection changes, as the method with names does.
    ///
    /// - Parameters:
    ///   - keyPaths: The properties of the projections whose changes count as modifications.
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
    public func changes(
        keyPaths: [PartialKeyPath<Element>]
    ) -> ChangeSequence<RealmCollectionChange<Self>> {
        changes(keyPaths: keyPaths.map { _name(for: $0) })
    }
}
