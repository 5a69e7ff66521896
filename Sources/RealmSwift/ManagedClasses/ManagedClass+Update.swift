import StorageEngine

extension ManagedClass {
    /// Gives an existing object the values of an unmanaged one, which becomes its accessor: those
    /// of the properties in `given`, or all. Links and collections follow in the addition's second
    /// step.
    func updateRow(
        of key: Int64, from object: ObjectBase, update: Realm.UpdatePolicy, given: Set<String>?
    ) {
        let row = gather(object, given: given)
        for (property, column) in zip(model.properties, columns) {
            if column == primaryKeyColumn || property.isDeferred { continue }
            if let given, !given.contains(property.name) { continue }
            write(row[column], column, of: ObjectKey(rawValue: key), update)
        }
        if realm.hasFailed { return }
        for position in model.collections {
            // One that was never read is empty all the same, and is to empty the stored one.
            let property = model.properties[position]
            _ = property.wrapper.value(of: object, at: property.offset)
        }
        object._attach(to: self, key: key)
        if !model.deferred.isEmpty {
            realm.completeLater(
                _Addition(object: object, to: self, update: update, isNew: false, given: given))
        }
    }

    /// Stores a row as a new object, or, under a policy that allows it, what is `given` of it as an
    /// update of the one with the same primary key. Nil if the transaction has failed.
    func store(
        _ row: UnsafeMutableBufferPointer<Scalar>, update: Realm.UpdatePolicy,
        given: Set<String>
    ) -> Int64? {
        guard update != .error, let existing = existingKey(row) else {
            return insertRow(UnsafeBufferPointer(row))
        }
        write(UnsafeBufferPointer(row), of: ObjectKey(rawValue: existing), given: given, update)
        return realm.hasFailed ? nil : existing
    }

    /// Writes what is `given` of a row into that of an existing object.
    func write(
        _ row: UnsafeBufferPointer<Scalar>, of key: ObjectKey, given: Set<String>,
        _ update: Realm.UpdatePolicy = .modified
    ) {
        for (property, column) in zip(model.properties, columns)
        where column != primaryKeyColumn && !property.isDeferred && given.contains(property.name) {
            write(row[column], column, of: key, update)
        }
    }

    /// Writes a value; under `.modified` only if it differs from the one that is there.
    func write(_ value: Scalar, _ column: Int, of key: ObjectKey, _ update: Realm.UpdatePolicy) {
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
