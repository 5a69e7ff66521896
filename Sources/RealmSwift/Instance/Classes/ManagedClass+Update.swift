import StorageEngine

extension ManagedClass {
    /// Writes the values of an unmanaged object to an existing one, and makes the former the
    /// accessor of the latter. Only the properties in `given` are written, or all if it is nil. The
    /// second step of the addition writes links and collections.
    func updateRow(
        of key: Int64, from object: ObjectBase, update: Realm.UpdatePolicy, given: Set<String>?
    ) {
        let row = gather(object, given: given)
        for (property, column) in zip(model.properties, columns) {
            if column == primaryKeyColumn || property.isDeferred { continue }
            if let given, !given.contains(property.name) { continue }
            write(row[column], column, of: ObjectKey(rawValue: key), update: update)
        }
        if realm.hasFailed { return }
        for position in model.collections {
            // A collection that was never read is empty, and must still empty the stored one.
            let property = model.properties[position]
            _ = property.wrapper.value(of: object, at: property.offset)
        }
        object._attach(to: self, key: key)
        if !model.deferred.isEmpty {
            realm.completeLater(
                _Addition(object: object, to: self, update: update, isNew: false, given: given))
        }
    }

    /// Inserts a row as a new object. If `update` allows it and an object with the same primary key
    /// exists, writes the `given` properties to that object instead. Returns nil if the transaction
    /// has failed.
    func store(
        _ row: UnsafeMutableBufferPointer<Scalar>, update: Realm.UpdatePolicy,
        given: Set<String>
    ) -> Int64? {
        guard update != .error, let existing = existingKey(row) else {
            return insertRow(UnsafeBufferPointer(row))
        }
        write(
            UnsafeBufferPointer(row), of: ObjectKey(rawValue: existing), given: given,
            update: update)
        return realm.hasFailed ? nil : existing
    }

    /// Writes the `given` properties of a row to an existing object.
    func write(
        _ row: UnsafeBufferPointer<Scalar>, of key: ObjectKey, given: Set<String>,
        update: Realm.UpdatePolicy = .modified
    ) {
        for (property, column) in zip(model.properties, columns)
        where column != primaryKeyColumn && !property.isDeferred && given.contains(property.name) {
            write(row[column], column, of: key, update: update)
        }
    }

    /// Writes a value. With `.modified`, only a value that differs from the stored one is written.
    func write(_ value: Scalar, _ column: Int, of key: ObjectKey, update: Realm.UpdatePolicy) {
        realm.change {
            if update == .modified,
                try existingTable.value(column, of: key).isIdentical(to: value)
            {
                return
            }
            try existingTable.set(column, of: key, to: value)
        }
    }
}
