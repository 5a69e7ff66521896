extension Realm {
    /// A Boolean value that indicates whether the Realm is frozen. Can be read on any thread.
    public var isFrozen: Bool { instance.isFrozen }

    /// Returns a frozen copy of the Realm: it shows the version that this Realm shows now, does not
    /// change, and can be used by any number of threads at the same time.
    ///
    /// ```swift
    /// let frozen = realm.freeze()
    /// queue.async { print(frozen.objects(Dog.self).count) }
    /// ```
    /// Objects and collections that are read from a frozen Realm are frozen too. Writing stops the
    /// program. A frozen Realm keeps its version in the file until the last reference to it and to
    /// what was read from it is gone; meanwhile, the space of what later transactions replace is
    /// not used again. See ``Configuration/maximumNumberOfActiveVersions``.
    ///
    /// In a write transaction, the result shows the version from before the transaction. If that is
    /// still on its way to the disk, freezing waits for it. If it does not arrive, the transaction
    /// fails, and what was frozen in it is invalidated when it ends.
    ///
    /// Freezing a frozen Realm returns it. Freezing the same version again returns an equal Realm,
    /// also on another thread, and is cheap.
    public func freeze() -> Realm { Realm(instance: instance.freeze()) }

    /// Returns the live Realm for the caller, which shows the version of this Realm or a newer one:
    /// the Realm of the actor to which the caller is isolated, if one is open, else that of its
    /// queue, else that of its thread, which is opened if there is none. A live Realm returns
    /// itself.
    ///
    /// If the file cannot be opened, or was moved or removed, the program stops.
    public func thaw() -> Realm {
        if let thawed = instance.thaw() { return Realm(instance: thawed) }
        stop(
            "Realm file at path '\(instance.path)' was moved or removed while it was open, so the "
                + "frozen Realm cannot be thawed.")
    }

    /// Returns a frozen copy of an object; see ``ObjectBase/freeze()``.
    public func freeze<T: ObjectBase>(_ obj: T) -> T { obj.freeze() }

    /// Returns the live object that a frozen one is a copy of; see ``ObjectBase/thaw()``.
    public func thaw<T: ObjectBase>(_ obj: T) -> T? { obj.thaw() }
}
