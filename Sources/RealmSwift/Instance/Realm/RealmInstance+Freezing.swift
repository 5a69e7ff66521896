import StorageEngine

extension RealmInstance {
    var isFrozen: Bool { frozen != nil }

    /// Returns the frozen Realm of the version that this one shows; in a write transaction, of the
    /// version from before it.
    func freeze() -> RealmInstance {
        if isFrozen { return self }
        checkThread()
        // An error here is none of the open write transaction, which must not fail because of it.
        do {
            try connection.database.checkNotForked()
            leaveUnwrittenVersion()
            resumeReading()
            if let frozenCopy, frozenCopy.frozen?.isInvalidated == false,
                frozenCopy.connection.version == connection.version
            {
                return frozenCopy
            }
            let copy = try makeFrozenCopy()
            // What it has decrypted goes with its last user, if that may be much.
            if !connection.exceedsDecryptedMemory { frozenCopy = copy }
            return copy
        } catch {
            stop(error)
        }
    }

    private func makeFrozenCopy() throws -> RealmInstance {
        if settle() {
            return try FrozenRealms.existing(for: self) ?? FrozenRealms.instance(of: self)
        }
        // The transaction has failed, and what it reads is no version of the file. So does its
        // frozen copy, until the transaction ends. Nobody else is given that.
        let copy = frozen(try Connection(freezingLostBaseOf: connection))
        afterTransaction { copy.invalidate() }
        return copy
    }

    /// Waits until what this Realm shows, without the changes of its open write transaction, is a
    /// version of the file for good.
    ///
    /// If it cannot be written, the open write transaction fails, and the result is false. Without
    /// a transaction, everything that was obtained from the Realm is invalidated then, and it shows
    /// the newest version.
    @discardableResult
    func settle() -> Bool {
        // A frozen Realm stays where it is.
        if isFrozen { return connection.failureOfUnpublished == nil }
        do { try connection.waitUntilPublished() } catch {
            if isWriting {
                fail(error)
                return false
            }
            leaveUnwrittenVersion()
            resumeReading()
        }
        return true
    }

    /// Returns another connection that reads what this Realm shows, without the changes of its open
    /// write transaction; the newest version if that could not be written.
    func settledConnection() throws -> Connection {
        try settle() ? Connection(readingLike: connection) : Connection(connection.database)
    }

    /// Returns the live Realm where the caller is: that of its actor if it has one, else that of
    /// its queue, else that of its thread. It shows the version of this Realm, or a newer one. The
    /// result is nil if the file was moved or removed and is not open there.
    ///
    /// - Parameter needed: The classes that the live Realm must have; nil for those of this Realm.
    func thaw(with needed: [ManagedClass]? = nil) -> RealmInstance? {
        if !isFrozen {
            checkThread()
            return self
        }
        return attempt {
            let found = try RealmCache.instanceHere(
                of: connection.database, for: configuration, with: needed)
            guard let realm = found else { return nil }
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
