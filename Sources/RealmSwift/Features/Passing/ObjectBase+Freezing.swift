extension ObjectBase {
    /// A Boolean value that indicates whether the object is frozen. Can be read on any thread.
    public final var isFrozen: Bool { _isFrozen }

    /// Returns a frozen copy of the object: it has the values that the object has now, does not
    /// change, and can be read by any number of threads at the same time.
    ///
    /// ```swift
    /// let frozen = dog.freeze()
    /// queue.async { print(frozen.name, frozen.owner?.name ?? "") }
    /// ```
    /// What is read from a frozen object is frozen too. Writing stops the program. A frozen object
    /// keeps its version in the file as long as it exists, as ``Realm/freeze()`` says.
    ///
    /// In a write transaction, the copy has the values from before the transaction. A frozen object
    /// returns itself.
    ///
    /// - Precondition: The object is managed, was not deleted, and was not added by the write
    ///   transaction that is open.
    public final func freeze() -> Self {
        guard let managedClass = _managedClass else { stop("Unmanaged objects cannot be frozen.") }
        if managedClass.isFrozen { return self }
        let realm = managedClass.realm.freeze()
        // Afterwards, because the Realm may have left a version that could not be written.
        _requireAlive()
        // The class does not keep its Realm.
        let object = withExtendedLifetime(realm) {
            realm.counterpart(of: managedClass).makeAccessor(key: _key)
        }
        if object._leaf == nil {
            stop("Cannot freeze an object in the same write transaction as it was created in.")
        }
        // Safe because the class of an accessor is that of its managed class.
        return unsafeDowncast(object, to: Self.self)
    }

    /// Returns the live object that this frozen one is a copy of, in the Realm of the caller's
    /// actor, queue or thread, as ``Realm/thaw()`` says. The result is nil if the object was
    /// deleted, or if the file was moved or removed. A live object returns itself.
    ///
    /// - Precondition: The object is managed.
    public final func thaw() -> Self? {
        guard let managedClass = _managedClass else { stop("Unmanaged objects cannot be thawed.") }
        if !managedClass.isFrozen { return self }
        let realm = managedClass.realm.thaw(with: [managedClass])
        return realm.flatMap { _counterpart(in: Realm(instance: $0)) }
    }
}
