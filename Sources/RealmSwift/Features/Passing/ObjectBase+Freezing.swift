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
        _requireAlive()
        let frozenClass = managedClass.realm.freeze().counterpart(of: managedClass)
        let object = frozenClass.makeAccessor(key: _key)
        if object._leaf == nil {
            stop("Cannot freeze an object in the same write transaction as it was created in.")
        }
        // Safe because the class of an accessor is that of its managed class.
        return unsafeDowncast(object, to: Self.self)
    }

    /// Returns the live object that this frozen one is a copy of, in the Realm of the thread or
    /// queue of the caller; nil if it was deleted. A live object returns itself.
    ///
    /// - Precondition: The object is managed.
    public final func thaw() -> Self? {
        guard let managedClass = _managedClass else { stop("Unmanaged objects cannot be thawed.") }
        if !managedClass.isFrozen { return self }
        return _counterpart(in: Realm(instance: managedClass.realm.thaw()))
    }
}
