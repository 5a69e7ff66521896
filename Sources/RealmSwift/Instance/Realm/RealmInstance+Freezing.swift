import StorageEngine

extension RealmInstance {
    var isFrozen: Bool { frozen != nil }

    /// Returns the frozen Realm of the version that this one shows; in a write transaction, of the
    /// version from before it.
    func freeze() -> RealmInstance {
        if isFrozen { return self }
        checkThread()
        resumeReading()
        if let frozenCopy, frozenCopy.isReading,
            frozenCopy.connection.version == connection.version
        {
            return frozenCopy
        }
        let copy =
            FrozenRealms.existing(for: self) ?? attempt { try FrozenRealms.instance(of: self) }
        frozenCopy = copy
        return copy
    }

    /// Returns the live Realm where the caller is: that of its queue if it has one, else that of
    /// its thread. It shows the version of this Realm, or a newer one.
    func thaw() -> RealmInstance {
        if !isFrozen {
            checkThread()
            return self
        }
        return attempt {
            let realm =
                try RealmCache.instanceOfQueue(for: configuration)
                ?? RealmCache.instance(for: configuration)
            realm.resumeReading()
            try realm.catchUp(with: connection.version)
            return realm
        }
    }

    /// Throws if there are more versions in use than the configuration allows.
    func requireFewVersions() throws {
        guard let limit = configuration.maximumNumberOfActiveVersions else { return }
        let count = connection.database.activeVersionCount
        if count > UInt64(limit) {
            throw Realm.Error(
                .fail, path: path,
                message: "Number of active versions (\(count)) in the Realm exceeded the limit of "
                    + "\(limit)")
        }
    }
}

/// Stops the program because of a change of a frozen object, or of a collection in it.
func stopForFrozen() -> Never {
    stop("Attempting to modify a frozen object - call thaw on the Object instance first.")
}
