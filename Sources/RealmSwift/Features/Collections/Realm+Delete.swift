import StorageEngine

extension Realm {
    /// Deletes an object.
    ///
    /// Links to the object become nil, and lists lose it. Its instances are invalidated, and stay
    /// invalidated if the transaction is cancelled.
    ///
    /// - Precondition: A write transaction is open. The object is managed by this Realm and was not
    ///   deleted before.
    public func delete(_ object: ObjectBase) {
        guard canDelete(from: object._managedClass?.realm),
            let managedClass = object._managedClass
        else { return }
        object._requireAlive()
        instance.change {
            try managedClass.existingTable.delete(ObjectKey(rawValue: object._key))
            managedClass.noteDeletion(of: object._key)
        }
    }

    /// Deletes the objects of a sequence. Objects that were deleted before are skipped.
    ///
    /// Deleting many objects in one call is faster than deleting them one by one. A lazy sequence
    /// avoids an array of the objects:
    ///
    /// ```swift
    /// realm.delete(realm.objects(Dog.self).lazy.filter { $0.age > 20 })
    /// ```
    ///
    /// - Precondition: A write transaction is open, and all objects are managed by this Realm.
    @inlinable
    public func delete<S: Sequence>(_ objects: S) where S.Iterator.Element: ObjectBase {
        let deletion = _beginDeletion()
        for object in objects { deletion._add(object) }
        deletion._run()
    }

    @usableFromInline
    func _beginDeletion() -> _Deletion {
        instance.requireWriting()
        return _Deletion(instance)
    }

    /// Deletes the objects of a list. The list is empty afterwards.
    ///
    /// - Precondition: A write transaction is open, and the list is managed by this Realm.
    public func delete<Element: ObjectBase>(_ objects: List<Element>) {
        if canDelete(from: objects.managed?.realm) { deleteEach(of: objects) }
    }

    /// Deletes the objects that are values of a map. The map is empty afterwards.
    ///
    /// - Precondition: A write transaction is open, and the map is managed by this Realm.
    public func delete<Key: _MapKey, Value: ObjectBase & _RealmCollectionValueInsideOptional>(
        _ map: Map<Key, Value?>
    ) {
        guard canDelete(from: map.managed?.realm) else { return }
        deleteEach(of: map.values.compactMap { $0 })
        map.removeAll()
    }

    /// Deletes the objects of query results.
    ///
    /// - Precondition: A write transaction is open, and the results belong to this Realm.
    public func delete<Element: ObjectBase>(_ objects: Results<Element>) {
        guard canDelete(from: objects.query.realm) else { return }
        objects.query.requireValid()
        let managedClass = objects.query.managedClass
        if objects.query.isWholeTable { return deleteAll(managedClass) }
        guard let table = managedClass.table else { return }
        // One object can occur several times in the results.
        let keys = Set(objects.query.keys.unpacked)
        instance.change {
            try table.delete(keys.map { ObjectKey(rawValue: $0) })
            for key in keys { managedClass.noteDeletion(of: key) }
        }
    }

    /// Deletes all objects of the classes that this Realm stores.
    ///
    /// - Precondition: A write transaction is open.
    public func deleteAll() {
        instance.requireWriting()
        for model in instance.schema.classes {
            deleteAll(instance.managedClass(for: model.type))
        }
    }

    /// Returns whether objects of a Realm can be deleted; false in a failed transaction. Stops the
    /// program outside of a write transaction, and if the Realm is another one.
    private func canDelete(from realm: @autoclosure () -> RealmInstance?) -> Bool {
        instance.requireWriting()
        if instance.isInFailedTransaction { return false }
        if realm() !== instance { stop("Can only delete an object from the Realm it belongs to.") }
        return true
    }

    private func deleteEach(of objects: some Sequence<some ObjectBase>) {
        let deletion = _Deletion(instance)
        for object in objects { deletion._add(object) }
        deletion._run()
    }

    private func deleteAll(_ managedClass: ManagedClass) {
        guard let table = managedClass.table else { return }
        instance.change {
            try table.deleteAll()
            managedClass.noteDeletionOfAll()
        }
    }
}

/// A set of objects to delete together.
///
/// The objects are collected first, because their sequence can be lazy and read objects that come
/// later in it.
@usableFromInline
final class _Deletion {
    private let realm: RealmInstance
    /// The class of the objects in `keys`.
    private var managedClass: ManagedClass?
    private var keys: [ObjectKey] = []
    /// The collected keys of other classes.
    private var others: [(ManagedClass, [ObjectKey])] = []

    init(_ realm: RealmInstance) { self.realm = realm }

    @inline(never) @usableFromInline
    func _add(_ object: ObjectBase) {
        if realm.isInFailedTransaction || object.isInvalidated { return }
        guard let itsClass = object._managedClass, itsClass.realm === realm else {
            stop("Can only delete an object from the Realm it belongs to.")
        }
        if itsClass !== managedClass { turn(to: itsClass) }
        keys.append(ObjectKey(rawValue: object._key))
    }

    private func turn(to other: ManagedClass) {
        if let managedClass { others.append((managedClass, keys)) }
        let known = others.firstIndex { $0.0 === other }
        keys = known.map { others.remove(at: $0).1 } ?? []
        managedClass = other
    }

    @usableFromInline
    func _run() {
        if let managedClass { others.append((managedClass, keys)) }
        for (managedClass, keys) in others {
            realm.change {
                let table = managedClass.existingTable
                // A single object is deleted without the preparation for many. An earlier deletion,
                // for example of an object of another class, may already have removed it.
                if keys.count == 1 {
                    if try table.contains(keys[0]) { try table.delete(keys[0]) }
                } else {
                    try table.delete(keys)
                }
                for key in keys { managedClass.noteDeletion(of: key.rawValue) }
            }
        }
    }
}
