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
        let backing = _backing
        guard let realm = backing.realm else {
            stop("Change notifications are only supported on managed collections.")
        }
        if let queue {
            realm.requireObservable()
            return QueuedToken(on: queue, realm) { realm in
                self._moved(to: Realm(instance: realm)).observe(keyPaths: keyPaths, block)
            }
        }
        return realm.observe(isInitial: true, { backing.observed(in: $0, keyPaths) }) { report in
            switch report {
            case .initial: block(.initial(self))
            case .map(let change):
                block(
                    .update(
                        self, deletions: change.deletions.map { Key(_storedKey: $0) },
                        insertions: change.insertions.map { Key(_storedKey: $0) },
                        modifications: change.modifications.map { Key(_storedKey: $0) }))
            case .collection, .object, .deletion: stop("A map reports the changes of a map.")
            }
        }
    }
}
